"""Logits put together from their parts: of all actions, of the legal ones, and compiled."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from lostcities_env.envs.batch import BatchGames
from lostcities_env.rules.actions import to_action
from lostcities_env.rules.variant import VARIANTS
from training import bfloat16
from training.joint_logits import NO_LOGIT, JointLogits
from training.legal import NO_ACTION, pack_legal

BATCH, RANK, PLACES = 40, 3, 128

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(params=["standard", "six", "mini3"])
def joint(request: pytest.FixtureRequest) -> JointLogits:
    return JointLogits(VARIANTS[request.param], RANK)


@pytest.fixture
def parts(joint: JointLogits) -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    n_colours = joint.variant.n_colours
    return torch.randn(n_colours, BATCH, joint.colour_size), torch.randn(BATCH, joint.context_size)


def legal_actions(joint: JointLogits) -> Tensor:
    games = BatchGames(BATCH, joint.variant, 1)
    for _ in range(6):
        games.step(games.sample_actions())
    legal, counts = np.empty((BATCH, PLACES), np.int16), np.empty(BATCH, np.int64)
    pack_legal(games.action_masks, legal, counts)
    assert counts.max() < PLACES
    return torch.from_numpy(legal[:, : counts.max() + 1])


def test_what_the_parts_are(joint: JointLogits, parts: tuple[Tensor, Tensor]) -> None:
    """Written out for one action after the other."""
    colour, context = (part.double().numpy() for part in parts)
    logits = joint(*parts).numpy()
    n_ranks = joint.variant.n_ranks
    of_card, pile, *keys = np.split(colour, np.cumsum([2 * n_ranks, 1, RANK, RANK]), axis=2)
    for action in range(joint.variant.n_actions):
        card, way, source = to_action(joint.variant, action)
        c, rank = divmod(card, n_ranks)
        of_source, key = (
            (context[:, 0], context[:, 1:]) if source == 0 else (pile[source - 1, :, 0], keys[2][source - 1])
        )
        expected = of_card[c, :, 2 * rank + way] + of_source + (keys[way][c] * key).sum(axis=1)
        np.testing.assert_allclose(logits[:, action], expected, atol=1e-5)


def test_of_legal_actions(joint: JointLogits, parts: tuple[Tensor, Tensor]) -> None:
    legal = legal_actions(joint)
    is_action = legal != NO_ACTION
    every, packed = joint(*parts), joint(*parts, legal)
    torch.testing.assert_close(packed[is_action], every.gather(1, legal.clamp(min=0).long())[is_action])
    assert (packed[~is_action] < NO_LOGIT / 2).all()


def test_compiled(joint: JointLogits, parts: tuple[Tensor, Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    """As of float32: sums are rounded once, as they are written."""
    legal = legal_actions(joint)
    halves = [part.bfloat16().requires_grad_() for part in parts]
    wide = [half.detach().float().requires_grad_() for half in halves]
    compiled, expected = joint(*halves, legal), joint(*wide, legal)
    assert compiled.dtype == torch.float32
    torch.testing.assert_close(compiled, expected)
    gradient = torch.randn(legal.shape) * (legal != NO_ACTION)
    own = torch.autograd.grad(compiled, halves, gradient)
    for half, other in zip(own, torch.autograd.grad(expected, wide, gradient), strict=True):
        assert half.dtype == torch.bfloat16
        torch.testing.assert_close(half, other.bfloat16(), rtol=2**-7, atol=1e-5)

    monkeypatch.setattr(bfloat16, "is_served", lambda x: False)
    torch.testing.assert_close(joint(*halves, legal), compiled, rtol=0.05, atol=0.05)


def test_places_without_an_action_have_no_gradient(joint: JointLogits, parts: tuple[Tensor, Tensor]) -> None:
    legal = torch.full((BATCH, 2), NO_ACTION, dtype=torch.int16)
    legal[:, 0] = 0
    halves = [part.bfloat16().requires_grad_() for part in parts]
    first, all_ = (
        torch.autograd.grad(joint(*halves, legal), halves, gradient)
        for gradient in (torch.tensor([1.0, 0.0]).expand(BATCH, 2), torch.ones(BATCH, 2))
    )
    for own, other in zip(first, all_, strict=True):
        assert torch.equal(own, other)


def test_what_is_no_number_is_not_hidden(joint: JointLogits, parts: tuple[Tensor, Tensor]) -> None:
    """As far as what comes of it: the gradients of the source and of all keys that met it."""
    legal = legal_actions(joint)
    halves = [part.bfloat16().requires_grad_() for part in parts]
    gradient = torch.zeros(legal.shape)
    # All bits are 1, as PyTorch makes it; what bfloat16 has of that kind is half as long.
    gradient[3, 0] = torch.tensor(-1, dtype=torch.int32).view(torch.float32)
    assert gradient[3, 0].isnan()
    of_colour, of_context = torch.autograd.grad(joint(*halves, legal), halves, gradient)
    _, _, source = to_action(joint.variant, int(legal[3, 0]))
    of_source = of_context[3] if source == 0 else of_colour[source - 1, 3, -RANK:]
    assert of_source.isnan().all()
    assert of_colour[:, 3].isnan().sum() >= 1 + RANK
    assert not of_colour[:, :3].isnan().any()


def test_shapes_that_do_not_fit(joint: JointLogits, parts: tuple[Tensor, Tensor]) -> None:
    colour, context = parts
    legal = torch.zeros(BATCH + 1, 3, dtype=torch.int16)
    for wrong in ((colour[:, 1:], context, None), (colour[1:], context, None), (colour, context, legal)):
        with pytest.raises(ValueError, match=f"do not fit '{joint.variant.name}'"):
            joint(*wrong)
