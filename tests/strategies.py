"""Hypothesis strategies: variants, matches, and games in the middle of play."""

from hypothesis import strategies as st

from lostcities_env.rules.actions import format_action
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.state import TIE_RULES
from lostcities_env.rules.variant import VARIANTS, Variant


@st.composite
def custom_variants(draw: st.DrawFn) -> Variant:
    """Playable variants of any shape, corners included."""
    n_colours = draw(st.integers(1, 6))
    lowest = draw(st.integers(1, 12))
    n_wagers = draw(st.integers(0, 3))
    # At least three cards: one for each hand and one for the deck.
    fewest = max(1, -(-3 // n_colours) - n_wagers)
    n_numbers = draw(st.integers(fewest, 9))
    n_cards = n_colours * (n_wagers + n_numbers)
    return Variant(
        name="custom",
        n_colours=n_colours,
        lowest=lowest,
        highest=lowest + n_numbers - 1,
        n_wagers=n_wagers,
        hand_size=draw(st.integers(1, min(10, (n_cards - 1) // 2))),
        expedition_cost=draw(st.integers(0, 40)),
        bonus_length=draw(st.integers(0, n_wagers + n_numbers)),
        bonus=draw(st.integers(0, 40)),
        piles_close_at=draw(st.none() | st.integers(0, 30)),
    )


def named_variants() -> st.SearchStrategy[Variant]:
    """The variants that have a name."""
    return st.sampled_from(list(VARIANTS.values()))


def matches() -> st.SearchStrategy[Match]:
    """Matches of named and custom variants."""
    variants = named_variants() | custom_variants()
    return st.builds(Match, variants, st.integers(1, 3), st.sampled_from(TIE_RULES))


@st.composite
def new_games(draw: st.DrawFn) -> Game:
    """Games of any kind in which no turn has been taken."""
    match = draw(matches())
    return Game(
        match.variant,
        rounds=match.rounds,
        tie=match.tie,
        seed=draw(st.integers(0, 2**64 - 1)),
        first_player=draw(st.integers(0, 1)),
    )


@st.composite
def games(draw: st.DrawFn, max_turns: int = 60) -> Game:
    """Games after some random turns, their ends included."""
    game = draw(new_games())
    rng = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, max_turns))):
        if game.over:
            break
        play_random_turn(game, rng.random())
    return game


def play_random_turn(game: Game, choice: float) -> str:
    """Takes the legal turn at that place (0 to 1) of the list; returns it."""
    legal = game.action_mask().nonzero()[0]
    action = int(legal[int(choice * len(legal))])
    game.step(action)
    return format_action(game.variant, action)
