"""The server of the page on a free port of this process, and a client that says exactly what is sent."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lostcities_env.agents.registry import make
from lostcities_env.play.advice import review
from lostcities_env.play.games import MOST_GAMES, Games
from lostcities_env.play.menu import Menu
from lostcities_env.play.server import build_app
from lostcities_env.play.serving import listen, new_server
from lostcities_env.play.session import Session, Settings
from lostcities_env.rules.match import Match

JSON = {"content-type": "application/json"}


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class Client:
    """Talks to the server at a port."""

    port: int
    games: Games

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def send(
        self, method: str, path: str, body: str | bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        answer = Answer(
            response.status,
            {name.lower(): value for name, value in response.getheaders()},
            response.read().decode(),
        )
        connection.close()
        return answer

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, **body: object) -> Answer:
        return self.send("POST", path, json.dumps(body), JSON)

    def begin(self, **choice: object) -> dict[str, Any]:
        """A new game: its position."""
        answer = self.post("/api/games", **choice)
        assert answer.status == 201, answer.text
        return answer.json

    def act(self, position: dict[str, Any], what: str, **body: object) -> dict[str, Any]:
        """The position after a change of the game."""
        answer = self.post(f"/api/games/{position['id']}/{what}", version=position["version"], **body)
        assert answer.status == 200, answer.text
        return answer.json

    def session(self, position: dict[str, Any]) -> Session:
        """The session behind a position."""
        return self.games.find(position["id"]).session


def new_session(settings: Settings) -> Session:
    """A game of a fixed seed."""
    return Session(settings, make(settings.agent, settings.match, seed=1), seed=7)


@contextmanager
def serving(
    folder: Path,
    agent: str = "greedy",
    variant: str = "standard",
    *,
    begin: Callable[[Settings], Session] = new_session,
    most: int = MOST_GAMES,
    **settings: Any,
) -> Iterator[Client]:
    """A server that is stopped at the end; its reviews are quick, and not as sure as those for people."""
    default = Settings(agent, Match(variant, settings.pop("rounds", 1)), **settings)  # type: ignore[arg-type]
    games = Games(begin, folder, most)
    listener = listen(0)
    port = listener.getsockname()[1]
    server = new_server(build_app(Menu(default), games, port))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        with patch("lostcities_env.play.games.review", partial(review, worlds=2)):
            yield Client(port, games)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
