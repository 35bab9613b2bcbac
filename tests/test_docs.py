"""The docs say what the code does."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


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
