"""The docs say what the code does, and their examples run.

- ``python`` blocks run, ``pycon`` blocks print what they show: those of a page in order, in one namespace.
- Blocks with a title, ``text`` ones too, are also files of the folder in which everything runs.
- Blocks that import a library of `OTHER_LIBRARIES` stand alone and run in a test of their own.
- ``console`` blocks show what a `lostcities` command prints; ``...`` stands for any text.
"""

import doctest
import functools
import importlib.util
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import lostcities_env
from lostcities_env.agents import registry, shipped
from lostcities_env.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
BLOCK = re.compile(
    r'^```(python|pycon|console|text)\b(?: title="(.*?)")?[^\n]*\n(.*?)^```$', re.DOTALL | re.MULTILINE
)
COMMAND = re.compile(r"^\$ lostcities (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
OTHER_LIBRARIES = ("sb3_contrib", "torchrl", "pyspiel")
SECONDS_LONG = re.compile("--all|tournament")
"""Commands that take longer than a few seconds."""


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    title: str | None
    text: str

    @property
    def libraries(self) -> list[str]:
        """The optional libraries that it imports."""
        return [name for name in OTHER_LIBRARIES if re.search(rf"^(from|import) {name}\b", self.text, re.M)]

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text()
    for match in BLOCK.finditer(text):
        yield Block(page, text.count("\n", 0, match.start()) + 1, *match.groups())


BLOCKS = [block for page in PAGES for block in blocks_of(page)]
EXAMPLES = [block for block in BLOCKS if block.language in ("python", "pycon")]
SESSIONS = [
    pytest.param(
        command, output, id=f"{block}", marks=[pytest.mark.slow] * bool(SECONDS_LONG.search(command))
    )
    for block in BLOCKS
    if block.language == "console"
    for command, output in COMMAND.findall(block.text)
    if output
]


def run_example(block: Block, namespace: dict[str, Any]) -> None:
    if block.language == "python":
        lines_before = "\n" * block.line  # so that a traceback names the line of the page
        exec(compile(lines_before + block.text, str(block.page), "exec"), namespace)
        return
    session = doctest.DocTestParser().get_doctest(
        block.text, namespace, str(block), str(block.page), block.line
    )
    report = StringIO()
    doctest.DocTestRunner(verbose=False).run(session, out=report.write, clear_globs=False)
    namespace.update(session.globs)
    assert not report.getvalue(), report.getvalue()


@pytest.fixture(autouse=True)
def _folder_of_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for block in BLOCKS:
        if block.title:
            (tmp_path / block.title).write_text(block.text)
    monkeypatch.chdir(tmp_path)


@functools.cache
def output_of(command: str) -> str:
    output = StringIO()
    with redirect_stdout(output):
        assert main(shlex.split(command)) == 0
    return output.getvalue()


@pytest.mark.parametrize("page", sorted({block.page for block in EXAMPLES}), ids=lambda page: page.name)
def test_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    namespace: dict[str, Any] = {}
    for block in EXAMPLES:
        if block.page == page and not block.libraries:
            run_example(block, namespace)


@pytest.mark.slow
@pytest.mark.interop
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", [block for block in EXAMPLES if block.libraries], ids=str)
def test_examples_with_other_libraries_run(block: Block) -> None:
    for library in block.libraries:
        pytest.importorskip(library)
    run_example(block, {})


@pytest.mark.parametrize(("command", "output"), SESSIONS)
def test_commands_print_what_is_shown(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for what a command writes
    printed = output_of(command)
    checker = doctest.OutputChecker()
    assert checker.check_output(output, printed, doctest.ELLIPSIS), printed


def load_tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tables", DOCS / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_tables_are_what_the_code_says(page: Path) -> None:
    text = page.read_text()
    assert text == load_tables().with_tables(text), "run: python docs/tables.py"


@pytest.mark.parametrize("name", lostcities_env.__all__)
def test_every_public_name_is_on_the_page_of_the_api(name: str) -> None:
    assert f"::: lostcities_env.{name}\n" in (DOCS / "api.md").read_text()


@pytest.mark.parametrize("name", [*registry._BUILT_IN, *shipped.names()])
def test_every_agent_is_on_the_page_of_the_agents(name: str) -> None:
    assert f"### `{name}`" in (DOCS / "agents.md").read_text()
