"""Writes the tables of the docs that come from code, between their markers; a test holds the docs to it.

python docs/tables.py
"""

import json
import re
from pathlib import Path

from lostcities_env.evaluation.benchmark_report import benchmark_tables, check_result
from lostcities_env.evaluation.report import markdown
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import Block, observation_blocks, observation_size
from lostcities_env.rules.variant import VARIANTS

DOCS = Path(__file__).parent


def observation_table() -> str:
    """Every block of an observation of the standard game."""
    rows = [["level", "block", "places", "shape", "range", "meaning"]]
    for block in observation_blocks(Match("standard")):
        places = f"{block.start}-{block.start + block.size - 1}" if block.size > 1 else f"{block.start}"
        shape = " x ".join(map(str, block.shape))
        rows.append([block.level, f"`{block.name}`", places, shape, _range(block), block.meaning])
    return markdown(rows, padded=False)


def _range(block: Block) -> str:
    return f"{block.low:g} to {block.high:g}"


def size_table() -> str:
    """The sizes of actions and observations in every variant."""
    rows = [["variant", "actions", "visible", "recall", "full (`state()`)"]]
    for name, variant in VARIANTS.items():
        sizes = [observation_size(Match(variant), level) for level in ("visible", "recall", "full")]
        rows.append([f"`{name}`", str(variant.n_actions), *map(str, sizes)])
    return markdown(rows, padded=False)


def benchmark_results() -> str:
    """The results of the benchmark that come with the docs."""
    files = sorted((DOCS / "data" / "benchmark").glob("*.json"))
    return benchmark_tables([check_result(json.loads(file.read_text())) for file in files])


TABLES = {"observation": observation_table, "size": size_table, "benchmark": benchmark_results}


def with_tables(text: str) -> str:
    """`text` with what stands between the markers of each table made anew."""
    for name, make_table in TABLES.items():
        begin, end = f"<!-- table: {name} -->", "<!-- end of table -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if begin in text:
            table = f"{begin}\n\n{make_table()}\n\n{end}"
            text = pattern.sub(lambda _, table=table: table, text)
    return text


def main() -> None:
    """Rewrites the pages."""
    for page in sorted(DOCS.glob("*.md")):
        page.write_text(with_tables(page.read_text()))


if __name__ == "__main__":
    main()
