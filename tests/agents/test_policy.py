"""Policies in files: what is kept, and what is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lostcities_env.agents import make
from lostcities_env.agents.networks import NETWORKS
from lostcities_env.agents.policy import FORMAT, Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.agents.safetensors_file import WeightsError, read_weights, write_weights
from lostcities_env.cli import main
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import (
    OBSERVATION_MODES,
)
from lostcities_env.rules.variant import MINI_1, MINI_3, VARIANTS, Variant
from tests.agents.positions import STANDARD

SHAPE = {"hidden": [16], "activation": "relu"}
PROVENANCE = {"seed": 3, "turns": 10**7, "config": {"lr": 5e-4, "note": "é\n"}, "against": ["random", None]}
TINY = Match(MINI_3)


def policy_of_noise(
    match: Match = STANDARD,
    observation: str = "recall",
    *,
    seed: int = 0,
    scale: float = 1.0,
    provenance: Mapping[str, Any] = PROVENANCE,
    points_per_value: float | None = None,
    value: bool = False,
) -> Policy:
    """A policy with random weights: it has preferences, but no sense."""
    rng = np.random.default_rng(seed)
    network = NETWORKS["mlp"](match, observation, SHAPE)
    shapes = network.tensor_shapes()
    if value or points_per_value is not None:
        shapes |= network.value_shapes()
    tensors = {
        name: (scale * rng.normal(0, shape[-1] ** -0.25, shape)).astype(np.float32)
        for name, shape in shapes.items()
    }
    return Policy(match, observation, "mlp", SHAPE, tensors, provenance, points_per_value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


class TestFile:
    @pytest.mark.parametrize("observation", OBSERVATION_MODES)
    @pytest.mark.parametrize("match", [STANDARD, Match(MINI_1, 3, "extra_round"), Match(VARIANTS["six"], 2)])
    def test_keeps_everything(self, path: Path, match: Match, observation: str) -> None:
        policy = policy_of_noise(match, observation)
        policy.write(path)
        read = Policy.read(path)
        for name in ("match", "observation", "network", "shape", "provenance", "points_per_value"):
            assert getattr(read, name) == getattr(policy, name)
        np.testing.assert_equal(dict(read.tensors), policy.tensors)

    def test_keeps_a_variant_without_a_name(self, path: Path) -> None:
        match = Match(Variant("mine", n_colours=3, piles_close_at=None))
        policy_of_noise(match).write(path)
        assert Policy.read(path).match == match

    def test_the_same_policy_gives_the_same_bytes(self, path: Path) -> None:
        policy_of_noise().write(path)
        before = path.read_bytes()
        Policy.read(path).write(path)
        assert path.read_bytes() == before

    def test_metadata_are_text_that_anyone_can_read(self, path: Path) -> None:
        policy_of_noise(TINY).write(path)
        _, metadata = read_weights(path)
        assert metadata["format"] == FORMAT
        assert metadata["rounds"] == "1"
        assert json.loads(metadata["provenance"]) == PROVENANCE
        assert json.loads(metadata["variant"])["name"] == "mini3"

    @pytest.mark.parametrize(
        ("provenance", "message"),
        [
            ({"when": np.float32(1)}, "the provenance of a policy is JSON: .*float32"),
            ({"loss": float("nan")}, "the provenance of a policy is JSON: .*not JSON compliant"),
        ],
    )
    def test_provenance_is_json(self, path: Path, provenance: dict[str, Any], message: str) -> None:
        with pytest.raises(WeightsError, match=message):
            policy_of_noise(TINY, provenance=provenance).write(path)
        assert not path.exists()

    def test_a_diverged_policy_is_not_written(self, path: Path) -> None:
        policy = policy_of_noise(TINY)
        policy.tensors["layers.0.bias"][3] = np.nan
        with pytest.raises(WeightsError, match=r"'layers.0.bias' holds values that are not finite"):
            policy.write(path)


Metadata = dict[str, str | None]
LACKING: dict[str, tuple[Metadata, str]] = {
    f"no {key}": ({key: None}, f"its metadata lacks {key}")
    for key in ("version", "network", "shape", "observation", "variant", "rounds", "tie", "provenance")
}
METADATA: dict[str, tuple[Metadata, str]] = LACKING | {
    "no format": ({"format": None}, "not a policy of this project: its metadata has format None, not"),
    "a format of others": (
        {"format": "pt"},
        "not a policy of this project: its metadata has format 'pt', not",
    ),
    "points of nothing": ({"points_per_value": "20"}, "points_per_value is given, but there are no tensors"),
    "points in words": ({"points_per_value": "twenty"}, "metadata 'points_per_value' is not a number: 'twe"),
    "no points": ({"points_per_value": "0"}, "points_per_value=0.0 is not a number above 0"),
    "endless points": ({"points_per_value": "inf"}, "points_per_value=inf is not a number above 0"),
    "several keys lacking": ({"rounds": None, "tie": None}, "its metadata lacks rounds, tie"),
    "a future version": ({"version": "2"}, "format version '2'; this package reads 1"),
    "an unknown network": ({"network": "oracle"}, "no network 'oracle'; there are mlp"),
    "a shape that is a list": ({"shape": "[16]"}, r"metadata 'shape' is not a JSON object: '\[16\]'"),
    "a shape that is no JSON": ({"shape": "{16"}, "metadata 'shape' is not a JSON object: '{16'"),
    "a shape of brackets": ({"shape": "[" * 100_000}, "metadata 'shape' is not a JSON object"),
    "a shape of digits": ({"shape": "9" * 5000}, "metadata 'shape' is not a JSON object"),
    "a shape of another kind": ({"shape": '{"depth": 2}'}, r"has 'hidden' and 'activation', got \['depth'\]"),
    "no such widths": ({"shape": '{"hidden": [0], "activation": "relu"}'}, r"hidden=\[0\] is not a list"),
    "no such activation": ({"shape": '{"hidden": [16], "activation": []}'}, r"no activation \[\]; there are"),
    "a hidden observation": (
        {"observation": "full"},
        "no observation mode 'full'; there are visible, recall",
    ),
    "a variant by name": ({"variant": "standard"}, "metadata 'variant' is not a JSON object: 'standard'"),
    "a variant of other rules": ({"variant": '{"jokers": 2}'}, r"unknown variant field\(s\) jokers"),
    "an unplayable variant": ({"variant": '{"hand_size": 90}'}, "hand_size=90 is outside"),
    "a variant of text": ({"variant": '{"n_colours": "5"}'}, "n_colours='5' is not an integer"),
    "rounds in words": ({"rounds": "three"}, "metadata 'rounds' is not a whole number: 'three'"),
    "too many rounds": ({"rounds": "10"}, "rounds=10 is outside 1..9"),
    "rounds without end": ({"rounds": "9" * 5000}, "digits"),
    "an unknown tie rule": ({"tie": "duel"}, "no tie rule 'duel'; there are draw, "),
    "provenance of nothing": ({"provenance": "null"}, "metadata 'provenance' is not a JSON object: 'null'"),
}
OUTPUT_BIAS = np.zeros(TINY.variant.n_actions, np.float32)
TENSORS: dict[str, tuple[dict[str, np.ndarray | None], str]] = {
    "a layer lacking": (
        {"layers.1.bias": None},
        r"tensors not there: \['layers.1.bias'\]; the network has layers.0.weight, layers.0.bias, layers.1",
    ),
    "a layer too many": (
        {"layers.2.bias": OUTPUT_BIAS},
        r"tensors unknown to the network: \['layers.2.bias'\]; the network has layers.0.weight",
    ),
    "another width": (
        {"layers.0.bias": np.zeros(15, np.float32)},
        r"tensor 'layers.0.bias' is float32 of shape \(15,\); the network takes float32 of shape \(16,\)",
    ),
    "a matrix transposed": (
        {"layers.1.weight": np.zeros((16, len(OUTPUT_BIAS)), np.float32)},
        r"tensor 'layers.1.weight' is float32 of shape \(16, .*; the network takes .*, 16\)",
    ),
    "a column for a vector": (
        {"layers.1.bias": OUTPUT_BIAS[:, None]},
        r"'layers.1.bias' is .*, 1\); the network",
    ),
}


def complaint(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> str:
    """The one line that the command line says about a file."""
    assert main(["evaluate", "random", str(path), "--pairs", "1", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def assert_refused(capsys: pytest.CaptureFixture[str], path: Path, message: str) -> None:
    """Every way to a policy for `TINY` says the same."""
    with pytest.raises(WeightsError, match=message) as caught:
        Policy.read(path)
    assert str(caught.value).startswith(f"weights {str(path)!r}: ")
    with pytest.raises(WeightsError) as made:
        make(str(path), TINY)
    assert str(made.value) == str(caught.value)
    assert complaint(capsys, path, "--variant", "mini3") == f"lostcities: {caught.value}\n"


class TestRefusal:
    @pytest.mark.parametrize(("changes", "message"), METADATA.values(), ids=METADATA)
    def test_of_metadata(
        self, capsys: pytest.CaptureFixture[str], path: Path, changes: Metadata, message: str
    ) -> None:
        policy_of_noise(TINY).write(path)
        tensors, metadata = read_weights(path)
        changed = {key: text for key, text in (metadata | changes).items() if text is not None}
        write_weights(path, tensors, changed)
        assert_refused(capsys, path, message)

    @pytest.mark.parametrize(("changes", "message"), TENSORS.values(), ids=TENSORS)
    def test_of_tensors(
        self,
        capsys: pytest.CaptureFixture[str],
        path: Path,
        changes: dict[str, np.ndarray | None],
        message: str,
    ) -> None:
        policy_of_noise(TINY).write(path)
        tensors, metadata = read_weights(path)
        changed = {name: array for name, array in (tensors | changes).items() if array is not None}
        write_weights(path, changed, metadata)
        assert_refused(capsys, path, message)

    def test_of_a_file_of_another_program(self, capsys: pytest.CaptureFixture[str], path: Path) -> None:
        library = pytest.importorskip("safetensors.numpy")
        library.save_file({"embedding": np.zeros((3, 2), np.float32)}, path)
        assert_refused(capsys, path, "not a policy of this project")

    def test_of_a_broken_file(self, capsys: pytest.CaptureFixture[str], path: Path) -> None:
        policy_of_noise(TINY).write(path)
        path.write_bytes(path.read_bytes()[:-1])
        assert_refused(capsys, path, "truncated or corrupt: tensor 'layers.1.bias' ends at byte")

    def test_of_no_file(self, capsys: pytest.CaptureFixture[str], path: Path) -> None:
        expected = f"cannot read weights {str(path)!r}: No such file or directory"
        with pytest.raises(WeightsError) as caught:
            make(str(path))
        assert str(caught.value) == expected
        assert complaint(capsys, path) == f"lostcities: {expected}\n"

    def test_of_another_variant(self, capsys: pytest.CaptureFixture[str], path: Path) -> None:
        policy_of_noise(Match(VARIANTS["six"])).write(path)
        expected = (
            f"weights {str(path)!r}: the policy is for variant 'six', not 'standard' "
            "(n_colours 6 instead of 5); play its variant or train one for yours"
        )
        with pytest.raises(WeightsError) as caught:
            make(str(path))
        assert str(caught.value) == expected
        assert complaint(capsys, path) == f"lostcities: {expected}\n"

    def test_a_variant_of_the_same_shape_is_another_all_the_same(self) -> None:
        match = Match(Variant("dear", expedition_cost=25))
        with pytest.raises(WeightsError, match=r"\(expedition_cost 20 instead of 25\)"):
            PolicyAgent(match, policy_of_noise())

    def test_the_name_of_a_variant_does_not_matter(self) -> None:
        PolicyAgent(Match(Variant("my own name")), policy_of_noise())

    @pytest.mark.parametrize(
        ("observation", "network", "message"),
        [("full", "mlp", "no observation mode 'full'"), ("recall", "cnn", "no network 'cnn'; there are mlp")],
    )
    def test_of_a_policy_that_was_never_in_a_file(self, observation: str, network: str, message: str) -> None:
        with pytest.raises(WeightsError, match=message):
            Policy(TINY, observation, network, SHAPE, {})
