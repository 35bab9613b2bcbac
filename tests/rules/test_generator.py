import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.rules.generator import check_seed, mix, next_below, next_word, seed_words, shuffle

WORD = 2**64 - 1

seeds = st.integers(0, WORD)


def generator(seed: int) -> np.ndarray:
    words = np.zeros(4, dtype=np.uint64)
    seed_words(words=words, seed=np.uint64(seed))
    return words


class PlainGenerator:
    """SplitMix64 and xoshiro256++ in plain Python integers, from the public descriptions."""

    def __init__(self, seed: int) -> None:
        self.words = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & WORD
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
            self.words.append(z ^ (z >> 31))

    def next(self) -> int:
        s = self.words
        result = (self._rotated((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = self._rotated(s[3], 45)
        return result

    @staticmethod
    def _rotated(word: int, places: int) -> int:
        return ((word << places) | (word >> (64 - places))) & WORD


def test_published_values_of_splitmix64() -> None:
    # The reference implementation's first outputs for seed 1234567.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert PlainGenerator(1234567).words == expected
    assert generator(1234567).tolist() == expected


def test_published_values_of_xoshiro256plusplus() -> None:
    # The reference implementation's first outputs from the state 1, 2, 3, 4.
    words = np.array([1, 2, 3, 4], dtype=np.uint64)
    expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [int(next_word(words)) for _ in expected] == expected


@given(seeds)
def test_the_same_stream_as_plain_python(seed: int) -> None:
    words, plain = generator(seed), PlainGenerator(seed)
    for _ in range(20):
        assert int(next_word(words)) == plain.next()
        assert words.tolist() == plain.words


@given(seeds, seeds)
def test_mix_is_injective(first: int, second: int) -> None:
    assert (mix(np.uint64(first)) == mix(np.uint64(second))) == (first == second)


@given(seeds, st.integers(1, 2**32 - 1))
def test_next_below_stays_below(seed: int, bound: int) -> None:
    words = generator(seed)
    assert all(0 <= next_below(words, bound) < bound for _ in range(20))


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 44, 60])
def test_next_below_is_uniform(bound: int) -> None:
    words, draws = generator(1), 20_000
    counts = np.bincount([next_below(words, bound) for _ in range(draws)], minlength=bound)
    expected = draws / bound
    chi_square = ((counts - expected) ** 2 / expected).sum()
    # Mean bound - 1, variance 2 (bound - 1): five standard deviations.
    assert chi_square <= bound - 1 + 5 * (2 * (bound - 1)) ** 0.5


def test_next_below_has_no_bias_at_a_bound_where_plain_scaling_has() -> None:
    # Scaling 32 bits to 3 * 2**30 would give every third value twice as often.
    words, bound = generator(2), 3 << 30
    thirds = np.bincount([next_below(words, bound) % 3 for _ in range(6_000)], minlength=3)
    assert (abs(thirds - 2_000) < 5 * 37).all()


def test_shuffle_keeps_the_cards_and_leaves_the_rest() -> None:
    words, cards = generator(3), np.arange(20, dtype=np.int8)
    shuffle(words, cards, 12)
    assert sorted(cards[:12].tolist()) == list(range(12))
    assert cards[:12].tolist() != list(range(12))
    assert cards[12:].tolist() == list(range(12, 20))


def test_every_order_of_four_cards_is_equally_likely() -> None:
    words, orders, draws = generator(4), np.zeros(256, dtype=int), 12_000
    cards = np.arange(4, dtype=np.int8)
    for _ in range(draws):
        cards[:] = range(4)
        shuffle(words, cards, 4)
        orders[int(cards @ np.array([64, 16, 4, 1]))] += 1
    counts = orders[orders > 0]
    assert len(counts) == 24
    assert (abs(counts - draws / 24) < 5 * (draws / 24) ** 0.5).all()


@pytest.mark.parametrize("seed", [0, 7, WORD, np.uint64(WORD), np.int32(3)])
def test_good_seeds(seed: int) -> None:
    assert check_seed(seed) == int(seed)


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        (-1, ValueError, r"seed -1 is outside 0\.\.2\*\*64-1"),
        (2**64, ValueError, "is outside"),
        (1.0, TypeError, r"a seed is an integer, got 1\.0"),
        (True, TypeError, "got True"),
        ("1", TypeError, "got '1'"),
    ],
)
def test_bad_seeds(seed: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_seed(seed)
