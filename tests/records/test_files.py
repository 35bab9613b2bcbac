"""Files of records: whole or not at all, UTF-8, of a sane size."""

import re
from pathlib import Path

import pytest

from lostcities_env.records import RecordError, files, format_record, read_records, write_records
from tests.records.test_record import RECORD


def test_a_file_holds_records(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    write_records(path, [RECORD, RECORD])
    assert read_records(path) == [RECORD, RECORD]
    assert path.read_bytes() == f"{format_record(RECORD)}\n{format_record(RECORD)}".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.txt"
    path.write_text("old")
    with pytest.raises(ValueError, match="a file of records has at least one record"):
        write_records(path, [])

    def fail(*args: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_records(path, [RECORD])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: the text ends where 'Lost Cities record 1'"),
        (b"\xef\xbb\xbfLost Cities record 1\n", "line 1: the text begins with a byte order mark"),
        ("Lost Cities record 1\n".encode("utf-16"), "line 1: byte 0xff is not UTF-8; save the file as UTF-8"),
        (b"Lost Cities record 1\nPlayer 0: Ren\xe9\n", "line 2: byte 0xe9 is not UTF-8"),
        (b"\x00\x01", "line 1: character 1 is U+0000, which does not print"),
    ],
)
def test_what_is_no_text_of_records(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=f"^{re.escape(message)}"):
        read_records(path)


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 2**20)
    path = tmp_path / "games.txt"
    path.write_text("x\n" * 2**20)
    with pytest.raises(RecordError, match=r"^line 524289: more than 1 MiB up to here; split the file"):
        read_records(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_records(tmp_path / "nowhere.txt")
