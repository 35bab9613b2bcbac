import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.rules.compiled import _drop_stale_cache, kernel


def test_a_kernel_is_compiled_and_computes() -> None:
    @kernel
    def double(value: int) -> int:
        return 2 * value

    assert double(21) == 42
    assert double.signatures  # type: ignore[attr-defined]


def test_a_kernel_divides_as_numpy_does() -> None:
    @kernel
    def quotient(values: np.ndarray) -> float:
        return values[0] / values[1]

    assert quotient(np.array([1.0, 0.0])) == np.inf


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Two folders of a package, each with a source and a cached kernel, all of the same age."""
    for folder in ("rules", "agents"):
        cache = tmp_path / folder / "__pycache__"
        cache.mkdir(parents=True)
        for path in (tmp_path / folder / "source.py", cache / "source.nbi", cache / "source.nbc"):
            path.touch()
            os.utime(path, (1_000, 1_000))
    return tmp_path


def cached(package: Path) -> list[str]:
    return sorted({path.parts[-3] for path in package.glob("*/__pycache__/*.nb[ic]")})


def test_a_fresh_cache_is_kept(package: Path) -> None:
    _drop_stale_cache(package)
    assert cached(package) == ["agents", "rules"]


def test_a_newer_source_drops_the_caches_of_its_folder_and_those_above(package: Path) -> None:
    os.utime(package / "rules" / "source.py", (2_000, 2_000))
    _drop_stale_cache(package)
    assert cached(package) == []


def test_a_newer_source_above_leaves_the_caches_below(package: Path) -> None:
    os.utime(package / "agents" / "source.py", (2_000, 2_000))
    _drop_stale_cache(package)
    assert cached(package) == ["rules"]


def test_the_training_scripts_beside_the_package_are_above_it(tmp_path: Path) -> None:
    source = tmp_path / "package" / "rules" / "source.py"
    stale = tmp_path / "training" / "__pycache__" / "source.nbi"
    for path, time in ((source, 2_000), (stale, 1_000)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (time, time))
    _drop_stale_cache(tmp_path / "package")
    assert not stale.exists()


def test_importing_the_rules_compiles_nothing() -> None:
    program = (
        "import lostcities_env.rules.game, lostcities_env.rules.describe\n"
        "from lostcities_env.rules import generator, observation, state\n"
        "for module in (generator, observation, state):\n"
        "    for thing in vars(module).values():\n"
        "        assert not getattr(thing, 'signatures', None), thing\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
