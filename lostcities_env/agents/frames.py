"""How a guest's process is spoken to: frames of bytes over its pipes, in order."""

import struct
from typing import IO

_LENGTH = struct.Struct("<Q")


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Sends a frame at once."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Waits for a frame; None if the other side has gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None
