"""The server of the page: a small API of JSON over `Games`, and the page's own files.

=======  ===========================  ==============================================================
GET      /api/options                 what can be played
POST     /api/games                   begins a game
GET      /api/games/ID                where it stands
POST     /api/games/ID/turn           the person's turn: ``turn``, in notation
POST     /api/games/ID/answer         the agent takes its turn
POST     /api/games/ID/next-round     goes on after a round of a match
POST     /api/games/ID/undo           takes back the person's last turn
POST     /api/games/ID/hint           what the agent would play in the person's place
GET      /api/games/ID/review         the person's mistakes; once the game is over
GET      /api/games/ID/record         the record as a file; once the game is over
=======  ===========================  ==============================================================

A request that changes a game carries the ``version`` that it saw. An error is ``{"error": message}``: 400 for
a request or a turn that is wrong, 403 and 421 for what `Guard` refuses, 404 for a game that is not there, 409
for the wrong moment, 413 and 415 for a body that is too large or not JSON, 500 if the agent failed.
"""

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from lostcities_env import render
from lostcities_env.agents.attempts import AgentFailedError
from lostcities_env.play import public
from lostcities_env.play.advice import hint
from lostcities_env.play.games import Games, Played, StaleError, UnknownGameError
from lostcities_env.play.guard import Guard
from lostcities_env.play.menu import Menu
from lostcities_env.play.saving import file_name
from lostcities_env.play.session import NotNowError, Phase, Session
from lostcities_env.records import format_record
from lostcities_env.rules.cards import NotationError
from lostcities_env.rules.game import IllegalActionError

MOST_BYTES = 4096
"""Size of the body of a request, at most."""
_FILES = {
    "/": Path(__file__).with_name("web") / "index.html",
    **{
        f"/assets/{name}": Path(__file__).with_name("web") / name
        for name in ("play.js", "panels.js", "server.js", "start.js", "play.css", "icon.svg")
    },
    **{
        f"/assets/{name}": Path(render.__file__).with_name("web") / name
        for name in ("table.js", "parts.js", "table.css")
    },
}
_STATUS: dict[type[Exception], int] = {
    NotationError: 400,
    IllegalActionError: 400,
    UnknownGameError: 404,
    NotNowError: 409,
    StaleError: 409,
    AgentFailedError: 500,
}


def build_app(menu: Menu, games: Games, port: int) -> Starlette:
    """The application.

    Args:
        menu: what can be played.
        games: the games.
        port: where it will be served; requests for other places are refused.
    """
    return Starlette(
        routes=[
            *(Route(path, _file(file)) for path, file in _FILES.items()),
            *_api(menu, games),
        ],
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={HTTPException: _http_error, **dict.fromkeys(_STATUS, _error), Exception: _bug},
    )


def _file(path: Path) -> Callable[[Request], Response]:
    def send(_: Request) -> Response:
        return FileResponse(path)

    return send


def _api(menu: Menu, games: Games) -> list[Route]:
    async def options(_: Request) -> Response:
        return JSONResponse(await run_in_threadpool(menu.to_dict))

    async def begin(request: Request) -> Response:
        body = await _body(request)

        def work() -> dict[str, Any]:
            try:
                name, played = games.begin(menu.settings(body))
            except ValueError as error:
                raise HTTPException(400, str(error)) from error
            return _position(name, played)

        return JSONResponse(await run_in_threadpool(work), 201)

    def about_game(work: Callable[[str, Played, dict[str, Any]], Response]) -> Callable[[Request], Any]:
        """An endpoint that does `work` with the game of the path, while nobody else touches it."""

        async def endpoint(request: Request) -> Response:
            name = request.path_params["name"]
            body = await _body(request) if request.method == "POST" else {}

            def locked() -> Response:
                played = games.find(name)
                with played.lock:
                    return work(name, played, body)

            return await run_in_threadpool(locked)

        return endpoint

    def changing(change: Callable[[Session, dict[str, Any]], object]) -> Callable[[Request], Any]:
        """An endpoint that changes a game and answers with where it stands then."""

        def work(name: str, played: Played, body: dict[str, Any]) -> Response:
            played.check_version(_whole_number(body, "version"))
            change(played.session, body)
            played.changed(games.folder)
            return JSONResponse(_position(name, played))

        return about_game(work)

    game = "/api/games/{name}"
    return [
        Route("/api/options", options),
        Route("/api/games", begin, methods=["POST"]),
        Route(game, about_game(lambda name, played, _: JSONResponse(_position(name, played)))),
        Route(f"{game}/turn", changing(_turn), methods=["POST"]),
        Route(f"{game}/answer", changing(_answer), methods=["POST"]),
        Route(f"{game}/next-round", changing(lambda session, _: session.next_round()), methods=["POST"]),
        Route(f"{game}/undo", changing(lambda session, _: session.undo()), methods=["POST"]),
        Route(f"{game}/hint", about_game(_hint), methods=["POST"]),
        Route(f"{game}/review", about_game(_review)),
        Route(f"{game}/record", about_game(_record)),
    ]


def _position(name: str, played: Played) -> dict[str, Any]:
    state = {"id": name, "version": played.version, "saved": played.saved}
    return state | public.position(played.session)


def _turn(session: Session, body: dict[str, Any]) -> None:
    turn = body.get("turn")
    if not isinstance(turn, str):
        raise HTTPException(400, "'turn' must be text such as 'R7 deck'")
    session.play(turn)


def _answer(session: Session, _: dict[str, Any]) -> None:
    try:
        session.answer()
    except IllegalActionError as error:
        raise AgentFailedError(str(error)) from error


def _hint(_name: str, played: Played, _: dict[str, Any]) -> Response:
    session = played.session
    return JSONResponse(public.suggestions(session.game.variant, hint(session)))


def _review(_name: str, played: Played, _: dict[str, Any]) -> Response:
    return JSONResponse(public.verdict(played.session, played.review()))


def _record(_name: str, played: Played, _: dict[str, Any]) -> Response:
    session = played.session
    session.expect(Phase.OVER)  # a record shows what is hidden
    headers = {"content-disposition": f'attachment; filename="{file_name(session)}"'}
    return PlainTextResponse(format_record(session.record()), headers=headers)


async def _body(request: Request) -> dict[str, Any]:
    kind = request.headers.get("content-type", "none").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"the body must be application/json, not {kind}")
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BYTES:
            raise HTTPException(413, f"the body is larger than {MOST_BYTES} bytes")
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "the body must be a JSON object")
    return body


def _whole_number(body: dict[str, Any], key: str) -> int:
    value = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise HTTPException(400, f"{key!r} must be a whole number")
    return value


def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)


def _error(_: Request, error: Exception) -> Response:
    return JSONResponse(
        {"error": str(error)}, next(s for kind, s in _STATUS.items() if isinstance(error, kind))
    )


def _bug(_: Request, error: Exception) -> Response:
    traceback.print_exception(error)
    return JSONResponse({"error": f"the server failed, see where it runs: {type(error).__name__}"}, 500)
