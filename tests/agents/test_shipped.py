"""The learned policies that come with the package: which file plays what, and what a file must hold."""

import re
import shutil
from pathlib import Path

import pytest

from lostcities_env.agents import UnknownAgentError, make, names, register, shipped
from lostcities_env.agents.policy import Policy
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.agents.safetensors_file import WeightsError
from lostcities_env.agents.simple import DiscardAgent
from lostcities_env.evaluation import evaluate
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import SIX_COLOURS, STANDARD, Variant

FILES = {path.name: (name, *kind) for name in shipped.names() for kind, path in shipped.files(name).items()}
"""Name of the agent, variant, and whether for matches of several rounds, by the name of the file."""
MAX_BYTES = 3_000_000
FOUR = tuple(
    shipped.file_name("champion", variant, several)
    for variant in ("standard", "six")
    for several in (False, True)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the files are looked for; empty."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    return tmp_path


def lay(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).touch()


class TestChoiceOfTheFile:
    @pytest.mark.parametrize(
        ("match", "chosen"),
        [
            (Match(STANDARD), "champion.safetensors"),
            (Match(STANDARD, 3), "champion-match.safetensors"),
            (Match(SIX_COLOURS), "champion-six.safetensors"),
            (Match(SIX_COLOURS, 2, "extra_round"), "champion-six-match.safetensors"),
            (Match(Variant("mine")), "champion.safetensors"),  # the rules are what counts
        ],
    )
    def test_by_variant_and_rounds(self, folder: Path, match: Match, chosen: str) -> None:
        lay(folder, *FOUR)
        assert shipped.file_for("champion", match) == folder / chosen

    @pytest.mark.parametrize("rounds", [1, 3])
    @pytest.mark.parametrize("only", ["champion.safetensors", "champion-match.safetensors"])
    def test_one_file_plays_any_number_of_rounds(self, folder: Path, only: str, rounds: int) -> None:
        lay(folder, only)
        assert shipped.file_for("champion", Match(STANDARD, rounds)).name == only

    def test_a_variant_without_a_file(self, folder: Path) -> None:
        lay(folder, *FOUR, "quick.safetensors")
        message = (
            "agent 'champion' knows the rules of standard and six, not those of 'mini2'; play these or train"
        )
        with pytest.raises(WeightsError, match=message):
            make("champion", "mini2")
        with pytest.raises(
            WeightsError,
            match="'quick' knows the rules of standard, not those of 'standard' with hand_size=7; play",
        ):
            make("quick", Variant(hand_size=7))


class TestName:
    def test_is_there_if_there_is_a_file(self, folder: Path) -> None:
        assert not set(shipped.ROLES) & set(names())
        with pytest.raises(UnknownAgentError, match="no agent 'champion'"):
            make("champion")
        lay(folder, "champion-six.safetensors", "unheard-of.safetensors")
        assert "champion" in names()
        assert "quick" not in names()
        assert "unheard-of" not in names()
        assert shipped.describe("champion") == "The strongest learned policy, for six."

    @pytest.mark.parametrize("name", shipped.names())
    def test_is_taken(self, name: str) -> None:
        with pytest.raises(ValueError, match=f"there is an agent '{name}' already"):
            register(name, DiscardAgent)

    def test_makes_the_policy_of_the_file(self, folder: Path) -> None:
        shutil.copy(Path(shipped.__file__).with_name("weights") / "quick.safetensors", folder)
        agent = make("quick", seed=7)
        assert isinstance(agent, PolicyAgent)
        assert agent.seed == 7
        assert not agent.sample
        assert agent.policy.match == Match()


def test_every_file_belongs_to_an_agent() -> None:
    assert sorted(path.name for path in shipped.FOLDER.iterdir()) == sorted(FILES)


@pytest.mark.parametrize("file", FILES)
class TestFile:
    def test_is_small(self, file: str) -> None:
        assert (shipped.FOLDER / file).stat().st_size <= MAX_BYTES

    def test_is_what_its_name_says(self, file: str) -> None:
        _, variant, several = FILES[file]
        match = Policy.read(shipped.FOLDER / file).match
        assert match.variant.name == variant
        assert (match.rounds > 1) == several

    def test_says_where_it_comes_from(self, file: str) -> None:
        policy = Policy.read(shipped.FOLDER / file)
        origin = policy.provenance
        assert re.fullmatch("[0-9a-f]{40}", origin["commit"])
        assert origin["turns"] > 0
        assert {"lostcities-env", "numpy", "torch"} <= set(origin["versions"])
        config = origin["config"]
        assert isinstance(config["name"], str)
        assert isinstance(config["seed"], int)
        assert (config["variant"], config["rounds"]) == (policy.match.variant.name, policy.match.rounds)
        assert origin["evaluation"]
        for result in origin["evaluation"].values():
            value, low, high = result["margin"]
            assert low < value < high
            assert 0 <= result["win_rate"] <= 1
            assert result["pairs"] > 1
            assert result["seed"] >= 0

    @pytest.mark.parametrize("rounds", [1, 3])
    def test_beats_random(self, file: str, rounds: int) -> None:
        variant = FILES[file][1]
        result = evaluate(
            str(shipped.FOLDER / file), "random", variant=variant, rounds=rounds, pairs=10, seed=1
        )
        assert result.margin.low is not None
        assert result.margin.low > 50
        assert result.matches.losses == 0
