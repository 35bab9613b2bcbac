"""Self-play: whose turns are learned from, and what they are rewarded with."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from lostcities_env.agents import make
from lostcities_env.agents.features import Features
from lostcities_env.rules.actions import DISCARD
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINI_3
from training.selfplay import Shard

GAMES, TURNS = 12, 120


def uniform(
    colours: torch.Tensor, globals_: torch.Tensor, legal: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """A net that likes every legal action alike."""
    return torch.zeros(legal.shape), torch.zeros(len(colours))


def hopeful(
    colours: torch.Tensor, globals_: torch.Tensor, legal: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The same, and it expects half a point of every position."""
    return torch.zeros(legal.shape), torch.full((len(colours),), 0.5)


def only_discards(
    colours: torch.Tensor, globals_: torch.Tensor, legal: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """A net that plays no card, as the agent `discard`."""
    ways = legal // (MINI_3.n_colours + 1) % 2
    return torch.where(ways == DISCARD, 0.0, -1000.0), torch.zeros(len(colours))


def shard(**changes: Any) -> Shard:
    settings: dict[str, Any] = {
        "match": Match(MINI_3),
        "past_games": 0,
        "encoder": Features,
        "reward_scale": 1.0,
        "privileged": False,
        "device": torch.device("cpu"),
        "dtype": torch.float32,
    }
    settings |= changes
    return Shard(settings.pop("match"), GAMES, TURNS, 3, **settings)


def test_the_winner_gets_the_reward_for_winning() -> None:
    plain, won = shard(), shard(win_reward=1000.0)
    plain.collect(uniform, None, None, 1.0)
    won.collect(uniform, None, None, 1.0)
    extra = won._memory.rewards - plain._memory.rewards
    ended = plain._memory.ended
    assert (extra[~ended] == 0).all()
    signs = np.where(plain._memory.movers == 0, 1.0, -1.0)
    for game in range(GAMES):
        begin = 0
        for end in np.flatnonzero(ended[:, game]):
            turns = slice(begin, end + 1)
            margin = (signs[turns, game] * plain._memory.rewards[turns, game]).sum()  # of player 0
            assert extra[end, game] * signs[end, game] == 1000.0 * np.sign(margin)
            begin = int(end) + 1
        assert begin > 0


def test_the_turns_of_opponents_are_not_learned_from() -> None:
    match = Match(MINI_3)
    agents = [make("greedy", match), make("random", match)]
    played = shard(past_games=4, opponents=agents, opponent_games=4)
    rollout = played.collect(uniform, uniform, None, 1.0)
    weights = rollout.weights.reshape(TURNS, GAMES).numpy()
    movers = played._memory.movers
    assert (weights[:, 8:] == 1).all()  # against itself
    for game in range(8):
        seats = set(movers[weights[:, game] == 1, game])
        others = set(movers[weights[:, game] == 0, game])
        assert len(seats) == len(others) == 1
        assert seats != others
    both_seats = {(game // 2, movers[weights[:, game] == 1, game][0]) for game in (0, 1)}
    assert len(both_seats) == 2


def test_past_selves_and_opponents_make_their_own_choices() -> None:
    discard = make("discard", Match(MINI_3))
    played = shard(past_games=6, opponents=[discard], opponent_games=6)
    rollout = played.collect(uniform, only_discards, None, 1.0)
    weights = rollout.weights.reshape(TURNS, GAMES).numpy()
    assert played._memory.ended.any(axis=0).all()
    own = []
    for game, scores in enumerate(played.games.final_scores):
        other = played._memory.movers[weights[:, game] == 0, game][0]
        assert scores[other] == 0
        own.append(scores[1 - other])
    assert np.any(own)


def test_actions_are_drawn_from_all_that_are_legal() -> None:
    """Evenly, for that is what the net likes; in each game another one."""
    rollout = shard().collect(uniform, None, None, 1.0)
    places, counts = rollout.places.numpy(), rollout.counts
    for drawn in (places == 0, places == counts - 1):
        assert drawn.mean() == pytest.approx((1 / counts).mean(), abs=0.03)
    assert ((places / counts).reshape(TURNS, GAMES).std(axis=1) > 0.01).all()


def test_returns_are_advantages_and_values_together() -> None:
    rollout = shard().collect(hopeful, None, None, 0.9)
    torch.testing.assert_close(rollout.returns - rollout.advantages, torch.full((GAMES * TURNS,), 0.5))


def test_who_moves_next_may_be_who_moved_last() -> None:
    """So it is where a turn ends a round that its player wins; what comes then counts with the same sign."""
    played = shard(match=Match(MINI_3, 3))
    same_movers = 0
    for _ in range(20):
        rollout = played.collect(hopeful, None, None, 1.0)
        memory = played._memory
        gained = rollout.returns.reshape(TURNS, GAMES)[-1].numpy() - memory.rewards[-1]
        same = played.games.movers == memory.movers[-1]
        expected = np.where(memory.ended[-1], 0.0, np.where(same, 0.5, -0.5))
        np.testing.assert_allclose(gained, expected, atol=1e-5)
        same_movers += (same & ~memory.ended[-1]).sum()
    assert same_movers


def test_last_rounds_begin_with_a_margin_again_and_again() -> None:
    played = shard(match=Match(MINI_3, 3), last_round_games=8, last_round_spread=9.0)
    assert (played.games.states["round"][: GAMES - 8] == 0).all()
    begun = []
    for _ in range(3):
        lasting = played.games.states[GAMES - 8 :]
        assert (lasting["round"] == 2).all()
        begun.append((lasting["match_scores"][:, 0].astype(int) - lasting["match_scores"][:, 1]).tolist())
        played.collect(uniform, None, None, 1.0)
    assert len({margin for margins in begun for margin in margins}) > 8
    assert 4 < np.std(begun) < 18
    finished = played._memory.ended.sum(axis=0)
    assert finished[-8:].min() > finished[:4].max()  # one round against three
    assert len(played.scores) < len(played.lengths)  # points of whole matches alone


def test_the_margin_before_decides_who_wins_with_the_last_round() -> None:
    settings = {"match": Match(MINI_3, 2), "last_round_games": GAMES, "last_round_spread": 9.0}
    plain, won = shard(**settings), shard(**settings, win_reward=1000.0)
    before = plain.games.states["match_scores"].astype(int)
    plain.collect(uniform, None, None, 1.0)
    won.collect(uniform, None, None, 1.0)
    extra = won._memory.rewards - plain._memory.rewards
    signs = np.where(plain._memory.movers == 0, 1.0, -1.0)
    swung = 0
    for game, end in enumerate(plain._memory.ended.argmax(axis=0)):
        margin = before[game, 0] - before[game, 1]
        gained = (signs[: end + 1, game] * plain._memory.rewards[: end + 1, game]).sum()  # of player 0
        assert extra[end, game] * signs[end, game] == 1000.0 * np.sign(margin + gained)
        swung += np.sign(margin + gained) != np.sign(gained)
    assert swung > 0
