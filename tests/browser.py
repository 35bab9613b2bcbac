"""A page in a real browser, watched: what it writes to its console, and every request that it makes.

Chromium is the program of `LOSTCITIES_CHROMIUM`, or the one on the path. Where there is none the tests that
need it are skipped, except in continuous integration (`CI=true`), where they fail.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP = (1280, 800)
PHONE = (375, 740)


class Watched(NamedTuple):
    """A page of the browser, and what it has done."""

    page: Any
    complaints: list[str]  # warnings and errors of its console, and exceptions that nothing caught
    requests: list[str]  # addresses, the page's own included


def find_chromium() -> str | None:
    """The path of the browser, None if there is none."""
    named = os.environ.get("LOSTCITIES_CHROMIUM")
    return next(filter(None, map(shutil.which, (named,) if named else PROGRAMS)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser of Playwright's API; skips the test, or fails it, where there is none."""
    path = find_chromium()
    if path is None:
        problem = f"no Chromium: set LOSTCITIES_CHROMIUM, or put one of {', '.join(PROGRAMS)} on the path"
        if os.environ.get("CI") == "true":
            pytest.fail(problem)
        pytest.skip(problem)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@contextmanager
def open_page(browser: Any, size: tuple[int, int] = DESKTOP, *, dark: bool = False) -> Iterator[Watched]:
    """An empty page of its own, that shares nothing with others."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    watched = Watched(page, [], [])
    page.on("console", lambda message: watched.complaints.extend(_complaint(message)))
    page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    page.on("request", lambda request: watched.requests.append(request.url))
    yield watched
    context.close()


def _complaint(message: Any) -> list[str]:
    return [f"{message.type}: {message.text}"] if message.type in ("warning", "error") else []
