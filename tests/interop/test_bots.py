"""OpenSpiel's bots as guests: they see what a player sees, and nothing else."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspiel")


from lostcities_env.agents import GuestError, make
from lostcities_env.evaluation import evaluate
from lostcities_env.interop.bots import possible_state
from lostcities_env.interop.openspiel import LostCitiesGame
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import Variant

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]

BOTS = """
import pyspiel

def uniform(match, seed):
    return pyspiel.make_uniform_random_bot(0, seed % 2**31)

class First(pyspiel.Bot):
    def __init__(self):
        pyspiel.Bot.__init__(self)

    def restart_at(self, state):
        self.seen = state.legal_actions()

    def step(self, state):
        return self.seen[0]

class Broken(First):
    def step(self, state):
        raise RuntimeError("lost")
"""


@pytest.fixture
def bots(tmp_path: Path) -> str:
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return str(path)


def positions(variant: str, rounds: int = 1, seed: int = 3) -> list[Game]:
    """A game of random turns, before every one of them."""
    game = Game(variant, rounds=rounds, seed=seed)
    agent = make("random", game.match, seed=seed)
    found = []
    while not game.over:
        found.append(game.clone())
        (action,) = agent.act(game.observation(game.mover)[np.newaxis], game.action_mask()[np.newaxis])
        game.step(action)
    return found


def cards_in(game: Game) -> list[str]:
    """All cards, wherever they are."""
    colours = range(game.variant.n_colours)
    parts = [game.deck(), *(game.pile(colour) for colour in colours)]
    for player in range(2):
        parts += [game.hand(player), *(game.expedition(player, colour) for colour in colours)]
    return sorted(card for part in parts for card in part)


@pytest.mark.parametrize(("variant", "rounds"), [("standard", 1), ("six", 1), ("mini3", 2)])
def test_a_state_is_as_the_player_sees_it(variant: str, rounds: int) -> None:
    spiel = LostCitiesGame({"variant": variant})
    for game in positions(variant, rounds)[::3]:
        observation = game.observation(game.mover)
        state = possible_state(spiel, observation, game.match, seed=1)
        assert state.current_player() == 0
        assert state.legal_actions() == np.flatnonzero(game.action_mask()).tolist()
        assert state.table is not None
        assert cards_in(state.table) == cards_in(game)
        assert len(state.table.deck()) == len(game.deck())
        assert state.table.scores == (game.scores[game.mover], game.scores[1 - game.mover])
        if rounds == 1:
            np.testing.assert_array_equal(state.table.observation(0), observation)


def test_hidden_cards_are_not_those_of_the_game() -> None:
    spiel = LostCitiesGame({"variant": "standard"})
    game = positions("standard")[8]
    other = 1 - game.mover
    observation = game.observation(game.mover)
    states = [possible_state(spiel, observation, game.match, seed) for seed in range(200)]
    hands = [state.table.hand(1) for state in states if state.table]
    assert all(set(game.known(other)) <= set(hand) for hand in hands)
    assert game.hand(other) not in hands
    held = [card for hand in hands for card in hand]
    unseen = set(game.deck()) | set(game.hand(other))
    assert set(held) == unseen, "in 200 deals each of them is dealt to the opponent at times"
    again = possible_state(spiel, observation, game.match, 0)
    assert str(again) == str(states[0])
    assert str(states[1]) != str(states[0])
    assert states[1].information_state_string(0) == states[0].information_state_string(0)


def test_a_state_can_be_searched() -> None:
    """Copies go on by themselves, to the end, and tell positions apart."""
    spiel = LostCitiesGame({"variant": "mini3"})
    rng = np.random.default_rng(1)
    for game in positions("mini3"):
        state = possible_state(spiel, game.observation(game.mover), game.match, 1)
        before = str(state)
        copy = state.clone()
        seen = {copy.information_state_string(0)}
        while not copy.is_terminal():
            if copy.is_chance_node():
                outcomes, chances = zip(*copy.chance_outcomes(), strict=True)
                copy.apply_action(int(rng.choice(outcomes, p=chances)))
            else:
                copy.apply_action(int(rng.choice(copy.legal_actions())))
                seen.add(copy.information_state_string(0))
        assert sum(copy.returns()) == 0
        assert len(seen) > 1
        assert str(state) == before


def test_openspiels_random_bot_plays(bots: str) -> None:
    result = evaluate(f"{bots}:uniform", "random", pairs=4, seed=1)
    assert result.games_without_margin == 0
    assert result.margin.low is not None
    assert result.margin.low - 5 < 0 < (result.margin.high or 0) + 5, "it is as strong as ours"
    again = evaluate(f"{bots}:uniform", "random", pairs=4, seed=1)
    assert again.to_dict() == result.to_dict()


def test_a_bot_in_python_plays_what_it_says(bots: str) -> None:
    game = Game(seed=1)
    agent = make(f"{bots}:First", game.match)
    (action,) = agent.act(game.observation(0)[np.newaxis], game.action_mask()[np.newaxis])
    assert action == np.flatnonzero(game.action_mask())[0]


def test_a_bot_that_fails_forfeits(bots: str) -> None:
    result = evaluate(f"{bots}:Broken", "random", variant="mini3", pairs=1)
    assert result.forfeits[0].reasons == {"crash": 2}
    assert result.forfeits[0].examples[0].message == "RuntimeError: lost (bots.py, line 19)"


def test_a_variant_that_openspiel_does_not_know_is_refused(bots: str) -> None:
    own = Variant(name="mini3", hand_size=4)
    with pytest.raises(GuestError, match="knows variants by name: 'mini3' is another one there"):
        make(f"{bots}:First", own)
