import pytest

from lostcities_env.records import read_records
from tests.golden.write import FOLDER, RECORDS, golden_records, playthroughs


@pytest.mark.parametrize("name", ["standard.txt", "match_of_mini3.txt", RECORDS])
def test_the_playthrough_is_as_ever(name: str) -> None:
    """If a change of the rules is meant: ``python -m tests.golden.write``, and read the diff."""
    assert playthroughs()[name] == (FOLDER / name).read_text(encoding="utf-8")


def test_the_golden_records_are_read_as_ever() -> None:
    assert read_records(FOLDER / RECORDS) == golden_records()
