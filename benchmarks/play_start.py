"""How long ``lostcities play`` takes from the command to the first turn that can be played, and its memory.

python benchmarks/play_start.py           # with the compiled kernels cached
python benchmarks/play_start.py --cold    # with nothing cached
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any


def main() -> None:
    """Starts the server in a process of its own, begins a game, takes a turn, and prints the times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agent", nargs="?", default="champion")
    parser.add_argument("--cold", action="store_true", help="compile the kernels anew")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if arguments.cold:
            environment["NUMBA_CACHE_DIR"] = folder
        command = [sys.executable, "-m", "lostcities_env", "play", arguments.agent]
        begin = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--port", "0", "--no-browser", "--save", folder],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            measure(process, begin)
        finally:
            process.terminate()
            process.wait()


def measure(process: "subprocess.Popen[str]", begin: float) -> None:
    """Prints the seconds since `begin` at each step, and the memory at the end."""
    assert process.stdout is not None
    address = process.stdout.readline().removeprefix("Play at ").strip()
    report("server listens", begin)
    fetch(address)
    report("page is there", begin)
    game = fetch(f"{address}api/games", {})
    report("first turn can be played", begin)
    turn = {"version": 0, "turn": game["table"]["legal"][0]["text"]}
    fetch(f"{address}api/games/{game['id']}/turn", turn)
    fetch(f"{address}api/games/{game['id']}/answer", {"version": 1})
    report("agent has answered", begin)
    status = Path(f"/proc/{process.pid}/status")
    if status.exists():
        (memory,) = (line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        print(f"{int(memory.split()[1]) / 1024:7.0f} MiB of memory")


def report(what: str, begin: float) -> None:
    """Prints one time."""
    print(f"{time.perf_counter() - begin:7.2f} s  {what}")


def fetch(address: str, body: object = None) -> Any:
    """What the server answers; a page is read and dropped."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json"} if data else {})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=300) as response:
        content = response.read()
    return None if body is None else json.loads(content)


if __name__ == "__main__":
    main()
