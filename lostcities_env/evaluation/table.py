"""The games of a chunk of pairs, stepped as one batch; the kernels that deal, show, step and count them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lostcities_env.agents.attempts import ILLEGAL, AgentFailedError, Failure, Guest
from lostcities_env.agents.base import Agent
from lostcities_env.evaluation.forfeits import FailureFolder, Forfeit
from lostcities_env.rules import state as kernels
from lostcities_env.rules.actions import DECK, decode_action
from lostcities_env.rules.cards import WAGER
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.game import Game, IllegalActionError
from lostcities_env.rules.generator import check_seed, mix
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import RECALL, observation_size, write_observation
from lostcities_env.rules.rounds import deal, finish_round, new_match_at, seed_at
from lostcities_env.rules.state import State

if TYPE_CHECKING:
    from lostcities_env.evaluation.transcript import Transcript

ROUND = np.dtype(
    [
        # Of each contestant: A, then B (whatever the seats).
        ("score", np.int16, (2,)),
        ("expeditions", np.int8, (2,)),  # opened
        ("negative", np.int8, (2,)),  # expeditions that cost points
        ("bonuses", np.int8, (2,)),  # expeditions long enough for the bonus
        ("wagers", np.int8, (2,)),  # played
        ("turns", np.int16, (2,)),
        ("pile_draws", np.int16, (2,)),
        # Of the round.
        ("starter", np.int8),  # the contestant who moved first
        ("piles_closed", np.int8),  # 1 if the round reached piles_close_at
    ],
    align=True,
)
"""What is counted in a round."""

Progress = Callable[[float], None]
"""Called now and then with the share of the work that is done, 0 to 1."""

_DEALS, _AGENTS = 1, 2
"""What the seeds derived from an evaluation's seed are for."""
_ALL_LEGAL = -1


def deal_seed(seed: int, pair: int) -> int:
    """The seed of both games of a pair: ``Game(seed=deal_seed(s, k))`` deals pair k of seed s."""
    return int(_derived_seed(np.uint64(check_seed(seed)), _DEALS, pair))


def contestant_seed(seed: int, contestant: int) -> int:
    """The seed of the agent that is A (0) or B (1): not the same, so a copy makes choices of its own."""
    return int(_derived_seed(np.uint64(check_seed(seed)), _AGENTS, contestant))


@dataclass
class Contestant:
    """One of the two who play.

    Attributes:
        name: what reports call it.
        agent: what chooses its actions.
        forfeits: whether its failures cost it the game they happen in; else they are errors. If so, the
            agent is a `Guest`.
    """

    name: str
    agent: Agent
    forfeits: bool = False


class Table:
    """The games of a chunk of pairs, and the arrays that the contestants see: allocated once.

    Args:
        contestants: A and B.
        match: what is played in each game.
        pairs: how many at once.
        failures: saves the positions in which games were forfeited.
        transcript: notes the turns of the games that it wants.
    """

    def __init__(
        self,
        contestants: tuple[Contestant, Contestant],
        match: Match,
        pairs: int,
        failures: FailureFolder | None = None,
        transcript: "Transcript | None" = None,
    ) -> None:
        self.contestants = contestants
        self.match = match
        self.states = match.new_states(2 * pairs)
        self._failures = failures
        self._transcript = transcript
        self._rows = np.empty(2 * pairs, dtype=np.int64)
        self._observations = np.empty((2 * pairs, observation_size(match, "recall")), dtype=np.float32)
        self._masks = np.empty((2 * pairs, match.variant.n_actions), dtype=np.int8)

    def play(
        self, seed: int, first_pair: int, rounds: np.ndarray, progress: Progress | None
    ) -> list[Forfeit]:
        """Plays games to their end and writes `rounds`, `ROUND` (games, most rounds).

        A forfeited game is won by who did not fail, and leaves no rounds.
        """
        states = self.states[: len(rounds)]
        forfeits: list[Forfeit] = []
        begin(states, np.uint64(seed), first_pair)
        playing = True
        while playing:
            playing = False
            for contestant in range(2):
                count = _observe(states, contestant, self._rows, self._observations, self._masks)
                if count:
                    playing = True
                    if self.contestants[contestant].forfeits:
                        forfeits += self._move_or_forfeit(states, contestant, count, first_pair, rounds)
                    else:
                        self._move(states, contestant, count, first_pair, rounds)
            if progress is not None:
                progress(_share_played(states))
        return forfeits

    def _move(
        self, states: np.ndarray, contestant: int, count: int, first_pair: int, rounds: np.ndarray
    ) -> None:
        name, agent = self.contestants[contestant].name, self.contestants[contestant].agent
        rows = self._rows[:count]
        try:
            actions = np.asarray(agent.act(self._observations[:count], self._masks[:count]))
        except AgentFailedError as error:
            where = self._where(states, int(rows[error.row]), first_pair)
            raise AgentFailedError(f"agent {name!r} at {where}: {error}") from error
        if actions.shape != (count,) or not np.issubdtype(actions.dtype, np.integer):
            raise TypeError(
                f"agent {name!r} must return {count} integer actions, shape ({count},); "
                f"got {actions.dtype} of shape {actions.shape}"
            )
        actions = actions.astype(np.int64, copy=False)
        bad = _take_turns(states, rows, actions, self.match.variant.n_actions, rounds)
        if bad != _ALL_LEGAL:
            where = self._where(states, int(rows[bad]), first_pair)
            why = _why_illegal(self._game(states, int(rows[bad])), int(actions[bad]))
            raise IllegalActionError(f"agent {name!r} at {where}: {why}")
        if self._transcript is not None:
            self._transcript.note(first_pair, rows, actions)

    def _move_or_forfeit(
        self, states: np.ndarray, contestant: int, count: int, first_pair: int, rounds: np.ndarray
    ) -> list[Forfeit]:
        agent = self.contestants[contestant].agent
        assert isinstance(agent, Guest)
        rows, masks = self._rows[:count], self._masks[:count]
        actions, failures = agent.attempt(self._observations[:count], masks)
        in_range = (actions >= 0) & (actions < masks.shape[1])
        legal = in_range & (masks[np.arange(count), np.where(in_range, actions, 0)] == 1)
        legal[list(failures)] = False
        forfeits = []
        for i in np.flatnonzero(~legal):
            game = self._game(states, int(rows[i]))
            failure = failures.get(int(i)) or Failure(ILLEGAL, _why_illegal(game, int(actions[i])))
            pair, seat = first_pair + int(rows[i]) // 2, game.mover
            forfeit = Forfeit(contestant, pair, seat, game.round + 1, game.turn + 1, *failure[:2])
            if self._failures is not None:
                forfeit = self._failures.save(forfeit, game)
            _forfeit(states, rows[i], rounds)
            forfeits.append(forfeit)
            if self._transcript is not None:
                self._transcript.note_forfeit(forfeit)
        _take_turns(states, rows[legal], actions[legal], masks.shape[1], rounds)
        if self._transcript is not None:
            self._transcript.note(first_pair, rows[legal], actions[legal])
        return forfeits

    def _where(self, states: np.ndarray, index: int, first_pair: int) -> str:
        game = self._game(states, index)
        pair = first_pair + index // 2
        return f"seat {game.mover} (pair {pair}, round {game.round + 1}, turn {game.turn + 1})"

    def _game(self, states: np.ndarray, index: int) -> Game:
        """A copy of a game, in words."""
        game = Game(self.match.variant, rounds=self.match.rounds, tie=self.match.tie, seed=0)
        game.set_state({"states": states[index : index + 1], "decks": []})
        return game


def _forfeit(states: np.ndarray, index: int, rounds: np.ndarray) -> None:
    """Ends a game in favour of who is not to move; nothing of it is counted."""
    states["match_over"][index] = 1
    states["winner"][index] = 1 - states["mover"][index]
    rounds[index] = np.zeros((), dtype=ROUND)


def _why_illegal(game: Game, action: int) -> str:
    try:
        game.check(action)
    except IllegalActionError as error:
        return str(error)
    raise AssertionError(f"action {action} is legal")


@kernel
def _derived_seed(seed: np.uint64, purpose: int, index: int) -> np.uint64:
    return mix(mix(mix(seed) + np.uint64(purpose)) + np.uint64(index))


@kernel
def _contestant_at(game: int, seat: int) -> int:
    """Game ``2k + s`` is the one of pair k in which A sits at seat s."""
    return seat ^ (game & 1)


@kernel
def begin(states: np.ndarray, seed: np.uint64, first_pair: int) -> None:
    """Deals the games of the pairs from `first_pair` on, for the seed of an evaluation: `STATE` (games,)."""
    for game in range(states.shape[0]):
        seed_at(states, game, _derived_seed(seed, _DEALS, first_pair + game // 2))
        new_match_at(states, game, 0, True)


@kernel
def _observe(
    states: np.ndarray, contestant: int, rows: np.ndarray, observations: np.ndarray, masks: np.ndarray
) -> int:
    """Writes the games in which a contestant is to move, and what it sees there; returns how many."""
    count = 0
    for game in range(states.shape[0]):
        state = states[game]
        if not state.match_over and _contestant_at(game, state.mover) == contestant:
            rows[count] = game
            write_observation(state, state.mover, RECALL, observations[count])
            kernels.write_mask(state, masks[count])
            count += 1
    return count


@kernel
def _take_turns(
    states: np.ndarray, rows: np.ndarray, actions: np.ndarray, n_actions: int, rounds: np.ndarray
) -> int:
    """Takes a turn in each of the games `rows`; stops at the first illegal action and returns its index."""
    for i in range(rows.shape[0]):
        game = rows[i]
        state = states[game]
        action = actions[i]
        in_range = 0 <= action < n_actions
        if not in_range or kernels.legality(state, action) != kernels.LEGAL:
            return i
        counts = rounds[game, state.round]
        contestant = _contestant_at(game, state.mover)
        counts.turns[contestant] += 1
        counts.pile_draws[contestant] += decode_action(action, state.n_colours)[2] != DECK
        kernels.apply(state, action)
        if state.round_over:
            _count_round(state, game, counts)
            finish_round(state)
            if not state.match_over:
                deal(state)
    return _ALL_LEGAL


@kernel
def _count_round(state: State, game: int, counts: Any) -> None:
    counts.starter = _contestant_at(game, state.starter)
    counts.piles_closed = not kernels.piles_open(state)
    for seat in range(2):
        contestant = _contestant_at(game, seat)
        counts.score[contestant] = state.scores[seat]
        for colour in range(state.n_colours):
            counts.expeditions[contestant] += state.length[seat, colour] > 0
            counts.negative[contestant] += state.colour_scores[seat, colour] < 0
            counts.bonuses[contestant] += kernels.earns_bonus(state, state.length[seat, colour])
            counts.wagers[contestant] += state.expeditions[seat, colour * state.n_ranks + WAGER]


@kernel
def _share_played(states: np.ndarray) -> float:
    """The share of the games' decks that has been drawn; an extra round counts for nothing."""
    done = 0.0
    for game in range(states.shape[0]):
        state = states[game]
        if state.match_over or state.round >= state.rounds:
            done += 1.0
        else:
            dealt = 2.0 * state.hand_size
            done += (state.round + (state.deck_next - dealt) / (state.n_cards - dealt)) / state.rounds
    return done / states.shape[0]
