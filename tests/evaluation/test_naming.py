"""What reports call agents."""

import pytest

from lostcities_env.evaluation.naming import short_names


@pytest.mark.parametrize(
    ("agents", "short"),
    [
        (["random", "runs/a/best.safetensors"], ["random", "best"]),
        (["a/p.safetensors", "a/b/p.safetensors", "c/p.safetensors"], ["a/p", "b/p", "c/p"]),
        (["p.safetensors", "a/p.safetensors", "/a/p.safetensors"], ["p", "a/p", "/a/p"]),
        (
            ["random", "random.safetensors", "x/random.safetensors"],
            ["random", "random.safetensors", "x/random.safetensors"],
        ),
        (["my/module.py:act", "a/m.zip", "b/m.zip"], ["module.py:act", "a/m.zip", "b/m.zip"]),
        (["package.module:act"], ["package.module:act"]),
    ],
)
def test_paths_are_as_short_as_can_be_told_apart(agents: list[str], short: list[str]) -> None:
    assert short_names(agents) == short
