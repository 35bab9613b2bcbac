"""The whole state of a game as JSON types, and back.

Cards are in notation. Nothing is written down that follows from the rest, except `over` and `winner`,
which a reader of the file wants to see. A state is checked when it is read: one that no game could be
in is refused with an `InvalidStateError` that says what is wrong and where.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lostcities_env.rules import state as kernels
from lostcities_env.rules.cards import WAGER, all_cards, format_card, parse_card, parse_deck
from lostcities_env.rules.match import Match
from lostcities_env.rules.variant import COLOUR_NAMES, Variant

if TYPE_CHECKING:
    from lostcities_env.rules.game import Game

FORMAT = 1
"""Version of the format."""

_KEYS = (
    "format",
    "variant",
    "rounds",
    "tie",
    "starter",  # of the round
    "deck",  # what is left of it, the next card first
    "hands",  # a list a player
    "known",  # a list a player: the cards in that hand that the opponent has seen
    "expeditions",  # a list a player, of a list a colour in the order played
    "piles",  # a list a colour, the top card last
    "mover",
    "turn",  # turns taken in the round
    "round",  # from 0
    "round_scores",  # a pair a finished round
    "best_expedition",  # of the finished rounds, a number a player
    "over",
    "winner",  # 0, 1, or None while undecided and for a draw
    "generator",  # four words, in hexadecimal
    "next_decks",  # given decks of the rounds to come
)


class InvalidStateError(ValueError):
    """A description of a game that is not one; the message says what is wrong and where."""


def game_to_dict(game: "Game") -> dict[str, Any]:
    """The whole state of a game as JSON types."""
    variant, state = game.variant, game._states[0]
    colours = range(variant.n_colours)
    return {
        "format": FORMAT,
        "variant": variant.to_dict(),
        "rounds": game.match.rounds,
        "tie": game.match.tie,
        "starter": int(state["starter"]),
        "deck": game.deck(),
        "hands": [game.hand(player) for player in range(2)],
        "known": [game.known(player) for player in range(2)],
        "expeditions": [[game.expedition(player, colour) for colour in colours] for player in range(2)],
        "piles": [game.pile(colour) for colour in colours],
        "mover": game.mover,
        "turn": game.turn,
        "round": game.round,
        "round_scores": [list(scores) for scores in game.round_scores],
        "best_expedition": [int(points) for points in state["best_expedition"]],
        "over": game.over,
        "winner": game.winner,
        "generator": [f"{int(word):016x}" for word in state["generator"]],
        "next_decks": [[format_card(variant, card) for card in deck] for deck in game._decks],
    }


def game_from_dict(cls: type["Game"], data: dict[str, Any]) -> "Game":
    """The game that `game_to_dict` described.

    Raises:
        InvalidStateError: if no game could be in that state.
    """
    _check_keys("the state", data, _KEYS)
    if data["format"] != FORMAT or isinstance(data["format"], bool):
        raise InvalidStateError(f"format: {data['format']!r}; this version reads format {FORMAT}")
    match = _read_match(data)
    game = cls(match.variant, rounds=match.rounds, tie=match.tie, seed=0)
    state = game._states[0]
    state["generator"] = _read_generator(data["generator"])
    game._decks = _read_next_decks(data, match)
    _read_table(data, match.variant, state)
    kernels.derive_scores_at(game._states, 0)
    _read_round(data, match, state)
    _read_results(data, match, state)
    return game


def _check_keys(where: str, data: object, keys: Sequence[str]) -> None:
    if not isinstance(data, dict):
        raise InvalidStateError(f"{where}: a dict is wanted, got {type(data).__name__}")
    missing = [key for key in keys if key not in data]
    unknown = [str(key) for key in data if key not in keys]
    if missing:
        raise InvalidStateError(f"{where}: missing {', '.join(missing)}")
    if unknown:
        raise InvalidStateError(f"{where}: unknown {', '.join(unknown)}; there are {', '.join(keys)}")


def _check_list(where: str, data: object, length: int | None = None) -> list[Any]:
    if not isinstance(data, list):
        raise InvalidStateError(f"{where}: a list is wanted, got {data!r}")
    if length is not None and len(data) != length:
        raise InvalidStateError(f"{where}: {length} entries are wanted, got {len(data)}")
    return data


def _check_integer(where: str, data: object, low: int, high: int) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not low <= data <= high:
        raise InvalidStateError(f"{where}: an integer from {low} to {high} is wanted, got {data!r}")
    return data


def _read_match(data: dict[str, Any]) -> Match:
    _check_keys("variant", data["variant"], tuple(Variant.__dataclass_fields__))
    try:
        return Match(Variant.from_dict(data["variant"]), data["rounds"], data["tie"])
    except ValueError as error:
        raise InvalidStateError(f"variant, rounds, tie: {error}") from None


def _read_generator(data: object) -> list[int]:
    words = []
    for k, text in enumerate(_check_list("generator", data, 4)):
        if not isinstance(text, str) or len(text) != 16 or set(text) - set("0123456789abcdef"):
            raise InvalidStateError(f"generator[{k}]: 16 hexadecimal digits are wanted, got {text!r}")
        words.append(int(text, 16))
    if not any(words):
        raise InvalidStateError("generator: its words are all 0, which gives nothing but 0")
    return words


def _read_next_decks(data: dict[str, Any], match: Match) -> list[list[int]]:
    decks = _check_list("next_decks", data["next_decks"])
    played = _check_integer("round", data["round"], 0, kernels.MAX_ROUNDS) + 1
    most = max(match.rounds + (match.tie == "extra_round") - played, 0)
    if len(decks) > most:
        raise InvalidStateError(f"next_decks: {len(decks)} decks for at most {most} round(s) to come")
    parsed = []
    for k, deck in enumerate(decks):
        try:
            parsed.append(parse_deck(match.variant, _check_list(f"next_decks[{k}]", deck)))
        except InvalidStateError:
            raise
        except ValueError as error:
            raise InvalidStateError(f"next_decks[{k}]: {error}") from None
    return parsed


def _read_cards(where: str, data: object, variant: Variant) -> list[int]:
    cards = []
    for k, text in enumerate(_check_list(where, data)):
        try:
            cards.append(parse_card(variant, text))
        except ValueError as error:
            raise InvalidStateError(f"{where}[{k}]: {error}") from None
    return cards


def _read_table(data: dict[str, Any], variant: Variant, state: np.void) -> None:
    """Puts every card where it lies."""
    deck = _read_cards("deck", data["deck"], variant)
    seen = Counter(deck)
    for player in range(2):
        hand = _read_cards(f"hands[{player}]", _check_list("hands", data["hands"], 2)[player], variant)
        if len(hand) != variant.hand_size:
            raise InvalidStateError(f"hands[{player}]: {variant.hand_size} cards are wanted, got {len(hand)}")
        known = _read_cards(f"known[{player}]", _check_list("known", data["known"], 2)[player], variant)
        for card in (Counter(known) - Counter(hand)).elements():
            raise InvalidStateError(f"known[{player}]: {format_card(variant, card)} is not in that hand")
        expeditions = _read_expeditions(player, data["expeditions"], variant)
        for field, cards in (("hands", hand), ("known", known), ("expeditions", expeditions)):
            codes = np.asarray(cards, dtype=np.int64)
            state[field][player] = np.bincount(codes, minlength=kernels.MAX_CARD_TYPES)
        seen += Counter(hand) + Counter(expeditions)
    for colour, pile in enumerate(_check_list("piles", data["piles"], variant.n_colours)):
        where = f"piles[{colour}]"
        cards = _read_cards(where, pile, variant)
        _check_colour(where, cards, colour, variant)
        _check_count(where, cards, variant)
        state["pile_size"][colour] = len(cards)
        state["piles"][colour, : len(cards)] = np.asarray(cards, dtype=np.int64) % variant.n_ranks
        seen += Counter(cards)
    want = Counter(all_cards(variant))
    for card in sorted(seen.keys() | want.keys()):
        if seen[card] != want[card]:
            raise InvalidStateError(
                f"the cards: {format_card(variant, card)} lies there {seen[card]} time(s), not {want[card]}"
            )
    state["deck_next"] = variant.n_cards - len(deck)
    state["deck"][state["deck_next"] : variant.n_cards] = deck


def _read_expeditions(player: int, data: object, variant: Variant) -> list[int]:
    of_player = _check_list(f"expeditions[{player}]", _check_list("expeditions", data, 2)[player])
    _check_list(f"expeditions[{player}]", of_player, variant.n_colours)
    all_of_them = []
    for colour, expedition in enumerate(of_player):
        where = f"expeditions[{player}][{colour}]"
        cards = _read_cards(where, expedition, variant)
        _check_colour(where, cards, colour, variant)
        for k, (lower, higher) in enumerate(pairwise(cards)):
            two_wagers = lower == higher and lower % variant.n_ranks == WAGER
            if higher <= lower and not two_wagers:
                raise InvalidStateError(
                    f"{where}[{k + 1}]: {format_card(variant, higher)} does not go on "
                    f"{format_card(variant, lower)}; wagers come first, then numbers rise"
                )
        all_of_them += cards
    return all_of_them


def _check_colour(where: str, cards: list[int], colour: int, variant: Variant) -> None:
    for k, card in enumerate(cards):
        if card // variant.n_ranks != colour:
            raise InvalidStateError(
                f"{where}[{k}]: {format_card(variant, card)} is not {COLOUR_NAMES[colour]}"
            )


def _check_count(where: str, cards: list[int], variant: Variant) -> None:
    if len(cards) > variant.cards_per_colour:
        raise InvalidStateError(f"{where}: {len(cards)} cards, a colour has {variant.cards_per_colour}")


def _read_round(data: dict[str, Any], match: Match, state: np.void) -> None:
    """Whose turn it is, and after how many; the table must agree."""
    variant = match.variant
    close = variant.piles_close_at
    last = np.iinfo(state["turn"].dtype).max if close is None else close + variant.deck_size
    turn = _check_integer("turn", data["turn"], 0, int(last))
    starter = _check_integer("starter", data["starter"], 0, 1)
    mover = _check_integer("mover", data["mover"], 0, 1)
    if mover != (starter + turn) % 2:
        raise InvalidStateError(
            f"mover: player {mover} is not to move in turn {turn} of a round of {starter}'s"
        )
    drawn = int(state["deck_next"]) - 2 * variant.hand_size
    if drawn > turn:
        raise InvalidStateError(
            f"deck: {len(data['deck'])} cards are left of {variant.deck_size} after {turn} turn(s)"
        )
    pile_draws = turn - drawn
    if close is not None and pile_draws > close:
        raise InvalidStateError(
            f"turn: {turn} with {drawn} cards drawn from the deck makes {pile_draws} from the piles, "
            f"which close at turn {close}"
        )
    if int(state["known"].sum()) > pile_draws:
        raise InvalidStateError(f"known: more cards than the {pile_draws} drawn from piles")
    for player in range(2):
        turns = (turn + (player == starter)) // 2
        if int(state["length"][player].sum()) > turns:
            raise InvalidStateError(f"expeditions[{player}]: more cards than the player's {turns} turn(s)")
    state["turn"], state["starter"], state["mover"] = turn, starter, mover


def _read_results(data: dict[str, Any], match: Match, state: np.void) -> None:
    """The finished rounds, and what follows from them."""
    over = data["over"]
    if not isinstance(over, bool):
        raise InvalidStateError(f"over: true or false is wanted, got {over!r}")
    if over != (len(data["deck"]) == 0):
        raise InvalidStateError(f"over: {over} with {len(data['deck'])} cards in the deck")
    number = data["round"]
    results = _read_round_scores(data, match.variant, number + over)
    first_total, second_total = _totals(results[: match.rounds])
    extra = match.tie == "extra_round" and first_total == second_total and len(results) >= match.rounds
    last = match.rounds - 1 + extra
    if number > last or (over and number != last):
        raise InvalidStateError(f"round: {number} (over: {over}) in a match of {match.rounds} round(s)")
    decisive = [first < second for first, second in results[:number] if first != second]
    if decisive and int(state["starter"]) != decisive[-1]:
        raise InvalidStateError(f"starter: the higher scorer of the round before starts, {int(decisive[-1])}")
    if over and results[-1] != [int(points) for points in state["scores"]]:
        raise InvalidStateError(
            f"round_scores[{number}]: {results[-1]}, but the expeditions make {state['scores'].tolist()}"
        )
    best = _read_best_expedition(data["best_expedition"], match.variant, state, results, over)
    totals = _totals(results)
    lead = totals[0] - totals[1]
    if lead == 0 and match.tie == "best_expedition":
        lead = best[0] - best[1]
    winner = None if not over or lead == 0 else int(lead < 0)
    if data["winner"] != winner or isinstance(data["winner"], bool):
        raise InvalidStateError(f"winner: {data['winner']!r}, but the scores make it {winner!r}")
    state["round"], state["match_over"], state["round_over"] = number, over, over
    state["winner"] = -1 if winner is None else winner
    state["match_scores"] = totals
    state["round_scores"][: len(results)] = np.reshape(results, (-1, 2))
    state["best_expedition"] = best


def _totals(results: list[list[int]]) -> list[int]:
    return [sum(scores[player] for scores in results) for player in range(2)]


def _read_round_scores(data: dict[str, Any], variant: Variant, finished: int) -> list[list[int]]:
    low, high = variant.round_score_range
    results = _check_list("round_scores", data["round_scores"], finished)
    for k, pair in enumerate(results):
        for player, points in enumerate(_check_list(f"round_scores[{k}]", pair, 2)):
            _check_integer(f"round_scores[{k}][{player}]", points, low, high)
    return results


def _read_best_expedition(
    data: object, variant: Variant, state: np.void, results: list[list[int]], over: bool
) -> list[int]:
    low, high = variant.expedition_score_range if results else (0, 0)
    best = _check_list("best_expedition", data, 2)
    for player, points in enumerate(best):
        where = f"best_expedition[{player}]"
        _check_integer(where, points, low, high)
        # The best of n colours is worth at least their mean.
        mean = max((scores[player] / variant.n_colours for scores in results), default=0)
        least = int(state["colour_scores"][player, : variant.n_colours].max()) if over else low
        if points < max(mean, least) or (over and len(results) == 1 and points != least):
            raise InvalidStateError(f"{where}: {points} does not agree with the scores")
    return best
