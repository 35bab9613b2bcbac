"""Policies as files, and the agent that plays them."""

import json
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents import make
from lostcities_env.agents.networks import NETWORKS
from lostcities_env.agents.policy import Policy, PolicyAgent
from lostcities_env.agents.weights import WeightsError, read_weights, write_weights
from lostcities_env.cli import main
from lostcities_env.envs.batch import BatchGames
from lostcities_env.evaluation import evaluate
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import VARIANTS, get_variant

SHAPES: dict[str, dict[str, object]] = {
    "mlp": {"hidden": [7, 5], "activation": "relu"},
    "colour": {"width": 6, "rank": 2},
}


def make_policy(
    variant: str = "mini3", network: str = "mlp", *, observation: str = "recall", rounds: int = 1
) -> Policy:
    match = Match(get_variant(variant), rounds)
    shapes = NETWORKS[network](match, observation, SHAPES[network]).tensor_shapes()
    rng = np.random.default_rng(1)
    tensors = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    return Policy(match, observation, network, SHAPES[network], tensors, {"seed": 1})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "policy.safetensors"
    make_policy().write(path)
    return path


def rewrite(path: Path, **changes: str | None) -> None:
    tensors, metadata = read_weights(path)
    for key, value in changes.items():
        metadata.pop(key)
        if value is not None:
            metadata[key] = value
    write_weights(path, tensors, metadata)


@pytest.mark.parametrize("network", NETWORKS)
def test_what_is_written_is_read(tmp_path: Path, network: str) -> None:
    policy = make_policy(network=network)
    path = tmp_path / "policy.safetensors"
    policy.write(path)
    again = Policy.read(path)
    assert again.match == policy.match
    assert (again.network, again.observation, again.shape) == (network, "recall", SHAPES[network])
    assert again.provenance == {"seed": 1}
    observations = BatchGames(5, "mini3", seed=1).observations
    assert (again.logits(observations) == policy.logits(observations)).all()


def test_an_mlp_is_what_it_says() -> None:
    policy = make_policy()
    x = BatchGames(4, "mini3", seed=1).observations.astype(np.float64)
    weights = policy.tensors
    for k in range(3):
        x = x @ weights[f"layers.{k}.weight"].T + weights[f"layers.{k}.bias"]
        x = np.maximum(x, 0) if k < 2 else x
    np.testing.assert_allclose(policy.logits(BatchGames(4, "mini3", seed=1).observations), x, rtol=1e-4)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("sample", [False, True])
def test_plays_legally(variant: str, network: str, sample: bool) -> None:
    policy = make_policy(variant, network)
    agent = PolicyAgent(policy.match, policy, seed=3, sample=sample)
    games = BatchGames(8, variant, seed=2)
    for _ in range(25):
        games.step(agent.act(games.observations, games.action_masks))


def test_a_policy_of_what_is_visible_sees_no_more() -> None:
    policy = make_policy(observation="visible")
    agent = PolicyAgent(policy.match, policy)
    games = BatchGames(8, "mini3", seed=2)
    for _ in range(6):
        changed = games.observations.copy()
        changed[:, 33:] = 0  # the visible part of mini3 has 33 values
        assert (
            agent.act(changed, games.action_masks) == agent.act(games.observations, games.action_masks)
        ).all()
        games.step(games.sample_actions())


def test_samples_follow_the_softmax() -> None:
    policy = make_policy()
    games = BatchGames(1, "mini3", seed=4)
    mask = games.action_masks[0].astype(bool)
    logits = policy.logits(games.observations)[0]
    want = np.where(mask, np.exp(logits), 0)
    counts = np.zeros_like(want)
    agent = PolicyAgent(policy.match, policy, sample=True)
    n = 4000
    for seed in range(n):
        agent.reset(seed)
        counts[agent.act(games.observations, games.action_masks)[0]] += 1
    assert counts / n == pytest.approx(want / want.sum(), abs=0.04)


def test_choices_do_not_depend_on_the_batch() -> None:
    policy = make_policy(network="colour")
    agent = PolicyAgent(policy.match, policy, seed=5, sample=True)
    games = BatchGames(9, "mini3", seed=2)
    together = agent.act(games.observations, games.action_masks)
    order = np.random.default_rng(0).permutation(9)
    shuffled = agent.act(games.observations[order], games.action_masks[order])
    assert (shuffled == together[order]).all()


def test_a_policy_of_single_rounds_plays_each_round_of_a_match_for_itself() -> None:
    policy = make_policy()
    agent = PolicyAgent(Match(get_variant("mini3"), 3), policy)
    single = PolicyAgent(policy.match, policy)
    games, alone = BatchGames(6, "mini3", seed=2, rounds=3), BatchGames(6, "mini3", seed=2)
    assert (
        agent.act(games.observations, games.action_masks)
        == single.act(alone.observations, alone.action_masks)
    ).all()


def test_its_path_is_an_agents_name(path: Path) -> None:
    first = evaluate(str(path), "random", variant="mini3", pairs=20, seed=1)
    assert first.to_dict() == evaluate(str(path), "random", variant="mini3", pairs=20, seed=1).to_dict()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "pt"}, "not a policy of this project: its metadata has format 'pt'"),
        ({"format": None}, "not a policy of this project"),
        ({"version": "2"}, "format version '2'; this package reads 1"),
        ({"network": None, "rounds": None}, "its metadata lacks network, rounds"),
        ({"network": "transformer"}, "no network 'transformer'; there are mlp, colour"),
        ({"shape": "{"}, "'shape' is not a JSON object"),
        ({"shape": "[1]"}, "'shape' is not a JSON object"),
        ({"shape": '{"hidden": [7, 5]}'}, "the shape of an mlp has 'hidden' and 'activation'"),
        ({"shape": '{"hidden": [7, -5], "activation": "relu"}'}, "is not a list of at most"),
        ({"shape": '{"hidden": [7, 5], "activation": "gelu"}'}, "no activation 'gelu'"),
        ({"shape": '{"hidden": [7, 6], "activation": "relu"}'}, "the network takes float32 of shape"),
        ({"shape": '{"hidden": [7], "activation": "relu"}'}, "does not know tensor"),
        ({"observation": "full"}, "no observation mode 'full'"),
        ({"observation": "visible"}, "the network takes float32 of shape"),
        ({"rounds": "three"}, "'rounds' is not a whole number"),
        ({"rounds": "0"}, "rounds=0 is outside"),
        ({"tie": "coin"}, "no tie rule 'coin'"),
        ({"variant": '{"n_colours": 9}'}, "n_colours=9"),
        ({"variant": '{"size": 9}'}, "unknown variant field"),
        ({"variant": "{}"}, "the network takes float32 of shape"),
        ({"provenance": "none"}, "'provenance' is not a JSON object"),
    ],
)
def test_wrong_files_are_refused(path: Path, changes: dict[str, str | None], message: str) -> None:
    rewrite(path, **changes)
    with pytest.raises(WeightsError, match=message) as error:
        make(str(path), "mini3")
    assert str(path) in str(error.value)


def test_a_colour_network_must_see_all_that_a_player_remembers() -> None:
    with pytest.raises(WeightsError, match="sees 'recall' observations, not 'visible'"):
        make_policy(network="colour", observation="visible")


def test_another_variant_is_refused(path: Path) -> None:
    with pytest.raises(
        WeightsError, match=r"is for variant 'mini3', not 'standard' \(.*n_colours 2 instead of 5"
    ):
        make(str(path), "standard")


def test_wrong_files_are_one_line_on_the_command_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(b"not weights")
    assert main(["evaluate", str(path), "random", "--variant", "mini3", "--pairs", "2"]) == 2
    error = capsys.readouterr().err
    assert "no safetensors file" in error or "truncated" in error
    assert error.count("\n") == 1


def test_provenance_is_plain_text_in_the_file(path: Path) -> None:
    _, metadata = read_weights(path)
    assert json.loads(metadata["provenance"]) == {"seed": 1}
