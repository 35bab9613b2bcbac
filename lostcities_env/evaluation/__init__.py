"""How good an agent is, and how sure that is."""

from lostcities_env.evaluation.evaluation import Evaluation, Figures, Outcomes, evaluate
from lostcities_env.evaluation.forfeits import Forfeit, Forfeits
from lostcities_env.evaluation.sequential import Hypotheses, SequentialTest, sequential_test
from lostcities_env.evaluation.statistics import Estimate
from lostcities_env.evaluation.terms import Terms
from lostcities_env.evaluation.transcript import Transcript

__all__ = [
    "Estimate",
    "Evaluation",
    "Figures",
    "Forfeit",
    "Forfeits",
    "Hypotheses",
    "Outcomes",
    "SequentialTest",
    "Terms",
    "Transcript",
    "evaluate",
    "sequential_test",
]
