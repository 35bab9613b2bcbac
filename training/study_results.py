"""What the runs of a study are worth: their evaluations, kept beside the policies."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lostcities_env.agents import make
from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.cli.evaluate import FILE_SCHEMA
from lostcities_env.evaluation import evaluate
from lostcities_env.files import replace_file
from training.study import Run, Study


@dataclass(frozen=True)
class Result:
    """What one trained run is worth.

    Attributes:
        run: which.
        evaluations: as `Evaluation.to_dict`, by opponent.
        turns_per_second: of its training; None if unknown.
    """

    run: Run
    evaluations: dict[str, dict[str, Any]]
    turns_per_second: float | None

    def margin(self, opponent: str) -> float:
        """Points per round over an opponent."""
        return float(self.evaluations[opponent]["margin"]["value"])


def read_result(study: Study, run: Run) -> Result:
    """What is known of a run; evaluations on other deals than the study's don't count.

    Raises:
        ValueError: if a file is damaged.
    """
    file = run.directory / "evaluation.json"
    known: dict[str, dict[str, Any]] = {}
    if file.exists():
        try:
            for evaluation in json.loads(file.read_text())["evaluations"]:
                opponent = evaluation["agents"][1]
                how = (evaluation["pairs"], evaluation["seed"], evaluation["opponent_is"])
                float(evaluation["margin"]["value"])
                if how == (study.pairs, study.deals, what_it_is(opponent, run)):
                    known[opponent] = evaluation
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{file} is damaged ({error!r}); without it, the run is judged anew") from None
    return Result(run, known, _turns_per_second(run))


def judge(study: Study, run: Run) -> Result:
    """Plays the opponents that a trained run has not played yet, and keeps the evaluations.

    Raises:
        ValueError: if the policy or a file is damaged.
    """
    result = read_result(study, run)
    missing = [opponent for opponent in study.opponents if opponent not in result.evaluations]
    for opponent in missing:
        result.evaluations[opponent] = evaluate(
            str(run.policy_file),
            opponent,
            variant=run.match.variant,
            rounds=run.match.rounds,
            tie=run.match.tie,
            pairs=study.pairs,
            seed=study.deals,
        ).to_dict() | {"opponent_is": what_it_is(opponent, run)}
    if missing:
        content = {"schema": FILE_SCHEMA, "evaluations": list(result.evaluations.values())}
        text = json.dumps(content, indent=2, allow_nan=False) + "\n"
        replace_file(run.directory / "evaluation.json", text.encode())
    return result


def what_it_is(opponent: str, run: Run) -> str:
    """What tells an opponent from others that had its name before: its class, and a digest of its weights."""
    agent = make(opponent, run.match)
    if isinstance(agent, PolicyAgent):
        digest = hashlib.sha256()
        for name in sorted(agent.policy.tensors):
            digest.update(agent.policy.tensors[name].tobytes())
        return f"policy {digest.hexdigest()[:16]}"
    return type(agent).__name__


def _turns_per_second(run: Run) -> float | None:
    """As the run noted it last."""
    file = run.directory / "metrics.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    for line in reversed(lines):
        with suppress(ValueError):  # a line that a kill cut short
            figure = json.loads(line).get("time/turns_per_second")
            if figure is not None:
                return float(figure)
    return None
