"""Past selves of a run against an agent."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

from lostcities_env.agents.policy import Policy
from tests.training.runs import PER_UPDATE, run, tiny
from training.past_selves import main, past_selves
from training.run_directory import CheckpointError


@pytest.fixture(scope="module", name="run")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    turns = {"imitate": "", "imitation_turns": 0, "total_turns": 7 * PER_UPDATE}
    config = tiny(tmp_path_factory.mktemp("runs"), **turns, past_every=2, past_kept=3, average=0.5)
    run(config)
    return config.runs / config.name


@pytest.mark.slow
class TestPastSelves:
    def test_are_those_of_the_run_with_their_turns(self, run: Path) -> None:
        _, policies = past_selves(run)
        assert [turns // PER_UPDATE for turns, _ in policies] == [2, 4, 6, 7]
        weights = [policy.tensors["colour_out.weight"] for _, policy in policies]
        assert all((weights[k] != weights[k + 1]).any() for k in range(3))
        final = Policy.read(run / "policy.safetensors")
        np.testing.assert_array_equal(weights[-1], final.tensors["colour_out.weight"])

    def test_play_an_agent(self, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "random.jsonl"
        assert (
            main([str(run), "--against", "random", "--every", "2", "--pairs", "20", "--out", str(out)]) == 0
        )
        printed = capsys.readouterr().out
        assert len(re.findall(r"^\| +0\.0 +\| +[+-]\d+\.\d\d \[", printed, re.MULTILINE)) == 3
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert [row["turns"] // PER_UPDATE for row in rows] == [2, 6, 7]
        assert all(row["random/margin_low"] < row["random/margin"] for row in rows)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["{run}", "--against", "nobody"], "no agent 'nobody'"),
            (["{run}/none", "--against", "random"], "config.json"),
            (["{run}", "--against", "random", "--out", "{run}/none/rows.jsonl"], "cannot write"),
        ],
    )
    def test_wrong_arguments(
        self, run: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([argument.format(run=run) for argument in arguments]) == 2
        assert message in capsys.readouterr().err

    def test_one_pair_has_no_interval(self, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            main([str(run), "--against", "random", "--pairs", "1"])
        assert "--pairs 1: at least 2" in capsys.readouterr().err

    def test_a_damaged_checkpoint_is_one_error(self, run: Path, tmp_path: Path) -> None:
        for name in ("config.json", "checkpoint.safetensors"):
            content = bytearray((run / name).read_bytes())
            if name != "config.json":
                content[-9] ^= 1
            (tmp_path / name).write_bytes(content)
        with pytest.raises(CheckpointError, match="damaged"):
            past_selves(tmp_path)
