"""A record as text, and what can be wrong with it: the changes, the line and the reason that are named."""

TEXT = """\
Lost Cities record 1
Player 0: ann
Player 1: bob
Variant: mini3
Piles close at: 8
Rounds: 2
Tie: extra_round
Seed: 1
Date: 2026-11-30

Round 1
First player: 1
Hand 0: Bx R1 R3
Hand 1: R2 B3 Rx
Deck: B1 B2

Turn  Player 1   Player 0
   1  -Rx deck   -Bx R
   3  R2 B       R1 deck
Score: -2 : -1

Round 2
First player: 1
Hand 0: R3 B1 B3
Hand 1: R2 R1 B2
Deck: Rx Bx

Turn  Player 1   Player 0
   1  R1 deck    -B1 deck
Score: 0 : -2

Result: -2 : -3, player 0 wins
"""
RULES = "n_colours=2 lowest=1 highest=3 n_wagers=1 hand_size=3 expedition_cost=3 bonus_length=3 bonus=3"

MALFORMED: dict[str, tuple[list[tuple[str, str]], int, str]] = {
    # The text as a whole.
    "nothing": (
        [(TEXT, "")],
        1,
        "the text ends where 'Lost Cities record 1', the first line of a record, is",
    ),
    "blank": ([(TEXT, "\n\n")], 2, "the text ends where 'Lost Cities record 1'"),
    "another file": (
        [("Lost", '[Event "?"]\nLost')],
        1,
        "'Lost Cities record 1', the first line of a record, is",
    ),
    "byte order mark": (
        [("Lost", "\ufeffLost")],
        1,
        "the text begins with a byte order mark; save it as UTF-8",
    ),
    "another format": ([("record 1", "record 2")], 1, "format '2' is not known; this version reads format 1"),
    "tab": ([("Hand 0: ", "Hand 0:\t")], 13, "character 8 is U+0009, which does not print; use spaces"),
    "escape": ([("ann", "ann\x1b[2J")], 2, "character 14 is U+001B, which does not print"),
    "old line ends": ([("ann\n", "ann\r")], 2, "character 14 is U+000D, which does not print"),
    "line separator": ([("ann", "an\u2028n")], 2, "character 13 is U+2028, which does not print"),
    "long line": ([("2026", "2026" * 250)], 9, "1012 characters, a line has at most 1000"),
    "text after the end": (
        [("wins\n", "wins\nwell played\n")],
        33,
        "'Lost Cities record 1', the first line of a",
    ),
    # Headers.
    "no player": ([("Player 0: ann\n", "")], 2, "'Player 0: ...' is wanted, got 'Player 1: bob'"),
    "nameless": ([("ann", "")], 2, "Player 0 is empty"),
    "long name": ([("ann", "a" * 501)], 2, "Player 0 has 501 characters, 500 are allowed"),
    "no variant": ([("Variant: mini3\n", "")], 4, "'Variant: ...' is wanted, got 'Piles close at: 8'"),
    "unknown variant": (
        [("mini3", "mini9")],
        4,
        "no variant 'mini9'; there are standard, six, mini1, mini2, mini3; a",
    ),
    "swapped": (
        [("Rounds: 2\nTie: extra_round", "Tie: extra_round\nRounds: 2")],
        6,
        "'Rounds: ...' is wanted, got",
    ),
    "piles": ([("at: 8", "at: 8.5")], 5, "a number of turns or 'never' is wanted, got '8.5'"),
    "piles out of range": (
        [("at: 8", "at: 10001")],
        5,
        "variant 'mini3': piles_close_at=10001 is outside 0..10000",
    ),
    "rounds": ([("Rounds: 2", "Rounds: two")], 6, "a number of rounds is wanted, got 'two'"),
    "huge number": ([("Rounds: 2", "Rounds: " + "9" * 400)], 6, "a number of rounds is wanted, got '9999"),
    "foreign digits": ([("Rounds: 2", "Rounds: ٢")], 6, "a number of rounds is wanted, got '٢'"),
    "too many rounds": ([("Rounds: 2", "Rounds: 10")], 6, "rounds=10 is outside 1..9"),
    "tie": ([("extra_round", "duel")], 7, "no tie rule 'duel'; there are draw, extra_round, best_expedition"),
    "twice": ([("Date: 2026-11-30", "Rounds: 2")], 9, "header 'Rounds' is there twice, first in line 6"),
    "twice, small": ([("Date", "SEED")], 9, "header 'SEED' is there twice, first in line 8"),
    "header without value": ([("2026-11-30", "")], 9, "header 'Date' is empty"),
    "header without name": ([("Date:", ":")], 9, "'' is no name of a header"),
    "header without colon": (
        [("Date:", "Date")],
        9,
        "another header 'Name: value' or 'Round 1' is wanted, got",
    ),
    "misplaced": ([("Date:", "Deck:")], 9, "header 'Deck': the format has a place of its own for that"),
    "no rounds": ([(TEXT[TEXT.index("\nRound 1") :], "")], 9, "the text ends where another header"),
    # The rules of a variant without a name.
    "no such rule": (
        [("mini3", "mine\nRules: colours=2")],
        5,
        "'colours=2' is no rule; each is one of n_colours,",
    ),
    "rule twice": ([("mini3", f"mine\nRules: {RULES} bonus=3")], 5, "bonus is there twice"),
    "rule missing": (
        [("mini3", "mine\nRules: n_colours=2 lowest=1")],
        5,
        "highest, n_wagers, hand_size, expedition",
    ),
    "rule of text": ([("mini3", f"mine\nRules: {RULES}x")], 5, "a number after bonus= is wanted, got '3x'"),
    "rule out of range": (
        [("mini3", f"mine\nRules: {RULES.replace('hand_size=3', 'hand_size=4')}")],
        5,
        "variant 'mine': hand_size=4 is outside 1..3",
    ),
    # The deal.
    "number of a round": ([("Round 2\n", "Round 3\n")], 22, "'Round 2' is wanted, got 'Round 3'"),
    "no beginner": ([("First player: 1\n", "")], 12, "'First player: ...' is wanted, got 'Hand 0: Bx R1 R3'"),
    "third player": ([("First player: 1", "First player: 2")], 12, "the first player is 0 or 1, got '2'"),
    "wrong beginner": (
        [
            ("First player: 1\nHand 0: R3", "First player: 0\nHand 0: R3"),
            ("Rx Bx\n\nTurn  Player 1   Player 0", "Rx Bx\n\nTurn  Player 0   Player 1"),
        ],
        23,
        "round 2: player 1 begins: the higher scorer of the round before, or after a tie whoever began that",
    ),
    "wrong heading": (
        [("First player: 1\nHand 0: R3", "First player: 0\nHand 0: R3")],
        28,
        "'Turn  Player 0   Player 1', the heading of the moves, is wanted, got 'Turn  Player 1   Player 0'",
    ),
    "short hand": ([("R2 B3 Rx", "R2 B3")], 14, "a hand has 3 cards, got 2"),
    "long hand": ([("R2 B3 Rx", "R2 B3 Rx R1")], 14, "a hand has 3 cards, got 4"),
    "no hand": ([("Hand 1: R2 B3 Rx\n", "")], 14, "'Hand 1: ...' is wanted, got 'Deck: B1 B2'"),
    "no card": (
        [("R2 B3 Rx", "R2 B3 R7")],
        14,
        "card 'R7' has no rank of variant 'mini3': after the colour comes",
    ),
    "no colour": (
        [("R2 B3 Rx", "R2 G3 Rx")],
        14,
        "card 'G3' does not begin with a colour of variant 'mini3', one",
    ),
    "short deck": ([("Deck: B1 B2", "Deck: B1")], 15, "the deck has 2 cards after the deal, got 1"),
    "long deck": ([("Deck: B1 B2", "Deck: B1\n B2\n B3")], 15, "the deck has 2 cards after the deal, got 3"),
    "no deck": ([("Deck: B1 B2\n", "")], 16, "'Deck: ...' is wanted, got 'Turn  Player 1   Player 0'"),
    "card twice": (
        [("Deck: B1 B2", "Deck: B1 B3")],
        15,
        "with the hands: wrong cards in the deck of variant 'mini3': B2 0 time(s) instead of 1, B3 2 time(s)",
    ),
    # The moves.
    "no heading": (
        [("Turn  Player 1   Player 0\n", "")],
        17,
        "'Turn  Player 1   Player 0', the heading of the moves, is wanted, got '   1  -Rx deck   -Bx R'",
    ),
    "number of a turn": ([("   3  ", "   2  ")], 19, "turn 3 or 'Score: ...' is wanted, got '2'"),
    "turns missing": ([("   1  -Rx deck   -Bx R\n", "")], 18, "turn 1 or 'Score: ...' is wanted, got '3'"),
    "turn missing": ([("   -Bx R\n", "\n")], 18, "turn 2 is missing; only the last line has one move"),
    "half a move": (
        [("R1 deck\n", "R1\n")],
        19,
        "one or two moves such as 'R7 deck' are wanted after 3, got",
    ),
    "three moves": (
        [("R1 deck\n", "R1 deck B1 R\n")],
        19,
        "one or two moves such as 'R7 deck' are wanted after 3",
    ),
    "no move": (
        [("R2 B  ", "R2 stock")],
        19,
        "turn 3: turn 'R2 stock' draws from 'stock'; a source is 'deck' or",
    ),
    "no such card": ([("R1 deck\n", "R8 deck\n")], 19, "turn 4: card 'R8' has no rank of variant 'mini3'"),
    "card not in hand": (
        [("R2 B  ", "B2 B  ")],
        19,
        "round 1, turn 3: playing B2 and drawing from the blue pile is illegal for player 1: B2 is not",
    ),
    "closed pile": (
        [("-Bx R", "-Bx B")],
        18,
        "round 1, turn 2: discarding Bx and drawing from the blue pile is",
    ),
    "late wager": (
        [("R2 B ", "R2 R "), ("at: 8", "at: 2")],
        19,
        "round 1, turn 3: playing R2 and drawing from the",
    ),
    "moves after the end": (
        [("R1 deck\n", "R1 deck\n   5  B1 deck\n")],
        20,
        "round 1, turn 5: the round was over before this turn",
    ),
    "moves missing": (
        [("   3  R2 B       R1 deck\n", "")],
        19,
        "round 1, turn 3: the turn is missing: a round follows, and 1 cards of this one's deck are not drawn",
    ),
    "last move missing": (
        [("   -B1 deck\nScore: 0 : -2", "\nScore: 0 : -2")],
        30,
        "the round is not over after 1 turns, 1 cards are left in the deck: moves are missing, or this is "
        "'Score: 0 : -2, unfinished'",
    ),
    # Scores and the result.
    "no score": ([("Score: -2 : -1\n", "")], 21, "turn 5 or 'Score: ...' is wanted, got 'Round'"),
    "no number": (
        [("Score: -2", "Score: minus 2")],
        20,
        "'Score: 62 : 40' or 'Score: 62 : 40, unfinished' is wanted",
    ),
    "wrong score": (
        [("Score: 0 : -2", "Score: 0 : 2")],
        30,
        "the moves make 'Score: 0 : -2', got 'Score: 0 : 2'",
    ),
    "not unfinished": (
        [("-2 : -1", "-2 : -1, unfinished")],
        20,
        "the moves make 'Score: -2 : -1', got 'Score: -2",
    ),
    "no result": (
        [("Result: -2 : -3, player 0 wins\n", "")],
        31,
        "the text ends where 'Result: ...' is wanted",
    ),
    "no such result": (
        [("player 0 wins", "ann wins")],
        32,
        "'Result: 62 : 40, player 0 wins', 'Result: 40 : 40, d",
    ),
    "wrong result": (
        [("-3, player", "-4, player")],
        32,
        "the moves make 'Result: -2 : -3, player 0 wins', got",
    ),
    "wrong winner": (
        [("player 0 wins", "player 1 wins")],
        32,
        "the moves make 'Result: -2 : -3, player 0 wins'",
    ),
    "no draw": (
        [("player 0 wins", "draw")],
        32,
        "the moves make 'Result: -2 : -3, player 0 wins', got 'Result: -2",
    ),
    "round missing": (
        [(TEXT[TEXT.index("\nRound 2") : TEXT.index("\nResult")], "")],
        22,
        "round 2: the match goes on, so the deal of the next round is wanted",
    ),
    "round too many": (
        [("Rounds: 2", "Rounds: 1"), ("extra_round", "draw")],
        23,
        "round 2: a match of at most 1 round(s)",
    ),
}
