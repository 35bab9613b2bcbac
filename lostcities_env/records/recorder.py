"""`Recorder`: writes a game down while it is played."""

from collections.abc import Mapping, Sequence

from lostcities_env.records.record import InvalidRecordError, Record, RoundRecord
from lostcities_env.rules.cards import format_card
from lostcities_env.rules.game import Game


class Recorder:
    """Watches a game from its beginning.

    Args:
        game: before its first turn; it is read at every call, and not changed.
        players: the names of seat 0 and seat 1.
        headers: see `Record`.

    Raises:
        ValueError: if the game has begun.

    >>> game = Game("mini3", seed=1)
    >>> recorder = Recorder(game, ("ann", "bob"))
    >>> while not game.over:
    ...     action = int(game.action_mask().argmax())
    ...     recorder.add(action)
    ...     gain = game.step(action)
    >>> recorder.record.final().scores == game.scores
    True
    """

    def __init__(self, game: Game, players: Sequence[str], headers: Mapping[str, str] | None = None) -> None:
        if game.round or game.turn or game.over:
            raise ValueError("the game has begun; a recorder watches it from its first turn")
        self._game = game
        self._players = tuple(players)
        self._headers = dict(headers or {})
        self._deals: list[tuple[tuple[str, ...], int]] = []
        self._actions: list[list[int]] = []
        self._note_deal()

    def _note_deal(self) -> None:
        """Notes the deal of the round that is being played, once."""
        if self._game.round == len(self._deals):
            state = self._game.states[0]
            deck = tuple(
                format_card(self._game.variant, int(card)) for card in state["deck"][: state["n_cards"]]
            )
            self._deals.append((deck, int(state["starter"])))
            self._actions.append([])

    def add(self, action: int) -> None:
        """Notes a turn; to be called before the game takes it.

        Raises:
            TypeError, IllegalActionError: as `Game.step` will.
        """
        self._game.check(action)
        self._note_deal()
        self._actions[-1].append(int(action))

    def undo(self) -> None:
        """Forgets the last turn; to be called after the game went back to before it.

        Raises:
            ValueError: if there is none.
        """
        if self._game.round < len(self._deals) - 1:  # that turn ended its round
            self._deals.pop()
            self._actions.pop()
        if not self._actions[-1]:
            raise ValueError("no turn is noted")
        self._actions[-1].pop()

    @property
    def record(self) -> Record:
        """The game so far.

        Raises:
            InvalidRecordError: if a name or a header cannot be written, or a turn was not noted.
        """
        self._note_deal()
        behind = self._game.turn - len(self._actions[-1])
        if self._game.round >= len(self._deals) or behind not in (-1, 0):  # -1 before the game takes the turn
            raise InvalidRecordError("the game has taken turns that were not noted")
        rounds = tuple(
            RoundRecord(deck, first, tuple(actions))
            for (deck, first), actions in zip(self._deals, self._actions, strict=True)
        )
        return Record(self._game.match, self._players, rounds, self._headers)  # type: ignore[arg-type]
