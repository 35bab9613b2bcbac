"""Draws the learning curves of the docs from the metrics of runs.

    python docs/curves.py [NAME=FILE ...]

Keeps the evaluations of each run named in ``docs/data/NAME.jsonl`` and draws all that are there. A file is
the ``metrics.jsonl`` of a run, or what ``training.past_selves`` wrote; a name may stand with several.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
DATA = DOCS / "data"
OPPONENTS = ("threshold", "projection", "quick")
STYLES = {
    "quick": ("#0072b2", "o"),
    "champion": ("#d55e00", "s"),
    "champion-1": ("#cc79a7", "D"),
    "scratch": ("#009e73", "^"),
}
"""Colour and mark of each run: told apart without colours too."""
LABELS = {"champion-1": "champion's forerunner"}
TICKS = (1, 2, 5, 10, 20, 50, 100)
"""Of the axis of turns, in millions."""
MOST_TURNS = 150


def keep(name: str, files: list[Path]) -> None:
    """Writes the evaluations of a run to `DATA`, one line each, in the order of their turns."""
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    rows.sort(key=lambda row: row["turns"])
    kept = [row for row in rows if any(f"{opponent}/margin" in row for opponent in OPPONENTS)]
    DATA.mkdir(exist_ok=True)
    (DATA / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))


def read(name: str) -> list[dict[str, Any]]:
    """The evaluations of a run; none if there is no file of them."""
    if not (DATA / f"{name}.jsonl").exists():
        return []
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]


def draw(path: Path) -> None:
    """Draws the margin against each opponent over the turns of self-play."""
    plt.rcParams.update({"svg.hashsalt": "lostcities", "font.size": 10, "svg.fonttype": "path"})
    figure, panels = plt.subplots(1, len(OPPONENTS), figsize=(11, 3.9), layout="constrained")
    for opponent, panel in zip(OPPONENTS, panels, strict=True):
        for name, (colour, mark) in STYLES.items():
            rows = [row for row in read(name) if f"{opponent}/margin" in row]
            if not rows:
                continue
            turns = [row["turns"] / 1e6 for row in rows]
            margins = [row[f"{opponent}/margin"] for row in rows]
            panel.plot(turns, margins, color=colour, marker=mark, markersize=4, label=LABELS.get(name, name))
        panel.axhline(0, color="0.6", linewidth=0.8)
        panel.set_xscale("log")
        panel.set_xticks(TICKS, labels=map(str, TICKS))
        panel.minorticks_off()
        panel.set_xlim(TICKS[0], MOST_TURNS)
        panel.set_xlabel("turns of self-play (millions)")
        panel.set_title(f"against {opponent}")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("margin per round (points)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(STYLES))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main(arguments: list[str]) -> None:
    """Keeps what is named, and draws."""
    named: dict[str, list[Path]] = {}
    for argument in arguments:
        name, _, file = argument.partition("=")
        named.setdefault(name, []).append(Path(file))
    for name, files in named.items():
        keep(name, files)
    (DOCS / "images").mkdir(exist_ok=True)
    draw(DOCS / "images" / "learning.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
