"""What importing the package does, and what it does not."""

import subprocess
import sys
import tomllib
from pathlib import Path

import gymnasium
import pettingzoo
import pytest

import lostcities_env


def run(code: str) -> str:
    """The output of a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_import_is_light() -> None:
    heavy = ("torch", "pygame", "numba", "stable_baselines3")
    code = f"import lostcities_env, sys; print([name for name in {heavy} if name in sys.modules])"
    assert run(code).strip() == "[]"


def test_playing_loads_no_torch() -> None:
    code = """
import sys
import gymnasium
import lostcities_env

env = lostcities_env.lost_cities_v0.env()
env.reset(seed=1)
gymnasium.make("LostCities-v0").reset(seed=1)
print("torch" in sys.modules, "pygame" in sys.modules)
"""
    assert run(code).strip() == "False False"


@pytest.mark.parametrize("name", lostcities_env.__all__)
def test_public_names(name: str) -> None:
    assert getattr(lostcities_env, name) is not None
    assert name in dir(lostcities_env)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="module 'lostcities_env' has no attribute 'nothing'"):
        _ = lostcities_env.nothing


def test_version() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert lostcities_env.__version__ == project["version"]


def test_registrations() -> None:
    assert gymnasium.spec("LostCities-v0").vector_entry_point is not None
    assert pettingzoo.spec("aec", "lostcities/lost_cities_v0").entry_point is not None
