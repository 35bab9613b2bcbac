"""Counts how large the miniatures are, exactly, by laying out their whole game trees.

    python benchmarks/count_information_states.py              # every miniature
    python benchmarks/count_information_states.py mini1        # some of them

Equal cards are identical, and a hand has no order. `lostcities_env.evaluation.game_tree` says what a
decision, an end and an information state are. An *observation* is what the player to move is shown (recall):
it forgets the order of past turns.
"""

import argparse
import time
from typing import NamedTuple

import numpy as np

from lostcities_env.evaluation.game_tree import GameTree
from lostcities_env.rules.variant import MINIATURES, Variant, get_variant


class Size(NamedTuple):
    """How large one round of a variant is; the module's text explains the terms."""

    information_states: int
    observations: int
    decisions: int
    terminals: int
    longest: int


def count(variant: Variant) -> Size:
    """The size of one round, seat 0 to begin.

    Raises:
        GameTreeError: if the tree has no end or is too large.
    """
    tree = GameTree(variant)
    players = tree.slot_players[tree.first_slots[:-1], None]
    seen = np.unique(np.hstack([players.astype(np.float32), tree.observations]), axis=0)
    return Size(tree.n_information_states, len(seen), tree.n_decisions, tree.n_ends, tree.longest)


def main() -> None:
    """Prints one line a variant."""
    parser = argparse.ArgumentParser(description="Counts how large the miniatures are.")
    parser.add_argument("variants", nargs="*", default=[variant.name for variant in MINIATURES])
    print(f"{'variant':<14}{'information':>12}{'obser-':>10}{'deci-':>12}{'terminal':>12}{'longest':>9}")
    print(f"{'':<14}{'states':>12}{'vations':>10}{'sions':>12}{'histories':>12}{'round':>9}{'seconds':>9}")
    for name in parser.parse_args().variants:
        start = time.perf_counter()
        size = count(get_variant(name))
        print(
            f"{name:<14}{size.information_states:>12,}{size.observations:>10,}{size.decisions:>12,}"
            f"{size.terminals:>12,}{size.longest:>9}{time.perf_counter() - start:>9.1f}"
        )


if __name__ == "__main__":
    main()
