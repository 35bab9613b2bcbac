"""The safetensors container: named float32 arrays and a little text, with nothing in it that can run.

Source: the safetensors format. Eight bytes give the header's length (little-endian), then comes the header,
a JSON object, then the arrays as raw bytes. The header maps a name to ``{"dtype", "shape", "data_offsets"}``,
offsets counted from its end; its entry ``__metadata__`` maps strings to strings. This reader is strict: the
arrays must fill the rest of the file without holes or overlaps, and every value must be finite.
"""

import json
import os
from collections.abc import Mapping
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

METADATA = "__metadata__"
MAX_HEADER = 10_000_000
"""Bytes; the header of a policy takes a few thousand."""

_LENGTH_BYTES = 8
_ALIGNMENT = 8
_DTYPE = "F32"
_ITEM = np.dtype("<f4")


class WeightsError(ValueError):
    """A file of weights that cannot be used; the message says what is wrong and what would be right."""


def write_weights(path: str | Path, tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """Writes a safetensors file; an existing one is replaced at once or not at all.

    Args:
        path: of the file; its folder must exist.
        tensors: float32 arrays of finite values, by name.
        metadata: text, by name.

    Raises:
        WeightsError: if an array is not of finite float32.
    """
    header: dict[str, Any] = {METADATA: dict(metadata)}
    chunks = []
    end = 0
    for name, tensor in tensors.items():
        if tensor.dtype != np.float32:
            raise WeightsError(f"tensor {name!r} is {tensor.dtype}; only float32 is written")
        if not np.isfinite(tensor).all():
            raise WeightsError(f"tensor {name!r} holds values that are not finite")
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
    replace_file(path, b"".join([len(text).to_bytes(_LENGTH_BYTES, "little"), text, *chunks]))


def replace_file(path: str | Path, content: bytes) -> None:
    """Writes a file by way of a temporary one, so that a reader never meets half of it."""
    path = Path(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


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
    if length > MAX_HEADER:
        raise WeightsError(
            f"the header would take {length} bytes, more than the {MAX_HEADER} allowed: no safetensors file"
        )
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
        if not np.isfinite(flat).all():
            raise WeightsError(f"tensor {name!r} holds values that are not finite")
        tensors[name] = flat.reshape(header[name]["shape"])
    return tensors, metadata


def _parse_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode(), object_pairs_hook=_without_repeats)
    except WeightsError:
        raise
    except (ValueError, RecursionError) as error:
        raise WeightsError(f"the header is not JSON ({error}): no safetensors file") from None
    if not isinstance(header, dict):
        raise WeightsError("the header is not a JSON object: no safetensors file")
    return header


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise WeightsError(f"the header names {repeated!r} twice")
    return entries


def _check_metadata(metadata: Any) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise WeightsError(f"{METADATA} does not map strings to strings")
    return metadata


def _check_entry(name: str, entry: Any, available: int) -> tuple[int, int]:
    """Where the array's bytes begin and end."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise WeightsError(f"tensor {name!r} is not described by dtype, shape and data_offsets")
    if entry["dtype"] != _DTYPE:
        raise WeightsError(f"tensor {name!r} has dtype {entry['dtype']!r}; only {_DTYPE} is read")
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not _are_sizes(shape):
        raise WeightsError(f"tensor {name!r} has shape {shape!r}, which is no list of sizes")
    if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise WeightsError(f"tensor {name!r} has data_offsets {offsets!r}, which are no [begin, end]")
    begin, end = offsets
    if end > available:
        raise WeightsError(
            f"truncated or corrupt: tensor {name!r} ends at byte {end} of the data, which has {available}"
        )
    if end - begin != prod(shape) * _ITEM.itemsize:
        raise WeightsError(
            f"tensor {name!r} of shape {shape} needs {prod(shape) * _ITEM.itemsize} bytes, has {end - begin}"
        )
    return begin, end


def _are_sizes(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _check_layout(spans: Mapping[str, tuple[int, int]], available: int) -> None:
    """Checks that the arrays fill the data, one after the other."""
    ordered = sorted(spans.items(), key=lambda item: item[1])
    edges = [("the header", (0, 0)), *ordered, ("the end of the file", (available, available))]
    for (before, (_, end)), (after, (begin, _)) in pairwise(edges):
        if begin < end:
            raise WeightsError(f"the bytes of {before!r} and {after!r} overlap")
        if begin > end:
            raise WeightsError(f"{begin - end} bytes between {before!r} and {after!r} belong to no tensor")
