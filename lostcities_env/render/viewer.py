"""One web page to replay games in: it needs no server and no network, and loads nothing.

The page is `web/viewer.html` with its styles, its scripts and the games put into it. A game is a list of
frames: the table before each turn, with the turn and what an agent makes of it, and the table at the end of
each round.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lostcities_env.records import Record
from lostcities_env.render.moments import is_round_over, table_after
from lostcities_env.render.view import action_view, table_view
from lostcities_env.rules.actions import format_action
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match

if TYPE_CHECKING:
    from lostcities_env.analysis.judge import Judge, Judgement

_STYLES = ("table.css", "viewer.css")
_SCRIPTS = ("table.js", "parts.js", "judgement.js", "curve.js", "viewer.js")
_FRAGMENT = re.compile(r"\{\{(\w+)\}\}")

Progress = Callable[[float], object]
"""Called with the share of the work that is done."""


def viewer_page(
    records: Sequence[Record], judges: Sequence[str | None], *, progress: Progress | None = None
) -> str:
    """The page.

    Args:
        records: the games, at least one.
        judges: for each game the name of the agent that judges it, or None.
        progress: see `Progress`.

    Raises:
        ValueError: if there is no record, or an agent cannot judge its game.
    """
    if not records:
        raise ValueError("there is no game to show")
    turns = sum(len(one.actions) for record in records for one in record.rounds)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done / turns)

    games = [_game(record, judge, step) for record, judge in zip(records, judges, strict=True)]
    web = files("lostcities_env.render") / "web"
    fragments = {
        "title": escape(_title(records)),
        "styles": "".join((web / name).read_text(encoding="utf-8") for name in _STYLES),
        "scripts": "".join((web / name).read_text(encoding="utf-8") for name in _SCRIPTS),
        "games": script_json(games),
    }
    page = (web / "viewer.html").read_text(encoding="utf-8")
    return _FRAGMENT.sub(lambda match: fragments[match[1]], page)


def make_judge(name: str, match: Match) -> "Judge":
    """The judge that an agent makes.

    Raises:
        ValueError: if there is no such agent, it does not play the match, or it has no values.
    """
    from lostcities_env.agents.registry import make
    from lostcities_env.analysis.judge import Judge

    return Judge(make(name, match))


def script_json(data: Any) -> str:
    """Data as JSON that can stand in a script element: whatever text is in it, it ends nothing."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def changes(old: Any, new: Any) -> Any:
    """What of `old` has to be replaced to get `new`, of the same shape; ``merge`` of viewer.js does it.

    Dicts, and lists of dicts of the same length, become dicts of what changed; all else is `new` itself.

    >>> changes({"turn": 1, "piles": {"R": [], "B": []}}, {"turn": 2, "piles": {"R": ["R7"], "B": []}})
    {'turn': 2, 'piles': {'R': ['R7']}}
    """
    if isinstance(old, dict):
        pairs = [(key, old[key], new[key]) for key in new]
    elif isinstance(old, list) and len(old) == len(new) and all(isinstance(one, dict) for one in old):
        pairs = [(str(k), *pair) for k, pair in enumerate(zip(old, new, strict=True))]
    else:
        return new
    return {key: changes(before, after) for key, before, after in pairs if before != after}


def _title(records: Sequence[Record]) -> str:
    first, second = records[0].players
    more = f" and {len(records) - 1} more" if len(records) > 1 else ""
    return f"{first} against {second}{more} - Lost Cities"


def _game(record: Record, judge: str | None, step: Callable[[], None]) -> dict[str, Any]:
    """A game as JSON types; `step` is called after each turn."""
    final = record.final()
    frames: list[dict[str, Any]] = []
    shown = None
    for view, move in _frames(record, make_judge(judge, record.match) if judge else None, step):
        frames.append({"view": view if shown is None else changes(shown, view), "move": move})
        shown = view
    return {
        "players": _names(record),
        "headers": list(record.headers.items()),
        "judge": judge,
        "variant": record.match.variant.name,
        "scores": list(final.match_scores),
        "over": final.over,
        "winner": final.winner,
        "frames": frames,
    }


def _names(record: Record) -> list[str]:
    """The players' names; of two that are called the same, with their seats."""
    first, second = record.players
    return [f"{first} (0)", f"{second} (1)"] if first == second else [first, second]


def _frames(
    record: Record, judge: "Judge | None", step: Callable[[], None]
) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """The tables, and the turn taken at each: None at the end of a round and of an unfinished game."""
    for game, action in record.positions():
        yield _view(game), _move(game, action, judge)
        step()
        after = table_after(game, action)
        if is_round_over(after):
            yield _view(after), None
    final = record.final()
    if not final.over:
        yield _view(final), None


def _view(game: Game) -> dict[str, Any]:
    """Both hands; the page hides one if asked to. It does without the legal turns."""
    view = table_view(game, None)
    del view["legal"]
    return view


def _move(game: Game, action: int, judge: "Judge | None") -> dict[str, Any]:
    move = {"player": game.mover, **action_view(game.variant, action)}
    source = move["source"]
    pile = game.deck()[::-1] if source == "deck" else game.pile(game.variant.colours.index(source))
    move["drawn"] = pile[-1]
    if judge is not None:
        move["judgement"] = _judgement(game, action, judge.judge(game))
    return move


def _judgement(game: Game, action: int, judgement: "Judgement") -> dict[str, Any]:
    """What the page shows of a judgement, in points rounded to what can be read.

    ``value`` is the margin that the agent expects for the mover, ``cost`` what the turn taken costs. Each of
    ``actions`` is a turn in notation, its probability and how many points it is better than the agent's own
    choice, which comes first.
    """
    order = sorted(range(len(judgement.actions)), key=lambda k: -judgement.probabilities[k])
    gains = judgement.values - judgement.values[order[0]]
    return {
        "value": round(judgement.value, 2),
        "cost": round(judgement.cost(action), 2),
        "actions": [
            [
                format_action(game.variant, int(judgement.actions[k])),
                round(float(judgement.probabilities[k]), 4),
                round(float(gains[k]), 2),
            ]
            for k in order
        ],
    }
