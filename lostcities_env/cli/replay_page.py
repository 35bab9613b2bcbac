"""``lostcities replay --html``: recorded games as a web page."""

from collections.abc import Sequence
from pathlib import Path

from lostcities_env.cli.arguments import UsageError, check_agents
from lostcities_env.cli.files import replacing
from lostcities_env.cli.progress import progress_bar
from lostcities_env.records.record import Record
from lostcities_env.render.viewer import make_judge, viewer_page
from lostcities_env.rules.match import Match

NO_JUDGE = "none"
"""The judge of who wants none."""
MOST_GAMES = 100
"""Games on a page; a round takes some 30 kB, or with a judge 130 kB and five seconds of judging."""


def write_page(path: Path, records: Sequence[Record], judge: str | None) -> None:
    """Writes the page of some games, and says so.

    Args:
        path: where to.
        records: the games.
        judge: the agent that judges them, `NO_JUDGE`, or None for the default of each.

    Raises:
        UsageError: if the agent cannot judge one of the games, or the file cannot be written.
    """
    if len(records) > MOST_GAMES:
        raise UsageError(
            f"--html: {len(records)} records are too many for a page, which shows {MOST_GAMES} at most; "
            "choose one with --game"
        )
    matches = {record.match: None for record in records}
    judges = {match: _judge_of(match, judge) for match in matches}
    with replacing(path) as temporary, progress_bar("judging the turns") as progress:
        names = [judges[record.match] for record in records]
        page = viewer_page(records, names, progress=progress)
        temporary.write_text(page, encoding="utf-8")
    games = f"{len(records)} game{'' if len(records) == 1 else 's'}"
    by = ", ".join(dict.fromkeys(name for name in judges.values() if name))
    print(f"{path}: {games}{f', judged by {by}' if by else ''}")


def _judge_of(match: Match, judge: str | None) -> str | None:
    if judge is None:
        from lostcities_env.analysis.judge import default_judge

        return default_judge(match)
    if judge == NO_JUDGE:
        return None
    check_agents([judge], match)
    try:
        make_judge(judge, match)
    except ValueError as error:
        raise UsageError(f"--judge {judge}: {error}") from error
    return judge
