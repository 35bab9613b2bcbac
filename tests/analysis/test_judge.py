"""What a judge knows, and that its values are those of a turn and a reply, computed by hand."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from lostcities_env.agents import Agent, NoValuesError, make
from lostcities_env.analysis.judge import Judge, Judgement, default_judge
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_blocks
from lostcities_env.rules.variant import MINI_1, SIX_COLOURS
from tests.agents.positions import STANDARD, midgame, shuffle_unseen


class Lead(Agent):
    """Plays as `greedy` does; expects the scores to stay as they are."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return make("greedy", self.match).act(observations, action_masks)

    def values(self, observations: np.ndarray) -> np.ndarray:
        [scores] = [block.slice for block in observation_blocks(self.match) if block.name == "scores"]
        own, other = 100 * observations[:, scores].T.astype(np.float64)
        return own - other


def game_of(states: np.ndarray, match: Match = STANDARD) -> Game:
    game = Game(match.variant, rounds=match.rounds, seed=0)
    game.set_state({"states": states, "decks": []})
    return game


@pytest.fixture(scope="module")
def champion() -> Agent:
    return make("champion")


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    """Twenty games of `threshold` in progress."""
    return midgame(STANDARD, 20, 5, make("threshold"), 42)


def assert_same(first: Judgement, second: Judgement) -> None:
    assert first.value == second.value
    for name in ("actions", "probabilities", "values"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


class TestWhatItKnows:
    def test_hidden_cards_change_nothing(self, champion: Agent, table: np.ndarray) -> None:
        judge = Judge(champion, worlds=8)
        shuffled = shuffle_unseen(table, np.random.default_rng(1))
        for k in range(len(table)):
            before, after = table[k : k + 1], shuffled[k : k + 1]
            assert before.tobytes() != after.tobytes()
            assert_same(judge.judge(game_of(before)), judge.judge(game_of(after)))

    def test_the_game_stays_as_it_is(self, champion: Agent, table: np.ndarray) -> None:
        game = game_of(table[:1])
        before = game.to_dict()
        Judge(champion, worlds=2).judge(game)
        assert game.to_dict() == before

    def test_the_seed_says_which_deals(self, champion: Agent, table: np.ndarray) -> None:
        game = game_of(table[:1])
        first, again, other = (Judge(champion, worlds=2, seed=seed).judge(game) for seed in (1, 1, 2))
        assert_same(first, again)
        assert (first.values != other.values).any()

    def test_rounds_that_went_before_do_not_count(self, champion: Agent, table: np.ndarray) -> None:
        match = Match(rounds=3)
        agent = make("champion", match)
        judges = Judge(champion, worlds=4), Judge(agent, worlds=4, seed=0)
        states = table[:1].copy()
        alone = judges[0].judge(game_of(states))
        states["rounds"], states["round"], states["match_scores"] = 3, 1, [[70, -20]]
        in_match = judges[1].judge(game_of(states, match))
        assert alone.value == pytest.approx(in_match.value)
        np.testing.assert_array_equal(alone.actions, in_match.actions)


class TestValues:
    def last_turn(self) -> Game:
        """One card in the deck, nothing on the piles: every action ends the round."""
        game = Game("mini3", deck=["B3", "R1", "B1", "Bx", "R2", "R3", "B2", "Rx"])
        game.play("R2 deck")
        states = game.states.copy()
        assert game.deck_count == 1
        return game_of(states, game.match)

    def test_the_last_turn_is_exact(self) -> None:
        game = self.last_turn()
        judgement = Judge(Lead(game.match), worlds=3).judge(game)
        for action, value in zip(judgement.actions, judgement.values, strict=True):
            end = game.clone()
            end.step(int(action))
            assert end.over
            assert value == end.scores[game.mover] - end.scores[1 - game.mover]

    def test_a_cost_counts_from_the_agents_own_choice(self) -> None:
        judgement = Judgement(0.0, np.array([3, 5, 9]), np.array([0.2, 0.7, 0.1]), np.array([1.0, 2.0, 4.0]))
        assert judgement.choice == 5
        assert [judgement.cost(action) for action in (3, 5, 9)] == [1.0, 0.0, 0.0]

    def every_world(self, game: Game) -> Iterator[Game]:
        """The game with the unseen cards in every order: the opponent's hand, then the deck."""
        state = game.to_dict()
        other = 1 - game.mover
        unseen = state["hands"][other] + state["deck"]
        for order in permutations(unseen):
            hand, deck = sorted(order[: game.variant.hand_size]), list(order[game.variant.hand_size :])
            hands = [hand, hand]
            hands[game.mover] = state["hands"][game.mover]
            yield Game.from_dict(state | {"hands": hands, "deck": deck})

    @pytest.mark.parametrize("turns", [0, 2])
    def test_a_turn_and_a_reply_in_every_world(self, turns: int) -> None:
        game = Game("mini2", seed=3)
        for _ in range(turns):
            game.play(next(turn for turn in game.legal() if turn.startswith("-") and turn.endswith("deck")))
        assert not any(game.known(player) for player in range(2))
        agent = Lead(game.match)
        judgement = Judge(agent, worlds=2000).judge(game)
        margins: dict[int, list[float]] = {int(action): [] for action in judgement.actions}
        for world in self.every_world(game):
            for action, expected in margins.items():
                after = world.clone()
                after.step(action)
                if not after.over:
                    seen, mask = after.observation(after.mover)[None], after.action_mask()[None]
                    after.step(int(agent.act(seen, mask)[0]))
                expected.append(after.scores[game.mover] - after.scores[1 - game.mover])
        exact = [np.mean(expected) for expected in margins.values()]
        np.testing.assert_allclose(judgement.values, exact, atol=0.15)
        assert np.ptp(exact) > 0.5

    def test_good_players_pay_less(self, champion: Agent) -> None:
        judge = Judge(make("quick"), worlds=8)
        games = midgame(STANDARD, 20, 7, champion, 42)
        players = {"champion": champion, "random": make("random")}
        costs: dict[str, list[float]] = {name: [] for name in players}
        for k in range(len(games)):
            game = game_of(games[k : k + 1])
            judgement = judge.judge(game)
            seen, mask = game.observation(game.mover)[None], game.action_mask()[None]
            for name, player in players.items():
                costs[name].append(judgement.cost(int(player.act(seen, mask)[0])))
        assert np.mean(costs["champion"]) < 3 < 6 < np.mean(costs["random"])

    def test_probabilities_are_those_of_training(self, champion: Agent, table: np.ndarray) -> None:
        game = game_of(table[:1])
        judgement = Judge(champion, worlds=1).judge(game)
        assert judgement.probabilities.sum() == pytest.approx(1)
        assert 0 < judgement.probabilities.max() < 1
        seen, mask = game.observation(game.mover)[None], game.action_mask()[None]
        assert judgement.actions[judgement.probabilities.argmax()] == champion.act(seen, mask)[0]


class TestRefusals:
    def test_an_agent_without_values(self) -> None:
        with pytest.raises(NoValuesError, match=r"ProjectionAgent has no values.*champion"):
            Judge(make("projection"))

    @pytest.mark.parametrize("worlds", [0, -1, 1.5, True])
    def test_no_number_of_worlds(self, worlds: int) -> None:
        with pytest.raises(ValueError, match=r"worlds=.* is not a positive integer"):
            Judge(Lead(STANDARD), worlds=worlds)

    def test_another_match(self) -> None:
        with pytest.raises(ValueError, match=r"the game is of .*mini3.*, the agent was made for .*standard"):
            Judge(Lead(STANDARD)).judge(Game("mini3", seed=1))

    def test_a_game_that_is_over(self) -> None:
        game = Game("mini1", seed=1)
        while not game.over:
            game.step(int(np.flatnonzero(game.action_mask())[0]))
        with pytest.raises(ValueError, match="the game is over"):
            Judge(Lead(game.match)).judge(game)

    def test_the_cost_of_an_illegal_action(self) -> None:
        judgement = Judge(Lead(STANDARD)).judge(Game(seed=1))
        illegal = int(np.setdiff1d(np.arange(600), judgement.actions)[0])
        with pytest.raises(ValueError, match=f"action {illegal} is not legal here"):
            judgement.cost(illegal)


def test_the_default_judge_judges_what_it_plays() -> None:
    assert default_judge(STANDARD) == default_judge(Match(SIX_COLOURS)) == "quick"
    assert default_judge(Match(MINI_1)) is None
