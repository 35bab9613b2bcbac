"""The docs say what the code does, and their examples run."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

from lostcities_env.agents import registry

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def load_tables() -> object:
    spec = importlib.util.spec_from_file_location("tables", DOCS / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_tables_are_what_the_code_says(page: Path) -> None:
    tables = load_tables()
    text = page.read_text()
    assert text == tables.with_tables(text), "run: python docs/tables.py"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if PYTHON.search(page.read_text())], ids=lambda page: page.name
)
def test_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    namespace: dict[str, object] = {}
    for block in PYTHON.findall(page.read_text()):
        exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if ">>> " in page.read_text()], ids=lambda page: page.name
)
def test_sessions_print_what_they_show(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0
