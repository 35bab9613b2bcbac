"""The games that a server plays at once."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from lostcities_env.play.advice import Review, review
from lostcities_env.play.saving import save
from lostcities_env.play.session import Phase, Session, Settings

MOST_GAMES = 64
"""Games that are kept; the one that was touched longest ago makes room for a new one."""

NewSession = Callable[[Settings], Session]


class UnknownGameError(LookupError):
    """There is no such game; the message says why that may be."""


class StaleError(ValueError):
    """A request about a position that the game has left."""


class Played:
    """A session on a server.

    Attributes:
        lock: to be held by whoever uses what follows.
        session: the game.
        version: how often it has changed; whoever wants to change it says which version they saw.
        saved: where it was saved, or why not, once it is over.
    """

    def __init__(self, session: Session) -> None:
        self.lock = Lock()
        self.session = session
        self.version = 0
        self.saved: str | None = None
        self._review: Review | None = None

    def check_version(self, version: int) -> None:
        """Checks that a request is about the game as it stands.

        Raises:
            StaleError: if it is not.
        """
        if version != self.version:
            raise StaleError(
                f"the game has changed since (version {self.version}, not {version}); load it again"
            )

    def changed(self, folder: Path) -> None:
        """Notes a change; saves the game to `folder` if it is over."""
        self.version += 1
        if self.session.phase is not Phase.OVER:
            return
        try:
            self.saved = f"Saved to {save(self.session, folder)}"
        except OSError as error:
            self.saved = f"Not saved: {folder}: {error.strerror}"

    def review(self) -> Review:
        """The review of a finished game, computed once."""
        if self._review is None:
            self._review = review(self.session)
        return self._review


class Games:
    """Games by their ids, which cannot be guessed.

    Args:
        new_session: begins a game.
        folder: where finished games are saved.
        most: how many are kept.
    """

    def __init__(self, new_session: NewSession, folder: Path, most: int = MOST_GAMES) -> None:
        self.folder = folder
        self._new_session = new_session
        self._most = most
        self._games: OrderedDict[str, Played] = OrderedDict()
        self._lock = Lock()

    def begin(self, settings: Settings) -> tuple[str, Played]:
        """Begins a game; returns its id too.

        Raises:
            ValueError: if the agent cannot play it.
        """
        played = Played(self._new_session(settings))
        name = secrets.token_urlsafe(12)
        with self._lock:
            while len(self._games) >= self._most:
                self._games.popitem(last=False)
            self._games[name] = played
        return name, played

    def find(self, name: str) -> Played:
        """The game of an id.

        Raises:
            UnknownGameError: if there is none, or none any more.
        """
        with self._lock:
            if name not in self._games:
                raise UnknownGameError(
                    f"no game {name!r} here: the server has been started anew since, "
                    f"or {self._most} other games were touched after it"
                )
            self._games.move_to_end(name)
            return self._games[name]
