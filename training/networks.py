"""The networks in PyTorch; `lostcities_env.agents.networks` plays a policy in NumPy.

`ColourNet` and `MlpNet` play, and are called alike; each says what it sees (`encoder`) and how a policy file
holds it (`kind`, `shape`, `policy_tensors`).
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lostcities_env.agents.features import GLOBALS, Features, n_colour_features
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_size
from lostcities_env.rules.variant import Variant
from training.functions import affine, layer_and_pool
from training.joint_logits import NO_LOGIT, JointLogits
from training.legal import NO_ACTION
from training.privileged import n_privileged_features

Encoder = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From recall observations to what a network sees: (features of colours, of the position)."""


class ColourSharing(nn.Module):
    """Shared layers, and a value on top that swapping colours leaves as it is.

    The features of each colour go through the same layers, which twice also see a summary of all colours.
    """

    def __init__(self, n_features: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.colour_in = nn.Linear(n_features, width)
        self.global_in = nn.Linear(len(GLOBALS), width)
        self.context_1 = nn.Linear(2 * width, width)
        self.colour_1 = nn.Linear(width, width)
        self.colour_1_context = nn.Linear(width, width, bias=False)
        self.context_2 = nn.Linear(2 * width, width)
        self.colour_2 = nn.Linear(width, width)
        self.colour_2_context = nn.Linear(width, width, bias=False)
        self.value_hidden = nn.Linear(3 * width, width)
        self.value_out = _begin_at_zero(nn.Linear(width, 1))

    def layers(self, colours: Tensor, globals_: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What is known of each colour, the same pooled, and what is known of the position.

        Args:
            colours: (batch, n_colours, n_features).
            globals_: (batch, len(GLOBALS)).

        Returns:
            (n_colours, batch, width), (batch, 2 x width) and (batch, width).
        """
        colours = colours.transpose(0, 1).contiguous()
        x, pooled = layer_and_pool(self.colour_in, colours, affine(self.global_in, globals_))
        context = F.relu(affine(self.context_1, pooled))
        y = affine(self.colour_1_context, context)
        x, pooled = layer_and_pool(self.colour_1, x, y, residual=True)
        context = context + F.relu(affine(self.context_2, pooled))
        y = affine(self.colour_2_context, context)
        x, pooled = layer_and_pool(self.colour_2, x, y, residual=True)
        return x, pooled, context

    def value(self, pooled: Tensor, context: Tensor) -> Tensor:
        """Values (batch,) from what `layers` gave."""
        hidden = F.relu(affine(self.value_hidden, torch.cat([pooled, context], dim=-1)))
        return affine(self.value_out, hidden).squeeze(-1).float()


class ColourCritic(ColourSharing):
    """A value from all that a position holds, see `training.privileged`; it never plays."""

    def __init__(self, variant: Variant, width: int) -> None:
        super().__init__(n_colour_features(variant) + n_privileged_features(variant), width)

    def forward(self, colours: Tensor, globals_: Tensor, privileged: Tensor) -> Tensor:
        """Values (batch,).

        Args:
            colours: (batch, n_colours, n_colour_features).
            globals_: (batch, len(GLOBALS)).
            privileged: (batch, n_colours, n_privileged_features).
        """
        _, pooled, context = self.layers(torch.cat([colours, privileged], dim=-1), globals_)
        return self.value(pooled, context)


class ColourNet(ColourSharing):
    """A policy and a value shared across colours: swapping two colours swaps their logits, exactly.

    A turn is one joint action with factored logits: place(card, way) + source(deck or pile) + a low-rank
    interaction.
    """

    kind = "colour"

    def __init__(self, variant: Variant, width: int = 128, rank: int = 8) -> None:
        super().__init__(n_colour_features(variant), width)
        self.n_colours = variant.n_colours
        self.rank = rank
        self.joint_logits = JointLogits(variant, rank)
        self.colour_out = _begin_at_zero(nn.Linear(width, self.joint_logits.colour_size))
        self.context_out = _begin_at_zero(nn.Linear(width, self.joint_logits.context_size))

    def forward(
        self, colours: Tensor, globals_: Tensor, legal: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Logits, float32, of all actions (batch, n_actions) or of the legal ones, and values (batch,).

        Args:
            colours: (batch, n_colours, n_colour_features), in the type to compute in.
            globals_: (batch, len(GLOBALS)).
            legal: (batch, places), actions as `pack_legal` gives them; then so are the logits, with
                about `NO_LOGIT` where there is no action.
        """
        x, pooled, context = self.layers(colours, globals_)
        logits = self.joint_logits(affine(self.colour_out, x), affine(self.context_out, context), legal)
        return logits, self.value(pooled, context)

    @property
    def shape(self) -> dict[str, Any]:
        """The measures of the network in a policy file."""
        return {"width": self.width, "rank": self.rank}

    def policy_tensors(self) -> dict[str, np.ndarray]:
        """Copies of what a policy file holds; the value is among it."""
        return _arrays(self.state_dict())

    def encoder(self, match: Match) -> Encoder:
        """What turns observations into inputs."""
        return Features(match)

    def from_flat(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """`forward` of flattened features (batch, size), the globals last; see `Features.flat`."""
        colours, globals_ = features[:, : -len(GLOBALS)], features[:, -len(GLOBALS) :]
        logits, values = self(colours.reshape(len(colours), self.n_colours, -1), globals_)
        return logits, values


class MlpNet(nn.Module):
    """Plain fully connected layers on the observation as it is, to compare `ColourNet` with.

    The value has a hidden layer of its own on top of the shared ones, as in `ColourNet`.

    Args:
        match: what is played.
        hidden: widths of the hidden layers, at least one.
    """

    kind = "mlp"

    def __init__(self, match: Match, hidden: Sequence[int]) -> None:
        super().__init__()
        self.hidden = list(hidden)
        widths = [observation_size(match, "recall"), *hidden]
        self.layers = nn.ModuleList(map(nn.Linear, widths[:-1], widths[1:]))
        self.layers.append(_begin_at_zero(nn.Linear(widths[-1], match.variant.n_actions)))
        self.value_hidden = nn.Linear(widths[-1], widths[-1])
        self.value_out = _begin_at_zero(nn.Linear(widths[-1], 1))

    def forward(
        self, colours: Tensor, globals_: Tensor, legal: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As of `ColourNet`, but for the inputs.

        Args:
            colours: (batch, observation_size), the recall observations, in the type to compute in.
            globals_: (batch, 0).
            legal: see `ColourNet.forward`.
        """
        *hidden, last = cast("list[nn.Linear]", list(self.layers))
        x = colours
        for layer in hidden:
            x = F.relu(affine(layer, x))
        logits = affine(last, x).float()
        value = affine(self.value_out, F.relu(affine(self.value_hidden, x))).squeeze(-1).float()
        if legal is None:
            return logits, value
        return logits.gather(1, legal.clamp(min=0).long()).masked_fill(legal == NO_ACTION, NO_LOGIT), value

    @property
    def shape(self) -> dict[str, Any]:
        """The measures of the network in a policy file."""
        return {"hidden": self.hidden, "activation": "relu"}

    def policy_tensors(self) -> dict[str, np.ndarray]:
        """Copies of what a policy file holds; the value is among it."""
        return _arrays(self.state_dict())

    def encoder(self, match: Match) -> Encoder:
        """What turns observations into inputs: nothing does."""
        return lambda observations: (observations, np.empty((len(observations), 0), np.float32))


PolicyNet = ColourNet | MlpNet
"""What can be trained to play."""


def _arrays(tensors: dict[str, Tensor]) -> dict[str, np.ndarray]:
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}


def _begin_at_zero(layer: nn.Linear) -> nn.Linear:
    nn.init.normal_(layer.weight, std=0.01)
    nn.init.zeros_(layer.bias)
    return layer
