"""The safetensors container: what is written is read, and what is damaged is refused with the reason."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lostcities_env.agents.weights import MAX_HEADER, WeightsError, read_weights, write_weights

TENSORS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b.bias": np.array([0.5], dtype=np.float32)}
METADATA = {"format": "test", "note": "naïve ünïcode"}


def container(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(begin: int = 0, end: int = 4, shape: object = (1,), dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def whole_file(tmp_path: Path) -> bytes:
    path = tmp_path / "whole.safetensors"
    write_weights(path, TENSORS, METADATA)
    return path.read_bytes()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    write_weights(path, TENSORS, METADATA)
    tensors, metadata = read_weights(path)
    assert metadata == METADATA
    assert list(tensors) == list(TENSORS)
    for name, tensor in TENSORS.items():
        assert tensors[name].dtype == np.float32
        assert (tensors[name] == tensor).all()
    assert [found.name for found in tmp_path.iterdir()] == ["w.safetensors"]


def test_the_safetensors_library_reads_and_writes_the_same(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "ours.safetensors"
    write_weights(path, TENSORS, METADATA)
    for name, tensor in library.load_file(path).items():
        assert (tensor == TENSORS[name]).all()
    theirs = tmp_path / "theirs.safetensors"
    library.save_file(TENSORS, theirs, METADATA)
    tensors, metadata = read_weights(theirs)
    assert metadata == METADATA
    assert all((tensors[name] == TENSORS[name]).all() for name in TENSORS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "0 bytes are too few"),
        (b"abc", "3 bytes are too few"),
        (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix", "no safetensors file|truncated"),
        (b"PK\x03\x04" + bytes(40), "no safetensors file"),
        (container({}, length=MAX_HEADER + 1), f"more than the {MAX_HEADER} allowed"),
        (container({}, length=500), "truncated: the header ends at byte 508"),
        (container(b"\xff\xfe{}"), "the header is not JSON"),
        (container(b"{'a': 1}"), "the header is not JSON"),
        (container(b"[" * 100_000), "the header is not JSON"),
        (container([1, 2]), "the header is not a JSON object"),
        (container(b'{"a": 1, "a": 2}'), "names 'a' twice"),
        (container({"__metadata__": {"x": 1}}), "does not map strings to strings"),
        (container({"__metadata__": "x"}), "does not map strings to strings"),
        (container({"a": 3}, bytes(4)), "not described by dtype, shape and data_offsets"),
        (container({"a": {"dtype": "F32"}}, bytes(4)), "not described by dtype, shape and data_offsets"),
        (container({"a": entry(dtype="F64")}, bytes(4)), "has dtype 'F64'; only F32 is read"),
        (container({"a": entry(shape="1")}, bytes(4)), "which is no list of sizes"),
        (container({"a": entry(shape=[-1])}, bytes(4)), "which is no list of sizes"),
        (container({"a": entry(shape=[True])}, bytes(4)), "which is no list of sizes"),
        (container({"a": entry(shape=[2])}, bytes(4)), "needs 8 bytes, has 4"),
        (container({"a": entry(begin=4, end=0)}, bytes(4)), "which are no \\[begin, end\\]"),
        (container({"a": entry(end=8, shape=[2])}, bytes(4)), "ends at byte 8 of the data, which has 4"),
        (container({"a": entry(), "b": entry()}, bytes(4)), "overlap"),
        (container({"a": entry(4, 8)}, bytes(8)), "belong to no tensor"),
        (container({"a": entry()}, bytes(8)), "belong to no tensor"),
        (container({"a": entry()}, np.float32(np.nan).tobytes()), "not finite"),
        (container({"a": entry()}, np.float32(np.inf).tobytes()), "not finite"),
    ],
)
def test_what_is_damaged_or_foreign_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=message) as error:
        read_weights(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("name", ["missing.safetensors", "."])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WeightsError, match="cannot read weights"):
        read_weights(tmp_path / name)


@given(data=st.data())
def test_a_changed_byte_is_harmless_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    content = bytearray(whole_file(folder))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content)))]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = folder / "changed.safetensors"
    path.write_bytes(content)
    try:
        tensors, _ = read_weights(path)
    except WeightsError:
        return
    assert all(np.isfinite(tensor).all() for tensor in tensors.values())


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (np.array([1.0]), "float64; only float32 is written"),
        (np.array([np.nan], dtype=np.float32), "not finite"),
    ],
)
def test_only_finite_float32_is_written(tmp_path: Path, tensor: np.ndarray, message: str) -> None:
    with pytest.raises(WeightsError, match=message):
        write_weights(tmp_path / "w.safetensors", {"a": tensor}, {})
    assert not list(tmp_path.iterdir())


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = whole_file(tmp_path)

    def fail(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        write_weights(tmp_path / "whole.safetensors", {"a": TENSORS["a"]}, {})
    assert (tmp_path / "whole.safetensors").read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["whole.safetensors"]
