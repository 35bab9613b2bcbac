"""The benchmark of training, on a miniature."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from torch import nn

from benchmarks import training as benchmark
from benchmarks.throughput import measure
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size
from lostcities_env.rules.variant import MINI_3
from training import sb3_maskable_ppo
from training.ppo import new_net
from training.ppo_config import Config

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),  # SB3 asks for a Monitor
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

PPO = Config(variant="mini3", width=8, rank=2, games=16, turns_per_rollout=8, minibatch=64, past_share=0.25)
MASKABLE_PPO = sb3_maskable_ppo.Config(
    variant="mini3", width=4, num_games=8, turns_per_rollout=16, batch_size=64, threads=1
)


@pytest.mark.slow
def test_every_trainer_is_measured() -> None:
    rates = measure(benchmark.subjects(PPO, MASKABLE_PPO), seconds=1e-3, rounds=1)
    assert list(rates) == [
        "training/ppo.py, colour 8",
        "training/ppo.py, colour 4",
        "MaskablePPO, colour 4",
        "MaskablePPO, colour 8",
        "MaskablePPO, mlp 4",
    ]
    assert all(rate > 0 for rate in rates.values())


def test_turns_of_opponents_do_not_count() -> None:
    assert next(benchmark.ppo_turns(replace(PPO, past_share=0.0))) == 2 * 16 * 8
    assert next(benchmark.ppo_turns(PPO)) == 2 * 16 * 8 * 7 / 8


def test_the_parts_of_an_update_add_up() -> None:
    unwatched = [getattr(owner, name) for _, owner, name in benchmark.PARTS]
    shares, microseconds = benchmark.profile(PPO, seconds=1e-3)
    assert list(shares) == list(dict.fromkeys(part for part, _, _ in benchmark.PARTS))
    assert all(share > 0 for share in shares.values())
    assert sum(shares.values()) == pytest.approx(1)
    assert microseconds > 0
    assert [getattr(owner, name) for _, owner, name in benchmark.PARTS] == unwatched, "the watching has ended"


def test_the_work_of_matrix_products_is_that_of_the_layers() -> None:
    """Of a plain network, trained on what it sees once: forward to play, forward and backward to learn."""
    config = replace(PPO, network="mlp", width=8, layers=1, past_share=0.0, epochs=1)
    n_inputs, n_actions = observation_size(Match(MINI_3), "recall"), MINI_3.n_actions
    behind = 8 * n_actions + 8 * 8 + 8 * 1  # the logits, and the value with its hidden layer
    biases = 8 + n_actions + 8 + 1
    forward, backward = n_inputs * 8 + behind, n_inputs * 8 + 2 * behind + biases
    estimate = forward / config.turns_per_rollout  # of the position after the last turn
    assert benchmark.product_work(config) == pytest.approx(2 * (2 * forward + backward + estimate), rel=1e-6)


def test_the_work_of_the_shared_network(one_thread: None) -> None:
    """By its layers; the logits are not put together by products, where passes are compiled."""
    config = replace(PPO, width=8, past_share=0.0, epochs=1)
    assert config.bfloat16
    net = new_net(config, Match(MINI_3))
    shared = {"colour_in", "colour_1", "colour_2", "colour_out"}  # once for each colour
    forward = backward = 0
    for name, layer in net.named_children():
        if isinstance(layer, nn.Linear):
            rows = MINI_3.n_colours if name in shared else 1
            work = rows * layer.in_features * layer.out_features
            forward += work
            backward += work if name in {"colour_in", "global_in"} else 2 * work
            if layer.bias is not None:  # of the pooled layers once, not for each colour
                backward += layer.out_features * (rows if name == "colour_out" else 1)
    estimate = forward / config.turns_per_rollout
    assert benchmark.product_work(config) == pytest.approx(2 * (2 * forward + backward + estimate), rel=1e-6)


def test_the_speed_of_matrix_products_is_that_of_the_best_time(monkeypatch: pytest.MonkeyPatch) -> None:
    start, slow, fast, over = 0.0, (1.0, 41.0), (50.0, 70.0), 90.0  # each measured over ten products
    clock = iter([start, start, *slow, slow[1], *fast, over])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    rows, width = MINI_3.n_colours * PPO.minibatch // PPO.shards, PPO.width
    assert benchmark.product_speed(PPO, seconds=80.0) == pytest.approx(2 * rows * width**2 / 2.0)


def test_time_counts_for_the_innermost_part(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(time, "process_time", lambda: clock.now)
    stopwatch = benchmark.Stopwatch()

    def work(seconds: float) -> None:
        clock.now += seconds

    inner = stopwatch.watched("inner", work)

    def outer(fail: bool) -> None:
        work(1.0)
        inner(2.0)
        work(4.0)
        if fail:
            raise ValueError("failed")

    outer_watched = stopwatch.watched("outer", outer)
    outer_watched(False)
    work(100.0)  # of no part
    with pytest.raises(ValueError, match="failed"):
        outer_watched(True)
    inner(0.5)
    assert stopwatch.seconds == {"inner": 4.5, "outer": 10.0}
