"""`Episode`: a game with what it shows, what it pays and when it is cut. The faces for one game share it."""

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from lostcities_env.envs.rewards import check_max_turns, check_reward
from lostcities_env.envs.stepping import checked_turn_at, write_view_at
from lostcities_env.rules.game import Game
from lostcities_env.rules.observation import LEVELS, check_level, observation_size
from lostcities_env.rules.snapshot import check_snapshot
from lostcities_env.rules.state import LEGAL
from lostcities_env.rules.variant import Variant

OPTIONS = ("deck", "decks", "first_player")


class Episode:
    """One game as an environment needs it.

    Args:
        variant, rounds, tie: what is played; see `Match`.
        observation: what players are shown, ``"visible"`` or ``"recall"``.
        reward, max_turns: see `lostcities_env.envs.rewards`.

    Attributes:
        game: the `Game`.
        level: the index of the observation level that players are shown.
        mover: who is to move, 0 or 1.
        last_action: the code of the turn taken last; None before the first one.

    Raises:
        InvalidVariantError, TypeError, ValueError: naming the argument that was wrong.
    """

    def __init__(
        self,
        variant: str | Variant,
        *,
        rounds: int,
        tie: str,
        observation: str,
        reward: str,
        max_turns: int | None,
    ) -> None:
        self.game = Game(variant, rounds=rounds, tie=tie)
        self.level = check_level(observation)
        self.mover = self.game.mover
        self.last_action: int | None = None
        self._states = self.game.states
        self._reward = check_reward(reward)
        self._max_turns = check_max_turns(max_turns, self.game.variant)
        self._n_actions = self.game.variant.n_actions
        self._sizes = [observation_size(self.game.match, level) for level in LEVELS]

    def begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Begins a match.

        Args:
            seed: of the deals; None goes on with the generator as it stands.
            options: ``"deck"``: the exact order of the cards of the (first) round in notation, first
                dealt card first; or ``"decks"``: a list of such lists, one a round; ``"first_player"``:
                0 (default) or 1.

        Raises:
            NotationError, TypeError, ValueError: naming the seed or option that was wrong.
        """
        decks, first_player = _read_options(options or {})
        if seed is not None:
            self.game.seed(seed)
        self.game.restart(deck=decks, first_player=first_player)
        self.mover = self.game.mover
        self.last_action = None

    def turn(self, action: int) -> tuple[float, bool, bool]:
        """Takes the mover's turn: (what it pays player 0, terminated, truncated).

        Raises:
            TypeError: if `action` is not an integer.
            IllegalActionError: if it is out of range, or the rules do not allow it now. Nothing has
                changed then.
        """
        code = action if type(action) is int else self._as_int(action)
        if not 0 <= code < self._n_actions:
            self.game.check(code)
        reason, mover, paid, terminated, truncated = checked_turn_at(
            self._states, 0, code, self._reward, self._max_turns
        )
        if reason != LEGAL:
            self.game.check(code)
        if mover < 0:
            self.game.deal_next_round()
            mover = self.game.mover
        self.mover = mover
        self.last_action = code
        return paid, terminated, truncated

    def _as_int(self, action: object) -> int:
        """An integer of any library, or an array () of one; `Game.check` names what is neither."""
        if isinstance(action, (bool, np.bool_)) or not hasattr(action, "__index__"):
            self.game.check(action)  # type: ignore[arg-type]
        try:
            return operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise TypeError(f"an action is an integer, got {action!r}") from None

    def view(self, player: int, level: int, to_move: bool) -> tuple[np.ndarray, np.ndarray]:
        """What `player` sees, float32 (n,), and legal actions, int8 (n_actions,): none unless `to_move`."""
        observation = np.empty(self._sizes[level], np.float32)
        mask = np.empty(self._n_actions, np.int8)
        write_view_at(self._states, 0, player, level, to_move, observation, mask)
        return observation, mask

    def outcome(self, truncated: bool) -> dict[str, Any]:
        """What an environment says in ``info`` at the end; pairs are (player 0's, player 1's).

        - ``scores``: points of the last round.
        - ``match_scores``: points of all rounds, a truncated one included.
        - ``winner``: 0, 1, or -1 for a draw and after a truncation (an integer in any case, because
          Gymnasium's vector environments gather the winners in one array).
        - ``score_breakdown``: for each player, by the name of the colour, what made the points of the
          last round: ``cards``, ``wagers``, ``total``, ``cost``, ``bonus``, ``points``.
        """
        game = self.game
        first, second = game.match_scores
        if truncated:
            first, second = first + game.scores[0], second + game.scores[1]
        return {
            "scores": game.scores,
            "match_scores": (first, second),
            "winner": -1 if game.winner is None else game.winner,
            "score_breakdown": tuple(
                {colour: score._asdict() for colour, score in game.score_breakdown(player).items()}
                for player in range(2)
            ),
        }

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the game for `set_state`, random generator included."""
        return self.game.get_state() | {"last_action": self.last_action}

    def set_state(self, snapshot: dict[str, Any]) -> None:
        """Goes back to a snapshot.

        Raises:
            ValueError: if it is no snapshot, or one of another match.
        """
        check_snapshot(snapshot, ("last_action",))
        self.game.set_state(snapshot)
        self.mover = self.game.mover
        self.last_action = snapshot["last_action"]


def _read_options(options: Mapping[str, Any]) -> tuple[Any, int]:
    if not isinstance(options, Mapping):
        raise TypeError(f"reset options are a dict, got {options!r}")
    unknown = [str(name) for name in options if name not in OPTIONS]
    if unknown:
        raise ValueError(f"unknown reset option(s) {', '.join(unknown)}; there are {', '.join(OPTIONS)}")
    deck, decks = options.get("deck"), options.get("decks")
    if deck is not None:
        if decks is not None:
            raise ValueError("reset options 'deck' and 'decks' exclude each other")
        decks = deck if isinstance(deck, str) else [deck]  # `Game` says what is wrong with text
    elif decks is not None and (
        not isinstance(decks, (list, tuple)) or any(isinstance(one, str) for one in decks)
    ):
        raise ValueError(f"reset option 'decks' is a list of decks, one a round, got {decks!r}")
    return decks, options.get("first_player", 0)
