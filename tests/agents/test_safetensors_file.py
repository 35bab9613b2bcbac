import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lostcities_env.agents.safetensors_file import MAX_HEADER, WeightsError, read_weights, write_weights

W = np.array([[1.5, -2.0, 3.25], [0.0, -0.0, 1e-45]], np.float32)
B = np.array([7.0, 8.0], np.float32)
TENSORS = {"w": W, "b": B}
METADATA = {"format": "test", "note": 'a "b"\n\\ é 🂡'}
ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
"""Describes `B` as the only tensor of a file."""


def assemble(header: Any, data: bytes = B.tobytes(), length: int | None = None) -> bytes:
    """A file of a header (bytes, or what is to become JSON) and data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(**changes: Any) -> bytes:
    """A file whose only tensor is described as `B`, but for the changes."""
    return assemble({"b": ENTRY | changes})


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data.pkl", b"0" * 100)
    return buffer.getvalue()


def saved_by_numpy() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, B)
    return buffer.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.safetensors"


@pytest.fixture
def written(path: Path) -> Path:
    write_weights(path, TENSORS, METADATA)
    return path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is written many times."""
    return tmp_path_factory.mktemp("weights") / "scratch.safetensors"


def assert_same(tensors: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert list(tensors) == list(expected)
    for name, array in expected.items():
        assert tensors[name].dtype == np.float32
        assert tensors[name].shape == array.shape
        assert tensors[name].tobytes() == array.tobytes()  # bit for bit, negative zeros too


class TestRoundTrip:
    def test_gives_back_every_bit(self, written: Path) -> None:
        tensors, metadata = read_weights(written)
        assert_same(tensors, TENSORS)
        assert metadata == METADATA

    @given(
        st.dictionaries(
            st.text(st.characters(codec="utf-8")).filter(lambda name: name != "__metadata__"),
            arrays.arrays(
                np.float32,
                arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
                elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
            ),
            max_size=4,
        ),
        st.dictionaries(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8"))),
    )
    def test_of_anything_that_can_be_written(
        self, scratch: Path, tensors: dict[str, np.ndarray], metadata: dict[str, str]
    ) -> None:
        write_weights(scratch, tensors, metadata)
        assert_same(read_weights(scratch)[0], tensors)
        assert read_weights(str(scratch))[1] == metadata

    def test_arrays_may_lie_in_memory_in_any_way(self, path: Path) -> None:
        write_weights(path, {"t": W.T, "s": W[:, ::2]}, {})
        assert_same(read_weights(path)[0], {"t": W.T.copy(), "s": W[:, ::2].copy()})

    def test_what_is_read_is_free_to_be_changed(self, written: Path) -> None:
        before = written.read_bytes()
        read_weights(written)[0]["w"][:] = 5
        assert written.read_bytes() == before

    def test_the_same_arrays_give_the_same_bytes(self, written: Path, scratch: Path) -> None:
        write_weights(scratch, TENSORS, METADATA)
        assert scratch.read_bytes() == written.read_bytes()

    def test_data_start_at_a_multiple_of_eight(self, path: Path) -> None:
        for length in range(8):
            write_weights(path, {"n" * length: B}, {})
            assert int.from_bytes(path.read_bytes()[:8], "little") % 8 == 0


class TestAgreesWithTheLibrary:
    def test_it_reads_what_is_written_here(self, written: Path) -> None:
        safetensors = pytest.importorskip("safetensors")
        with safetensors.safe_open(written, framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in ("w", "b")}
            assert sorted(file.keys()) == ["b", "w"]
            assert file.metadata() == METADATA
        assert_same(tensors, TENSORS)

    def test_what_it_writes_is_read_here(self, path: Path) -> None:
        library = pytest.importorskip("safetensors.numpy")
        tensors = TENSORS | {"none": np.zeros((0, 3), np.float32), "scalar": np.array(2, np.float32)}
        library.save_file(tensors, path, metadata=METADATA)
        read, metadata = read_weights(path)
        assert_same({name: read[name] for name in tensors}, tensors)
        assert metadata == METADATA

    def test_metadata_are_optional(self, path: Path) -> None:
        library = pytest.importorskip("safetensors.numpy")
        library.save_file(TENSORS, path)
        assert read_weights(path)[1] == {}


CORRUPT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "0 bytes are too few"),
    "seven bytes": (b"1234567", "7 bytes are too few"),
    "a length alone": ((40).to_bytes(8, "little"), "truncated: the header ends at byte 48, the file at 8"),
    "half a header": (entry()[:30], "truncated: the header ends at byte"),
    "half of the data": (entry()[:-4], "tensor 'b' ends at byte 8 of the data, which has 4"),
    "an absurd length": (
        assemble({}, length=2**64 - 1),
        f"takes {2**64 - 1} bytes, more than the {MAX_HEADER}",
    ),
    "a length just too large": (assemble({}, length=MAX_HEADER + 1), f"more than the {MAX_HEADER} allowed"),
    "no header": (assemble(b"", b""), "not JSON"),
    "words": (assemble(b"hello there"), "not JSON"),
    "half of the JSON": (assemble(b'{"b": {"dtype"'), "not JSON"),
    "bytes that are no text": (assemble(b'{"\xff": 1}'), "not JSON"),
    "an endless number": (assemble(b'{"b": ' + b"9" * 5000 + b"}"), "not JSON"),
    "a pit of brackets": (assemble(b"[" * 100_000), "not JSON"),
    "a list for a header": (assemble([ENTRY]), "not a JSON object"),
    "a tensor twice": (assemble(b'{"b": 1, "b": 2}'), "names 'b' twice"),
    "a field twice": (assemble(b'{"b": {"dtype": "F32", "dtype": "F32"}}'), "names 'dtype' twice"),
    "many names and one twice": (
        assemble(b"{" + b"".join(b'"%d":1,' % k for k in range(200_000)) + b'"199999":1}'),
        "names '199999' twice",
    ),
    "metadata of numbers": (assemble({"__metadata__": {"rounds": 3}}), "does not map strings to strings"),
    "metadata in a list": (assemble({"__metadata__": ["a"]}), "does not map strings to strings"),
    "a number for a tensor": (assemble({"b": 1}), "'b' is not described by dtype, shape and data_offsets"),
    "a field too few": (assemble({"b": {"dtype": "F32", "shape": [2]}}), "not described by"),
    "a field too many": (entry(strides=[1]), "not described by"),
    "half precision": (entry(dtype="F16"), "'b' has dtype 'F16'; only F32 is read"),
    "a dtype of a strange type": (entry(dtype={"F": 32}), r"has dtype {'F': 32}"),
    "a negative size": (entry(shape=[-2]), r"has shape \[-2\], not a list"),
    "two negative sizes": (entry(shape=[-2, -1]), r"has shape \[-2, -1\], not a list"),
    "a size with a point": (entry(shape=[2.0]), r"has shape \[2.0\], not a list"),
    "a size that is a truth": (entry(shape=[2, True]), r"has shape \[2, True\], not a list"),
    "no list of sizes": (entry(shape=2), "has shape 2, not a list"),
    "a hundred dimensions": (entry(shape=[2] + [1] * 99), "not a list of at most 8 sizes"),
    "a shape too small": (entry(shape=[1]), r"shape \[1\] needs 4 bytes, has 8"),
    "a shape too large": (entry(shape=[2, 3]), r"shape \[2, 3\] needs 24 bytes, has 8"),
    "a size beyond any array": (
        entry(shape=[0, 2**70], data_offsets=[0, 0]),
        "more than 1099511627776 values",
    ),
    "a shape of endless digits": (entry(shape=[10**4000] * 8), "more than 1099511627776 values"),
    "one offset": (entry(data_offsets=[8]), r"data_offsets \[8\], which are no \[begin, end\]"),
    "offsets backwards": (entry(data_offsets=[8, 0]), r"data_offsets \[8, 0\]"),
    "a negative offset": (entry(data_offsets=[-8, 0]), r"data_offsets \[-8, 0\]"),
    "offsets beyond the file": (entry(data_offsets=[8, 16]), "ends at byte 16 of the data, which has 8"),
    "offsets of endless digits": (entry(data_offsets=[0, 10**4000]), r"ends at byte 10+\.\.\.0+ of the data"),
    "tensors that overlap": (
        assemble({"a": ENTRY, "b": ENTRY | {"data_offsets": [4, 12]}}, bytes(12)),
        "tensor 'a' and tensor 'b' overlap",
    ),
    "one place for two tensors": (assemble({"a": ENTRY, "b": ENTRY}), "tensor 'a' and tensor 'b' overlap"),
    "a hole before": (
        assemble({"b": ENTRY | {"data_offsets": [4, 12]}}, bytes(12)),
        "4 bytes between the header and tensor 'b' belong to no tensor",
    ),
    "a hole between": (
        assemble({"a": ENTRY, "b": ENTRY | {"data_offsets": [9, 17]}}, bytes(17)),
        "1 bytes between tensor 'a' and tensor 'b' belong to no tensor",
    ),
    "something after": (
        assemble({"b": ENTRY}, B.tobytes() + b"\0\0"),
        "2 bytes between tensor 'b' and the end of the file belong to no tensor",
    ),
    "data without tensors": (assemble({}), "8 bytes between the header and the end of the file"),
    "NaN": (
        assemble({"b": ENTRY}, np.array([1, np.nan], "<f4").tobytes()),
        "'b' holds values that are not finite",
    ),
    "infinity": (assemble({"b": ENTRY}, np.array([-np.inf, 1], "<f4").tobytes()), "not finite"),
    "a pickle": (pickle.dumps({"w": W}), "more than the 10000000 allowed"),
    "a zip, as torch.save writes": (zipped(), "more than the 10000000 allowed"),
    "an .npy file": (saved_by_numpy(), "more than the 10000000 allowed"),
    "a web page": (b"<!DOCTYPE html><html><body>404</body></html>", "more than the 10000000 allowed"),
    "a pointer of git-lfs": (
        b"version https://git-lfs.github.com/spec/v1\n",
        "more than the 10000000 allowed",
    ),
}


class TestRefusal:
    @pytest.mark.parametrize(("content", "message"), CORRUPT.values(), ids=CORRUPT)
    def test_says_where_and_what(self, path: Path, content: bytes, message: str) -> None:
        path.write_bytes(content)
        with pytest.raises(WeightsError, match=message) as caught:
            read_weights(path)
        assert str(caught.value).startswith(f"weights {str(path)!r}: ")
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600

    def test_no_file(self, path: Path) -> None:
        with pytest.raises(WeightsError, match=r"cannot read weights '.*some.safetensors': No such file"):
            read_weights(path)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(WeightsError, match=r"cannot read weights '.*': Is a directory"):
            read_weights(tmp_path)

    @pytest.mark.parametrize(
        ("tensors", "metadata", "message"),
        [
            ({"b": np.zeros(2)}, {}, "tensor 'b' is float64; only float32 is written"),
            ({"b": np.zeros(2, ">f4")}, {}, "tensor 'b' is >f4; only float32"),
            ({"b": np.array([np.inf], np.float32)}, {}, "tensor 'b' holds values that are not finite"),
            ({"b": np.zeros([1] * 9, np.float32)}, {}, "not a list of at most 8 sizes"),
            ({"__metadata__": B}, {}, "no tensor can be called '__metadata__'"),
            ({"b": B}, {"rounds": 3}, "does not map strings to strings"),
            ({"b": B}, {"note": "x" * MAX_HEADER}, f"more than the {MAX_HEADER} allowed"),
        ],
    )
    def test_nothing_is_written_that_could_not_be_read(
        self, path: Path, tensors: dict[str, np.ndarray], metadata: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(WeightsError, match=message):
            write_weights(path, tensors, metadata)
        assert list(path.parent.iterdir()) == []


class TestDamage:
    """A damaged file is refused as such, or is by chance a valid one; nothing else ever happens."""

    @staticmethod
    def is_valid(path: Path, content: bytes) -> bool:
        path.write_bytes(content)
        try:
            tensors, metadata = read_weights(path)
        except WeightsError:
            return False
        assert all(isinstance(text, str) for text in metadata.values())
        assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in tensors.values())
        return True

    whole = assemble({"__metadata__": {"k": "v"}, "b": ENTRY})

    def test_none(self, scratch: Path) -> None:
        assert self.is_valid(scratch, self.whole)

    def test_every_truncation(self, scratch: Path) -> None:
        for size in range(len(self.whole)):
            assert not self.is_valid(scratch, self.whole[:size])

    def test_every_flip_of_a_bit(self, scratch: Path) -> None:
        content = bytearray(self.whole)
        for place in range(len(content)):
            for bit in range(8):
                content[place] ^= 1 << bit
                valid = self.is_valid(scratch, bytes(content))
                assert not (valid and place < 8), "the header has one length"
                content[place] ^= 1 << bit

    @settings(max_examples=200)
    @given(st.data())
    def test_several_bytes(self, scratch: Path, data: st.DataObject) -> None:
        content = bytearray(self.whole)
        edits = st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255))
        for place, byte in data.draw(st.lists(edits, max_size=6)):
            content[place] = byte
        self.is_valid(scratch, bytes(content) + data.draw(st.binary(max_size=3)))

    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["F32", "BF16", "b"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
        max_leaves=4,
    )
    sizes = st.lists(st.sampled_from([0, 1, 2, 2**31, 2**64, -1, 4, 8]), max_size=10)

    @settings(max_examples=200)
    @given(
        st.dictionaries(
            st.sampled_from(["a", "b", "__metadata__"]),
            values
            | st.fixed_dictionaries(
                {
                    "dtype": st.just("F32") | values,
                    "shape": sizes | values,
                    "data_offsets": sizes | st.just([0, 8]) | st.just([0, 0]) | values,
                }
            ),
        )
    )
    def test_headers_of_every_kind(self, scratch: Path, header: dict[str, Any]) -> None:
        self.is_valid(scratch, assemble(header))


def full_disk(*_: object) -> None:
    raise OSError("disk full")


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(("owner", "step"), [(os, "fsync"), (Path, "replace")])
@pytest.mark.parametrize("failure", [full_disk, interrupt])
class TestInterruptedWriting:
    def test_leaves_the_old_file_and_nothing_else(
        self,
        written: Path,
        monkeypatch: pytest.MonkeyPatch,
        owner: Any,
        step: str,
        failure: Callable[..., None],
    ) -> None:
        before = written.read_bytes()
        monkeypatch.setattr(owner, step, failure)
        with pytest.raises((OSError, KeyboardInterrupt)):
            write_weights(written, {"w": 2 * W}, {})
        assert written.read_bytes() == before
        assert list(written.parent.iterdir()) == [written]

    def test_leaves_no_file_where_there_was_none(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, step: str, failure: Callable[..., None]
    ) -> None:
        monkeypatch.setattr(owner, step, failure)
        with pytest.raises((OSError, KeyboardInterrupt)):
            write_weights(path, TENSORS, {})
        assert list(path.parent.iterdir()) == []


def test_writing_replaces_an_existing_file(written: Path) -> None:
    write_weights(written, {"b": B}, {"new": "yes"})
    tensors, metadata = read_weights(written)
    assert_same(tensors, {"b": B})
    assert metadata == {"new": "yes"}
    assert list(written.parent.iterdir()) == [written]


def test_writing_needs_the_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_weights(tmp_path / "nowhere" / "some.safetensors", TENSORS, {})
