"""Files that are written whole or not at all, and their names."""

from pathlib import Path

import pytest

from lostcities_env.files import in_file_name, replace_file, replacing


class TestReplacing:
    def test_a_file_takes_the_place_of_another_when_it_is_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("old")
        with replacing(path) as temporary:
            temporary.write_text("new")
            assert path.read_text() == "old"
        assert path.read_text() == "new"
        assert list(tmp_path.iterdir()) == [path]

    def test_one_that_fails_leaves_all_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("old")

        def write_half(temporary: Path) -> None:
            temporary.write_text("ne")
            raise OSError("disk full")

        with pytest.raises(OSError, match="disk full"), replacing(path) as temporary:
            write_half(temporary)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]

    def test_of_bytes(self, tmp_path: Path) -> None:
        replace_file(tmp_path / "file", b"\x00new")
        assert (tmp_path / "file").read_bytes() == b"\x00new"


class TestInFileName:
    def test_a_name_stays_as_it_is(self) -> None:
        assert in_file_name("threshold") == "threshold"
        assert in_file_name("a" * 60) == "a" * 60

    def test_a_long_one_keeps_its_end(self) -> None:
        name = in_file_name("/home/someone/" + "a" * 60 + "/bot.py:play")
        assert len(name) == 60
        assert name.endswith("aaa_bot.py_play")

    def test_long_ones_that_end_alike_differ(self) -> None:
        ends = "/" + "a" * 60 + "/bot.py:play"
        assert in_file_name("/one" + ends) != in_file_name("/two" + ends)

    def test_of_a_path_whose_bytes_are_no_text(self) -> None:
        assert in_file_name("/bots/\udcff" + "a" * 60).endswith("a" * 51)
