import numpy as np

from lostcities_env.agents import make
from lostcities_env.analysis.judge import Judge
from lostcities_env.analysis.review import judge_record, worst
from lostcities_env.records.recorder import Recorder
from lostcities_env.rules.game import Game
from tests.analysis.test_judge import Lead


class Careful(Lead):
    """Never opens an expedition, so that those who do pay for it."""

    def act(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return make("discard", self.match).act(observations, action_masks)


def test_every_turn_of_a_match_is_reviewed() -> None:
    game = Game("mini3", rounds=6, seed=4)
    recorder = Recorder(game, ("ann", "bob"), {})
    rng = np.random.default_rng(1)
    played = []
    while not game.over:
        action = int(rng.choice(np.flatnonzero(game.action_mask())))
        played.append((game.round, game.turn, game.mover, action))
        recorder.add(action)
        game.step(action)
    judge = Judge(Careful(game.match), worlds=4)
    reviews = judge_record(judge, recorder.record)
    assert [(review.round, review.turn, review.mover, review.action) for review in reviews] == played
    assert all(review.cost == review.judgement.cost(review.action) for review in reviews)
    assert {review.round for review in reviews} == set(range(6))

    dearest = worst(reviews, 3)
    assert len(dearest) == 3
    assert [review.cost for review in dearest] == sorted((r.cost for r in reviews), reverse=True)[:3]
    assert all(review.cost > 0 for review in worst(reviews, len(reviews)))
    assert len(worst(reviews, len(reviews))) < len(reviews)
    assert worst(reviews, 0) == []
