"""How good an agent is, and how sure that is."""

from lostcities_env.evaluation.evaluation import Evaluation, Figures, Outcomes, evaluate
from lostcities_env.evaluation.sequential import Hypotheses, SequentialTest, sequential_test
from lostcities_env.evaluation.statistics import Estimate

__all__ = [
    "Estimate",
    "Evaluation",
    "Figures",
    "Hypotheses",
    "Outcomes",
    "SequentialTest",
    "evaluate",
    "sequential_test",
]
