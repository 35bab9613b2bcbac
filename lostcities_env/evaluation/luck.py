"""A control variate: the luck of the deck, measured and taken out of a margin.

The card that is drawn from the deck is equally likely to be any of those left in it, and nobody's choices
depend on which it is. So the *luck* of a draw,

    value(the position with the card drawn) - mean of value(the position with a card that might have been),

is 0 on average, whatever the values are and whoever plays. The better they tell what a card is worth, the
more of the margin's variance is luck; ``margin - coefficient * luck`` then has the same mean and a smaller
variance. The values here are an agent's, of what the player who draws sees after the turn.

- *Cards that might have been* are the card drawn and up to `OTHERS` that stay in the deck, evenly spaced in
  it. The deck's order is uniform given all that came before the draw, so any fixed places give a mean of 0.
- *The coefficients*, one for each of `PHASES` parts of the deck, are fitted by least squares. A coefficient
  fitted to the luck that it multiplies would bias the mean, so each of `FOLDS` parts of the pairs gets those
  that were fitted to the other parts.

Source: Burch, Schmid, Moravčík, Morrill and Bowling, *AIVAT: a new variance reduction technique for agent
evaluation in imperfect information games* (2018); Avramidis and Wilson, *A splitting scheme for control
variates* (1993).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lostcities_env.agents.base import Agent
from lostcities_env.evaluation.statistics import Estimate, ratio
from lostcities_env.evaluation.table import begin
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.rules.actions import DECK, decode_action
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.observation import RECALL, write_observation
from lostcities_env.rules.rounds import deal, turn_at
from lostcities_env.rules.state import apply

OTHERS = 4
PHASES = 3
FOLDS = 10
MIN_PAIRS = 50
"""With fewer, the coefficients would be little more than noise."""

_PAIRS_AT_ONCE = 128
"""Few enough for the network's arrays to stay in the processor's cache."""
_GRAIN = 1000
"""Corrected margins are rounded to so many parts of a point, so that sums are exact."""
_NO_TURN = -1


@dataclass(frozen=True)
class CorrectedMargin:
    """A margin without the luck of the deck.

    Attributes:
        margin: of A, per round; what is expected of it is what is expected of the raw one. No value if a game
            was forfeited.
        factor: by how much it divides the pairs that an interval of a given length takes; None if there is
            no interval.
        coefficients: how much of the luck was taken out, for each part of the deck: means over the folds.
            None of them without a margin.
    """

    margin: Estimate
    factor: float | None
    coefficients: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        coefficients = list(self.coefficients)
        return {"margin": self.margin.to_dict(), "factor": self.factor, "coefficients": coefficients}


def without_luck(
    agent: Agent, transcript: Transcript, pairs: int, *, progress: Callable[[float], None] | None = None
) -> CorrectedMargin:
    """The margin of the games of an evaluation, without the luck of their decks.

    Args:
        agent: whose values tell what cards are worth; made for the match that was played.
        transcript: of the evaluation. If a game was forfeited, there is no margin without luck: the games
            left are those in which nothing led to a failure, and luck is not 0 on average over these.
        pairs: the first so many; as many as were played, and all in the transcript.
        progress: called now and then with the share of the work that is done, 0 to 1.

    Raises:
        NoValuesError: if the agent has no values.
        ValueError: if there are fewer than `MIN_PAIRS` pairs.
    """
    if pairs < MIN_PAIRS:
        raise ValueError(f"{pairs} pairs are too few to tell luck from play; it takes {MIN_PAIRS}")
    if any(pair < pairs for pair, _ in transcript.ends):
        return CorrectedMargin(Estimate(None, None, None), None, ())
    margins, lucks = np.zeros((pairs, 2)), np.zeros((pairs, 2, PHASES))
    rounds = np.zeros((pairs, 2), dtype=np.int64)
    for first in range(0, pairs, _PAIRS_AT_ONCE):
        chunk = slice(first, min(first + _PAIRS_AT_ONCE, pairs))
        games = [(pair, seat) for pair in range(chunk.start, chunk.stop) for seat in range(2)]
        states = transcript.match.new_states(len(games))
        begin(states, np.uint64(transcript.seed), first)
        luck = deck_luck(agent, states, [transcript.actions[game] for game in games])
        of_a = np.where([seat == 0 for _, seat in games], 1, -1)
        scores = states["match_scores"]
        margins[chunk] = (of_a * (scores[:, 0] - scores[:, 1])).reshape(-1, 2)
        rounds[chunk] = (states["round"] + 1).reshape(-1, 2)
        lucks[chunk] = (of_a[:, None] * luck).reshape(-1, 2, PHASES)
        if progress is not None:
            progress(chunk.stop / pairs)
    return corrected_margin(margins.sum(axis=1), rounds.sum(axis=1), lucks.sum(axis=1))


def deck_luck(
    agent: Agent, states: np.ndarray, turns: Sequence[Sequence[int]], others: int = OTHERS
) -> np.ndarray:
    """The luck of seat 0 less that of seat 1, in points of `agent`'s values: float64 (games, PHASES).

    Args:
        agent: whose values count.
        states: `STATE` (games,), just dealt; they are played to the end of `turns`, in place.
        turns: the actions of each game in order; later rounds are shuffled by the game's own generator.
        others: cards that the one drawn is compared with, at least 1.
    """
    actions = np.full((max(map(len, turns), default=0), len(states)), _NO_TURN, dtype=np.int64)
    for game, of_game in enumerate(turns):
        actions[: len(of_game), game] = of_game
    luck = np.zeros((len(states), PHASES))
    scratch = agent.match.new_states(1)
    size = len(states) * (others + 1)
    observations = np.empty((size, agent.observation_size), dtype=np.float32)
    starts, games = np.empty(len(states) + 1, dtype=np.int64), np.empty(len(states), dtype=np.int64)
    dealt = 2 * agent.match.variant.hand_size
    for of_turn in actions:
        draws = _look_at_draws(states, of_turn, others, scratch, observations, starts, games)
        owners = games[:draws]
        if draws:
            values = agent.values(observations[: starts[draws]])
            means = np.add.reduceat(values, starts[:draws]) / np.diff(starts[: draws + 1])
            signs = np.where(states["mover"][owners] == 0, 1.0, -1.0)
            drawn = states["deck_next"][owners].astype(np.int64) - dealt
            phases = drawn * PHASES // agent.match.variant.deck_size
            luck[owners, phases] += signs * (values[starts[:draws]] - means)
        _take_turns(states, of_turn)
    return luck


def corrected_margin(margins: np.ndarray, rounds: np.ndarray, lucks: np.ndarray) -> CorrectedMargin:
    """Takes out of margins what the luck explains.

    Args:
        margins: (pairs,), of A, summed over the rounds of a pair.
        rounds: int64 (pairs,), how many were played.
        lucks: (pairs, PHASES), of A, likewise summed.
    """
    folds = np.arange(len(margins)) % FOLDS
    corrected = np.empty(len(margins))
    coefficients = np.empty((FOLDS, lucks.shape[1]))
    explaining = np.column_stack([rounds, lucks])
    for fold in range(FOLDS):
        rest, own = folds != fold, folds == fold
        coefficients[fold] = np.linalg.lstsq(explaining[rest], margins[rest], rcond=None)[0][1:]
        corrected[own] = margins[own] - lucks[own] @ coefficients[fold]
    raw = ratio(np.rint(margins).astype(np.int64), rounds)
    fine = ratio(np.rint(_GRAIN * corrected).astype(np.int64), rounds)
    margin = Estimate(*(None if end is None else end / _GRAIN for end in (fine.value, fine.low, fine.high)))
    reaches = [_reach(one) for one in (raw, margin)]
    factor = None
    if reaches[0] and reaches[1]:
        factor = (reaches[0] / reaches[1]) ** 2
    return CorrectedMargin(margin, factor, tuple(float(mean) for mean in coefficients.mean(axis=0)))


def _reach(estimate: Estimate) -> float | None:
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2


@kernel
def _look_at_draws(
    states: np.ndarray,
    actions: np.ndarray,
    others: int,
    scratch: np.ndarray,
    observations: np.ndarray,
    starts: np.ndarray,
    games: np.ndarray,
) -> int:
    """Writes what the movers who draw from the deck would see with each of the cards that might come.

    Args:
        states: `STATE` (games,).
        actions: int64 (games,), `_NO_TURN` for none.
        others: at most so many cards besides the one that does come.
        scratch: `STATE` (1,).
        observations: float32 (games * (others + 1), observation_size); gets what they see, the card that
            comes first.
        starts: int64 (games + 1,); gets where the observations of each draw start, and the end of the last.
        games: int64 (games,); gets the game of each draw.

    Returns:
        How many draws there are; a draw of the last card does not count.
    """
    draws = 0
    rows = 0
    for game in range(states.shape[0]):
        if actions[game] == _NO_TURN or decode_action(actions[game], states[game].n_colours)[2] != DECK:
            continue
        first = int(states[game].deck_next)
        left_after = int(states[game].n_cards) - first - 1
        compared = min(others, left_after)
        if compared == 0:
            continue
        starts[draws] = rows
        games[draws] = game
        draws += 1
        for k in range(compared + 1):
            place = first if k == 0 else first + 1 + (k - 1) * left_after // compared
            scratch[0] = states[game]
            state = scratch[0]
            card = state.deck[place]
            state.deck[place] = state.deck[first]
            state.deck[first] = card
            mover = state.mover
            apply(state, actions[game])
            write_observation(state, mover, RECALL, observations[rows])
            rows += 1
    starts[draws] = rows
    return draws


@kernel
def _take_turns(states: np.ndarray, actions: np.ndarray) -> None:
    for game in range(states.shape[0]):
        if actions[game] != _NO_TURN:
            turn_at(states, game, actions[game])
            if states[game].round_over and not states[game].match_over:
                deal(states[game])
