"""Processes of a run: which shards each has, and that their connection ends with them."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from training.config import ConfigError
from training.processes import Processes

ROOT = Path(__file__).parents[2]

CONNECTED = """
from pathlib import Path

import training.processes
import torch
import torch.distributed as dist

def threads():
    names = [(task / "comm").read_text() for task in Path("/proc/self/task").iterdir()]
    return sum("gloo" in name for name in names)

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
parameter = torch.nn.Parameter(torch.ones(1))
optimiser = torch.optim.Adam([parameter])
parameter.sum().backward()
optimiser.step()
assert threads()
dist.destroy_process_group()
assert not threads()
"""


def test_shards_must_be_shared_out_evenly() -> None:
    processes = Processes("cpu")
    processes.count = 2
    assert list(processes.share(4)) == [0, 1]
    with pytest.raises(ConfigError, match=r"3 shard\(s\) can't be shared out among 2 processes"):
        processes.share(3)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at threads as Linux shows them")
def test_threads_of_the_connection_end_with_it() -> None:
    """Those that outlived it would now and then abort the process as it ends."""
    done = subprocess.run(
        [sys.executable, "-c", CONNECTED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
