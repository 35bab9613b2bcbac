import pytest

from tests.golden.write import FOLDER, playthroughs


@pytest.mark.parametrize("name", ["standard.txt", "match_of_mini3.txt"])
def test_the_playthrough_is_as_ever(name: str) -> None:
    """If a change of the rules is meant: ``python -m tests.golden.write``, and read the diff."""
    assert playthroughs()[name] == (FOLDER / name).read_text(encoding="utf-8")
