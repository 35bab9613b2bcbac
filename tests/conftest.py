import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.browser import chromium

# The first example of a property compiles the kernels that it calls, which takes seconds.
settings.register_profile("lostcities", deadline=None)
settings.load_profile("lostcities")

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows are opened, but nobody sees them


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for `tests.browser.open_page`; mark the tests that use it with `browser`."""
    with chromium() as started:
        yield started


@pytest.fixture
def one_thread() -> Iterator[None]:
    """PyTorch on one thread, as in training; then compiled passes serve."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
