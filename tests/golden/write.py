"""Golden playthroughs: seeded games as text, readable in a diff.

    python -m tests.golden.write        # after a change of the rules that is meant

They pin the generator, the deals, the notation, the scores and the ends of rounds on every platform. A
line is a turn: its number in the round, the mover, the turn, and both scores after it. The turns are
chosen with a small generator in plain Python.
"""

from pathlib import Path

from lostcities_env.rules.game import Game

FOLDER = Path(__file__).parent
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


def playthroughs() -> dict[str, str]:
    """Every golden text by the name of its file."""
    return {
        "standard.txt": playthrough(Game(seed=STANDARD_SEED)),
        "match_of_mini3.txt": playthrough(Game("mini3", rounds=3, tie="extra_round", seed=MATCH_SEED)),
    }


if __name__ == "__main__":
    for name, text in playthroughs().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
