"""The random generator inside every game: xoshiro256++, seeded by SplitMix64.

A game owns its generator (four words of its record), so a deal depends on a seed and nothing else: not
on the library's version of NumPy, not on how many games are stepped together.

Source: Blackman and Vigna, *Scrambled linear pseudorandom number generators* (2021); Steele, Lea and
Flood, *Fast splittable pseudorandom number generators* (2014); Lemire, *Fast random integer generation
in an interval* (2019).
"""

import numpy as np

from lostcities_env.rules.compiled import kernel

MAX_SEED = 2**64 - 1

_GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)


def check_seed(seed: int) -> int:
    """`seed` as an int, if it can seed a game.

    Raises:
        TypeError: if it is not an integer.
        ValueError: if it is outside 0..2**64-1.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"a seed is an integer, got {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed {seed} is outside 0..2**64-1")
    return int(seed)


def random_seed() -> int:
    """A seed from the operating system."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


@kernel
def mix(word: np.uint64) -> np.uint64:
    """SplitMix64's finaliser: spreads every bit of a word over all of it."""
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@kernel
def seed_words(seed: np.uint64, words: np.ndarray) -> None:
    """Fills the four uint64 `words` of a generator from a seed."""
    state = np.uint64(seed)
    for k in range(4):
        state += _GOLDEN_GAMMA
        words[k] = mix(state)


@kernel
def next_word(words: np.ndarray) -> np.uint64:
    """The next 64 random bits; advances `words`."""
    s0, s1, s2, s3 = words[0], words[1], words[2], words[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    s2 ^= s0
    s3 ^= s1
    words[1] = s1 ^ s2
    words[0] = s0 ^ s3
    words[2] = s2 ^ (s1 << np.uint64(17))
    words[3] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return result


@kernel
def next_below(words: np.ndarray, bound: int) -> int:
    """A uniform integer in 0..bound-1 (bound below 2**32), without bias; advances `words`."""
    bound_word = np.uint64(bound)
    product = (next_word(words) >> np.uint64(32)) * bound_word
    if (product & _LOW_32) < bound_word:
        threshold = (np.uint64(1 << 32) - bound_word) % bound_word
        while (product & _LOW_32) < threshold:
            product = (next_word(words) >> np.uint64(32)) * bound_word
    return int(product >> np.uint64(32))


@kernel
def shuffle(words: np.ndarray, cards: np.ndarray, count: int) -> None:
    """Puts the first `count` entries of `cards` into a uniformly random order (Fisher-Yates)."""
    for k in range(count - 1, 0, -1):
        other = next_below(words, k + 1)
        card = cards[k]
        cards[k] = cards[other]
        cards[other] = card
