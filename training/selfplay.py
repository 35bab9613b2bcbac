"""Self-play: games stepped by the current network, some against a past one, as arrays to learn from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from lostcities_env.agents.base import Agent
from lostcities_env.envs.batch import BatchGames
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant
from training.kernels import advantages, pack_legal, sample_packed
from training.networks import Encoder
from training.privileged import n_privileged_features, write_privileged

MAX_LEGAL = 128
"""Places for legal actions: a hand of eight has at most 8 x (6 + 5), or 8 x (7 + 6) with six colours."""


class Net(Protocol):
    """What plays: (features of colours, of the position, legal actions) -> (their logits, values)."""

    def __call__(self, colours: Tensor, globals_: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """See `ColourNet.forward`."""
        ...


class Critic(Protocol):
    """What judges positions: (features of colours, of the position, privileged ones) -> values."""

    def __call__(self, colours: Tensor, globals_: Tensor, privileged: Tensor) -> Tensor:
        """See `ColourCritic.forward`."""
        ...


@dataclass
class Rollout:
    """Turns of self-play, flattened to (samples, ...).

    Attributes:
        colours, globals_: in the type to compute in, as the network's encoder gives them.
        privileged: likewise, see `training.privileged`; without samples if no critic asks for them.
        legal: int16 (samples, places), see `pack_legal`.
        places: int64 (samples,), the place in `legal` of the action taken.
        log_probabilities: float32 (samples,), of that action when it was taken.
        advantages, returns: float32 (samples,), the mover's.
        decks: int64 (samples,), cards left in the deck.
        magnet: float32 (samples, places), log-probabilities of `legal` under the policy that pulls the
            learner towards itself; None without one.
        weights: float32 (samples,), 1 for the learner's turns, 0 for those of a past self.
    """

    colours: Tensor
    globals_: Tensor
    privileged: Tensor
    legal: Tensor
    places: Tensor
    log_probabilities: Tensor
    advantages: Tensor
    returns: Tensor
    decks: Tensor
    weights: Tensor
    magnet: Tensor | None = None


class Shard:
    """A number of games with generators of their own; any process can play it with the same result.

    Args:
        match: what is played.
        games: how many games.
        turns: turns of each game in a rollout.
        seed: of the games and of all random choices.
        past_games: how many of the games are against a past self, from alternate seats.
        opponents: agents that are played against in turn, in `opponent_games` further games.
        encoder: makes what turns observations of a match into the networks' inputs.
        reward_scale: the change of the score margin is multiplied by this.
        win_reward: for having more points at the end of a game; less for fewer.
        privileged: whether to keep what a privileged critic sees.
        device, dtype: where and in what type the networks take their inputs.
    """

    def __init__(
        self,
        match: Match,
        games: int,
        turns: int,
        seed: int,
        *,
        past_games: int,
        opponents: Sequence[Agent] = (),
        opponent_games: int = 0,
        encoder: Callable[[Match], Encoder],
        reward_scale: float,
        win_reward: float = 0.0,
        privileged: bool,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.generator = np.random.default_rng(seed)
        self.words = self.generator.integers(1, 2**63, 4).astype(np.uint64)
        self.match = match
        self._encoder = encoder
        self._deal(match.variant, games)
        self._reward_scale = reward_scale
        self._win_reward = win_reward
        self._device = device
        self._dtype = dtype
        self._learner_seats = np.arange(games) % 2
        self._past = np.arange(past_games)
        rest = np.arange(past_games, past_games + opponent_games)
        self._opponents = [(agent, rest[k :: len(opponents)]) for k, agent in enumerate(opponents)]
        for _, rows in self._opponents:
            self._learner_seats[rows] = np.arange(len(rows)) % 2
        self.scores: list[float] = []
        self.lengths: list[float] = []
        shape = (turns, games)
        colours, globals_ = self._features(self.games.observations)
        self._colours = np.empty((turns, *colours.shape), np.float32)
        self._globals = np.empty((turns, *globals_.shape), np.float32)
        kept = shape if privileged else (0, games)
        planes = (match.variant.n_colours, n_privileged_features(match.variant))
        self._privileged = np.empty((*kept, *planes), np.float32)
        self._legal = np.empty((*shape, MAX_LEGAL), np.int16)
        self._places = np.empty(shape, np.int64)
        self._log_probabilities = np.empty(shape, np.float32)
        self._values = np.empty(shape, np.float32)
        self._rewards = np.empty(shape, np.float32)
        self._ended = np.empty(shape, np.bool_)
        self._movers = np.empty(shape, np.int8)
        self._weights = np.empty(shape, np.float32)
        self._decks = np.zeros(shape, np.int64)
        self._advantages = np.empty(shape, np.float32)

    def _deal(self, variant: Variant, num_games: int) -> None:
        first = int(self.generator.integers(2**62))
        self.variant = variant
        self.games = BatchGames(
            num_games, variant, first, rounds=self.match.rounds, tie=self.match.tie, reward="dense"
        )
        self._features = self._encoder(replace(self.match, variant=variant))

    def play_at_cost(self, expedition_cost: int) -> None:
        """Deals all games anew if an expedition costs something else from now on."""
        if self.variant.expedition_cost != expedition_cost:
            self._deal(replace(self.match.variant, expedition_cost=expedition_cost), self.games.num_games)

    def collect(self, net: Net, past: Net | None, critic: Critic | None, gae_lambda: float) -> Rollout:
        """Plays a rollout with `net`; `past` and the opponents are on the other side of their games.

        Values are the critic's, or those of `net` without one.
        """
        games = self.games
        rows = np.arange(games.num_games)
        for t in range(len(self._rewards)):
            colours, globals_ = self._features(games.observations)
            most = pack_legal(games.action_masks, self._legal[t])
            legal = self._legal[t, :, :most]
            logits, values = self._ask(net, colours, globals_, legal)
            self._weights[t] = 1.0
            if past is not None:
                theirs = self._to_move(self._past)
                logits[theirs] = self._ask(past, colours[theirs], globals_[theirs], legal[theirs])[0]
                self._weights[t, theirs] = 0.0
            sample_packed(logits, legal, self.words, self._places[t], self._log_probabilities[t])
            for agent, rows_of_agent in self._opponents:
                theirs = self._to_move(rows_of_agent)
                choices = agent.act(games.observations[theirs], games.action_masks[theirs])
                self._places[t, theirs] = (legal[theirs] == choices[:, None]).argmax(axis=1)
                self._weights[t, theirs] = 0.0
            if critic is not None:
                write_privileged(games.states, self._privileged[t])
                (values,) = self._ask(critic, colours, globals_, self._privileged[t])
            self._colours[t], self._globals[t], self._values[t] = colours, globals_, values
            self._movers[t] = games.movers
            self._decks[t] = games.states["n_cards"] - games.states["deck_next"]
            turns = games.states["turn"] + 1
            self._step(t, self._legal[t][rows, self._places[t]])
            if games.terminated.any():
                self.scores += games.final_scores[games.terminated].mean(axis=1).tolist()
                self.lengths += turns[games.terminated].tolist()
        self._estimate(net, critic, gae_lambda)
        return self._rollout()

    def _step(self, t: int, actions: np.ndarray) -> None:
        """Takes turn `t` of the rollout; notes what it gave the mover, and which games it ended."""
        games, movers = self.games, self._movers[t]
        games.step(actions)
        self._rewards[t] = games.rewards[np.arange(len(movers)), movers] * self._reward_scale
        self._ended[t] = games.terminated
        if self._win_reward and games.terminated.any():
            ended = np.flatnonzero(games.terminated)
            points = games.final_scores[ended]
            sides = movers[ended]
            outcome = np.sign(points[np.arange(len(ended)), sides] - points[np.arange(len(ended)), 1 - sides])
            self._rewards[t, ended] += self._win_reward * outcome

    def _to_move(self, rows: np.ndarray) -> np.ndarray:
        """Those of the games in which the learner's opponent is to move."""
        return rows[self.games.movers[rows] != self._learner_seats[rows]]

    def imitate(self, agent: Agent, noise: float, net: Net, critic: Critic | None) -> Rollout:
        """Plays a rollout with an agent, a share `noise` of the turns at random; keeps the agent's choices.

        The returns are the margin still to come, completed by the value of the last position.
        """
        games = self.games
        self._values[:] = 0.0
        self._weights[:] = 1.0
        self._log_probabilities[:] = 0.0
        for t in range(len(self._rewards)):
            self._colours[t], self._globals[t] = self._features(games.observations)
            if critic is not None:
                write_privileged(games.states, self._privileged[t])
            choices = agent.act(games.observations, games.action_masks)
            pack_legal(games.action_masks, self._legal[t])
            self._places[t] = (self._legal[t] == choices[:, None]).argmax(axis=1)
            self._movers[t] = games.movers
            strays = self.generator.random(games.num_games) < noise
            self._step(t, np.where(strays, games.sample_actions(), choices))
        self._estimate(net, critic, 1.0)
        return self._rollout()

    def _estimate(self, net: Net, critic: Critic | None, gae_lambda: float) -> None:
        """Advantages of the turns played, from what they gave and the value of the positions after them."""
        colours, globals_ = self._features(self.games.observations)
        if critic is None:
            legal = np.empty_like(self._legal[0])
            pack_legal(self.games.action_masks, legal)
            _, last = self._ask(net, colours, globals_, legal)
        else:
            privileged = np.empty(self._privileged.shape[1:], np.float32)
            write_privileged(self.games.states, privileged)
            (last,) = self._ask(critic, colours, globals_, privileged)
        advantages(
            self._rewards,
            self._values,
            self._movers,
            self._ended,
            last,
            self.games.movers,
            gae_lambda,
            self._advantages,
        )

    def _ask(self, net: Net | Critic, *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
        """What a network makes of arrays."""
        with torch.no_grad():
            outputs = net(*map(self._tensor, inputs))
        tensors = outputs if isinstance(outputs, tuple) else (outputs,)
        return tuple(tensor.cpu().numpy() for tensor in tensors)

    def _tensor(self, array: np.ndarray) -> Tensor:
        tensor = torch.from_numpy(array).to(self._device)
        return tensor.to(self._dtype) if tensor.is_floating_point() else tensor

    def _rollout(self) -> Rollout:
        def flat(array: np.ndarray) -> Tensor:
            samples = array.shape[0] * array.shape[1]  # of nothing, -1 would not do
            return torch.from_numpy(array.reshape(samples, *array.shape[2:])).to(self._device)

        return Rollout(
            colours=flat(self._colours).to(self._dtype),
            globals_=flat(self._globals).to(self._dtype),
            privileged=flat(self._privileged).to(self._dtype),
            legal=flat(self._legal),
            places=flat(self._places),
            log_probabilities=flat(self._log_probabilities),
            advantages=flat(self._advantages),
            returns=flat(self._advantages + self._values),
            decks=flat(self._decks),
            weights=flat(self._weights),
        )

    def get_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """A snapshot for `set_state`: arrays, and JSON's types."""
        arrays = {f"games.{name}": array for name, array in self.games.get_state().items()}
        arrays["games.states"] = arrays["games.states"].view(np.uint8)
        arrays["words"] = self.words.copy()
        return arrays, {"generator": self.generator.bit_generator.state}

    def set_state(self, arrays: dict[str, np.ndarray], state: dict[str, Any]) -> None:
        """Goes back to a snapshot of a shard like this one."""
        prefix = "games."
        games = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
        games["states"] = games["states"].view(self.games.states.dtype)
        self.play_at_cost(int(games["states"]["expedition_cost"][0]))
        self.games.set_state(games)
        self.words[:] = arrays["words"]
        self.generator.bit_generator.state = state["generator"]


def minibatches(
    shards: Sequence[Shard], rollouts: Sequence[Rollout], size: int
) -> "list[list[tuple[Rollout, Tensor]]]":
    """One pass over the rollouts in random order: lists of (rollout, indices), `size` samples a shard."""
    orders = []
    for shard, rollout in zip(shards, rollouts, strict=True):
        order = shard.generator.permutation(len(rollout.places))
        orders.append(torch.from_numpy(order).to(rollout.places.device))
    steps = len(orders[0]) // size
    return [
        [(rollout, order[k * size : (k + 1) * size]) for rollout, order in zip(rollouts, orders, strict=True)]
        for k in range(steps)
    ]
