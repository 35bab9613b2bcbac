"""Hypothesis strategies of records, and games played at random."""

import random

from hypothesis import strategies as st

from lostcities_env.records import Record, Recorder
from lostcities_env.records.record import RESERVED
from lostcities_env.rules.game import Game
from tests.strategies import new_games

LETTERS = st.characters(exclude_categories=("C", "Z"), codec="utf-8") | st.just(" ")
TEXTS = st.text(LETTERS, min_size=1, max_size=30).map(str.strip).filter(bool)
HEADER_NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9 _-]{0,20}(?<! )", fullmatch=True).filter(
    lambda name: name.lower() not in [one.lower() for one in RESERVED]
)


def play(game: Game, recorder: Recorder, turns: int, seed: int) -> None:
    """Takes some turns, chosen by the seed, and notes them."""
    rng = random.Random(seed)
    for _ in range(turns):
        if game.over:
            break
        action = int(rng.choice(game.action_mask().nonzero()[0]))
        recorder.add(action)
        game.step(action)


@st.composite
def records(draw: st.DrawFn, max_turns: int = 60) -> Record:
    """Records of matches of any kind, finished or not."""
    game = draw(new_games())
    headers = draw(st.dictionaries(HEADER_NAMES.map(str.capitalize), TEXTS, max_size=3))
    recorder = Recorder(game, draw(st.tuples(TEXTS, TEXTS)), headers)
    play(game, recorder, draw(st.integers(0, max_turns)), draw(st.integers(0, 2**32)))
    return recorder.record
