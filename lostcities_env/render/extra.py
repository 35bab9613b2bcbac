"""What pictures need and text does not: the libraries of the ``render`` extra."""

import os
from importlib.util import find_spec

from gymnasium.error import DependencyNotInstalled

# Read by pygame as it is imported: without it, it greets on stdout.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

_PACKAGES = {"pygame": "pygame-ce", "PIL": "Pillow", "av": "PyAV"}


def require(purpose: str, module: str) -> None:
    """Checks, without importing it, that a library of the extra is there.

    Raises:
        DependencyNotInstalled: if not; says for what, and how to install it.
    """
    if find_spec(module) is None:
        raise DependencyNotInstalled(
            f"{purpose} needs {_PACKAGES[module]}: pip install 'lostcities-env[render]'"
        )
