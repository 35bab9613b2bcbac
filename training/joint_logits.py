"""Logits of a turn's actions from their parts: place(card, way) + source(deck or pile) + an interaction.

A way is a colour and whether a card of it is played or discarded. The interaction of a way and a source is
the product of their keys. All but the logit and the key of the deck comes from a colour, so swapping two
colours swaps the logits and does nothing else.
"""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from lostcities_env.rules.actions import decode_action
from lostcities_env.rules.compiled import kernel
from lostcities_env.rules.variant import Variant
from training import bfloat16
from training.bfloat16 import ZERO, narrow_any, widen
from training.legal import NO_ACTION

NO_LOGIT = -1e9
"""Of a place without an action: its probability is 0, and so is its gradient."""


class JointLogits(nn.Module):
    """Puts logits together; it has nothing to learn.

    Args:
        variant: of the game.
        rank: length of the keys.

    Attributes:
        variant: of the game.
        colour_size: how many numbers of each colour it takes: the logits of (rank, way) and of the pile, the
            keys of two ways and of the pile.
        context_size: how many of the position: the logit and the key of the deck.
    """

    def __init__(self, variant: Variant, rank: int) -> None:
        super().__init__()
        self.variant = variant
        self._n_ranks, self._rank = variant.n_ranks, rank
        self.colour_size = 2 * variant.n_ranks + 1 + 3 * rank
        self.context_size = 1 + rank
        card, to, source = np.array(
            [decode_action(action, variant.n_colours) for action in range(variant.n_actions)], dtype=np.int64
        ).T
        colour, rank_of_card = np.divmod(card, variant.n_ranks)
        way = 2 * colour + to
        self._actions = np.stack([colour, 2 * rank_of_card + to, way, source], axis=1)
        # Where the parts of an action's logit are; last comes `NO_ACTION`, whose place has one of its own.
        self._place: Tensor
        self._source: Tensor
        self._pair: Tensor
        for name, parts, nowhere in (
            ("_place", 2 * card + to, 2 * variant.n_colours * variant.n_ranks),
            ("_source", source, 0),
            ("_pair", way * (variant.n_colours + 1) + source, 0),
        ):
            self.register_buffer(name, torch.from_numpy(np.append(parts, nowhere)), persistent=False)

    def forward(self, colour: Tensor, context: Tensor, legal: Tensor | None = None) -> Tensor:
        """Logits, float32, of all actions (batch, n_actions) or of the legal ones (batch, places).

        Args:
            colour: (n_colours, batch, colour_size).
            context: (batch, context_size).
            legal: int16 (batch, places), actions as `pack_legal` gives them; the logit is about `NO_LOGIT`
                where there is none.

        Raises:
            ValueError: if the shapes do not fit.
        """
        wanted = (self.variant.n_colours, len(context), self.colour_size), (len(context), self.context_size)
        if (colour.shape, context.shape) != wanted or (legal is not None and len(legal) != len(context)):
            raise ValueError(
                f"colour {tuple(colour.shape)}, context {tuple(context.shape)} and legal "
                f"{None if legal is None else tuple(legal.shape)} do not fit {self.variant.name!r}"
            )
        if legal is None:
            place, source, pair = self._parts(colour, context)
            return place[:, self._place[:-1]] + source[:, self._source[:-1]] + pair[:, self._pair[:-1]]
        if bfloat16.is_served(colour):
            logits: Tensor = _Packed.apply(colour, context, legal, self._actions, self._n_ranks)  # type: ignore[no-untyped-call]
            return logits
        place, source, pair = self._parts(colour, context)
        place = F.pad(place, (0, 1), value=NO_LOGIT)
        actions = legal.int().flatten()
        actions = torch.where(actions == NO_ACTION, len(self._place) - 1, actions)

        def of_each(part: Tensor, where: Tensor) -> Tensor:
            return part.gather(1, where.index_select(0, actions).view(legal.shape))

        return of_each(place, self._place) + of_each(source, self._source) + of_each(pair, self._pair)

    def _parts(self, colour: Tensor, context: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of (card, way), of sources, and of pairs (way, source), each (batch, ...), flat."""
        r, k = self._n_ranks, self._rank
        colour = colour.transpose(0, 1)
        place, pile, way_keys, pile_key = torch.split(colour, [2 * r, 1, 2 * k, k], dim=-1)
        source = torch.cat([context[:, :1], pile.squeeze(-1)], dim=1)
        source_key = torch.cat([context[:, None, 1:], pile_key], dim=1)
        pair = way_keys.reshape(-1, 2 * self.variant.n_colours, k) @ source_key.transpose(1, 2)
        return place.flatten(1).float(), source.float(), pair.flatten(1).float()


class _Packed(torch.autograd.Function):
    """Of legal actions, compiled; a place without one has no gradient, whatever is asked."""

    @staticmethod
    def forward(
        ctx: Any, colour: Tensor, context: Tensor, legal: Tensor, actions: np.ndarray, n_ranks: int
    ) -> Tensor:
        ctx.save_for_backward(colour, context, legal)
        ctx.rest = (actions, n_ranks)
        logits = torch.empty(legal.shape, dtype=torch.float32)
        write_logits(
            bfloat16.halves(colour),
            bfloat16.halves(context),
            legal.numpy(),
            actions,
            n_ranks,
            logits.numpy(),
        )
        return logits

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        colour, context, legal = ctx.saved_tensors
        actions, n_ranks = ctx.rest
        of_colour, of_context = colour.new_empty(colour.shape), context.new_empty(context.shape)
        write_logits_gradients(
            gradient.numpy(),
            bfloat16.halves(colour),
            bfloat16.halves(context),
            legal.numpy(),
            actions,
            n_ranks,
            bfloat16.halves(of_colour),
            bfloat16.halves(of_context),
        )
        return of_colour, of_context, None, None, None


@kernel
def write_logits(
    colour: np.ndarray,
    context: np.ndarray,
    legal: np.ndarray,
    actions: np.ndarray,
    n_ranks: int,
    logits: np.ndarray,
) -> None:
    """Writes the logits of legal actions, see `JointLogits`.

    Args:
        colour, context: bfloat16 as uint16.
        legal: see `JointLogits.forward`.
        actions: int64 (n_actions, 4): the colour of the card, its place in that colour's logits, the way, the
            source.
        n_ranks: of cards.
        logits: float32 (batch, places), written.
    """
    n_colours, batch, _ = colour.shape
    rank = context.shape[1] - 1
    source = np.empty(n_colours + 1, np.float32)
    key_of_way = np.empty((2 * n_colours, rank), np.float32)
    key_of_source = np.empty((n_colours + 1, rank), np.float32)
    pair = np.empty((2 * n_colours, n_colours + 1), np.float32)
    done = np.full(pair.shape, -1, np.int64)  # the row that a pair was last computed for: few are legal
    for b in range(batch):
        source[0] = widen(context[b, 0])
        for c in range(n_colours):
            source[1 + c] = widen(colour[c, b, 2 * n_ranks])
        _read_keys(colour, context, b, n_ranks, key_of_way, key_of_source)
        count = 0
        while count < legal.shape[1] and legal[b, count] != NO_ACTION:
            action = legal[b, count]
            c, place, w, s = (
                actions[action, 0],
                actions[action, 1],
                actions[action, 2],
                actions[action, 3],
            )
            if done[w, s] != b:
                done[w, s] = b
                product = ZERO
                for k in range(rank):
                    product += key_of_way[w, k] * key_of_source[s, k]
                pair[w, s] = source[s] + product
            logits[b, count] = widen(colour[c, b, place]) + pair[w, s]
            count += 1
        for p in range(count, legal.shape[1]):
            logits[b, p] = NO_LOGIT


@kernel
def write_logits_gradients(
    gradient: np.ndarray,
    colour: np.ndarray,
    context: np.ndarray,
    legal: np.ndarray,
    actions: np.ndarray,
    n_ranks: int,
    of_colour: np.ndarray,
    of_context: np.ndarray,
) -> None:
    """Writes the gradients of `write_logits`, given that of the logits; arguments as there."""
    n_colours, batch, _ = colour.shape
    rank = context.shape[1] - 1
    keys = 2 * n_ranks + 1
    key_of_way = np.empty((2 * n_colours, rank), np.float32)
    key_of_source = np.empty((n_colours + 1, rank), np.float32)
    of_place = np.zeros((n_colours, 2 * n_ranks), np.float32)
    of_source = np.zeros(n_colours + 1, np.float32)
    of_pair = np.zeros((2 * n_colours, n_colours + 1), np.float32)
    of_key_of_way = np.zeros((2 * n_colours, rank), np.float32)
    of_key_of_source = np.zeros((n_colours + 1, rank), np.float32)
    for b in range(batch):
        count = 0
        while count < legal.shape[1] and legal[b, count] != NO_ACTION:
            action = legal[b, count]
            of_place[actions[action, 0], actions[action, 1]] += gradient[b, count]
            of_pair[actions[action, 2], actions[action, 3]] += gradient[b, count]
            count += 1
        _read_keys(colour, context, b, n_ranks, key_of_way, key_of_source)
        for w in range(2 * n_colours):
            for s in range(n_colours + 1):
                of_this = of_pair[w, s]
                if of_this != ZERO:
                    of_source[s] += of_this
                    for k in range(rank):
                        of_key_of_way[w, k] += of_this * key_of_source[s, k]
                    for k in range(rank):
                        of_key_of_source[s, k] += of_this * key_of_way[w, k]
                    of_pair[w, s] = ZERO
        of_context[b, 0] = narrow_any(of_source[0])
        for k in range(rank):
            of_context[b, 1 + k] = narrow_any(of_key_of_source[0, k])
        for c in range(n_colours):
            for k in range(2 * n_ranks):
                of_colour[c, b, k] = narrow_any(of_place[c, k])
            of_colour[c, b, keys - 1] = narrow_any(of_source[1 + c])
            for k in range(rank):
                of_colour[c, b, keys + k] = narrow_any(of_key_of_way[2 * c, k])
            for k in range(rank):
                of_colour[c, b, keys + rank + k] = narrow_any(of_key_of_way[2 * c + 1, k])
            for k in range(rank):
                of_colour[c, b, keys + 2 * rank + k] = narrow_any(of_key_of_source[1 + c, k])
        of_place[:] = of_source[:] = of_key_of_way[:] = of_key_of_source[:] = ZERO


@kernel
def _read_keys(
    colour: np.ndarray,
    context: np.ndarray,
    b: int,
    n_ranks: int,
    key_of_way: np.ndarray,
    key_of_source: np.ndarray,
) -> None:
    """Writes the keys of row `b`: (ways, rank) and (sources, rank)."""
    rank = context.shape[1] - 1
    first = 2 * n_ranks + 1
    for k in range(rank):
        key_of_source[0, k] = widen(context[b, 1 + k])
    for c in range(colour.shape[0]):
        for k in range(rank):
            key_of_way[2 * c, k] = widen(colour[c, b, first + k])
        for k in range(rank):
            key_of_way[2 * c + 1, k] = widen(colour[c, b, first + rank + k])
        for k in range(rank):
            key_of_source[1 + c, k] = widen(colour[c, b, first + 2 * rank + k])
