"""The safetensors container: named float32 arrays and a little text, with nothing in it that can run.

Source: the safetensors format. Eight bytes give the header's length (little-endian), then comes the header,
a JSON object, then the arrays as raw bytes. The header maps a name to ``{"dtype", "shape", "data_offsets"}``,
offsets counted from its end; its entry ``__metadata__`` maps strings to strings. This reader is strict: the
arrays must fill the rest of the file without holes or overlaps, and every value must be finite.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from math import prod
from operator import itemgetter
from pathlib import Path
from reprlib import Repr
from typing import Any

import numpy as np

from lostcities_env.files import replace_file

WEIGHTS_SUFFIX = ".safetensors"
METADATA = "__metadata__"
MAX_HEADER = 10_000_000
"""Bytes; the header of a policy takes a few thousand."""
MAX_DIMENSIONS = 8
MAX_VALUES = 2**40
"""Of a tensor, sizes of 0 counted as 1; with `MAX_DIMENSIONS` it keeps shapes within what NumPy can hold."""

_LENGTH_BYTES = 8
_ALIGNMENT = 8
_DTYPE = "F32"
_ITEM = np.dtype("<f4")

_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 80
brief = _REPR.repr
"""The start of a `repr`: what a broken file holds may be long and deep."""


class WeightsError(ValueError):
    """A file of weights that cannot be used; the message says what is wrong and what would be right."""


def write_weights(path: str | Path, tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """Writes a safetensors file; an existing one is replaced at once or not at all.

    Args:
        path: of the file; its folder must exist.
        tensors: float32 arrays of finite values, by name.
        metadata: text, by name.

    Raises:
        WeightsError: if `read_weights` would refuse the file, as when an array is not of finite float32.
    """
    header: dict[str, Any] = {METADATA: _check_metadata(dict(metadata))}
    chunks = []
    end = 0
    for name, tensor in tensors.items():
        if name == METADATA:
            raise WeightsError(f"no tensor can be called {METADATA!r}")
        if tensor.dtype != np.float32:
            raise WeightsError(f"tensor {name!r} is {tensor.dtype}; only float32 is written")
        _check_shape(name, list(tensor.shape))
        _check_finite(name, tensor)
        chunk = np.ascontiguousarray(tensor, dtype=_ITEM).tobytes()
        header[name] = {
            "dtype": _DTYPE,
            "shape": list(tensor.shape),
            "data_offsets": [end, end + len(chunk)],
        }
        chunks.append(chunk)
        end += len(chunk)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)  # arrays start at a multiple of eight, as the format advises
    _check_header_length(len(text))
    replace_file(path, b"".join([len(text).to_bytes(_LENGTH_BYTES, "little"), text, *chunks]))


def read_weights(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Reads a safetensors file of float32 arrays: (arrays by name, metadata).

    Raises:
        WeightsError: if there is no such file, or it is not whole and well-formed.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise WeightsError(f"cannot read weights {str(path)!r}: {error.strerror or error}") from None
    try:
        return _parse(content)
    except WeightsError as error:
        raise WeightsError(f"weights {str(path)!r}: {error}") from None


def _parse(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    if len(content) < _LENGTH_BYTES:
        raise WeightsError(f"{len(content)} bytes are too few for a safetensors file")
    length = int.from_bytes(content[:_LENGTH_BYTES], "little")
    _check_header_length(length)
    start = _LENGTH_BYTES + length
    if start > len(content):
        raise WeightsError(f"truncated: the header ends at byte {start}, the file at {len(content)}")
    header = _parse_header(content[_LENGTH_BYTES:start])
    metadata = _check_metadata(header.pop(METADATA, {}))
    data = memoryview(content)[start:]
    spans = {name: _check_entry(name, entry, len(data)) for name, entry in header.items()}
    _check_layout(spans, len(data))
    tensors = {}
    for name, (begin, end) in spans.items():
        # A copy: aligned, writable, and free of the rest of the file.
        flat = np.frombuffer(data[begin:end], dtype=_ITEM).astype(np.float32)
        _check_finite(name, flat)
        tensors[name] = flat.reshape(header[name]["shape"])
    return tensors, metadata


def _parse_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode(), object_pairs_hook=_without_repeats)
    except WeightsError:
        raise
    except (ValueError, RecursionError) as error:  # not text, not JSON, an absurd number, nested too deep
        raise WeightsError(f"the header is not JSON ({error}): no safetensors file") from None
    if not isinstance(header, dict):
        raise WeightsError("the header is not a JSON object: no safetensors file")
    return header


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for name, value in pairs:
        if name in entries:
            raise WeightsError(f"the header names {brief(name)} twice")
        entries[name] = value
    return entries


def _check_metadata(metadata: Any) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise WeightsError(f"{METADATA} does not map strings to strings")
    return metadata


def _check_header_length(length: int) -> None:
    if length > MAX_HEADER:
        raise WeightsError(f"the header takes {length} bytes, more than the {MAX_HEADER} allowed")


def _check_finite(name: str, values: np.ndarray) -> None:
    if not np.isfinite(values).all():
        raise WeightsError(f"tensor {brief(name)} holds values that are not finite")


def _check_shape(name: str, shape: Any) -> None:
    if not _are_sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise WeightsError(
            f"tensor {brief(name)} has shape {brief(shape)}, not a list of at most {MAX_DIMENSIONS} sizes"
        )
    if prod(max(size, 1) for size in shape) > MAX_VALUES:
        raise WeightsError(f"tensor {brief(name)} has shape {brief(shape)}, more than {MAX_VALUES} values")


def _check_entry(name: str, entry: Any, available: int) -> tuple[int, int]:
    """Where the array's bytes begin and end."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise WeightsError(f"tensor {brief(name)} is not described by dtype, shape and data_offsets")
    if entry["dtype"] != _DTYPE:
        raise WeightsError(f"tensor {brief(name)} has dtype {brief(entry['dtype'])}; only {_DTYPE} is read")
    shape, offsets = entry["shape"], entry["data_offsets"]
    _check_shape(name, shape)
    if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise WeightsError(
            f"tensor {brief(name)} has data_offsets {brief(offsets)}, which are no [begin, end]"
        )
    begin, end = offsets
    if end > available:
        raise WeightsError(
            f"truncated or corrupt: tensor {brief(name)} ends at byte {brief(end)} of the data, "
            f"which has {available}"
        )
    needed = prod(shape) * _ITEM.itemsize
    if end - begin != needed:
        raise WeightsError(f"tensor {brief(name)} of shape {shape} needs {needed} bytes, has {end - begin}")
    return begin, end


def _are_sizes(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _check_layout(spans: Mapping[str, tuple[int, int]], available: int) -> None:
    """Checks that the arrays fill the data, one after the other."""
    ordered = sorted(((f"tensor {brief(name)}", span) for name, span in spans.items()), key=itemgetter(1))
    edges = [("the header", (0, 0)), *ordered, ("the end of the file", (available, available))]
    for (before, (_, end)), (after, (begin, _)) in pairwise(edges):
        if begin < end:
            raise WeightsError(f"{before} and {after} overlap")
        if begin > end:
            raise WeightsError(f"{begin - end} bytes between {before} and {after} belong to no tensor")
