"""Golden playthroughs: seeded games as text, readable in a diff.

    python -m tests.golden.write        # after a change of the rules that is meant

They pin the generator, the deals, the notation, the scores and the ends of rounds on every platform. A
line is a turn: its number in the round, the mover, the turn, and both scores after it. The turns are
chosen with a small generator in plain Python.
"""

from pathlib import Path

from lostcities_env.records import Record, Recorder, format_records
from lostcities_env.rules.actions import parse_action
from lostcities_env.rules.game import Game
from lostcities_env.rules.variant import Variant

FOLDER = Path(__file__).parent
RECORDS = "records.txt"
STANDARD_SEED, MATCH_SEED = 2024, 7


def choose(game: Game, number: int) -> str:
    """A legal turn that a number picks: usually a play if there is one, usually a draw from the deck."""
    legal = game.legal()
    if number % 4:
        legal = [turn for turn in legal if turn.endswith("deck")]
    if number // 4 % 4:
        legal = [turn for turn in legal if not turn.startswith("-")] or legal
    return legal[number // 16 % len(legal)]


def playthrough(game: Game) -> str:
    """The whole match, a line a turn."""
    lines = [f"# variant {game.variant.name}, rounds {game.match.rounds}, tie rule {game.match.tie}"]
    number, round_shown = 1, -1
    while not game.over:
        if round_shown != game.round:
            round_shown = game.round
            lines.append(f"# round {game.round}")
            lines += [f"# hand {player}: {' '.join(game.hand(player))}" for player in range(2)]
            lines.append(f"# deck: {' '.join(game.deck())}")
        mover, turn_number = game.mover, game.turn
        number = (number * 1103515245 + 12345) % 2**31
        turn = choose(game, number >> 16)
        game.play(turn)
        new_round = game.over or game.round != round_shown
        scores = game.round_scores[-1] if new_round else game.scores
        lines.append(f"{turn_number:>3} player {mover}: {turn:<9} {scores[0]:>4} {scores[1]:>4}")
    lines.append(f"# rounds {game.round_scores}, match {game.match_scores}, winner {game.winner}")
    return "\n".join(lines) + "\n"


def recorded(game: Game, most_turns: int = 1000) -> Record:
    """The same choices, written down as a record."""
    recorder = Recorder(game, ("first", "Zoë"), {"Event": "golden games", "Seed": str(MATCH_SEED)})
    number = 1
    for _ in range(most_turns):
        if game.over:
            break
        number = (number * 1103515245 + 12345) % 2**31
        action = parse_action(game.variant, choose(game, number >> 16))
        recorder.add(action)
        game.step(action)
    return recorder.record


def golden_records() -> list[Record]:
    """A finished game, a match, a variant without a name, and a match left in the middle of a round."""
    nameless = Variant("three colours", n_colours=3, piles_close_at=None)
    return [
        recorded(Game(seed=MATCH_SEED)),
        recorded(Game("mini3", rounds=3, tie="extra_round", seed=MATCH_SEED, first_player=1)),
        recorded(Game(nameless, seed=MATCH_SEED)),
        recorded(Game("six", rounds=3, tie="best_expedition", seed=MATCH_SEED), most_turns=91),
    ]


def playthroughs() -> dict[str, str]:
    """Every golden text by the name of its file."""
    return {
        "standard.txt": playthrough(Game(seed=STANDARD_SEED)),
        "match_of_mini3.txt": playthrough(Game("mini3", rounds=3, tie="extra_round", seed=MATCH_SEED)),
        RECORDS: format_records(golden_records()),
    }


if __name__ == "__main__":
    for name, text in playthroughs().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
