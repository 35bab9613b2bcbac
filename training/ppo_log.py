"""What a PPO run shows: on the terminal, in ``metrics.jsonl`` and in TensorBoard."""

import json
import time
from typing import TYPE_CHECKING, Any

from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from lostcities_env.agents.policy_agent import PolicyAgent
from lostcities_env.evaluation import evaluate
from lostcities_env.evaluation.evaluation import Evaluation
from lostcities_env.evaluation.transcript import Transcript
from lostcities_env.files import in_file_name
from lostcities_env.records import write_records
from training.run_directory import RunDirectory

if TYPE_CHECKING:
    from training.ppo import Learner


def margin_figures(opponent: str, played: Evaluation) -> dict[str, float]:
    """The margin against an opponent with its interval, and the win rate, by their names in the metrics."""
    margin = played.margin
    figures = {
        "margin": margin.value,
        "margin_low": margin.low,
        "margin_high": margin.high,
        "win_rate": played.rounds.win_rate.value,
    }
    return {f"{opponent}/{key}": float(value or 0) for key, value in figures.items()}


class Log:
    """Progress on the terminal, in ``metrics.jsonl`` and in TensorBoard."""

    def __init__(self, directory: RunDirectory, learner: "Learner") -> None:
        self._learner = learner
        self._games = directory.path / "games"
        self._file = (directory.path / "metrics.jsonl").open("a")
        self._writer = SummaryWriter(str(directory.path))
        total = learner.config.imitation_turns + learner.config.total_turns
        self._bar = tqdm(total=total, initial=self._done, unit="turn", unit_scale=True, mininterval=5.0)
        self._start = (time.monotonic(), self._done)
        self.margins: dict[str, Any] = {}

    @property
    def _done(self) -> int:
        return self._learner.imitated + self._learner.turns

    def write(self, figures: dict[str, float]) -> None:
        """Notes the figures of an update."""
        seconds = time.monotonic() - self._start[0]
        figures = figures | {"time/turns_per_second": (self._done - self._start[1]) / seconds}
        self._note(figures)
        shown = {
            "score": ("play/score", "{:.0f}"),
            "turns": ("play/turns", "{:.0f}"),
            "entropy": ("train/entropy", "{:.2f}"),
            "kl": ("train/kl", "{:.4f}"),
            "explained": ("train/explained_variance", "{:.2f}"),
            "cross-entropy": ("imitation/cross_entropy", "{:.2f}"),
        }
        parts = [
            f"{label} {form.format(figures[key])}" for label, (key, form) in shown.items() if key in figures
        ]
        self._bar.set_postfix_str(", ".join(parts), refresh=False)
        self._bar.update(self._done - self._bar.n)

    def evaluate(self) -> None:
        """Plays the baselines on paired deals, the same ones each time."""
        learner, config = self._learner, self._learner.config
        agent = PolicyAgent(learner.match, learner.policy({}))
        own_name = f"{config.name} after {learner.turns} turns"
        for name in config.baselines:
            transcript = Transcript(config.save_games, (own_name, name))
            played = evaluate(
                agent,
                name,
                variant=learner.match.variant,
                rounds=config.rounds,
                tie=config.tie,
                pairs=config.evaluate_pairs,
                seed=config.seed,
                transcript=transcript,
            )
            if config.save_games:
                self._games.mkdir(exist_ok=True)
                path = self._games / f"{learner.turns:012d}-{in_file_name(name)}.txt"
                write_records(path, transcript.records())
            margin, side = played.margin, played.figures[0]
            self.margins[name] = {
                "margin": [margin.value, margin.low, margin.high],
                "win_rate": played.rounds.win_rate.value,
                "pairs": config.evaluate_pairs,
                "seed": config.seed,
            }
            style = {
                "wagers": side.wagers.value,
                "expeditions": side.expeditions.value,
                "pile_draws": side.pile_draw_share.value,
                "turns": played.turns_per_round.value,
            }
            style_figures = {f"{name}/{key}": float(value or 0) for key, value in style.items()}
            self._note(margin_figures(name, played) | style_figures)
            self._bar.write(
                f"{learner.turns / 1e6:8.2f} M turns  {name:12s} {margin.value:+7.1f} "
                f"[{margin.low:+.1f}, {margin.high:+.1f}]  won {played.rounds.win_rate.value:.1%}  "
                f"wagers {side.wagers.value:.1f}  piles {side.pile_draw_share.value:.0%}  "
                f"{played.turns_per_round.value:.0f} turns"
            )

    def _note(self, figures: dict[str, float]) -> None:
        step = self._learner.turns
        counters = {"turns": step, "imitated": self._learner.imitated}
        self._file.write(json.dumps(counters | figures) + "\n")
        self._file.flush()
        for key, value in figures.items():
            self._writer.add_scalar(key, value, step)

    def close(self) -> None:
        """Ends the files."""
        self._bar.close()
        self._file.close()
        self._writer.close()
