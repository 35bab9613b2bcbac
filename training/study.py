"""A study: variants of one PPO configuration, each trained on several seeds."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lostcities_env.agents import make
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.rules.generator import MAX_SEED
from lostcities_env.rules.match import Match
from training.config import ConfigError, check_number, from_dict, to_dict
from training.ppo_config import Config, read_run_config, settings
from training.run_directory import changes

OWN_KEYS = ("name", "runs", "seed")
"""Keys of a run's configuration that the study sets itself."""


@dataclass(frozen=True)
class Run:
    """One variant on one seed.

    Attributes:
        variant: its name.
        config: what is trained.
    """

    variant: str
    config: Config

    @property
    def name(self) -> str:
        """Of the run and its directory."""
        return self.config.name

    @property
    def match(self) -> Match:
        """What it plays."""
        return Match(self.config.variant, self.config.rounds, self.config.tie)  # type: ignore[arg-type]

    @property
    def directory(self) -> Path:
        """Where its files are, see `training.run_directory`."""
        return self.config.runs / self.name

    @property
    def policy_file(self) -> Path:
        """There once it is trained, or interrupted."""
        return self.directory / "policy.safetensors"

    @property
    def checkpoint_file(self) -> Path:
        """There once it has begun."""
        return self.directory / "checkpoint.safetensors"

    def is_trained(self) -> bool:
        """Whether there is a whole policy that has seen all its turns."""
        if not self.policy_file.exists():
            return False
        try:
            provenance = Policy.read(self.policy_file).provenance
        except WeightsError:
            return False
        return bool(provenance.get("turns", 0) >= self.config.total_turns)

    def to_dict(self) -> dict[str, Any]:
        """The configuration as YAML's types."""
        return {**to_dict(self.config), "runs": str(self.config.runs)}

    def check_directory(self) -> None:
        """Checks that what the directory holds is this run; keys newer than it count as their defaults.

        Raises:
            ConfigError: saying what differs.
        """
        if not (self.directory / "config.json").exists():
            return
        changed = changes(settings(read_run_config(self.directory)), settings(self.config))
        if changed:
            raise ConfigError(
                f"{self.directory} holds a run of another configuration ({changed}): "
                "move it away, or give the study another directory of runs"
            )


@dataclass(frozen=True)
class Study:
    """What is trained, and how it is judged.

    Attributes:
        runs: the directory of its runs.
        base: keys of `training.ppo_config.Config` that all variants share.
        variants: by name, the keys that a variant changes; none for the base itself.
        seeds: each variant is trained on each of them.
        opponents: agents, by name or policy file, that each policy plays.
        pairs: paired deals against each opponent.
        deals: seed of these deals.
    """

    runs: Path = Path("runs/ablations")
    base: dict[str, Any] = field(default_factory=dict)
    variants: dict[str, dict[str, Any]] = field(default_factory=lambda: {"base": {}})
    seeds: tuple[int, ...] = (1,)
    opponents: tuple[str, ...] = ("threshold",)
    pairs: int = 1000
    deals: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", Path(self.runs))
        check_number(self, "pairs", int, 2)
        check_number(self, "deals", int, 0, MAX_SEED)
        names = self.variants if isinstance(self.variants, dict) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise ConfigError(f"variants={self.variants!r} is not a mapping of names to changed keys")
        for label, keys in {"base": self.base, **self._labelled_variants()}.items():
            if not isinstance(keys, dict):
                raise ConfigError(f"{label} is not a mapping of keys to values, got {keys!r}")
            own = [key for key in OWN_KEYS if key in keys]
            if own:
                raise ConfigError(f"{label} sets {', '.join(own)}, which the study does itself")
            if "max_minutes" in keys:
                raise ConfigError(f"{label} sets max_minutes, but the runs of a study are as long in turns")
        self._check_list("seeds", int)
        self._check_list("opponents", str)
        for match in dict.fromkeys(run.match for run in self.list_runs()):
            for opponent in self.opponents:
                make(opponent, match)

    def list_runs(self, only: Iterable[str] = ()) -> list[Run]:
        """All runs, or those of some variants; every variant's first seed comes before any second one.

        Raises:
            ConfigError: if there is no such variant, or a variant is no configuration.
        """
        chosen = tuple(only) or tuple(self.variants)
        unknown = [name for name in chosen if name not in self.variants]
        if unknown:
            raise ConfigError(f"no variant {', '.join(unknown)}; there are {', '.join(self.variants)}")
        variants = [name for name in self.variants if name in chosen]
        return [self._run(variant, seed) for seed in self.seeds for variant in variants]

    def _run(self, variant: str, seed: int) -> Run:
        keys = {"name": f"{variant}-{seed}", "runs": self.runs, "seed": seed}
        return Run(
            variant, from_dict(Config, self.base | self.variants[variant] | keys, f"variant {variant}")
        )

    def _check_list(self, key: str, kind: type) -> None:
        values = getattr(self, key)
        if (
            not isinstance(values, tuple)
            or not values
            or not all(type(value) is kind for value in values)
            or len(set(values)) < len(values)
        ):
            raise ConfigError(f"{key}={values!r} is not a list of {kind.__name__}s, each named once")

    def _labelled_variants(self) -> dict[str, Any]:
        return {f"variant {name}": keys for name, keys in self.variants.items()}
