"""The configuration of a PPO run."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lostcities_env.agents.guests import names_a_guest
from lostcities_env.agents.networks import MAX_LAYERS
from lostcities_env.rules.variant import MAX_POINTS
from training.config import ConfigError, check_identity, check_number, from_dict, to_dict
from training.networks import ColourNet, MlpNet

NO_BEARING = (
    "runs",
    "max_minutes",
    "evaluate_minutes",
    "evaluate_pairs",
    "save_games",
    "baselines",
    "checkpoint_minutes",
    "play_threads",
)
"""Keys of the configuration that do not bear on the weights, and may change when a run is resumed."""

NETWORKS = (ColourNet.kind, MlpNet.kind)
"""The kinds that can be trained."""


@dataclass(frozen=True)
class Config:
    """What is trained and how; one run is one of these.

    Attributes:
        name: of the run's directory in `runs`.
        runs: the directory of runs.
        seed: of everything.
        variant, rounds, tie: what is played.
        network: ``"colour"``, shared across colours, or ``"mlp"``, plain layers on the observation.
        width: of the network's layers.
        rank: of a colour network, see `ColourNet`.
        layers: hidden layers of an mlp.
        critic: width of a critic that sees what is hidden, see `ColourCritic`; 0 for none: the network's
            own value serves. It goes with a colour network alone.
        shards: parts that the games are split into; a multiple of the number of processes.
        games: games of each shard.
        turns_per_rollout: turns of each game between updates.
        total_turns: turns in all, after the imitation; learning rate and entropy bonus fall over them.
        max_minutes: this call ends after so long even if turns are left; 0 for no limit.
        begin_with: a policy whose weights the network begins with: the name of one that comes with the
            package, or a file; none if empty.
        imitate, imitation_turns, imitation_epochs, imitation_noise: the agent to imitate first, for how many
            turns, how often each is learned, and the share of turns taken at random instead.
        first_cost, cost_turns: a curriculum: what an expedition costs at the beginning, and the turns over
            which that rises to the variant's own cost; 0 turns for none.
        epochs, minibatch: passes over a rollout, and samples of all shards in a step.
        learning_rate, final_learning_rate: at the beginning and the end.
        warm_up: updates over which the learning rate rises from nothing, while Adam learns its scales.
        entropy, final_entropy: the bonus on entropy, at the beginning and the end.
        scale_by_phase: whether advantages are normalised among turns with as many cards in the deck, or
            among all turns; see `training.normalising`.
        magnet, magnet_every: weight of the KL divergence from an earlier average of the weights, and the
            updates after which the present average takes its place; 0 for none. See `training.magnet`.
        gae_lambda, clip_range, value, max_grad_norm: of PPO.
        reward_scale: the change of the score margin is multiplied by this.
        win_reward: for having more points at the end of the match; as much is lost for fewer.
        last_round_share, last_round_spread: the share of the games that are the last round of a match and no
            more, and the standard deviation of the margin with which they begin. See `Shard`.
        average: decay of the exponential average of the weights.
        past_share: share of the games in which the other side is a past self.
        opponents, opponent_share: agents, by name or file, and the share of the games against them.
        past_every, past_kept: rollouts between past selves, and how many are kept.
        bfloat16: whether matrix products use it.
        device: ``"cpu"`` or ``"cuda"``.
        threads: torch's in each process; 0 leaves it to torch.
        play_threads: so many shards of a process play at a time. The games are work for the CPU, for which a
            GPU waits; without one, more processes are better.
        evaluate_minutes, evaluate_pairs, baselines: how often, and on how many paired deals, the averaged
            policy plays whom.
        save_games: pairs of games of every evaluation, the first ones, that are saved as records in the
            folder `games` of the run; 0 for none.
        checkpoint_minutes: between checkpoints.
    """

    name: str = "ppo"
    runs: Path = Path("runs")
    seed: int = 1
    variant: str = "standard"
    rounds: int = 1
    tie: str = "draw"
    network: str = "colour"
    width: int = 128
    rank: int = 8
    layers: int = 3
    critic: int = 0
    shards: int = 2
    games: int = 512
    turns_per_rollout: int = 64
    total_turns: int = 10_000_000
    max_minutes: float = 0.0
    begin_with: str = ""
    imitate: str = ""
    imitation_turns: int = 0
    imitation_epochs: int = 3
    imitation_noise: float = 0.03
    first_cost: int = 0
    cost_turns: int = 0
    epochs: int = 2
    minibatch: int = 4096
    learning_rate: float = 5e-4
    final_learning_rate: float = 2.5e-5
    warm_up: int = 0
    entropy: float = 0.012
    final_entropy: float = 0.0015
    magnet: float = 0.0
    magnet_every: int = 16
    scale_by_phase: bool = False
    gae_lambda: float = 0.98
    clip_range: float = 0.2
    value: float = 0.25
    max_grad_norm: float = 0.5
    reward_scale: float = 0.05
    win_reward: float = 0.0
    last_round_share: float = 0.0
    last_round_spread: float = 50.0
    average: float = 0.999
    past_share: float = 0.1
    opponents: tuple[str, ...] = ()
    opponent_share: float = 0.0
    past_every: int = 20
    past_kept: int = 20
    bfloat16: bool = True
    device: str = "cpu"
    threads: int = 1
    play_threads: int = 1
    evaluate_minutes: float = 2.0
    evaluate_pairs: int = 200
    save_games: int = 1
    baselines: tuple[str, ...] = ("threshold", "projection")
    checkpoint_minutes: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", Path(self.runs))
        if not isinstance(self.begin_with, str) or not isinstance(self.imitate, str):
            raise ConfigError("begin_with and imitate are each the name of a policy or agent, or empty")
        for key in ("bfloat16", "scale_by_phase"):
            if not isinstance(getattr(self, key), bool):
                raise ConfigError(f"{key}={getattr(self, key)!r} is neither true nor false")
        imitate = (self.imitate,) if self.imitate else ()
        check_identity(self, self.tie, baselines=self.baselines, imitate=imitate, opponents=self.opponents)
        for key in ("width", "rank", "shards", "games", "turns_per_rollout", "epochs", "minibatch"):
            check_number(self, key, int, 1)
        check_number(self, "layers", int, 1, MAX_LAYERS)
        for key in (
            "total_turns",
            "imitation_epochs",
            "past_every",
            "past_kept",
            "magnet_every",
            "play_threads",
        ):
            check_number(self, key, int, 1)
        check_number(self, "evaluate_pairs", int, 2)
        check_number(self, "save_games", int, 0)
        for key in ("imitation_turns", "threads", "warm_up", "critic", "first_cost", "cost_turns"):
            check_number(self, key, int, 0)
        for key in (
            "gae_lambda",
            "clip_range",
            "average",
            "past_share",
            "opponent_share",
            "imitation_noise",
            "last_round_share",
        ):
            check_number(self, key, float, 0.0, 1.0)
        for key in (
            "max_minutes",
            "win_reward",
            "magnet",
            "entropy",
            "final_entropy",
            "value",
            "final_learning_rate",
        ):
            check_number(self, key, float, 0.0)
        check_number(self, "last_round_spread", float, 0.0, 1000.0)
        for key in (
            "learning_rate",
            "max_grad_norm",
            "reward_scale",
            "checkpoint_minutes",
            "evaluate_minutes",
        ):
            check_number(self, key, float, 1e-12)
        guests = [name for name in (*imitate, *self.opponents) if names_a_guest(name)]
        if guests and self.play_threads > 1:
            raise ConfigError(
                f"play_threads={self.play_threads}, but {guests[0]!r} comes from outside and may not bear "
                "several threads: set play_threads to 1"
            )
        if self.network not in NETWORKS:
            raise ConfigError(f"no network {self.network!r}; there are {', '.join(NETWORKS)}")
        if self.critic and self.network != ColourNet.kind:
            raise ConfigError(
                f"critic={self.critic} judges by features of colours, which network {self.network!r} does "
                f"not see: set critic to 0, or network to {ColourNet.kind!r}"
            )
        if self.imitation_turns and not self.imitate:
            raise ConfigError("imitation_turns is above 0, but no agent to imitate is named")
        if bool(self.opponents) != bool(self.opponent_share):
            raise ConfigError("opponents and opponent_share go together: give both or neither")
        if self.past_share + self.opponent_share > 1:
            raise ConfigError("past_share and opponent_share are more than 1 together")
        if self.opponents and self.opponent_games < len(self.opponents):
            raise ConfigError(
                f"opponent_share={self.opponent_share} of {self.games} games are {self.opponent_games}, too "
                f"few for {len(self.opponents)} opponent(s)"
            )
        if self.last_round_share and self.rounds == 1:
            raise ConfigError(
                f"last_round_share={self.last_round_share} is for matches: set rounds to 2 or more"
            )
        if self.last_round_share and not self.last_round_games:
            raise ConfigError(f"last_round_share={self.last_round_share} of {self.games} games are none")
        if self.past_games == self.games:
            raise ConfigError(f"past_share={self.past_share} leaves no game in which the policy plays itself")
        if self.cost_turns and self.imitation_turns:
            raise ConfigError("cost_turns is for runs without imitation, which is at the full cost")
        if self.cost_turns and self.opponents:
            raise ConfigError("cost_turns is for runs without opponents, which know the full cost alone")
        if self.cost_turns:
            check_number(self, "first_cost", int, 0, MAX_POINTS)
        elif self.first_cost:
            raise ConfigError(f"first_cost={self.first_cost} needs cost_turns, over which the cost rises")
        samples = self.games * self.turns_per_rollout
        if self.minibatch % self.shards or samples % (self.minibatch // self.shards):
            raise ConfigError(
                f"minibatch={self.minibatch} does not divide into {self.shards} shards, or a shard's part "
                f"does not divide its {samples} samples of a rollout (games x turns_per_rollout)"
            )

    @property
    def turns_per_update(self) -> int:
        """Turns of a rollout of all shards."""
        return self.shards * self.games * self.turns_per_rollout

    @property
    def past_games(self) -> int:
        """Games of a shard in which the other side is a past self."""
        return int(self.past_share * self.games)

    @property
    def last_round_games(self) -> int:
        """Games of a shard that are the last round of a match."""
        return int(self.last_round_share * self.games)

    @property
    def opponent_games(self) -> int:
        """Games of a shard in which the other side is one of the opponents."""
        return int(self.opponent_share * self.games)


def read_run_config(directory: Path) -> Config:
    """The configuration in the directory of a run; keys newer than the run count as their defaults.

    Raises:
        ConfigError: if there is none.
    """
    file = directory / "config.json"
    try:
        data = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {file}: {error}") from None
    return from_dict(Config, data, str(file))


def settings(config: Config) -> dict[str, Any]:
    """The configuration as JSON's types, less `NO_BEARING`."""
    return {key: value for key, value in to_dict(config).items() if key not in NO_BEARING}
