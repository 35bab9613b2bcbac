"""A slow, plain-Python game of Lost Cities: the oracle of the differential tests.

The package plays the game with compiled kernels on packed records. This module plays it with
lists of cards, straight from the rules, and shares no code with the package: a trajectory test
feeds both the same decks and the same actions and demands the same legal actions, scores,
observations and winners. Everything is recomputed from the cards whenever it is asked for, so that
each method can be read as the rule it states.

Codes
    A card is a colour and a rank; rank 0 is the wager, rank 1 the lowest number, and so on.
    card = colour * n_ranks + rank
    action = (card * 2 + way) * (n_colours + 1) + source
    way: 0 play, 1 discard; source: 0 the deck, 1 + k the discard pile of colour k.

Order of the lists
    Deck: the next card to be drawn is first. Discard pile: the top card is last.
    Expedition: the card played first is first. Hand: in the order the cards came.
"""

from dataclasses import dataclass
from typing import NamedTuple

COLOUR_LETTERS = "RBGYWP"
WAGER = 0
PLAY = 0
DISCARD = 1
DECK = 0
TIE_RULES = ("draw", "extra_round", "best_expedition")
LEVELS = ("visible", "recall", "full")
POINTS_SCALE = 100
TURNS_SCALE = 100


class Card(NamedTuple):
    """One card: a colour, and a rank that is 0 for a wager, 1 for the lowest number, ..."""

    colour: int
    rank: int


class Action(NamedTuple):
    """One turn: a card, where it is put (way), and where the new card comes from (source)."""

    card: Card
    way: int
    source: int


@dataclass(frozen=True)
class ReferenceVariant:
    """The parameters of the game; the defaults are the standard game."""

    n_colours: int = 5
    lowest: int = 2
    highest: int = 10
    n_wagers: int = 3
    hand_size: int = 8
    expedition_cost: int = 20
    bonus_length: int = 8
    bonus: int = 20
    piles_close_at: int | None = 200

    def __post_init__(self) -> None:
        if not 1 <= self.n_colours <= len(COLOUR_LETTERS):
            raise ValueError(f"n_colours must be 1..{len(COLOUR_LETTERS)}, got {self.n_colours}")
        if self.highest < self.lowest:
            raise ValueError(f"highest ({self.highest}) is below lowest ({self.lowest})")
        if self.n_wagers < 0:
            raise ValueError(f"n_wagers must not be negative, got {self.n_wagers}")
        if self.hand_size < 1:
            raise ValueError(f"hand_size must be at least 1, got {self.hand_size}")
        if self.bonus_length < 0:
            raise ValueError(f"bonus_length must not be negative, got {self.bonus_length}")
        if self.piles_close_at is not None and self.piles_close_at < 0:
            raise ValueError(f"piles_close_at must be None or >= 0, got {self.piles_close_at}")
        if len(self.all_cards()) <= 2 * self.hand_size:
            raise ValueError(f"{len(self.all_cards())} cards leave no deck after the deal")

    @property
    def n_numbers(self) -> int:
        """How many numbers a colour has."""
        return self.highest - self.lowest + 1

    @property
    def n_ranks(self) -> int:
        """How many ranks a colour has: the wager and the numbers."""
        return 1 + self.n_numbers

    @property
    def n_actions(self) -> int:
        """How many action codes there are."""
        return self.n_colours * self.n_ranks * 2 * (self.n_colours + 1)

    def all_cards(self) -> list[Card]:
        """Every physical card of the game, sorted: the wagers of a colour, then its numbers."""
        cards = []
        for colour in range(self.n_colours):
            for _ in range(self.n_wagers):
                cards.append(Card(colour, WAGER))
            for rank in range(1, self.n_ranks):
                cards.append(Card(colour, rank))
        return cards

    def number_on(self, card: Card) -> int:
        """The number printed on a card that is not a wager."""
        if card.rank == WAGER:
            raise ValueError("a wager has no number")
        return self.lowest + card.rank - 1

    def card_from_code(self, code: int) -> Card:
        """The card with this code."""
        if not 0 <= code < self.n_colours * self.n_ranks:
            raise ValueError(f"no card has the code {code}")
        return Card(code // self.n_ranks, code % self.n_ranks)

    def code_of_card(self, card: Card) -> int:
        """The code of this card."""
        return card.colour * self.n_ranks + card.rank

    def action_from_code(self, code: int) -> Action:
        """The action with this code."""
        if not 0 <= code < self.n_actions:
            raise ValueError(f"no action has the code {code}")
        n_sources = self.n_colours + 1
        card_and_way = code // n_sources
        return Action(
            card=self.card_from_code(card_and_way // 2),
            way=card_and_way % 2,
            source=code % n_sources,
        )

    def code_of_action(self, action: Action) -> int:
        """The code of this action."""
        n_sources = self.n_colours + 1
        return (self.code_of_card(action.card) * 2 + action.way) * n_sources + action.source

    def card_text(self, card: Card) -> str:
        """`R7` for a number, `Rx` for a wager."""
        rank_text = "x" if card.rank == WAGER else str(self.number_on(card))
        return COLOUR_LETTERS[card.colour] + rank_text

    def action_text(self, action: Action) -> str:
        """`R7 deck`, `R7 G` (played, then the green pile), `-R7 deck` (discarded)."""
        sign = "-" if action.way == DISCARD else ""
        source = "deck" if action.source == DECK else COLOUR_LETTERS[action.source - 1]
        return f"{sign}{self.card_text(action.card)} {source}"


def expedition_score(variant: ReferenceVariant, cards: list[Card]) -> int:
    """What the cards of one expedition are worth."""
    if len(cards) == 0:
        return 0
    wagers = 0
    total = 0
    for card in cards:
        if card.rank == WAGER:
            wagers += 1
        else:
            total += variant.number_on(card)
    score = (total - variant.expedition_cost) * (1 + wagers)
    if variant.bonus_length > 0 and len(cards) >= variant.bonus_length:
        score += variant.bonus
    return score


def may_be_played_on(card: Card, expedition: list[Card]) -> bool:
    """Numbers strictly ascend; a wager comes only before the first number."""
    if card.rank == WAGER:
        return all(other.rank == WAGER for other in expedition)
    return all(other.rank < card.rank for other in expedition)


class ReferenceGame:
    """One match of one or more rounds.

    `decks` holds one list of card codes a round, first dealt first. A list is looked at only when
    its round is dealt: one that is missing or is not the variant's cards raises a ValueError then.
    """

    def __init__(
        self,
        variant: ReferenceVariant,
        decks: list[list[int]],
        rounds: int = 1,
        tie: str = "draw",
        first_player: int = 0,
    ) -> None:
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {rounds}")
        if tie not in TIE_RULES:
            raise ValueError(f"tie must be one of {TIE_RULES}, got {tie!r}")
        if first_player not in (0, 1):
            raise ValueError(f"first_player must be 0 or 1, got {first_player}")
        self.variant = variant
        self.decks = [list(deck) for deck in decks]
        self.rounds = rounds
        self.tie = tie

        # The match: what the finished rounds left behind.
        self.over = False
        self.round = 0
        self.round_results: list[tuple[int, int]] = []
        self.round_colour_scores: list[tuple[list[int], list[int]]] = []

        # The round on the table; every list with two places is indexed by player.
        self.starter = first_player
        self.mover = first_player
        self.turn = 0
        self.hands: list[list[Card]] = [[], []]
        self.expeditions: list[dict[int, list[Card]]] = [{}, {}]
        self.piles: dict[int, list[Card]] = {}
        self.deck: list[Card] = []
        self.deck_size_after_deal = 0
        # known[p]: how many cards of a type player p holds for sure, in his opponent's eyes.
        self.known: list[dict[Card, int]] = [{}, {}]
        self._deal(first_player)

    # -- Legal actions -----------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """The codes of the mover's legal actions, ascending; none when the match is over."""
        codes = []
        for card in sorted(set(self.hands[self.mover])):
            for way in (PLAY, DISCARD):
                for source in range(self.variant.n_colours + 1):
                    action = Action(card, way, source)
                    if self._why_illegal(action) is None:
                        codes.append(self.variant.code_of_action(action))
        return codes

    def _why_illegal(self, action: Action) -> str | None:
        """The rule that this action breaks, or None if it is legal."""
        if self.over:
            return "the match is over"
        if action.card not in self.hands[self.mover]:
            return "the card is not in hand"
        colour = action.card.colour
        own_expedition = self.expeditions[self.mover][colour]
        if action.way == PLAY and not may_be_played_on(action.card, own_expedition):
            return "the card does not fit on the expedition"
        if action.source != DECK:
            source_colour = action.source - 1
            closing_turn = self.variant.piles_close_at
            if closing_turn is not None and self.turn >= closing_turn:
                return "the piles are closed"
            if action.way == DISCARD and source_colour == colour:
                return "a card just discarded cannot be drawn back"
            if len(self.piles[source_colour]) == 0:
                return "the pile is empty"
        return None

    # -- A turn ------------------------------------------------------------------------------

    def apply(self, action: int) -> None:
        """Take the mover's turn: put a card down, draw one, and go on to whoever is next."""
        decoded = self.variant.action_from_code(action)
        reason = self._why_illegal(decoded)
        if reason is not None:
            text = self.variant.action_text(decoded)
            raise ValueError(f"illegal action {action} ({text}): {reason}")
        self._put_down(decoded.card, decoded.way)
        self._draw(decoded.source)
        self.turn += 1
        self.mover = 1 - self.mover
        if len(self.deck) == 0:
            self._end_round()

    def _put_down(self, card: Card, way: int) -> None:
        self.hands[self.mover].remove(card)
        if way == PLAY:
            self.expeditions[self.mover][card.colour].append(card)
        else:
            self.piles[card.colour].append(card)
        # A known card may have been the one put down, so one less is certain.
        if self.known[self.mover][card] > 0:
            self.known[self.mover][card] -= 1

    def _draw(self, source: int) -> None:
        if source == DECK:
            card = self.deck.pop(0)
        else:
            card = self.piles[source - 1].pop()
            self.known[self.mover][card] += 1
        self.hands[self.mover].append(card)

    # -- Rounds and the match ----------------------------------------------------------------

    def _deal(self, starter: int) -> None:
        """Lay out round number `self.round`."""
        if self.round >= len(self.decks):
            raise ValueError(f"no deck for round {self.round}: only {len(self.decks)} given")
        cards = [self.variant.card_from_code(code) for code in self.decks[self.round]]
        if sorted(cards) != self.variant.all_cards():
            raise ValueError(f"the deck of round {self.round} is not the cards of the variant")
        dealt = cards[: 2 * self.variant.hand_size]
        self.hands = [dealt[0::2], dealt[1::2]]
        self.deck = cards[2 * self.variant.hand_size :]
        self.deck_size_after_deal = len(self.deck)
        colours = range(self.variant.n_colours)
        self.expeditions = [{colour: [] for colour in colours} for _ in range(2)]
        self.piles = {colour: [] for colour in colours}
        self.known = [dict.fromkeys(self.variant.all_cards(), 0) for _ in range(2)]
        self.turn = 0
        self.starter = starter
        self.mover = starter

    def _end_round(self) -> None:
        """Book the round, then deal the next one or end the match."""
        score_0, score_1 = self.scores()
        self.round_results.append((score_0, score_1))
        self.round_colour_scores.append((self.colour_scores(0), self.colour_scores(1)))
        if not self._another_round_follows():
            self.over = True
            return
        if score_0 > score_1:
            next_starter = 0
        elif score_1 > score_0:
            next_starter = 1
        else:
            next_starter = self.starter
        self.round += 1
        self._deal(next_starter)

    def _another_round_follows(self) -> bool:
        rounds_played = len(self.round_results)
        if rounds_played < self.rounds:
            return True
        if rounds_played == self.rounds and self.tie == "extra_round":
            total_0, total_1 = self.match_scores()
            return total_0 == total_1
        return False

    def winner(self) -> int | None:
        """0 or 1 for the winner of the match, -1 for a draw, None while it is not over."""
        if not self.over:
            return None
        total_0, total_1 = self.match_scores()
        if total_0 != total_1:
            return 0 if total_0 > total_1 else 1
        if self.tie == "best_expedition":
            best_0, best_1 = self.best_expedition(0), self.best_expedition(1)
            if best_0 != best_1:
                return 0 if best_0 > best_1 else 1
        return -1

    # -- Scores ------------------------------------------------------------------------------

    def colour_scores(self, player: int) -> list[int]:
        """One score a colour, of the current round or, when the match is over, of the last."""
        return [
            expedition_score(self.variant, self.expeditions[player][colour])
            for colour in range(self.variant.n_colours)
        ]

    def scores(self) -> list[int]:
        """Both players' scores of the current round or, when the match is over, of the last."""
        return [sum(self.colour_scores(0)), sum(self.colour_scores(1))]

    def match_scores(self) -> list[int]:
        """Both players' totals over the finished rounds."""
        return [
            sum(result[0] for result in self.round_results),
            sum(result[1] for result in self.round_results),
        ]

    def best_expedition(self, player: int) -> int:
        """The player's highest colour score in the finished rounds; an unopened colour is a 0."""
        return max(max(by_player[player]) for by_player in self.round_colour_scores)

    # -- Observations ------------------------------------------------------------------------

    def observation(self, player: int, level: str) -> list[float]:
        """What `player` sees: the blocks of the level one after the other, each row by row."""
        if player not in (0, 1):
            raise ValueError(f"player must be 0 or 1, got {player}")
        if level not in LEVELS:
            raise ValueError(f"level must be one of {LEVELS}, got {level!r}")
        values: list[float] = []
        for _, block in self.observation_blocks(player, level):
            values.extend(block)
        return values

    def observation_blocks(self, player: int, level: str) -> list[tuple[str, list[float]]]:
        """The blocks of the observation with their names, in order."""
        blocks = self._visible_blocks(player)
        if level in ("recall", "full"):
            blocks += self._recall_blocks(player)
        if level == "full":
            blocks += self._full_blocks(player)
        return blocks

    def _visible_blocks(self, player: int) -> list[tuple[str, list[float]]]:
        opponent = 1 - player
        tops = [pile[-1] for pile in self.piles.values() if len(pile) > 0]
        return [
            ("own hand", self._counts(self.hands[player])),
            ("own expeditions", self._counts(self._cards_in_expeditions(player))),
            ("opponent's expeditions", self._counts(self._cards_in_expeditions(opponent))),
            ("discard tops", self._counts(tops)),
            ("deck count", [len(self.deck) / self.deck_size_after_deal]),
        ]

    def _recall_blocks(self, player: int) -> list[tuple[str, list[float]]]:
        opponent = 1 - player
        depths: list[float] = []
        for colour in range(self.variant.n_colours):
            top_first = self.piles[colour][::-1]
            depths += self._inverse_depths(colour, top_first)
        scores = self.scores()
        totals = self.match_scores()
        return [
            ("pile depth", depths),
            ("opponent's known cards", self._counts(self._known_cards(opponent))),
            ("own cards known to the opponent", self._counts(self._known_cards(player))),
            ("turn", [self.turn / TURNS_SCALE]),
            ("scores", [scores[player] / POINTS_SCALE, scores[opponent] / POINTS_SCALE]),
            ("rounds left", [float(max(self.rounds - 1 - self.round, 0))]),
            ("match margin", [(totals[player] - totals[opponent]) / POINTS_SCALE]),
        ]

    def _full_blocks(self, player: int) -> list[tuple[str, list[float]]]:
        opponent = 1 - player
        depths: list[float] = []
        for colour in range(self.variant.n_colours):
            depths += self._inverse_depths(colour, self.deck)
        to_move = not self.over and self.mover == player
        return [
            ("opponent's hand", self._counts(self.hands[opponent])),
            ("deck order", depths),
            ("to move", [1.0 if to_move else 0.0]),
        ]

    def _cards_in_expeditions(self, player: int) -> list[Card]:
        cards: list[Card] = []
        for expedition in self.expeditions[player].values():
            cards += expedition
        return cards

    def _known_cards(self, player: int) -> list[Card]:
        """The cards that the player's opponent knows to be in the player's hand."""
        cards: list[Card] = []
        for card, count in self.known[player].items():
            cards += [card] * count
        return cards

    def _counts(self, cards: list[Card]) -> list[float]:
        """How many of the cards are of each type: (n_colours, n_ranks), row by row."""
        values = [0.0] * (self.variant.n_colours * self.variant.n_ranks)
        for card in cards:
            values[self.variant.code_of_card(card)] += 1.0
        return values

    def _inverse_depths(self, colour: int, cards: list[Card]) -> list[float]:
        """1/depth of a colour's cards in a stack given from its top, whose first card has depth 1.

        One place a physical card, (n_wagers + n_numbers,): the wagers, shallowest first, then the
        numbers from the lowest; 0 for a card that is not in the stack.
        """
        wagers: list[float] = []
        numbers = [0.0] * self.variant.n_numbers
        for index, card in enumerate(cards):
            depth = index + 1
            if card.colour != colour:
                continue
            if card.rank == WAGER:
                wagers.append(1 / depth)
            else:
                numbers[card.rank - 1] = 1 / depth
        missing_wagers = self.variant.n_wagers - len(wagers)
        return wagers + [0.0] * missing_wagers + numbers
