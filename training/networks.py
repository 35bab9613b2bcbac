"""The colour-sharing networks in PyTorch; `lostcities_env.agents.networks` plays a policy in NumPy."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lostcities_env.agents.features import GLOBALS, n_colour_features
from lostcities_env.rules.variant import Variant
from training.privileged import n_privileged_features


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

    def layers(self, colours: Tensor, globals_: Tensor) -> tuple[Tensor, Tensor]:
        """What is known of each colour (batch, n_colours, width), and of the position (batch, width).

        Args:
            colours: (batch, n_colours, n_features).
            globals_: (batch, len(GLOBALS)).
        """
        x = F.relu(self.colour_in(colours) + self.global_in(globals_).unsqueeze(1))
        context = F.relu(self.context_1(_pool(x)))
        x = x + F.relu(self.colour_1(x) + self.colour_1_context(context).unsqueeze(1))
        context = context + F.relu(self.context_2(_pool(x)))
        x = x + F.relu(self.colour_2(x) + self.colour_2_context(context).unsqueeze(1))
        return x, context

    def value(self, x: Tensor, context: Tensor) -> Tensor:
        """Values (batch,) from what `layers` gave."""
        hidden = F.relu(self.value_hidden(torch.cat([_pool(x), context], dim=-1)))
        values: Tensor = self.value_out(hidden)
        return values.squeeze(-1)


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
        return self.value(*self.layers(torch.cat([colours, privileged], dim=-1), globals_))


class ColourNet(ColourSharing):
    """A policy and a value shared across colours: swapping two colours swaps their logits, exactly.

    A turn is one joint action with factored logits: place(card, way) + source(deck or pile) + a low-rank
    interaction.
    """

    def __init__(self, variant: Variant, width: int = 128, rank: int = 8) -> None:
        super().__init__(n_colour_features(variant), width)
        self.n_colours = variant.n_colours
        self.n_ranks = variant.n_ranks
        self.rank = rank
        self.colour_out = _begin_at_zero(nn.Linear(width, 2 * self.n_ranks + 1 + 3 * rank))
        self.context_out = _begin_at_zero(nn.Linear(width, 1 + rank))

    def forward(self, colours: Tensor, globals_: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (batch, n_actions) and values (batch,).

        Args:
            colours: (batch, n_colours, n_colour_features).
            globals_: (batch, len(GLOBALS)).
        """
        x, context = self.layers(colours, globals_)
        return self._joint(self.colour_out(x), self.context_out(context)), self.value(x, context)

    def from_flat(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """`forward` of flattened features (batch, size), the globals last; see `Features.flat`."""
        colours, globals_ = features[:, : -len(GLOBALS)], features[:, -len(GLOBALS) :]
        logits, values = self(colours.reshape(len(colours), self.n_colours, -1), globals_)
        return logits, values

    def _joint(self, colour: Tensor, context: Tensor) -> Tensor:
        n, c, _ = colour.shape
        r, k = self.n_ranks, self.rank
        place, pile, way_keys, pile_key = torch.split(colour, [2 * r, 1, 2 * k, k], dim=-1)
        source = torch.cat([context[:, :1], pile.squeeze(-1)], dim=1)
        source_key = torch.cat([context[:, None, 1:], pile_key], dim=1)
        interaction = way_keys.reshape(n, 2 * c, k) @ source_key.transpose(1, 2)
        joint = place.reshape(n, c, r, 2, 1) + interaction.reshape(n, c, 1, 2, c + 1)
        return (joint + source[:, None, None, None, :]).flatten(1)


def _begin_at_zero(layer: nn.Linear) -> nn.Linear:
    nn.init.normal_(layer.weight, std=0.01)
    nn.init.zeros_(layer.bias)
    return layer


def _pool(x: Tensor) -> Tensor:
    return torch.cat([x.mean(dim=1), x.amax(dim=1)], dim=-1)
