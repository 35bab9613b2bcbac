"""The game as OpenSpiel sees it: the same rules, the same information states, the same values."""

import copy
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python.observation import make_observation
from open_spiel.python.policy import TabularPolicy, python_policy_to_pyspiel_policy

from lostcities_env.agents import make
from lostcities_env.agents.base import Agent, observation_key
from lostcities_env.evaluation.equilibrium import solve
from lostcities_env.evaluation.exploitability import exploitability, exploitability_of_profile
from lostcities_env.evaluation.game_tree import GameTree
from lostcities_env.interop.openspiel import NAME, AgentPolicy, LostCitiesState
from lostcities_env.rules.variant import VARIANTS, InvalidVariantError
from tests.reference import DECK, ReferenceGame, ReferenceVariant

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]


def load(variant: str) -> Any:
    return pyspiel.load_game(f"{NAME}(variant={variant})")


class Mixed(Agent):
    """Any mixture of the legal actions, as the observation has it."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def probabilities(
        self, observations: np.ndarray, action_masks: np.ndarray, *, samples: int = 1
    ) -> np.ndarray:
        weights = np.array([self.mixture(row) for row in observations]) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)

    def mixture(self, row: np.ndarray) -> np.ndarray:
        generator = np.random.default_rng(int(observation_key(row, np.uint64(self.seed))))
        return generator.exponential(size=self.match.variant.n_actions) ** 2


@pytest.fixture(scope="module")
def mini1() -> Any:
    return load("mini1")


class Pair:
    """A state of OpenSpiel's and the reference game that it should be."""

    def __init__(self, state: LostCitiesState, game: ReferenceGame | None) -> None:
        self.state = state
        self.game = game

    def after(self, action: int) -> "Pair":
        state, game = self.state.child(action), copy.deepcopy(self.game)
        variant = self.state.match.variant
        if game is None:
            if not state.is_chance_node():
                fields = asdict(variant)
                del fields["name"]
                reference = ReferenceVariant(**fields)
                dealt = [card for pair in zip(*state.hands, strict=True) for card in pair]
                cards = [reference.code_of_card(card) for card in reference.all_cards()]
                for card in dealt:
                    cards.remove(card)
                game = ReferenceGame(reference, [dealt + cards])
        elif self.state.is_chance_node():
            card = game.variant.card_from_code(action)
            game.deck.remove(card)
            game.deck.insert(0, card)
            assert self.state.pending is not None
            game.apply(self.state.pending)
        elif game.variant.action_from_code(action).source != DECK:
            game.apply(action)
        return Pair(state, game)

    def check(self) -> None:
        state, game = self.state, self.game
        if game is None:
            assert state.is_chance_node()
            assert state.returns() == [0, 0]
        elif state.is_chance_node():
            cards = [game.variant.code_of_card(card) for card in game.deck]
            wanted = {card: cards.count(card) / len(cards) for card in cards}
            assert dict(state.chance_outcomes()) == pytest.approx(wanted)
            assert not game.over
        else:
            assert state.is_terminal() == game.over
            first, second = game.scores()
            assert state.returns() == ([first - second, second - first] if game.over else [0, 0])
            assert state.legal_actions() == game.legal_actions()
            for player in range(2):
                seen = game.observation(player, "recall")
                np.testing.assert_allclose(state.observation_tensor(player), seen, rtol=1e-6)
            if not game.over:
                assert state.current_player() == game.mover


def walk(pair: Pair) -> Iterator[Pair]:
    yield pair
    if not pair.state.is_terminal():
        for action in pair.state.legal_actions():
            yield from walk(pair.after(action))


def test_every_state_of_mini1_obeys_the_rules(mini1: Any) -> None:
    known: dict[str, tuple[int, list[int], str]] = {}
    decisions = ends = 0
    for pair in walk(Pair(mini1.new_initial_state(), None)):
        pair.check()
        state = pair.state
        ends += state.is_terminal()
        if not state.is_terminal() and not state.is_chance_node():
            decisions += 1
            mover = state.current_player()
            seen = (mover, state.legal_actions(), state.observation_string(mover))
            assert known.setdefault(state.information_state_string(), seen) == seen
    tree = GameTree("mini1")
    assert (len(known), decisions, ends) == (tree.n_information_states, tree.n_decisions, tree.n_ends)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_histories_obey_the_rules(variant: str) -> None:
    generator = np.random.default_rng(3)
    for _ in range(2 if variant in ("standard", "six") else 20):
        pair = Pair(load(variant).new_initial_state(), None)
        while not pair.state.is_terminal():
            pair.check()
            pair = pair.after(int(generator.choice(pair.state.legal_actions())))
        pair.check()


@pytest.mark.parametrize("variant", VARIANTS)
def test_openspiels_own_checks(variant: str) -> None:
    pyspiel.random_sim_test(load(variant), num_sims=1, serialize=True, verbose=False)


def test_information_states_hold_what_the_player_has_seen_and_nothing_else(mini1: Any) -> None:
    state = mini1.new_initial_state()
    for word in ("R4", "R1", "R4 deck", "R2", "-R1 deck", "Rx"):
        player = state.current_player()
        (action,) = (a for a in state.legal_actions() if state.action_to_string(player, a) == word)
        state.apply_action(action)
    assert state.information_state_string(0) == "0: R4, R4 deck R2, -R1 deck"
    assert state.information_state_string(1) == "1: R1, R4 deck, -R1 deck Rx"
    assert str(state) == "0: R4, 1: R1, R4 deck R2, -R1 deck Rx"


def test_observations(mini1: Any) -> None:
    state = mini1.new_initial_state()
    observation = make_observation(mini1)
    observation.set_from(state, 0)
    assert not observation.tensor.any()
    assert observation.string_from(state, 0) == "the cards are being dealt"
    for card in (2, 0):
        state.apply_action(card)
    observation.set_from(state, 1)
    assert observation.dict["hand"].tolist() == [[1, 0, 0, 0, 0]]
    assert observation.string_from(state, 1).startswith("hand: Rx\n")
    everything = make_observation(mini1, pyspiel.IIGObservationType(perfect_recall=True))
    assert everything.tensor is None
    assert everything.string_from(state, 1) == "1: Rx"


def test_best_replies_are_those_of_openspiel(mini1: Any) -> None:
    agent = Mixed(mini1.match, seed=4)
    ours = exploitability(agent, GameTree("mini1"))
    policy = AgentPolicy(mini1, agent).to_tabular()
    theirs = python_policy_to_pyspiel_policy(policy)
    replies = [pyspiel.TabularBestResponse(mini1, player, theirs) for player in range(2)]
    values = [reply.value_from_state(mini1.new_initial_state()) for reply in replies]
    assert ours.best_replies == pytest.approx(values, abs=1e-12)
    assert ours.exploitability == pytest.approx(pyspiel.exploitability(mini1, theirs), abs=1e-12)


def test_our_equilibrium_is_one_to_openspiel(mini1: Any) -> None:
    tree = GameTree("mini1")
    found = solve(tree, precision=1e-6)
    policy = TabularPolicy(mini1)
    by_observation = {row.tobytes(): k for k, row in enumerate(tree.observations)}
    assert len(by_observation) == tree.n_information_states, "so an observation is an information state here"
    for k, state in enumerate(policy.states):
        row = np.array(state.observation_tensor(), dtype=np.float32).tobytes()
        slots = np.flatnonzero(tree.slot_states == by_observation[row])
        policy.action_probability_array[k] = 0
        policy.action_probability_array[k, tree.slot_actions[slots]] = found.profile[slots]
    theirs = pyspiel.exploitability(mini1, python_policy_to_pyspiel_policy(policy))
    assert theirs == pytest.approx(found.exploitability, abs=1e-9)
    ours = exploitability_of_profile(found.profile, tree, name="equilibrium")
    assert ours.exploitability == pytest.approx(theirs, abs=1e-9)


def test_what_is_refused(mini1: Any) -> None:
    with pytest.raises(InvalidVariantError, match="no variant 'mini4'; there are "):
        load("mini4")
    with pytest.raises(ValueError, match="the agent was made for"):
        AgentPolicy(mini1, make("random", "mini2"))
    for kind in (
        pyspiel.IIGObservationType(perfect_recall=False, public_info=False),
        pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS),
    ):
        with pytest.raises(ValueError, match="an observation is all that one player knows"):
            mini1.make_py_observer(kind)
