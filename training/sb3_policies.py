"""The policies that MaskablePPO trains here, and how each becomes a `Policy` of the package."""

from typing import Any

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from lostcities_env.agents.policy import Policy
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant
from training.networks import ColourNet


class ColourPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy with `ColourNet` inside.

    Args:
        variant: what is played, as a dict.
        width: of the network.
        kwargs: as for any MaskablePPO policy.
    """

    def __init__(self, *args: Any, variant: dict[str, Any], width: int, **kwargs: Any) -> None:
        self._variant = Variant.from_dict(variant)
        self._width = width
        super().__init__(*args, **(kwargs | {"ortho_init": False}))

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor: Any = _ColourExtractor(self._variant, self._width)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        # The network gives the logits and the value; nothing is left for the usual last layers to do.
        self.action_net: Any = nn.Identity()
        self.value_net: Any = nn.Identity()
        make_optimizer: Any = self.optimizer_class
        self.optimizer = make_optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class _ColourExtractor(nn.Module):
    """`ColourNet` in the place of SB3's extractor: its latent of the policy are the logits."""

    def __init__(self, variant: Variant, width: int) -> None:
        super().__init__()
        self.net = ColourNet(variant, width)
        self.latent_dim_pi = variant.n_actions
        self.latent_dim_vf = 1

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = self.net.from_flat(features)
        return logits, values.unsqueeze(-1)

    def forward_actor(self, features: Tensor) -> Tensor:
        return self.forward(features)[0]

    def forward_critic(self, features: Tensor) -> Tensor:
        return self.forward(features)[1]


def to_policy(policy: MaskableActorCriticPolicy, match: Match, provenance: dict[str, Any]) -> Policy:
    """What plays as the SB3 policy does when it is deterministic, without SB3 or torch."""
    tensors = {name: tensor.detach().cpu().numpy().copy() for name, tensor in policy.state_dict().items()}
    if isinstance(policy, ColourPolicy):
        prefix = "mlp_extractor.net."
        own = {name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)}
        net = policy.mlp_extractor.net
        return Policy(match, "recall", "colour", {"width": net.width, "rank": net.rank}, own, provenance)
    return _mlp_policy(policy, tensors, match, provenance)


def _mlp_policy(
    policy: MaskableActorCriticPolicy,
    tensors: dict[str, np.ndarray],
    match: Match,
    provenance: dict[str, Any],
) -> Policy:
    layers = [f"mlp_extractor.policy_net.{i}" for i in range(0, len(policy.mlp_extractor.policy_net), 2)]
    own = {}
    for k, name in enumerate([*layers, "action_net"]):
        for part in ("weight", "bias"):
            own[f"layers.{k}.{part}"] = tensors[f"{name}.{part}"]
    hidden = [int(own[f"layers.{k}.weight"].shape[0]) for k in range(len(layers))]
    return Policy(match, "recall", "mlp", {"hidden": hidden, "activation": "relu"}, own, provenance)
