"""`BatchGames`: many games stepped in one compiled call, for self-play."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lostcities_env.envs.rewards import check_max_turns, check_reward, take_turn
from lostcities_env.envs.stepping import deal_next, first_illegal, write_view, write_views
from lostcities_env.rules import rounds
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.generator import check_seed, mix, next_below, random_seed, seed_words
from lostcities_env.rules.masks import count_legal, nth_legal
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import LEVELS, check_level, observation_size
from lostcities_env.rules.players import is_player
from lostcities_env.rules.snapshot import check_same_match, check_snapshot
from lostcities_env.rules.variant import Variant


class BatchGames:
    """Steps many games at once into preallocated arrays; a finished game is dealt anew in the same step.

    Game i deals what every other face of the project deals for the seed ``seed + i``, and goes on with
    that game's own generator.

    Args:
        num_games: how many games.
        variant: what is played, with `rounds` and `tie`; see `Match`.
        rounds: see `Match`.
        tie: see `Match`.
        seed: see `reset`; None draws one from the operating system.
        observation: ``"visible"``, ``"recall"``, or ``"full"`` for a privileged critic (the first
            part of a *full* observation is the *recall* observation; an actor must see no more).
        reward: ``"margin"``, ``"win"`` or ``"dense"``; see `lostcities_env.envs.rewards`.
        max_turns: truncates a round that has taken so many turns; needed if the piles never close.
        first_player: who starts each first round.

    Attributes:
        observations: float32 (num_games, observation_size), as the mover sees the game.
        action_masks: int8 (num_games, n_actions), the mover's legal actions.
        movers: int8 (num_games,), who is to move.
        rewards: float32 (num_games, 2), of the last step, for both players.
        terminated, truncated: bool (num_games,), games that the last step ended. Their rows of the
            arrays above already show the next game.
        final_scores: int32 (num_games, 2), points of each game's last finished match.

    The arrays are written anew by each step: copy what you keep.

    Raises:
        InvalidVariantError, TypeError, ValueError: naming the argument that was wrong.

    >>> games = BatchGames(4, seed=1)
    >>> games.reset()
    >>> games.step(games.action_masks.argmax(axis=1))
    >>> games.movers
    array([1, 1, 1, 1], dtype=int8)
    """

    def __init__(
        self,
        num_games: int,
        variant: str | Variant = "standard",
        seed: int | Sequence[int] | None = None,
        *,
        rounds: int = 1,
        tie: str = "draw",
        observation: str = "recall",
        reward: str = "margin",
        max_turns: int | None = None,
        first_player: int = 0,
    ) -> None:
        check_count("num_games", num_games)
        if not is_player(first_player):
            raise ValueError(f"first_player={first_player!r} is neither 0 nor 1")
        self.match = Match(variant, rounds, tie)  # type: ignore[arg-type]
        self.num_games = num_games
        self.observation = observation
        self._level = check_level(observation, LEVELS)
        self._reward = check_reward(reward)
        self._max_turns = check_max_turns(max_turns, self.match.variant)
        self._first_player = int(first_player)
        self._states = self.match.new_states(num_games)
        self._sampler = np.zeros(4, dtype=np.uint64)
        self._all_games = np.arange(num_games)
        size = observation_size(self.match, observation)
        self.observations = np.zeros((num_games, size), dtype=np.float32)
        self.action_masks = np.zeros((num_games, self.match.variant.n_actions), dtype=np.int8)
        self.movers = np.zeros(num_games, dtype=np.int8)
        self.rewards = np.zeros((num_games, 2), dtype=np.float32)
        self.terminated = np.zeros(num_games, dtype=np.bool_)
        self.truncated = np.zeros(num_games, dtype=np.bool_)
        self.final_scores = np.zeros((num_games, 2), dtype=np.int32)
        self.reset(random_seed() if seed is None else seed)

    @property
    def states(self) -> np.ndarray:
        """The games' own records, for kernels: a `STATE` array (num_games,)."""
        return self._states

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Deals every game anew.

        Args:
            seed: of game 0 (game i gets ``seed + i``), or a list of one seed a game; None goes on with
                the generators as they stand.

        Raises:
            TypeError, ValueError: if a seed is no seed, or there are not as many as games.
        """
        if seed is not None:
            self._seed(seed)
        _new_matches(self._states, self._first_player)
        self._clear_outcome()
        self._write_views()

    def _seed(self, seed: int | Sequence[int]) -> None:
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_games:
                raise ValueError(f"{len(seed)} seeds given for {self.num_games} games")
            seeds = np.array([check_seed(one) for one in seed], dtype=np.uint64)
        else:
            first = check_seed(seed)  # type: ignore[arg-type]
            seeds = np.uint64(first) + np.arange(self.num_games, dtype=np.uint64)
        _seed_all(self._states, seeds)
        seed_words(np.uint64(mix(seeds[0])), self._sampler)

    def step(self, actions: np.ndarray) -> None:
        """Takes one turn in every game and writes the arrays.

        Args:
            actions: integers (num_games,), a legal action for each game's mover.

        Raises:
            TypeError, ValueError: if the array's dtype or shape is wrong.
            IllegalActionError: naming the first game with an illegal action. No game has changed then.
        """
        actions = self.check(actions)
        _step(
            self._states,
            actions,
            self._reward,
            self._max_turns,
            self._first_player,
            self.rewards,
            self.terminated,
            self.truncated,
            self.final_scores,
            self._level,
            self.observations,
            self.action_masks,
            self.movers,
        )

    def skip_to_last_round(self, games: np.ndarray, round_scores: np.ndarray) -> None:
        """Makes of the round that games have just begun their match's last.

        Who starts it follows from the scores, as ever. The points of a round before count as made by all
        colours alike, which bears on the tie rule ``"best_expedition"`` alone.

        Args:
            games: integers (k,), indices of games in which no turn was taken since the match began.
            round_scores: integers (k, rounds - 1, 2), points of the players in the rounds before.

        Raises:
            TypeError, ValueError, IndexError: if an array's dtype, shape or range is wrong, matches have one
                round, or a game has gone on. No game has changed then.
        """
        rounds_before = self.match.rounds - 1
        if rounds_before == 0:
            raise ValueError("a match of one round has no rounds to skip")
        for name, array in (("games", games), ("round_scores", round_scores)):
            if not np.issubdtype(np.asarray(array).dtype, np.integer):
                raise TypeError(f"{name} must be integers, got dtype {np.asarray(array).dtype}")
        indices, scores = np.asarray(games, dtype=np.int64), np.asarray(round_scores, dtype=np.int64)
        shape = (len(indices), rounds_before, 2)
        if indices.ndim != 1 or scores.shape != shape:
            raise ValueError(f"round_scores must have shape {shape}, got {scores.shape}")
        low, high = self.match.variant.round_score_range
        if ((scores < low) | (scores > high)).any():
            raise ValueError(f"round_scores must be in {low}..{high}, what a round can bring")
        gone_on = indices[(self._states["turn"][indices] > 0) | (self._states["round"][indices] > 0)]
        if gone_on.size:
            raise ValueError(f"game {gone_on[0]} of {self.num_games} has gone on since its match began")
        _skip_rounds(
            self._states, indices, scores, self._level, self.observations, self.action_masks, self.movers
        )

    def sample_actions(self) -> np.ndarray:
        """A uniformly random legal action for each game: int64 (num_games,).

        Drawn from a generator of its own, seeded with the games' seed.
        """
        actions = np.empty(self.num_games, dtype=np.int64)
        _sample_actions(self.action_masks, self._sampler, actions)
        return actions

    def check(self, actions: np.ndarray, games: np.ndarray | None = None) -> np.ndarray:
        """Raises what `step` would raise for these actions, and gives them back as int64.

        Args:
            actions: integers, one for each of the `games`.
            games: int64 indices; default all games.
        """
        games = self._all_games if games is None else games
        actions = np.asarray(actions)
        if not np.issubdtype(actions.dtype, np.integer):
            raise TypeError(f"actions must be integers, got dtype {actions.dtype}")
        if actions.shape != games.shape:
            raise ValueError(f"actions must have shape {games.shape}, got {actions.shape}")
        codes = np.ascontiguousarray(actions, dtype=np.int64)
        bad = first_illegal(self._states, games, codes, self.match.variant.n_actions)
        if bad >= 0:
            index = int(games[bad])
            try:
                self.game(index).check(int(actions[bad]))  # as given: int64 may have changed it
            except IllegalActionError as error:
                raise IllegalActionError(f"game {index} of {self.num_games}: {error}") from None
        return codes

    def _clear_outcome(self) -> None:
        self.rewards[:] = 0
        self.terminated[:] = False
        self.truncated[:] = False

    def _write_views(self) -> None:
        write_views(self._states, self._level, self.observations, self.action_masks, self.movers)

    def game(self, index: int) -> Game:
        """A copy of one of the games as a `Game`, random generator included."""
        if not 0 <= index < self.num_games:
            raise IndexError(f"game {index} is outside 0..{self.num_games - 1}")
        game = Game(self.match.variant, rounds=self.match.rounds, tie=self.match.tie, seed=0)
        game.set_state({"states": self._states[index : index + 1], "decks": []})
        return game

    _SNAPSHOT = ("states", "_sampler", "rewards", "terminated", "truncated", "final_scores")

    def get_state(self) -> dict[str, Any]:
        """A snapshot for `set_state`, random generators and the last step's outcome included."""
        return {name: getattr(self, name).copy() for name in self._SNAPSHOT}

    def set_state(self, snapshot: dict[str, Any]) -> None:
        """Goes back to a snapshot of as many games of the same match.

        Raises:
            ValueError: if it is no snapshot, or one of another match or number of games.
        """
        check_snapshot(snapshot, self._SNAPSHOT)
        check_same_match(snapshot["states"], self._states)
        for name in self._SNAPSHOT:
            getattr(self, name)[:] = snapshot[name]
        self._write_views()


def check_count(name: str, count: int) -> None:
    """Checks a number of games.

    Raises:
        ValueError: if it is not a positive integer.
    """
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"{name}={count!r} is not a positive integer")


@kernel
def _seed_all(states: np.ndarray, seeds: np.ndarray) -> None:
    for i in range(states.shape[0]):
        rounds.seed_at(states, i, seeds[i])


@kernel
def _sample_actions(action_masks: np.ndarray, words: np.ndarray, actions: np.ndarray) -> None:
    for i in range(action_masks.shape[0]):
        mask = action_masks[i]
        actions[i] = nth_legal(mask, next_below(words, count_legal(mask)))


@kernel
def _new_matches(states: np.ndarray, first_player: int) -> None:
    for i in range(states.shape[0]):
        rounds.new_match_at(states, i, first_player, True)


@kernel
def _skip_rounds(
    states: np.ndarray,
    games: np.ndarray,
    round_scores: np.ndarray,
    level: int,
    observations: np.ndarray,
    action_masks: np.ndarray,
    movers: np.ndarray,
) -> None:
    for k in range(games.shape[0]):
        rounds.skip_rounds_at(states, games[k], round_scores[k])
        write_view(states[games[k]], games[k], level, observations, action_masks, movers)


@kernel
def _step(
    states: np.ndarray,
    actions: np.ndarray,
    reward: int,
    max_turns: int,
    first_player: int,
    rewards: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
    final_scores: np.ndarray,
    level: int,
    observations: np.ndarray,
    action_masks: np.ndarray,
    movers: np.ndarray,
) -> None:
    for i in range(states.shape[0]):
        state = states[i]
        paid, terminated[i], truncated[i] = take_turn(state, actions[i], reward, max_turns)
        rewards[i, 0] = paid
        rewards[i, 1] = 0.0 - paid  # 0 rather than -0
        if terminated[i] or truncated[i]:
            for player in range(2):
                final_scores[i, player] = state.match_scores[player]
                if truncated[i]:
                    final_scores[i, player] += state.scores[player]
        deal_next(state, terminated[i] or truncated[i], first_player)
        write_view(state, i, level, observations, action_masks, movers)
