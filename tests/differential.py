"""Plays random matches with the compiled kernels and with the plain-Python reference, turn by turn.

    python -m tests.differential --rounds 20000

At every turn both must agree on the legal actions, what both players see at every level, the scores, who
moves and what ends. Half of the rounds are of the named variants, half of random ones; matches have one
to three rounds under every tie rule.
"""

import argparse
import random
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import cpu_count

import numpy as np

from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import DECK, DISCARD, PLAY, decode_action, format_action
from lostcities_env.rules.cards import all_cards, format_card
from lostcities_env.rules.game import Game
from lostcities_env.rules.observation import LEVELS, observation_size, write_observation_at
from lostcities_env.rules.variant import VARIANTS, InvalidVariantError, Variant
from tests.reference import ReferenceGame, ReferenceVariant

PILE_WEIGHTS = (0.05, 0.3, 1.0, 5.0)
PLAY_WEIGHTS = (0.3, 1.0, 5.0, 30.0)
"""How much likelier draws from piles and plays are made, so that piles get deep and expeditions long."""
MATCHES_A_BATCH = 20


class DifferenceError(AssertionError):
    """The kernels and the reference disagree; the message has the turns that led there."""


def random_variant(rng: random.Random) -> Variant:
    """A small or large game of random rules, corners included."""
    while True:
        lowest = rng.randint(1, 4)
        try:
            return Variant(
                name="random",
                n_colours=rng.randint(1, 6),
                lowest=lowest,
                highest=lowest + rng.randint(0, 8),
                n_wagers=rng.randint(0, 3),
                hand_size=rng.randint(1, 8),
                expedition_cost=rng.choice((0, 3, 20)),
                bonus_length=rng.choice((0, 1, 3, 8)),
                bonus=rng.choice((0, 4, 20)),
                piles_close_at=rng.choice((None, 0, 1, 6, 30)),
            )
        except InvalidVariantError:
            continue


def random_decks(variant: Variant, count: int, rng: random.Random) -> list[list[int]]:
    """Shuffled decks, as card codes."""
    decks = []
    for _ in range(count):
        cards = all_cards(variant)
        rng.shuffle(cards)
        decks.append(cards)
    return decks


class Pair:
    """A match played by both sides."""

    def __init__(
        self, variant: Variant, rounds: int, tie: str, decks: list[list[int]], first_player: int
    ) -> None:
        self.variant = variant
        texts = [[format_card(variant, card) for card in deck] for deck in decks]
        self.game = Game(variant, rounds=rounds, tie=tie, deck=texts, first_player=first_player)
        fields = asdict(variant)
        del fields["name"]
        self.reference = ReferenceGame(ReferenceVariant(**fields), decks, rounds, tie, first_player)
        self.sizes = [observation_size(self.game.match, level) for level in LEVELS]
        self.turns: list[str] = []
        self.seen: Counter[str] = Counter()

    def legal(self) -> list[int]:
        """The legal actions, on which both must agree."""
        legal = self.reference.legal_actions()
        self._same("legal actions", np.flatnonzero(self.game.action_mask()).tolist(), legal)
        return legal

    def step(self, action: int) -> None:
        """Takes a turn on both sides."""
        self.turns.append(format_action(self.variant, action))
        _, way, source = decode_action(action, self.variant.n_colours)
        self.seen["pile draws"] += source != DECK
        self.seen["plays"] += way == PLAY
        self.seen["discards"] += way == DISCARD
        self.seen["turns"] += 1
        mover, before = self.reference.mover, self.reference.scores()
        rounds_before = len(self.reference.round_results)
        gain = self.game.step(action)
        self.reference.apply(action)
        ended = len(self.reference.round_results) > rounds_before
        after = list(self.reference.round_results[-1]) if ended else self.reference.scores()
        self._same("gain", gain, after[mover] - before[mover])
        self.seen["rounds"] += ended
        close = self.variant.piles_close_at
        self.seen["closed piles"] += close is not None and self.reference.turn == close

    def compare(self) -> None:
        """Demands that both sides are in the same position."""
        game, reference = self.game, self.reference
        for name in ("mover", "turn", "round", "over"):
            self._same(name, getattr(game, name), getattr(reference, name))
        self._same("scores", list(game.scores), reference.scores())
        self._same("match scores", list(game.match_scores), reference.match_scores())
        self._same("round scores", game.round_scores, reference.round_results)
        winner = reference.winner()
        self._same("winner", game.winner, None if winner == -1 else winner)
        for player in range(2):
            points = [score.points for score in game.score_breakdown(player).values()]
            self._same(f"colour scores of player {player}", points, reference.colour_scores(player))
            if reference.over:
                best = int(game._states[0]["best_expedition"][player])
                self._same(f"best expedition of player {player}", best, reference.best_expedition(player))
            want = np.array(reference.observation(player, "full"), dtype=np.float32)
            for level, size in enumerate(self.sizes):
                have = np.full(size, np.nan, dtype=np.float32)
                write_observation_at(game._states, 0, player, level, have)
                if not np.array_equal(have, want[:size]):
                    places = np.flatnonzero(have != want[:size]).tolist()
                    self._fail(f"player {player}'s {LEVELS[level]} observation differs at {places}")

    def _same(self, what: str, have: object, want: object) -> None:
        if have != want:
            self._fail(f"{what}: the kernels say {have}, the reference {want}")

    def _fail(self, what: str) -> None:
        raise DifferenceError(f"{what}\n{self.game.match}\nafter: {', '.join(self.turns)}")


def play_match(
    variant: Variant, rounds: int, tie: str, rng: random.Random, max_turns: int = 400
) -> Counter[str]:
    """One random match on both sides; counts what happened in it.

    A round without closing piles is left after `max_turns` turns.
    """
    decks = random_decks(variant, rounds + (tie == "extra_round"), rng)
    pair = Pair(variant, rounds, tie, decks, first_player=rng.randrange(2))
    to_pile, to_play = rng.choice(PILE_WEIGHTS), rng.choice(PLAY_WEIGHTS)
    pair.compare()
    while (legal := pair.legal()) and pair.reference.turn < max_turns:
        weights = []
        for action in legal:
            _, way, source = decode_action(action, variant.n_colours)
            weights.append((1.0 if source == DECK else to_pile) * (to_play if way == PLAY else 1.0))
        pair.step(rng.choices(legal, weights)[0])
        pair.compare()
    pair.seen["matches"] += 1
    pair.seen["extra rounds"] += pair.reference.round == rounds
    pair.seen["drawn matches"] += pair.reference.winner() == -1
    pair.seen["truncated"] += not pair.reference.over
    return pair.seen


def play_batch(seed: int) -> Counter[str]:
    """Some matches of named and of random variants."""
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for k in range(MATCHES_A_BATCH):
        named = list(VARIANTS.values())[(k // 2) % len(VARIANTS)]
        variant = named if k % 2 == 0 else random_variant(rng)
        seen += play_match(variant, rng.randint(1, 3), rng.choice(kernels.TIE_RULES), rng)
    return seen


def main() -> None:
    """Plays until enough rounds have been compared."""
    parser = argparse.ArgumentParser(description="Compares the kernels with the plain-Python reference.")
    parser.add_argument("--rounds", type=int, default=20_000, help="how many rounds at least")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch of matches")
    parser.add_argument("--processes", type=int, default=cpu_count())
    arguments = parser.parse_args()
    start = time.perf_counter()
    seen: Counter[str] = Counter()
    seed = arguments.seed
    with ProcessPoolExecutor(arguments.processes) as pool:
        while seen["rounds"] < arguments.rounds:
            batches = range(seed, seed + 8 * arguments.processes)
            for counts in pool.map(play_batch, batches):
                seen += counts
            seed = batches.stop
            seconds = time.perf_counter() - start
            print(f"{seen['rounds']:>8,} rounds, {seen['turns']:>10,} turns, {seconds:6.0f} s", flush=True)
    print("no difference in " + ", ".join(f"{count:,} {what}" for what, count in sorted(seen.items())))


if __name__ == "__main__":
    main()
