"""Finding the code that a guest's name stands for, and importing it; `guests` says how it is named."""

import importlib
import importlib.util
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from lostcities_env.agents.attempts import describe_error

PYTHON_SUFFIX = ".py"


class GuestError(ValueError):
    """An agent from outside that cannot be loaded; the message says why, and where in its code."""


@contextmanager
def running(folder: Path | None) -> Iterator[None]:
    """While code from outside runs: it imports from its folder first, and prints to stderr."""
    if folder is not None:
        sys.path.insert(0, str(folder))
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if folder is not None:
            with suppress(ValueError):
                sys.path.remove(str(folder))


def folder_of(name: str) -> Path:
    """From where code imports: the folder of a file, or the working directory."""
    place = name.rpartition(":")[0]
    return Path(place).resolve().parent if place.endswith(PYTHON_SUFFIX) else Path.cwd()


def find_code(name: str, folder: Path) -> tuple[Any, str | None]:
    """What a name stands for, and the file of its module.

    Raises:
        GuestError: if there is no such thing, or it cannot be imported; says why, and where in the code.
    """
    place, _, attribute = name.rpartition(":")
    if not place or not attribute:
        where = (place or attribute) or "bot.py"
        raise GuestError(f"agent {name!r}: name what plays in it too, such as {where}:function")
    module = _import(name, place, folder)
    thing: Any = module
    for part in attribute.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            raise GuestError(f"agent {name!r}: {place} has no {attribute!r}; {_offered(module)}") from None
    return thing, getattr(module, "__file__", None)


def _offered(module: ModuleType) -> str:
    own = [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and callable(value) and getattr(value, "__module__", "") == module.__name__
    ]
    return f"it has {', '.join(own)}" if own else "it has no functions or classes of its own"


def _import(name: str, place: str, folder: Path) -> ModuleType:
    is_file = place.endswith(PYTHON_SUFFIX)
    with running(folder):
        try:
            return _import_file(name, place) if is_file else _import_module(name, place)
        except (GuestError, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit too
            source = str(Path(place).resolve()) if is_file else source_of_module(place, folder)
            raise GuestError(
                f"agent {name!r}: {place} cannot be imported: {describe_error(error, source)}"
            ) from error


def _import_module(name: str, place: str) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(f"{error.name}.")):
            raise GuestError(
                f"agent {name!r}: there is no module {error.name!r} in {Path.cwd()} or elsewhere on sys.path"
            ) from None
        raise


def _import_file(name: str, place: str) -> ModuleType:
    path = Path(place).resolve()
    if not path.is_file():
        raise GuestError(f"agent {name!r}: there is no file {place}")
    # A name of its own: the file may be called like a module that others import.
    known_as = f"guest_{path.stem}_{zlib.crc32(bytes(path)):08x}"
    if known_as in sys.modules:
        return sys.modules[known_as]
    spec = importlib.util.spec_from_file_location(known_as, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[known_as] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[known_as]
        raise
    return module


def source_of_module(place: str, folder: Path) -> str | None:
    """The file of a module, which is not imported (a package around it is); None if there is none."""
    with running(folder):
        try:
            spec = importlib.util.find_spec(place)
        except (ImportError, ValueError, AttributeError):
            return None
    return spec.origin if spec and spec.has_location else None
