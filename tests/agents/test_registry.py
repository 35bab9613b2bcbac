import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lostcities_env.agents import Agent, UnknownAgentError, make, names, register, unregister
from lostcities_env.agents.simple import DiscardAgent, GreedyAgent
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import MINIATURES, STANDARD
from tests.agents.positions import BASELINES


class LastAgent(Agent):
    """Takes the legal action with the highest code."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)


@pytest.fixture
def last() -> Iterator[str]:
    register("last", LastAgent)
    yield "last"
    unregister("last")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with an agent, as pip would have installed it."""
    metadata = tmp_path / "mybots-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mybots\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[lostcities_env.agents]\nmybot = mybots:MyBot\ngreedy = mybots:MyBot\n"
    )
    (tmp_path / "mybots.py").write_text(
        "from lostcities_env.agents.simple import DiscardAgent\n\n\nclass MyBot(DiscardAgent):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mybots", raising=False)
    return "mybot"


class TestMake:
    @pytest.mark.parametrize("name", BASELINES)
    def test_built_in(self, name: str) -> None:
        agent = make(name, seed=9)
        assert agent.seed == 9
        assert agent.match == Match()
        assert name in names()

    @pytest.mark.parametrize("played", ["mini1", MINIATURES[0], Match(MINIATURES[0])])
    def test_for_what_is_played(self, played: str) -> None:
        assert make("random", played).match == Match(MINIATURES[0])

    def test_unknown_name(self) -> None:
        with pytest.raises(
            UnknownAgentError, match=r"no agent 'nobody'; there are random, .*projection.*safetensors"
        ):
            make("nobody")

    def test_path_of_weights(self, monkeypatch: pytest.MonkeyPatch) -> None:
        policy = types.ModuleType("policy_agent")

        class PolicyAgent(DiscardAgent):
            @classmethod
            def load(cls, path: str, match: Match, seed: int = 0) -> "PolicyAgent":
                assert path == "runs/some.safetensors"
                return cls(match, seed)

        policy.PolicyAgent = PolicyAgent  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "lostcities_env.agents.policy_agent", policy)
        assert isinstance(make("runs/some.safetensors", STANDARD, seed=4), PolicyAgent)


class TestRegister:
    def test_makes_an_agent_known(self, last: str) -> None:
        agent = make(last, "mini1", seed=2)
        assert isinstance(agent, LastAgent)
        assert names()[-1] == last
        assert agent.act(np.zeros((1, agent.observation_size), np.float32), np.eye(1, 16, 3, np.int8)) == [3]

    def test_takes_any_factory(self) -> None:
        register("my-greedy_2", lambda match, seed: GreedyAgent(match, seed + 1))
        try:
            assert make("my-greedy_2", seed=1).seed == 2
        finally:
            unregister("my-greedy_2")

    @pytest.mark.parametrize("name", ["random", "last"])
    def test_name_taken(self, name: str, last: str) -> None:
        with pytest.raises(ValueError, match=f"there is an agent '{name}' already"):
            register(name, LastAgent)

    @pytest.mark.parametrize("name", ["", "a b", "x.safetensors", "../x", "--"])
    def test_no_name(self, name: str) -> None:
        with pytest.raises(ValueError, match="is not made of letters"):
            register(name, LastAgent)

    def test_not_a_factory(self) -> None:
        with pytest.raises(TypeError, match="'thing' is not callable: 3"):
            register("thing", 3)  # type: ignore[arg-type]
        assert "thing" not in names()

    def test_factory_of_something_else(self) -> None:
        register("none", lambda match, seed: None)  # type: ignore[arg-type, return-value]
        try:
            with pytest.raises(TypeError, match="agent 'none' gave None, which is no Agent"):
                make("none")
        finally:
            unregister("none")

    @pytest.mark.parametrize("name", ["random", "nobody"])
    def test_unregister_forgets_only_what_was_registered(self, name: str) -> None:
        with pytest.raises(UnknownAgentError, match=f"no registered agent '{name}'"):
            unregister(name)


class TestEntryPoint:
    def test_makes_an_agent_known(self, installed: str) -> None:
        assert installed in names()
        agent = make(installed, seed=5)
        assert type(agent).__name__ == "MyBot"
        assert agent.seed == 5

    def test_name_is_taken(self, installed: str) -> None:
        with pytest.raises(ValueError, match="there is an agent 'mybot' already"):
            register(installed, LastAgent)

    def test_built_in_agents_come_first(self, installed: str) -> None:
        assert type(make("greedy")) is GreedyAgent
        assert names().count("greedy") == 1


def test_importing_the_agents_loads_no_learning_library() -> None:
    code = "import sys, lostcities_env.agents as a; a.make('projection'); print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
