"""Files that are written whole or not at all, and their names."""

import os
import re
from pathlib import Path

_MAX_NAME = 60


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
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


def in_file_name(text: str) -> str:
    """Text, such as the path of an agent, as a part of the name of a file.

    >>> in_file_name("runs/quick/policy.safetensors")
    'runs_quick_policy.safetensors'
    """
    return re.sub(r"[^\w.-]+", "_", text)[-_MAX_NAME:]
