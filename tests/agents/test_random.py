import numpy as np

from lostcities_env.agents import make
from tests.agents.positions import STANDARD, deal, midgame, views


def assert_uniform(counts: np.ndarray) -> None:
    """Pearson's statistic is within five standard deviations of what equal chances give."""
    expected = counts.sum() / counts.size
    statistic = ((counts - expected) ** 2 / expected).sum()
    freedom = counts.size - 1
    assert abs(statistic - freedom) < 5 * np.sqrt(2 * freedom)


def test_every_legal_action_is_equally_likely_over_seeds() -> None:
    rows, masks = views(STANDARD, midgame(STANDARD, 2, 1, make("random"), 40)[-1:])
    legal = np.flatnonzero(masks[0])
    assert legal.size > 20
    agent = make("random")
    counts = np.zeros(600, np.int64)
    for seed in range(200 * legal.size):
        agent.reset(seed)
        counts[agent.act(rows, masks)] += 1
    assert counts.sum() == counts[legal].sum()
    assert_uniform(counts[legal])


def test_it_knows_its_probabilities() -> None:
    rows, masks = views(STANDARD, midgame(STANDARD, 20, 1, make("random"), 40))
    probabilities = make("random").probabilities(rows, masks)
    np.testing.assert_allclose(probabilities, masks / masks.sum(axis=1, keepdims=True))


def test_every_legal_action_is_equally_likely_over_deals() -> None:
    """Which of the first mover's legal actions, from the lowest to the highest, in tenths."""
    rows, masks = views(STANDARD, deal(STANDARD, 3000, seed=1))
    actions = make("random").act(rows, masks)
    share = [masks[i, :action].sum() / masks[i].sum() for i, action in enumerate(actions)]
    rank = np.array(share) + np.random.default_rng(0).random(3000) / masks.sum(axis=1)
    assert_uniform(np.bincount((rank * 10).astype(int), minlength=10))
