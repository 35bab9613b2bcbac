import copy
import re
from dataclasses import asdict
from itertools import permutations
from pathlib import Path

import pytest

from benchmarks.count_information_states import Size, count
from lostcities_env.rules.cards import all_cards
from lostcities_env.rules.variant import MINIATURES, VARIANTS, Variant
from tests.reference import DECK, ReferenceGame, ReferenceVariant

Memory = tuple[object, ...]

TWO_WAGERS = Variant("two wagers", 1, 1, 2, 2, 1, 1, 0, 0, 2)
"""Four cards, two of which are alike."""


class Walk:
    """The same count in plain Python: the reference game on every order of the deck."""

    def __init__(self, variant: Variant) -> None:
        fields = asdict(variant)
        del fields["name"]
        self.variant = ReferenceVariant(**fields)
        self.information_states: set[tuple[int, Memory]] = set()
        self.observations: set[tuple[int, tuple[float, ...]]] = set()
        self.decisions: set[Memory] = set()
        self.terminals: set[Memory] = set()
        self.longest = 0
        for deck in set(permutations(all_cards(variant))):
            game = ReferenceGame(self.variant, [list(deck)])
            hands = tuple(tuple(sorted(hand)) for hand in game.hands)
            self.below(game, 0, hands, (hands[:1], hands[1:]))

    def below(self, game: ReferenceGame, depth: int, history: Memory, memories: tuple[Memory, ...]) -> None:
        if game.over:
            self.terminals.add(history)
            self.longest = max(self.longest, depth)
            return
        mover = game.mover
        self.decisions.add(history)
        self.information_states.add((mover, memories[mover]))
        self.observations.add((mover, tuple(game.observation(mover, "recall"))))
        for action in game.legal_actions():
            after = copy.deepcopy(game)
            from_deck = self.variant.action_from_code(action).source == DECK
            drawn = (game.deck[0],) if from_deck else ()
            after.apply(action)
            remembered = [(*memory, action) for memory in memories]
            remembered[mover] += drawn
            self.below(after, depth + 1, (*history, action, *drawn), tuple(remembered))

    def size(self) -> Size:
        counts = (self.information_states, self.observations, self.decisions, self.terminals)
        information_states, observations, decisions, terminals = (len(found) for found in counts)
        return Size(information_states, observations, decisions, terminals, self.longest)


@pytest.mark.parametrize("variant", [VARIANTS["mini1"], TWO_WAGERS], ids=lambda variant: variant.name)
def test_the_count_agrees_with_plain_python(variant: Variant) -> None:
    assert count(variant) == Walk(variant).size()


def test_the_table_in_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    for variant in MINIATURES:
        (line,) = re.findall(rf"^\| `{variant.name}` \| ([\d,| ]+) \|$", text, re.MULTILINE)
        numbers = [int(cell.replace(",", "")) for cell in line.split("|")]
        assert numbers == list(count(variant))


def test_a_game_without_an_end() -> None:
    with pytest.raises(ValueError, match="never closes its piles"):
        count(Variant("open", piles_close_at=None))
