"""Training with MaskablePPO, on a miniature: it runs, resumes exactly, and exports what it trained."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from safetensors.numpy import load_file, save_file

from lostcities_env.agents import make
from lostcities_env.agents.features import Features
from lostcities_env.agents.policy import Policy
from lostcities_env.rules.game import Game
from training import sb3_maskable_ppo as script
from training.config import ConfigError, read_config
from training.run_directory import CheckpointError, RunDirectory
from training.sb3_maskable_ppo import Config, main, train

pytestmark = [
    pytest.mark.slow,
    # SB3 asks for a Monitor; the episodes are counted by the environment itself.
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

ROOT = Path(__file__).parents[2]
PER_UPDATE = 8 * 16


def tiny(runs: Path, **changes: object) -> Config:
    config = Config(
        runs=runs,
        name="tiny",
        variant="mini3",
        width=8,
        num_games=8,
        turns_per_rollout=16,
        total_turns=4 * PER_UPDATE,
        batch_size=64,
        snapshot_every=1,
        scripted=("greedy",),
        scripted_share=0.3,
        threads=1,
    )
    return replace(config, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("network", ["colour", "mlp"])
def test_resumed_run_ends_as_the_uninterrupted_one(
    tmp_path: Path, network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(tiny(tmp_path / "whole", network=network))
    assert whole is not None

    updates = 0
    report = script.report

    def interrupt_after_two(*arguments: object) -> None:
        nonlocal updates
        report(*arguments)  # type: ignore[arg-type]
        updates += 1
        if updates == 2:
            os.kill(os.getpid(), signal.SIGINT)

    config = tiny(tmp_path / "halves", network=network)
    monkeypatch.setattr(script, "report", interrupt_after_two)
    assert train(config) is None
    assert updates == 2
    resumed = train(config, resume=True)
    assert resumed is not None
    assert updates == 4
    for name, tensor in whole.tensors.items():
        assert (tensor == resumed.tensors[name]).all(), name


@pytest.mark.parametrize("network", ["colour", "mlp"])
def test_exported_policy_plays_as_the_trained_one(tmp_path: Path, network: str) -> None:
    config = tiny(tmp_path, network=network, total_turns=PER_UPDATE)
    models = []
    make_model = script.make_model

    def remember(*arguments: object) -> object:
        models.append(make_model(*arguments))  # type: ignore[arg-type]
        return models[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script, "make_model", remember)
        train(config)
    model = models[0]
    agent = make(str(tmp_path / "tiny" / "policy.safetensors"), "mini3")
    features = Features(agent.match)
    game = Game("mini3", seed=1)
    while not game.over:
        observation, mask = game.observation(game.mover)[None], game.action_mask()[None]
        seen = features.flat(observation) if network == "colour" else observation
        action = agent.act(observation, mask)
        assert action == model.predict(seen, deterministic=True, action_masks=mask)[0]
        game.step(int(action[0]))
    policy = Policy.read(tmp_path / "tiny" / "policy.safetensors")
    assert policy.provenance["config"]["seed"] == config.seed
    assert policy.provenance["learner_turns"] == PER_UPDATE


def test_run_directory_says_what_was_run(tmp_path: Path) -> None:
    train(tiny(tmp_path, total_turns=PER_UPDATE))
    run = tmp_path / "tiny"
    assert json.loads((run / "config.json").read_text())["variant"] == "mini3"
    assert json.loads((run / "provenance.json").read_text())["versions"]["torch"]
    assert list(run.glob("events.out.tfevents.*"))
    assert not list(run.glob("*.tmp"))


def test_an_old_run_is_not_written_over(tmp_path: Path) -> None:
    train(tiny(tmp_path, total_turns=PER_UPDATE))
    with pytest.raises(ConfigError, match=r"holds a run already: go on with --resume"):
        train(tiny(tmp_path))


def test_resuming_needs_a_run_of_the_same_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no checkpoint in"):
        train(tiny(tmp_path), resume=True)
    train(tiny(tmp_path, total_turns=PER_UPDATE))
    with pytest.raises(ConfigError, match=r"another configuration: entropy 0.01 -> 0.5"):
        train(tiny(tmp_path, total_turns=PER_UPDATE, entropy=0.5), resume=True)


def damage_truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def damage_pickle(path: Path) -> None:
    path.write_bytes(b"\x80\x04cos\nsystem\n(S'false'\ntR.")


def damage_foreign(path: Path) -> None:
    save_file({"x": np.zeros(3, np.float32)}, path)


def damage_one_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)


def damage_lacking(path: Path) -> None:
    arrays = load_file(path)
    del arrays["torch"]
    directory = RunDirectory(path.parent, json.loads((path.parent / "config.json").read_text()), resume=True)
    directory.write_checkpoint(arrays, {"num_timesteps": 0, "updates": 0, "snapshots": 0})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damage_truncate, "missing or damaged"),
        (damage_one_bit, "its arrays are not those that were written"),
        (damage_pickle, "missing or damaged"),
        (damage_foreign, "not one of this project"),
        (damage_lacking, "does not fit"),
    ],
)
def test_damaged_checkpoint_is_refused(tmp_path: Path, damage: object, message: str) -> None:
    train(tiny(tmp_path, total_turns=PER_UPDATE))
    damage(tmp_path / "tiny" / "checkpoint.safetensors")  # type: ignore[operator]
    with pytest.raises(CheckpointError, match=message):
        train(tiny(tmp_path, total_turns=PER_UPDATE), resume=True)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "configs" / "sb3").glob("*.yaml")), ids=lambda path: path.name
)
def test_shipped_configurations_are_read(path: Path) -> None:
    assert read_config(Config, path).name.startswith("sb3-")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wdith: 3", r"unknown key\(s\) wdith; there are name, runs"),
        ("width: 0", "width=0 is not an integer in 1.."),
        ("width: wide", "width='wide'"),
        ("network: lstm", "no network 'lstm'; there are colour, mlp"),
        ("gae_lambda: 1.5", "gae_lambda=1.5"),
        ("scripted_share: 0.5", "no scripted agents"),
        ("scripted: greedy", "scripted='greedy' is not a list of agents"),
        ("scripted: [gready]", "scripted: no agent 'gready'; there are random"),
        ("variant: standart", "no variant 'standart'; there are standard"),
        ("rounds: 0", r"rounds=0 is outside 1\.\.9"),
        ("seed: -1", "seed -1 is outside"),
        ("name: ../elsewhere", "name='../elsewhere' is not the name of a directory"),
        ("threads: -1", "threads=-1 is not an integer in 0"),
        ("batch_size: 16383", "batch_size=16383 leaves a batch of one of the 16384 samples"),
        ("- a list", "a configuration is a mapping"),
        ("a: [", "cannot read the configuration"),
    ],
)
def test_wrong_configuration_is_one_clear_line(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_config(Config, path)
    with pytest.raises(SystemExit) as exit_:
        main(["--config", str(path)])
    assert exit_.value.code == 2
    assert capsys.readouterr().err.startswith("error: ")
