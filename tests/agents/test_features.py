"""The features of the colour-sharing network, and that it does share."""

import numpy as np
import pytest

from lostcities_env.agents.features import ENDGAME, GLOBALS, PLANES, SCALARS, Features, n_colour_features
from lostcities_env.agents.networks import ColourSharing
from lostcities_env.envs.batch import BatchGames
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_blocks
from lostcities_env.rules.variant import VARIANTS, get_variant


def observations_in_progress(variant: str, games: int = 16, turns: int = 25) -> np.ndarray:
    batch = BatchGames(games, variant, seed=3)
    for _ in range(turns):
        batch.step(batch.sample_actions())
    return batch.observations.copy()


def plane(colours: np.ndarray, name: str, n_ranks: int) -> np.ndarray:
    start = PLANES.index(name) * n_ranks
    return colours[..., start : start + n_ranks]


@pytest.mark.parametrize("name", VARIANTS)
def test_they_say_what_the_observation_says(name: str) -> None:
    match = Match(get_variant(name))
    observations = observations_in_progress(name)
    colours, globals_ = Features(match)(observations)
    n_ranks = match.variant.n_ranks
    assert colours.shape == (16, match.variant.n_colours, n_colour_features(match.variant))
    assert globals_.shape == (16, len(GLOBALS))
    assert colours.shape[2] == len(PLANES) * n_ranks + len(SCALARS)
    blocks = {block.name: observations[:, block.slice] for block in observation_blocks(match, "recall")}
    for feature, block in {
        "hand": "hand",
        "expedition": "expeditions",
        "opponent_expedition": "opponent_expeditions",
        "known": "known",
        "opponent_known": "opponent_known",
    }.items():
        assert (plane(colours, feature, n_ranks).reshape(16, -1) == blocks[block]).all(), feature


def test_every_card_is_somewhere() -> None:
    match = Match()
    colours, _ = Features(match)(observations_in_progress("standard"))
    names = ("hand", "expedition", "opponent_expedition", "pile", "opponent_known", "unseen")
    total = np.sum([plane(colours, name, 10) for name in names], axis=0)
    assert (total == np.array([3] + [1] * 9)).all()


def test_playable_cards_are_held_and_not_passed() -> None:
    colours, _ = Features(Match())(observations_in_progress("standard"))
    hand, passed = plane(colours, "hand", 10), plane(colours, "passed", 10)
    assert (plane(colours, "playable", 10) == hand * (1 - passed)).all()
    assert (plane(colours, "wanted", 10) == hand * (1 - plane(colours, "opponent_passed", 10))).all()


def test_gains_are_what_playing_the_cards_would_bring() -> None:
    match = Match()
    observations = observations_in_progress("standard")
    colours, _ = Features(match)(observations)
    at = {name: len(PLANES) * 10 + k for k, name in enumerate(SCALARS)}
    numbers = np.array([0, *range(2, 11)])
    block = next(block for block in observation_blocks(match, "recall") if block.name == "discard_tops")

    def score(cards: np.ndarray) -> np.ndarray:
        length = cards.sum(axis=-1)
        points = ((cards * numbers).sum(axis=-1) - 20) * (1 + cards[..., 0]) + 20 * (length >= 8)
        return np.where(length > 0, points, 0)

    before = plane(colours, "expedition", 10)
    after = before + plane(colours, "playable", 10)
    np.testing.assert_allclose(
        colours[..., at["playable_gain"]] * 20, score(after) - score(before), atol=1e-4
    )
    for prefix in ("", "opponent_"):
        to_come = plane(colours, "unseen", 10) * (1 - plane(colours, f"{prefix}passed", 10))
        np.testing.assert_allclose(colours[..., at[f"{prefix}unseen_playable"]] * 8, to_come.sum(axis=-1))
        totals = (to_come * numbers).sum(axis=-1)
        np.testing.assert_allclose(colours[..., at[f"{prefix}unseen_total"]] * 50, totals, rtol=1e-6)
        tops = observations[:, block.slice].reshape(16, 5, 10) * (1 - plane(colours, f"{prefix}passed", 10))
        assert (colours[..., at[f"{prefix}top_playable"]] == tops.any(axis=-1)).all()


def test_the_last_cards_of_the_deck_are_told_apart() -> None:
    _, globals_ = Features(Match())(observations_in_progress("standard", turns=38))
    assert (globals_[:, GLOBALS.index("deck_is_1") :].sum(axis=1) == (globals_[:, 0] * 50 <= ENDGAME)).all()
    left = np.round(globals_[:, 0] * 50).astype(int)
    for row, n in zip(globals_, left, strict=True):
        if n <= ENDGAME:
            assert row[GLOBALS.index(f"deck_is_{n}")] == 1.0


def swap_colours(observations: np.ndarray, match: Match, first: int, second: int) -> np.ndarray:
    """The same positions with two colours' names exchanged."""
    swapped = observations.copy()
    order = np.arange(match.variant.n_colours)
    order[[first, second]] = second, first
    for block in observation_blocks(match, "recall"):
        if len(block.shape) == 2:
            values = observations[:, block.slice].reshape(-1, *block.shape)
            swapped[:, block.slice] = values[:, order].reshape(len(observations), -1)
    return swapped


def random_weights(network: ColourSharing, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in network.tensor_shapes().items()
    }


@pytest.mark.parametrize("name", ["standard", "six", "mini3"])
def test_swapping_two_colours_swaps_their_logits(name: str) -> None:
    match = Match(get_variant(name))
    c, r = match.variant.n_colours, match.variant.n_ranks
    network = ColourSharing(match, "recall", {"width": 16, "rank": 4})
    weights = random_weights(network, 1)
    observations = observations_in_progress(name)
    logits = network.logits(weights, observations).reshape(-1, c, r, 2, c + 1)
    swapped = network.logits(weights, swap_colours(observations, match, 0, 1)).reshape(-1, c, r, 2, c + 1)
    order = np.arange(c)
    order[[0, 1]] = 1, 0
    sources = np.concatenate([[0], 1 + order])
    np.testing.assert_allclose(swapped, logits[:, order][..., sources], rtol=1e-4, atol=1e-4)
    assert np.abs(swapped - logits).max() > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standard", "six", "mini1"])
def test_numpy_and_torch_agree(name: str) -> None:
    torch = pytest.importorskip("torch")
    from training.networks import ColourNet

    match = Match(get_variant(name))
    torch.manual_seed(1)
    net = ColourNet(match.variant, width=24, rank=3)
    for parameter in net.parameters():  # the last layers begin near zero, where a fault would not show
        torch.nn.init.normal_(parameter, std=0.2)
    features = Features(match)
    observations = observations_in_progress(name)
    with torch.no_grad():
        expected, values = net.from_flat(torch.from_numpy(features.flat(observations)))
    weights = {key: value.numpy() for key, value in net.state_dict().items()}
    network = ColourSharing(match, "recall", {"width": 24, "rank": 3})
    assert {
        key: value.shape for key, value in weights.items()
    } == network.tensor_shapes() | network.value_shapes()
    np.testing.assert_allclose(network.logits(weights, observations), expected.numpy(), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(network.values(weights, observations), values.numpy(), rtol=1e-3, atol=1e-3)
