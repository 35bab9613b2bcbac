"""A pull of the policy towards an earlier average of itself."""

import copy

import torch
from torch import Tensor

from training.functions import log_probabilities
from training.networks import PolicyNet
from training.rollout import Samples


class Magnet:
    """An earlier average of the weights, which says what it would play; `kl_from_magnet` is the pull.

    A proximal point method: magnetic mirror descent, Sokota et al. (2023); regularised Nash dynamics,
    Perolat et al. (2022).

    Args:
        average: the averaged network, copied.
        every: updates after which the present average takes its place.
    """

    def __init__(self, average: PolicyNet, every: int) -> None:
        self.net = copy.deepcopy(average)
        self._every = every

    def follow(self, average: PolicyNet, updates: int) -> None:
        """Takes over the average if it is time to, after so many updates."""
        if updates % self._every == 0:
            self.net.load_state_dict(average.state_dict())

    def answer(self, rollout: Samples, size: int) -> None:
        """Notes what the magnet would play in a rollout, so many samples at a time."""
        inputs = (rollout.colours, rollout.globals_, rollout.legal)
        parts = zip(*(torch.split(each, size) for each in inputs), strict=True)
        with torch.no_grad():
            rollout.magnet = torch.cat([log_probabilities(self.net(*part)[0]) for part in parts])


def kl_from_magnet(samples: Samples, log_policy: Tensor) -> Tensor:
    """The mean KL divergence of the policy from the magnet; 0 without one.

    Args:
        samples: of a rollout that the magnet has answered, or has not.
        log_policy: (samples, places), the log-probabilities of the policy.
    """
    if samples.magnet is None:
        return torch.zeros((), device=log_policy.device)
    differences = log_policy - samples.magnet
    return (samples.weights * (log_policy.exp() * differences).sum(dim=-1)).mean()
