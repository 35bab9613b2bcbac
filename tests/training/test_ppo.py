"""PPO by self-play, on a miniature: resumed, killed, on two processes, and what it writes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("tensorboard")

from lostcities_env.agents import make
from lostcities_env.agents.policy import Policy
from lostcities_env.evaluation import evaluate
from lostcities_env.records import read_records
from tests.training.runs import EVERYTHING, PER_UPDATE, assert_same, run, tiny
from training.config import ConfigError, read_config
from training.ppo import Learner, main
from training.ppo_config import Config, settings
from training.processes import Processes
from training.rollout import Rollout
from training.run_directory import CheckpointError, RunDirectory
from training.selfplay import Shard

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

ROOT = Path(__file__).parents[2]

CURRICULUM = {
    "imitate": "",
    "imitation_turns": 0,
    "cost_turns": 3 * PER_UPDATE,
    "rounds": 2,
    "last_round_share": 0.5,
    "average": 0.0,
}


@pytest.mark.parametrize(("after", "changes"), [(1, {}), (3, {}), (3, EVERYTHING), (2, CURRICULUM)])
def test_resumed_run_ends_as_the_uninterrupted_one(
    tmp_path: Path, after: int, changes: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(tiny(tmp_path / "whole", **changes))
    assert whole is not None
    updates = 0

    def counted(method: object) -> object:
        def call(self: Learner) -> object:
            nonlocal updates
            figures = method(self)  # type: ignore[operator]
            updates += 1
            if updates == after:
                os.kill(os.getpid(), signal.SIGINT)
            return figures

        return call

    monkeypatch.setattr(Learner, "imitate", counted(Learner.imitate))
    monkeypatch.setattr(Learner, "improve", counted(Learner.improve))
    config = tiny(tmp_path / "halves", **changes)
    assert run(config) is None
    assert updates == after
    resumed = run(config, resume=True)
    assert resumed is not None
    assert updates == 4 + bool(config.imitate)
    assert_same(whole, resumed)


def test_killed_run_ends_as_the_uninterrupted_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_config(Config, ROOT / "tests" / "training" / "tiny.yaml")
    whole = run(replace(config, runs=tmp_path / "whole"))
    assert whole is not None

    command = [sys.executable, "-m", "training.ppo", "--config", "tests/training/tiny.yaml"]
    command += ["--runs", str(tmp_path / "killed")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    directory = tmp_path / "killed" / "tiny"
    while process.poll() is None and not (directory / "checkpoint.safetensors").exists():
        time.sleep(0.01)
    time.sleep(0.5)  # into the updates, past the checkpoint of the beginning
    process.kill()
    process.wait()
    assert not (directory / "policy.safetensors").exists(), "killed too late"

    # A run begun anew would end alike, so what is still to do is counted too.
    _, state = RunDirectory(directory, settings(config), resume=True).read_checkpoint()
    assert state["turns"] > 0
    updates = 0
    improve = Learner.improve

    def counted(self: Learner) -> dict[str, float]:
        nonlocal updates
        updates += 1
        return improve(self)

    monkeypatch.setattr(Learner, "improve", counted)
    resumed = run(replace(config, runs=tmp_path / "killed"), resume=True)
    assert resumed is not None
    assert updates == -(-(config.total_turns - state["turns"]) // PER_UPDATE)
    assert_same(whole, resumed)


def test_a_resumed_run_may_evaluate_otherwise(tmp_path: Path) -> None:
    run(tiny(tmp_path, total_turns=PER_UPDATE))
    again = run(tiny(tmp_path, total_turns=PER_UPDATE, baselines=("greedy",), evaluate_pairs=2), resume=True)
    assert again is not None
    assert list(again.provenance["evaluation"]) == ["greedy"]
    with pytest.raises(ConfigError, match="another configuration: width 8 -> 9"):
        run(tiny(tmp_path, total_turns=PER_UPDATE, width=9), resume=True)


@pytest.mark.parametrize("changes", [{"average": 0.0}, EVERYTHING])
def test_two_processes_do_what_one_does(tmp_path: Path, changes: dict[str, object]) -> None:
    config = tiny(tmp_path / "one", **changes)
    alone = run(config)
    assert alone is not None
    (tmp_path / "two.json").write_text(json.dumps({**settings(config), "runs": str(tmp_path / "two")}))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    command += ["-m", "training.ppo", "--config", str(tmp_path / "two.json")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    together = Policy.read(tmp_path / "two" / "tiny" / "policy.safetensors")
    assert_same(alone, together, tolerance=1e-4)
    assert figures_of(tmp_path / "two") == [
        pytest.approx(line, abs=1e-3) for line in figures_of(tmp_path / "one")
    ]


def figures_of(runs: Path) -> list[dict[str, float]]:
    """What a run noted of its updates, less the times."""
    lines = (runs / "tiny" / "metrics.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    return [
        {key: value for key, value in record.items() if not key.startswith("time/")}
        for record in records
        if any(key.startswith(("train/", "imitation/")) for key in record)
    ]


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("changes", [{"bfloat16": True}, EVERYTHING])
def test_shards_that_play_at_a_time_play_as_one_after_the_other(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    # So many games that the threads do meet.
    changes = {"shards": 4, "games": 256, "imitation_turns": 1, "total_turns": 1, **changes}
    one, several = (run(tiny(tmp_path / str(n), **changes, play_threads=n)) for n in (1, 4))
    assert one is not None
    assert several is not None
    assert_same(one, several)


def test_so_many_shards_play_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits until both have begun, which they never do one after the other."""
    barrier, collect = Barrier(2), Shard.collect

    def together(self: Shard, *arguments: Any) -> Rollout:
        barrier.wait(timeout=20)
        return collect(self, *arguments)

    monkeypatch.setattr(Shard, "collect", together)
    with Processes("cpu") as processes:
        Learner(tiny(tmp_path, play_threads=2), processes).improve()


def test_run_directory_holds_figures_and_a_policy_that_plays(tmp_path: Path) -> None:
    run(tiny(tmp_path))
    directory = tmp_path / "tiny"
    lines = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    assert lines[-2]["turns"] == 4 * PER_UPDATE
    assert {"train/entropy", "train/kl", "train/explained_variance"} <= set(lines[2])
    assert "random/margin" in lines[-1]
    agent = make(str(directory / "policy.safetensors"), "mini3")
    policy = Policy.read(directory / "policy.safetensors")
    assert agent.match.variant.name == "mini3"
    assert policy.provenance["config"]["seed"] == 1
    assert policy.provenance["turns"] == 4 * PER_UPDATE
    assert policy.provenance["evaluation"]["random"]["pairs"] == 10


def test_games_of_the_evaluation_are_saved(tmp_path: Path) -> None:
    policy = run(tiny(tmp_path, save_games=10, total_turns=PER_UPDATE))
    own_name = f"tiny after {PER_UPDATE} turns"
    (file,) = (tmp_path / "tiny" / "games").iterdir()
    assert file.name == f"{PER_UPDATE:012d}-random.txt"
    margins = []
    for record in read_records(file):
        assert set(record.players) == {own_name, "random"}
        first, second = record.final().scores
        margins.append(first - second if record.players[0] == own_name else second - first)
    assert policy is not None
    assert policy.provenance["evaluation"]["random"]["margin"][0] == sum(margins) / 20


def test_no_game_is_saved_if_none_is_wanted(tmp_path: Path) -> None:
    run(tiny(tmp_path, save_games=0, total_turns=PER_UPDATE))
    assert not (tmp_path / "tiny" / "games").exists()


def test_a_run_may_begin_with_a_policy(tmp_path: Path) -> None:
    first = run(tiny(tmp_path, total_turns=PER_UPDATE))
    assert first is not None
    file = str(tmp_path / "tiny" / "policy.safetensors")
    config = tiny(tmp_path, name="again", begin_with=file, imitate="", imitation_turns=0)
    with Processes("cpu") as processes:
        learner = Learner(config, processes)
        value = learner.net.state_dict()["value_out.bias"].numpy().copy()
        learner.begin_with(file)
        assert_same(first, learner.policy({}))
        richer = Learner(replace(config, reward_scale=0.1), processes)
        richer.begin_with(file)
        for part in ("weight", "bias"):  # twice the reward, twice the value
            key = f"value_out.{part}"
            np.testing.assert_allclose(richer.net.state_dict()[key], 2 * first.tensors[key], rtol=1e-6)
        assert (value != first.tensors["value_out.bias"]).all()
        message = (
            r"holds a colour network of shape .'width': 8.* of 'mini3'; this run has a colour network of"
        )
        with pytest.raises(ConfigError, match=message):
            Learner(replace(config, width=9), processes).begin_with(file)
        with pytest.raises(ValueError, match=r"'no\.safetensors'"):
            learner.begin_with("no.safetensors")


def test_a_magnet_pulls_the_policy_towards_itself(tmp_path: Path) -> None:
    distances = []
    for weight in (1e-6, 10.0):
        config = tiny(tmp_path / str(weight), magnet=weight, magnet_every=100, learning_rate=3e-3)
        run(config)
        lines = (config.runs / "tiny" / "metrics.jsonl").read_text().splitlines()
        pulls = [json.loads(line).get("train/magnet_kl") for line in lines]
        distances.append([pull for pull in pulls if pull is not None][-1])
    assert 0 < 2 * distances[1] < distances[0]


def test_matches_of_several_rounds(tmp_path: Path) -> None:
    policy = run(tiny(tmp_path, rounds=3, total_turns=PER_UPDATE))
    assert policy is not None
    assert policy.match.rounds == 3


def test_a_plain_network_trains_resumes_and_plays(tmp_path: Path) -> None:
    changes = {"network": "mlp", "width": 16, "layers": 2, "bfloat16": True, "magnet": 0.1}
    run(tiny(tmp_path, total_turns=PER_UPDATE, **changes))
    policy = run(tiny(tmp_path, total_turns=PER_UPDATE, **changes), resume=True)
    assert policy is not None
    file = tmp_path / "tiny" / "policy.safetensors"
    read = Policy.read(file)
    assert (read.network, read.shape) == ("mlp", {"hidden": [16, 16], "activation": "relu"})
    assert read.points_per_value == 20, "one over the reward scale"
    assert_same(policy, read)
    assert evaluate(str(file), "random", variant="mini3", pairs=5).pairs == 5
    again = tiny(tmp_path, name="again", begin_with=str(file), **changes)
    with Processes("cpu") as processes:
        learner = Learner(again, processes)
        learner.begin_with(str(file))
        assert_same(read, learner.policy({}))


def test_it_learns(tmp_path: Path) -> None:
    config = tiny(
        tmp_path,
        width=16,
        imitation_turns=0,
        imitate="",
        total_turns=60 * PER_UPDATE,
        learning_rate=3e-3,
        average=0.9,
        evaluate_pairs=300,
    )
    policy = run(config)
    assert policy is not None
    low = policy.provenance["evaluation"]["random"]["margin"][1]
    assert low > 0.5


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "missing or damaged"), (b"\x80\x04K\x01.", "missing or damaged")],
    ids=["empty", "pickle"],
)
def test_damaged_checkpoint_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    run(tiny(tmp_path, total_turns=PER_UPDATE))
    (tmp_path / "tiny" / "checkpoint.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match=message):
        run(tiny(tmp_path, total_turns=PER_UPDATE), resume=True)


STUDIES = {"ablations.yaml", "exploit.yaml", "exploit-long.yaml"}
CONFIGS = sorted(path for path in (ROOT / "configs" / "ppo").glob("*.yaml") if path.name not in STUDIES)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_shipped_configurations_are_read(path: Path) -> None:
    assert read_config(Config, path).name.startswith("ppo-")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("evaluate_pairs: 1", "evaluate_pairs=1 is not an integer in 2"),
        ("1: 2", r"unknown key\(s\) 1;"),
        ("[]", "a configuration is a mapping"),
        ("games: 0", "games=0 is not an integer"),
        ("play_threads: 0", "play_threads=0 is not an integer"),
        (
            "{play_threads: 2, imitate: 'lostcities_env.agents.simple:GreedyAgent'}",
            "'lostcities_env.agents.simple:GreedyAgent' comes from outside and may not bear several threads",
        ),
        ("imitation_turns: 5", "no agent to imitate is named"),
        ("minibatch: 4095", "does not divide into 2 shards"),
        ("network: cnn", "no network 'cnn'; there are colour, mlp"),
        ("{network: mlp, critic: 8}", "critic=8 judges by features of colours, which network 'mlp' does not"),
        ("layers: 17", r"layers=17 is not an integer in 1..16"),
        ("{opponents: [greedy, random], opponent_share: 0.002}", "are 1, too few for 2 opponent"),
        ("past_share: 1.0", "leaves no game in which the policy plays itself"),
        ("first_cost: 5", "needs cost_turns"),
        ("{first_cost: 5000, cost_turns: 5}", "first_cost=5000 is not an integer in 0..1000"),
        ("{cost_turns: 5, imitate: greedy, imitation_turns: 9}", "cost_turns is for runs without imitation"),
        ("{cost_turns: 5, opponents: [greedy], opponent_share: 0.5}", "for runs without opponents"),
        ("{rounds: 3, last_round_share: 0.001}", "last_round_share=0.001 of 512 games are none"),
        ("last_round_share: 0.5", "last_round_share=0.5 is for matches: set rounds to 2 or more"),
        ("begin_with: 5", "begin_with and imitate are each the name"),
        ("bfloat16: 3", "bfloat16=3 is neither true nor false"),
        ('name: ".."', "is not the name of a directory"),
        ("device: tpu", "no device 'tpu'; there are cpu, cuda"),
        ("lerning_rate: 1", r"unknown key\(s\) lerning_rate"),
    ],
)
def test_wrong_configuration_is_one_clear_line(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(SystemExit) as exit_:
        main(["--config", str(path), "--runs", str(tmp_path)])
    assert exit_.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert re.search(message, error)
