"""Self-play: games stepped by the current network, some against a past one or a named agent."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from lostcities_env.agents.base import Agent
from lostcities_env.envs.batch import BatchGames
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import Variant
from training.legal import MAX_LEGAL, pack_legal
from training.networks import Encoder
from training.privileged import n_privileged_features, write_privileged
from training.rollout import Memory, Rollout
from training.sampling import draw_units, sample


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
        last_round_games: how many of the games, the last ones, are the last round of a match and no more.
            Games of past selves and opponents come first, so that these are games against itself as long as
            there are any.
        last_round_spread: standard deviation of the margin with which they begin: those of the rounds before,
            normally distributed around 0, add up to it.
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
        last_round_games: int = 0,
        last_round_spread: float = 0.0,
        privileged: bool,
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.generator = np.random.default_rng(seed)
        self.words = self.generator.integers(1, 2**63, 4).astype(np.uint64)
        self.match = match
        self._encoder = encoder
        self._last_rounds = np.arange(games) >= games - last_round_games
        self._last_round_spread = last_round_spread
        self._deal(match.variant, games)
        self._reward_scale = reward_scale
        self._win_reward = win_reward
        self._learner_seats = np.arange(games) % 2
        self._past = np.arange(past_games)
        rest = np.arange(past_games, past_games + opponent_games)
        self._opponents = [(agent, rest[k :: len(opponents)]) for k, agent in enumerate(opponents)]
        for _, rows in self._opponents:
            self._learner_seats[rows] = np.arange(len(rows)) % 2
        self.scores: list[float] = []
        self.lengths: list[float] = []
        colours, globals_ = self._features(self.games.observations)
        planes = (match.variant.n_colours, n_privileged_features(match.variant) if privileged else 0)
        self._hidden = np.zeros((games, *planes), np.float32)
        self._legal = np.empty((games, MAX_LEGAL), np.int16)
        self._units = np.empty(games)
        self._memory = Memory(
            turns,
            games,
            colours=colours.shape[1:],
            globals_=globals_.shape[1:],
            privileged=planes,
            device=device,
            dtype=dtype,
        )

    def _deal(self, variant: Variant, num_games: int) -> None:
        first = int(self.generator.integers(2**62))
        self.variant = variant
        self.games = BatchGames(
            num_games, variant, first, rounds=self.match.rounds, tie=self.match.tie, reward="dense"
        )
        self._features = self._encoder(replace(self.match, variant=variant))
        self._skip_to_last_round(self._last_rounds)

    def _skip_to_last_round(self, begun: np.ndarray) -> None:
        """Lets those of the games that have just begun, a mask, be last rounds entered with a margin."""
        games = np.flatnonzero(begun & self._last_rounds)
        if games.size:
            rounds = self.match.rounds - 1
            spread = self._last_round_spread / rounds**0.5
            margins = np.rint(self.generator.normal(0.0, spread, (games.size, rounds))).astype(np.int64)
            scores = np.stack([margins, -margins], axis=2)
            self.games.skip_to_last_round(games, scores.clip(0, self.match.variant.round_score_range[1]))

    def play_at_cost(self, expedition_cost: int) -> None:
        """Deals all games anew if an expedition costs something else from now on."""
        if self.variant.expedition_cost != expedition_cost:
            self._deal(replace(self.match.variant, expedition_cost=expedition_cost), self.games.num_games)

    def collect(self, net: Net, past: Net | None, critic: Critic | None, gae_lambda: float) -> Rollout:
        """Plays a rollout with `net`; `past` and the opponents are on the other side of their games.

        Values are the critic's, or those of `net` without one.
        """
        games, memory = self.games, self._memory
        rows = np.arange(games.num_games)
        for t in range(len(memory)):
            legal = self._look(t)
            logits, memory.values[t] = self._answer(net, critic, t, legal)
            memory.weights[t] = 1.0
            if past is not None:
                theirs = self._to_move(self._past)
                index = memory.to_device(theirs)
                logits[index] = self._choose(past, t, legal, index)
                memory.weights[t, theirs] = 0.0
            draw_units(self.words, self._units)
            sample(logits, legal, self._units, memory.places[t], memory.log_probabilities[t])
            actions = self._legal[rows, memory.places[t].cpu().numpy()]
            for agent, rows_of_agent in self._opponents:
                theirs = self._to_move(rows_of_agent)
                actions[theirs] = agent.act(games.observations[theirs], games.action_masks[theirs])
                memory.weights[t, theirs] = 0.0
            turns = games.states["turn"] + 1
            self._step(t, actions)
            if games.terminated.any():
                whole = games.terminated & ~self._last_rounds  # the others did not make all their points
                self.scores += games.final_scores[whole].mean(axis=1).tolist()
                self.lengths += turns[games.terminated].tolist()
        return self._finish(net, critic, gae_lambda)

    def imitate(self, agent: Agent, noise: float, net: Net, critic: Critic | None) -> Rollout:
        """Plays a rollout with an agent, a share `noise` of the turns at random; keeps the agent's choices.

        The returns are the margin still to come, completed by the value of the last position.
        """
        games, memory = self.games, self._memory
        memory.values[:] = 0.0
        memory.weights[:] = 1.0
        memory.log_probabilities[:] = 0.0
        for t in range(len(memory)):
            self._look(t)
            choices = agent.act(games.observations, games.action_masks)
            memory.places[t] = memory.to_device((self._legal == choices[:, None]).argmax(axis=1))
            strays = self.generator.random(games.num_games) < noise
            self._step(t, np.where(strays, games.sample_actions(), choices))
        return self._finish(net, critic, 1.0)

    def _look(self, t: int) -> Tensor:
        """Notes what the networks see of the positions; returns the legal actions, in as few places."""
        games, memory = self.games, self._memory
        colours, globals_ = self._features(games.observations)
        memory.colours[t].copy_(torch.from_numpy(colours))
        memory.globals_[t].copy_(torch.from_numpy(globals_))
        if self._hidden.size:
            write_privileged(games.states, self._hidden)
            memory.privileged[t].copy_(torch.from_numpy(self._hidden))
        pack_legal(games.action_masks, self._legal, memory.counts[t])
        memory.legal[t].copy_(torch.from_numpy(self._legal))
        return memory.legal[t, :, : memory.counts[t].max()]

    def _answer(self, net: Net, critic: Critic | None, t: int, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of `net`, and the values that count, of the positions of row t."""
        memory = self._memory
        colours, globals_ = memory.colours[t], memory.globals_[t]
        with torch.no_grad():
            logits, values = net(colours, globals_, legal)
            if critic is not None:
                values = critic(colours, globals_, memory.privileged[t])
        return logits, values

    def _choose(self, net: Net, t: int, legal: Tensor, index: Tensor) -> Tensor:
        """Logits of `net` in some of the games."""
        memory = self._memory
        with torch.no_grad():
            logits, _ = net(memory.colours[t, index], memory.globals_[t, index], legal[index])
        return logits

    def _to_move(self, rows: np.ndarray) -> np.ndarray:
        """Those of the games in which the learner's opponent is to move."""
        return rows[self.games.movers[rows] != self._learner_seats[rows]]

    def _step(self, t: int, actions: np.ndarray) -> None:
        """Takes turn `t` of the rollout; notes whose it is, what it gives, and which games it ends."""
        games, memory = self.games, self._memory
        memory.movers[t] = movers = games.movers.copy()
        memory.decks[t] = games.states["n_cards"] - games.states["deck_next"]
        games.step(actions)
        memory.rewards[t] = games.rewards[np.arange(len(movers)), movers] * self._reward_scale
        memory.ended[t] = games.terminated
        if self._win_reward and games.terminated.any():
            ended = np.flatnonzero(games.terminated)
            points, sides = games.final_scores[ended], movers[ended]
            own, other = points[np.arange(len(ended)), sides], points[np.arange(len(ended)), 1 - sides]
            memory.rewards[t, ended] += self._win_reward * np.sign(own - other)
        self._skip_to_last_round(games.terminated)

    def _finish(self, net: Net, critic: Critic | None, gae_lambda: float) -> Rollout:
        """The turns played, judged by what they gave and the value of the positions after them."""
        memory = self._memory
        _, last_values = self._answer(net, critic, len(memory), self._look(len(memory)))
        return memory.rollout(last_values, self.games.movers, gae_lambda)

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
