"""What can be chosen before a game: agents, rules, who begins."""

from dataclasses import dataclass
from typing import Any

from lostcities_env.agents import shipped
from lostcities_env.agents.registry import describe, names
from lostcities_env.play.session import Settings
from lostcities_env.rules.match import Match
from lostcities_env.rules.state import MAX_ROUNDS
from lostcities_env.rules.variant import VARIANTS

_FIELDS = {"agent": str, "variant": str, "rounds": int, "begins": bool, "undo": bool}


@dataclass(frozen=True)
class Menu:
    """The choices, and what is chosen unless one says otherwise.

    Attributes:
        default: what was asked for on the command line. Its agent is offered even if it has no registered
            name; no other path or code is: a request must not make the server run it.
    """

    default: Settings

    def agents(self) -> list[str]:
        """The agents to choose from, the default one first."""
        return list(dict.fromkeys([self.default.agent, *names()]))

    def to_dict(self) -> dict[str, Any]:
        """As JSON types.

        ``agents`` (``name``, ``about``, and the ``variants`` that each plays), ``most_rounds``, and the
        ``default`` of each field that `settings` takes.
        """
        match = self.default.match
        return {
            "agents": [
                {"name": name, "about": self._about(name), "variants": self._variants(name)}
                for name in self.agents()
            ],
            "most_rounds": MAX_ROUNDS,
            "default": {
                "agent": self.default.agent,
                "variant": match.variant.name,
                "rounds": match.rounds,
                "begins": self.default.begins,
                "undo": self.default.undo,
            },
        }

    def settings(self, choice: dict[str, Any]) -> Settings:
        """The settings that were chosen; what is not named is as by default.

        Raises:
            ValueError: if something that was chosen is not there, or not of its type.
        """
        unknown = sorted(set(choice) - set(_FIELDS))
        if unknown:
            raise ValueError(f"unknown {', '.join(map(repr, unknown))}; there are {', '.join(_FIELDS)}")
        for name, value in choice.items():
            if type(value) is not _FIELDS[name]:
                raise ValueError(f"{name!r} must be of type {_FIELDS[name].__name__}, got {value!r}")
        default = self.default
        agent = choice.get("agent", default.agent)
        if agent not in self.agents():
            raise ValueError(f"no agent {agent!r}; there are {', '.join(self.agents())}")
        variant = choice.get("variant", default.match.variant.name)
        match = Match(
            default.match.variant if variant == default.match.variant.name else variant,
            choice.get("rounds", default.match.rounds),
            default.match.tie,
        )
        return Settings(
            agent=agent,
            match=match,
            seat=default.seat,
            begins=choice.get("begins", default.begins),
            undo=choice.get("undo", default.undo),
        )

    def _all_variants(self) -> list[str]:
        return list(dict.fromkeys([self.default.match.variant.name, *VARIANTS]))

    def _variants(self, name: str) -> list[str]:
        if name in shipped.names():
            return list(dict.fromkeys(variant for variant, _ in shipped.files(name)))
        return self._all_variants()

    def _about(self, name: str) -> str:
        return describe(name) if name in names() else "As named on the command line."
