"""The API of the page: what it answers, and what it refuses."""

import os
import re
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lostcities_env.agents import registry
from lostcities_env.agents.base import Agent
from lostcities_env.play.serving import DEFAULT_PORT, PortError, listen
from lostcities_env.records import parse_records
from tests.play.page_server import JSON, Answer, Client, serving


class Illegal(Agent):
    """Takes action 0, come what may."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.zeros(len(observations), dtype=np.int64)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with serving(tmp_path_factory.mktemp("games"), undo=True) as one:
        yield one


def refusal(answer: Answer, status: int) -> str:
    assert answer.status == status, answer.text
    assert list(answer.json) == ["error"]
    message = answer.json["error"]
    assert isinstance(message, str)
    return message


def to_the_end(client: Client, position: dict[str, Any]) -> dict[str, Any]:
    while position["phase"] != "over":
        if position["phase"] == "person":
            position = client.act(position, "turn", turn=position["table"]["legal"][0]["text"])
        else:
            position = client.act(
                position, {"agent": "answer", "round_over": "next-round"}[position["phase"]]
            )
    return position


class TestGame:
    def test_a_match_is_played_saved_and_replayed(self, client: Client) -> None:
        position = to_the_end(client, client.begin(variant="mini3", rounds=3, begins=False))
        record = client.get(f"/api/games/{position['id']}/record")
        assert record.headers["content-disposition"] == 'attachment; filename="greedy-mini3-7.txt"'
        [downloaded] = parse_records(record.text)
        assert list(downloaded.final().match_scores) == position["table"]["match_scores"]
        saved = Path(position["saved"].removeprefix("Saved to "))
        assert saved.read_text() == record.text
        assert position["seed"] == "7"
        review = client.get(f"/api/games/{position['id']}/review").json
        assert review == {"judge": None, "turns": 0, "total": 0, "mistakes": []}

    def test_undo(self, client: Client) -> None:
        begun = client.begin()
        position = client.act(begun, "turn", turn=begun["table"]["legal"][0]["text"])
        position = client.act(client.act(position, "answer"), "undo")
        assert position["table"] == begun["table"]
        assert position["version"] == 3

    def test_no_file_is_replaced(self, client: Client) -> None:
        files = {to_the_end(client, client.begin(variant="mini3"))["saved"] for _ in range(3)}
        assert len(files) == 3

    def test_says_when_it_cannot_save(self, tmp_path: Path) -> None:
        blocked = tmp_path / "file"
        blocked.touch()
        with serving(blocked, variant="mini3") as client:
            saved = to_the_end(client, client.begin())["saved"]
        assert saved == f"Not saved: {blocked}: {os.strerror(17)}"

    def test_games_do_not_touch_each_other(self, client: Client) -> None:
        first, second = client.begin(), client.begin(variant="six")
        first = client.act(first, "turn", turn=first["table"]["legal"][0]["text"])
        assert client.get(f"/api/games/{second['id']}").json == second
        assert first["id"] != second["id"]


class TestMenu:
    def test_offers_what_can_be_played(self, client: Client) -> None:
        options = client.get("/api/options").json
        agents = {agent["name"]: agent for agent in options["agents"]}
        assert options["agents"][0]["name"] == "greedy"
        assert set(agents) == set(registry.names())
        assert agents["scratch"]["variants"] == ["standard"]
        assert options["default"] == {
            "agent": "greedy",
            "variant": "standard",
            "rounds": 1,
            "begins": True,
            "undo": True,
        }

    @pytest.mark.parametrize(
        ("choice", "message"),
        [
            ({"agent": "nobody"}, "no agent 'nobody'; there are greedy"),
            ({"agent": "os:system"}, "no agent 'os:system'"),
            ({"agent": "bot.py:make"}, "no agent 'bot.py:make'"),
            ({"agent": 3}, "'agent' must be of type str, got 3"),
            ({"variant": "mini9"}, "no variant 'mini9'"),
            ({"agent": "scratch", "variant": "mini1"}, "knows the rules of standard"),
            ({"rounds": 0}, "rounds=0 is outside 1..9"),
            ({"rounds": True}, "'rounds' must be of type int, got True"),
            ({"seed": 7}, "unknown 'seed'; there are agent"),
        ],
    )
    def test_wrong_choices(self, client: Client, choice: dict[str, object], message: str) -> None:
        assert message in refusal(client.post("/api/games", **choice), 400)


class TestRefusal:
    def test_turns(self, client: Client) -> None:
        position = client.begin()
        path = f"/api/games/{position['id']}/turn"
        hand = " ".join(client.session(position).game.hand(0))
        message = refusal(client.post(path, version=0, turn="P10 deck"), 400)
        assert message.startswith("card 'P10' does not begin with a colour")
        message = refusal(client.post(path, version=0, turn="R10 deck"), 400)
        assert f"R10 is not in hand ({hand})" in message
        assert refusal(client.post(path, version=0, turn=7), 400).startswith("'turn' must be text")
        assert refusal(client.post(path, turn="R10 deck"), 400) == "'version' must be a whole number"
        assert client.get(f"/api/games/{position['id']}").json == position

    def test_the_wrong_moment(self, client: Client) -> None:
        position = client.begin()
        path = f"/api/games/{position['id']}"
        assert refusal(client.post(f"{path}/answer", version=0), 409) == "it is your turn"
        assert refusal(client.get(f"{path}/record"), 409) == "it is your turn"
        assert refusal(client.get(f"{path}/review"), 409) == "it is your turn"
        client.act(position, "turn", turn=position["table"]["legal"][0]["text"])
        assert (
            refusal(client.post(f"{path}/turn", version=1, turn="R1 deck"), 409) == "it is the turn of greedy"
        )
        assert refusal(client.post(f"{path}/answer", version=0), 409).startswith("the game has changed since")

    def test_unknown_places(self, client: Client) -> None:
        assert refusal(client.get("/api/games/none"), 404).startswith("no game 'none' here")
        assert refusal(client.get("/nothing"), 404) == "Not Found"
        assert refusal(client.get("/assets/../server.py"), 404) == "Not Found"
        assert refusal(client.send("DELETE", "/api/games"), 405) == "Method Not Allowed"

    def test_bodies(self, client: Client) -> None:
        def post(body: bytes, kind: str = "application/json") -> Answer:
            return client.send("POST", "/api/games", body, {"content-type": kind})

        assert refusal(post(b"{}", "text/plain"), 415).endswith("not text/plain")
        assert refusal(client.send("POST", "/api/games"), 415).endswith("not none")
        assert refusal(post(b" " * 5000), 413) == "the body is larger than 4096 bytes"
        assert refusal(post(b"{"), 400).startswith("the body is not JSON")
        assert refusal(post(b"[" * 4000), 400).startswith("the body is not JSON")
        assert refusal(post(b"\xff"), 400).startswith("the body is not JSON")
        assert refusal(post(b"[]"), 400) == "the body must be a JSON object"

    def test_other_hosts(self, client: Client) -> None:
        port = client.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
            message = refusal(client.send("GET", "/", None, {"host": host}), 421)
            assert message.startswith(f"this server is 127.0.0.1:{port} or localhost:{port}")
        assert client.send("GET", "/", None, {"host": f"LOCALHOST:{port}"}).status == 200

    def test_other_pages(self, client: Client) -> None:
        def post(**headers: str) -> Answer:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return client.send("POST", "/api/games", "{}", JSON | named)

        own = client.address.rstrip("/")
        assert refusal(post(origin="http://evil.example"), 403) == "requests from other pages are refused"
        assert refusal(post(origin="null"), 403) == "requests from other pages are refused"
        assert refusal(post(sec_fetch_site="cross-site"), 403) == "requests from other sites are refused"
        answer = post(origin=own, sec_fetch_site="same-origin")
        assert answer.status == 201
        assert not any(name.startswith("access-control") for name in answer.headers)

    def test_an_agent_that_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(registry._registered, "bad", Illegal)
        with serving(tmp_path, "bad", begins=False) as client:
            position = client.begin()
            path = f"/api/games/{position['id']}"
            message = refusal(client.post(f"{path}/answer", version=0), 500)
            assert message.startswith("agent 'bad', turn 1: playing Rx")
            assert client.get(path).json == position


def test_headers(client: Client) -> None:
    for path in ("/", "/assets/play.js", "/api/options", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_the_page_names_no_other_place(client: Client) -> None:
    page = client.get("/").text
    names = re.findall(r'"/assets/(.+?)"', page)
    names += re.findall(r'from "\./(.+?)"', client.get("/assets/play.js").text)
    assert {"table.css", "play.css", "table.js", "play.js", "panels.js"} <= set(names)
    for name in names:
        answer = client.get(f"/assets/{name}")
        assert answer.status == 200
        page += answer.text
    assert "https:" not in page
    assert page.replace("http://www.w3.org/2000/svg", "").count("http:") == 0


def test_the_games_kept_are_bounded(tmp_path: Path) -> None:
    with serving(tmp_path, variant="mini3", most=2) as client:
        first, second = client.begin(), client.begin()
        client.get(f"/api/games/{first['id']}")
        client.begin()
        assert client.get(f"/api/games/{first['id']}").status == 200
        message = refusal(client.get(f"/api/games/{second['id']}"), 404)
        assert "2 other games were touched after it" in message


class TestPort:
    def test_loopback_only(self) -> None:
        with listen(0) as listener:
            assert listener.getsockname()[0] == "127.0.0.1"

    def test_in_use(self) -> None:
        with listen(0) as listener, pytest.raises(PortError, match="is in use; take another one, or 0"):
            listen(listener.getsockname()[1])

    def test_falls_back_unless_one_was_asked_for(self) -> None:
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                other.bind(("127.0.0.1", DEFAULT_PORT))
                other.listen()
            except OSError:
                pass  # something else has it: all the same here
            with listen(None) as listener:
                assert listener.getsockname()[1] != DEFAULT_PORT
