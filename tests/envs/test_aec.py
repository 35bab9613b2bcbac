import copy
import pickle

import numpy as np
import pytest

from lostcities_env.envs.aec import PLAYERS, LostCitiesEnv
from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.cards import NotationError, all_cards, format_card
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.variant import STANDARD, VARIANTS, InvalidVariantError
from tests.envs.play import MODES, OPEN_PILES, an_illegal_action, choose, is_over, play

SORTED_DECK = [format_card(STANDARD, card) for card in all_cards(STANDARD)]


def started(seed: int = 1, **kwargs: object) -> LostCitiesEnv:
    env = LostCitiesEnv(**kwargs)  # type: ignore[arg-type]
    env.reset(seed=seed)
    return env


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class TestObserve:
    @pytest.mark.parametrize(("variant", "level"), MODES)
    def test_both_agents_at_every_turn_in_the_space(self, variant: str, level: str) -> None:
        env = started(variant=variant, observation=level)

        def watch(env: LostCitiesEnv) -> None:
            for agent in PLAYERS:
                seen = env.observe(agent)
                assert env.observation_space(agent).contains(seen)
                to_move = agent == env.agent_selection and not is_over(env)
                assert seen["action_mask"].any() == to_move

        play(env, rng(), watch=watch)
        assert is_over(env)

    def test_shows_what_the_game_shows(self) -> None:
        env = started(observation="recall")
        play(env, rng(), 20)
        for seat, agent in enumerate(PLAYERS):
            np.testing.assert_array_equal(env.observe(agent)["observation"], env.game.observation(seat))
        mask = env.observe(env.agent_selection)["action_mask"]
        np.testing.assert_array_equal(mask, env.game.action_mask())

    def test_gives_new_arrays(self) -> None:
        env = started()
        before = env.observe("player_0")
        kept = copy.deepcopy(before)
        play(env, rng(), 2)
        for key, value in before.items():
            np.testing.assert_array_equal(value, kept[key])

    def test_visible_is_a_prefix_of_recall(self) -> None:
        visible, recall = started(), started(observation="recall")
        for env in (visible, recall):
            play(env, rng(), 25)
        short = visible.observe("player_0")["observation"]
        np.testing.assert_array_equal(short, recall.observe("player_0")["observation"][: short.size])

    def test_after_the_end(self) -> None:
        env = started(variant="mini1")
        play(env, rng())
        while env.agents:
            env.step(None)
        for agent in PLAYERS:
            assert not env.observe(agent)["action_mask"].any()

    @pytest.mark.parametrize("level", ["visible", "recall"])
    def test_hides_what_is_hidden(self, level: str) -> None:
        """Other unseen cards, in the deck and in the opponent's hand, look the same."""
        deck = [str(card) for card in rng(3).permutation(SORTED_DECK)]
        own = list(range(0, 16, 2))
        unseen = [k for k in range(60) if k not in own]
        other = list(deck)
        for k, swapped in zip(unseen, rng(4).permutation(unseen), strict=True):
            other[k] = deck[int(swapped)]
        seen = []
        for cards in (deck, other):
            env = LostCitiesEnv(observation=level)
            env.reset(options={"deck": cards})
            seen.append(env.observe("player_0"))
        np.testing.assert_array_equal(seen[0]["observation"], seen[1]["observation"])
        np.testing.assert_array_equal(seen[0]["action_mask"], seen[1]["action_mask"])

    def test_state_is_the_full_observation_of_player_0(self) -> None:
        env = started()
        play(env, rng(), 11)
        assert env.state_space.contains(env.state())
        np.testing.assert_array_equal(env.state(), env.game.observation(0, "full"))


class TestStep:
    def test_follows_the_game_turn_by_turn(self) -> None:
        env, game = started(seed=5), Game(seed=5)
        source = rng()
        while not is_over(env):
            assert env.agent_selection == PLAYERS[game.mover]
            action = choose(game.action_mask(), source)
            game.step(action)
            env.step(action)
            assert env.game.scores == game.scores
        assert game.over

    @pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint16, np.asarray])
    def test_takes_integers_of_every_kind(self, kind: type) -> None:
        env = started()
        env.step(kind(int(env.game.action_mask().argmax())))
        assert env.game.turn == 1

    @pytest.mark.parametrize("action", [None, 1.0, "R7 deck", True, np.bool_(True), [3], np.array([3])])
    def test_other_types_are_errors(self, action: object) -> None:
        env = started()
        with pytest.raises(TypeError, match="an action is an integer, got"):
            env.step(action)  # type: ignore[arg-type]
        assert env.game.turn == 0

    @pytest.mark.parametrize("action", [-1, 600, 10**30])
    def test_out_of_range(self, action: int) -> None:
        with pytest.raises(IllegalActionError, match=rf"action {action} is outside 0\.\.599"):
            started().step(action)

    @pytest.mark.parametrize(
        ("turn", "message"),
        [
            ("B2 deck", r"playing B2 and drawing from the deck is illegal for player 0: B2 is not in hand"),
            ("-Rx R", r"discarding Rx and drawing from the red pile is illegal .* may not be drawn back"),
            ("Rx G", r"playing Rx and drawing from the green pile is illegal .* that pile is empty"),
        ],
    )
    def test_illegal_actions_say_why_and_change_nothing(self, turn: str, message: str) -> None:
        env = LostCitiesEnv()
        env.reset(options={"deck": SORTED_DECK})
        before = pickle.dumps(env.get_state())
        with pytest.raises(IllegalActionError, match=message):
            env.step(parse_action(STANDARD, turn))
        assert pickle.dumps(env.get_state()) == before

    def test_dead_steps(self) -> None:
        env = started(variant="mini1")
        play(env, rng())
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(0)
        env.step(None)
        assert len(env.agents) == 1
        env.step(None)
        assert env.agents == []
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            env.step(None)

    def test_before_reset(self) -> None:
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            LostCitiesEnv().step(0)


class TestRewards:
    @pytest.mark.parametrize("rounds", [1, 3])
    @pytest.mark.parametrize("reward", ["margin", "win", "dense"])
    def test_add_up(self, reward: str, rounds: int) -> None:
        env = started(reward=reward, rounds=rounds)
        total = 0.0
        for agent in env.agent_iter():
            observation, paid, terminated, truncated, info = env.last()
            total += paid if agent == "player_0" else 0.0
            if terminated or truncated:
                scores, winner = info["match_scores"], info["winner"]
                env.step(None)
            else:
                env.step(choose(observation["action_mask"], rng(env.game.turn)))
                assert env.rewards["player_0"] == -env.rewards["player_1"]
        margin = scores[0] - scores[1]
        assert winner == (-1 if margin == 0 else int(margin < 0))
        assert total == (np.sign(margin) if reward == "win" else margin)

    def test_dense_pays_each_turn(self) -> None:
        env = LostCitiesEnv(reward="dense")
        env.reset(options={"deck": SORTED_DECK})
        env.step(parse_action(STANDARD, "R3 deck"))  # 3 - 20 points
        assert env.rewards == {"player_0": -17.0, "player_1": 17.0}


class TestEnd:
    def test_infos_tell_what_made_the_scores(self) -> None:
        env = started()
        infos = dict(env.infos)
        play(env, rng())
        for agent, info in infos.items():
            assert env.infos[agent] is info, "the dict that was there from the reset"
        info = infos["player_1"]
        assert info["scores"] == info["match_scores"] == env.game.scores
        for player, breakdown in enumerate(info["score_breakdown"]):
            assert sum(colour["points"] for colour in breakdown.values()) == info["scores"][player]
            for colour in breakdown.values():
                points = (colour["total"] - colour["cost"]) * (1 + colour["wagers"]) + colour["bonus"]
                assert points == colour["points"]

    def test_three_rounds(self) -> None:
        env = started(seed=2, rounds=3)
        starters = []

        def watch(env: LostCitiesEnv) -> None:
            if env.game.turn == 0:
                starters.append(env.agent_selection)

        play(env, rng(), watch=watch)
        assert all(env.terminations.values())
        rounds = env.game.round_scores
        assert len(rounds) == 3
        assert env.infos["player_0"]["match_scores"] == tuple(np.sum(rounds, axis=0))
        assert starters == [PLAYERS[int(second > first)] for first, second in rounds[:2]]

    def test_truncation(self) -> None:
        env = started(variant=OPEN_PILES, max_turns=6, reward="dense")
        assert play(env, rng()) == 6
        assert env.truncations == {"player_0": True, "player_1": True}
        assert env.terminations == {"player_0": False, "player_1": False}
        info = env.infos["player_0"]
        assert info["match_scores"] == info["scores"] == env.game.scores
        assert info["winner"] == -1
        assert not env.observe(env.agent_selection)["action_mask"].any()


class TestReset:
    def test_same_seed_same_deal(self) -> None:
        env = started(seed=9)
        first = env.game.deck()
        env.reset()
        second = env.game.deck()
        assert first != second
        again = started(seed=9)
        assert again.game.deck() == first
        again.reset()
        assert again.game.deck() == second

    def test_deck_and_first_player(self) -> None:
        env = LostCitiesEnv()
        env.reset(options={"deck": SORTED_DECK, "first_player": 1})
        assert env.agent_selection == "player_1"
        assert sorted(env.game.hand(0)) == sorted(SORTED_DECK[0:16:2])
        assert env.game.deck() == SORTED_DECK[16:]

    def test_decks_one_a_round(self) -> None:
        decks = [SORTED_DECK, SORTED_DECK[::-1]]
        env = LostCitiesEnv(rounds=3)
        env.reset(options={"decks": decks})
        assert env.game.deck() == decks[0][16:]
        while env.game.round == 0:
            play(env, rng(env.game.turn), 1)
        assert env.game.deck() == decks[1][16:]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"deck": SORTED_DECK[:-1]}, "has 60 cards, got 59"),
            ({"deck": ["R2", *SORTED_DECK[1:]]}, "Rx 2 time.s. instead of 3, R2 2 time.s. instead of 1"),
            ({"deck": ["Q2", *SORTED_DECK[1:]]}, "'Q2' does not begin with a colour"),
            ({"deck": "Rx R2"}, "a deck is a list of cards"),
            ({"deck": [SORTED_DECK]}, "a card is text"),
            ({"decks": SORTED_DECK}, "'decks' is a list of decks"),
            ({"decks": [SORTED_DECK] * 2}, "2 decks given for a match of at most 1"),
            ({"deck": SORTED_DECK, "decks": [SORTED_DECK]}, "exclude each other"),
            ({"first_player": 2}, "first_player=2 is neither 0 nor 1"),
            ({"dek": SORTED_DECK, "seat": 1}, "unknown reset option.s. dek, seat; there are deck, decks"),
        ],
    )
    def test_bad_options(self, options: dict[str, object], message: str) -> None:
        env = started()
        before = env.game.deck()
        with pytest.raises((ValueError, NotationError), match=message):
            env.reset(options=options)
        assert env.game.deck() == before

    @pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1"])
    def test_bad_seeds(self, seed: object) -> None:
        with pytest.raises((ValueError, TypeError), match="seed"):
            LostCitiesEnv().reset(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"variant": "hearts"}, InvalidVariantError, "no variant 'hearts'; there are standard"),
        ({"observation": "full"}, ValueError, "no observation mode 'full'; there are visible, recall"),
        ({"reward": "money"}, ValueError, "no reward 'money'; there are margin, win, dense"),
        ({"rounds": 0}, ValueError, "rounds=0 is outside 1..9"),
        ({"tie": "coin"}, ValueError, "no tie rule 'coin'"),
        ({"render_mode": "hologram"}, ValueError, "no render mode 'hologram'"),
        ({"max_turns": 0}, ValueError, "max_turns=0 is neither None nor an integer in 1.."),
        ({"variant": OPEN_PILES}, ValueError, "give max_turns"),
    ],
)
def test_bad_arguments(kwargs: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LostCitiesEnv(**kwargs)  # type: ignore[arg-type]


class TestCopies:
    """A copy taken in the middle of a match goes on exactly as the original does, later deals included."""

    @staticmethod
    def log(env: LostCitiesEnv) -> list[object]:
        seen: list[object] = []
        play(env, rng(5), watch=lambda env: seen.append((env.state().tobytes(), dict(env.rewards))))
        return [*seen, env.infos]

    @pytest.fixture
    def env(self) -> LostCitiesEnv:
        env = started(seed=3, rounds=2, reward="dense")
        play(env, rng(), 17)
        return env

    def test_deepcopy(self, env: LostCitiesEnv) -> None:
        other = copy.deepcopy(env)
        assert self.log(other) == self.log(env)

    def test_pickle(self, env: LostCitiesEnv) -> None:
        other = pickle.loads(pickle.dumps(env))
        assert self.log(other) == self.log(env)

    def test_clone_is_independent(self, env: LostCitiesEnv) -> None:
        other = env.clone()
        turn = env.game.turn
        self.log(other)
        assert env.game.turn == turn
        assert not is_over(env)

    def test_get_and_set_state(self, env: LostCitiesEnv) -> None:
        snapshot = env.get_state()
        first = self.log(env)
        env.set_state(snapshot)
        assert self.log(env) == first
        env.set_state(snapshot)
        assert self.log(env) == first, "a snapshot may be used again"

    def test_set_state_of_another_environment(self, env: LostCitiesEnv) -> None:
        other = started(seed=99, rounds=2, reward="dense")
        other.set_state(env.get_state())
        assert self.log(other) == self.log(env)

    def test_snapshot_of_another_match(self, env: LostCitiesEnv) -> None:
        with pytest.raises(ValueError, match="another variant, number of rounds or tie rule"):
            started().set_state(env.get_state())

    def test_given_decks_are_kept(self) -> None:
        env = LostCitiesEnv(rounds=2)
        env.reset(options={"decks": [SORTED_DECK, SORTED_DECK[::-1]]})
        other = pickle.loads(pickle.dumps(env))
        while other.game.round == 0:
            play(other, rng(other.game.turn), 1)
        assert other.game.deck() == SORTED_DECK[::-1][16:]


class TestRender:
    def test_ansi(self) -> None:
        env = started(render_mode="ansi")
        board = env.render()
        assert board is not None
        assert "player 0: " + " ".join(env.game.hand(0)) in board
        assert "player 1: " + " ".join(env.game.hand(1)) in board

    def test_without_a_mode(self) -> None:
        with pytest.warns(UserWarning, match="without a render_mode"):
            assert started().render() is None


@pytest.mark.parametrize("name", VARIANTS)
def test_an_illegal_action_is_refused_in_every_variant(name: str) -> None:
    env = started(variant=name)
    mask = env.observe("player_0")["action_mask"]
    with pytest.raises(IllegalActionError, match="is illegal for player 0"):
        env.step(an_illegal_action(mask))
