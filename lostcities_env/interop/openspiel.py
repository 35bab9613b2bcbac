"""One round of Lost Cities as an OpenSpiel game, and agents of this project as OpenSpiel policies.

Importing this module registers the game:

    import pyspiel
    import lostcities_env.interop.openspiel

    game = pyspiel.load_game("python_lost_cities(variant=mini1)")

Parameter: ``variant``, the name of one. Seat 0 begins. Utilities are margins: own points less the opponent's.

Chance deals both hands card by card, each in the order of the codes, so that no deal comes about in two
ways; then the cards drawn from the deck, when they are drawn. Chance outcomes are card codes. The
rules are those of `Game`; what chance decides is corrected in its deck before the turn is taken.

Needs OpenSpiel: ``pip install lostcities-env[interop]``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.policy import Policy

from lostcities_env.agents.base import Agent
from lostcities_env.rules.actions import DECK, format_action, to_action
from lostcities_env.rules.cards import format_card
from lostcities_env.rules.chance import card_counts, count_deck_at, deck_of, draw_next_at, next_card_chances
from lostcities_env.rules.describe import describe
from lostcities_env.rules.game import Game
from lostcities_env.rules.match import Match
from lostcities_env.rules.observation import observation_blocks, observation_size
from lostcities_env.rules.variant import STANDARD, get_variant

NAME = "python_lost_cities"

_GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Lost Cities",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": STANDARD.name},
)


class LostCitiesGame(pyspiel.Game):  # type: ignore[misc]
    """One round of a variant.

    Raises:
        InvalidVariantError: if there is no such variant.
        ValueError: if its piles never close, so that a round may have no end.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        variant = get_variant(params.get("variant", STANDARD.name))
        if variant.piles_close_at is None:
            raise ValueError(f"variant {variant.name!r} never closes its piles: its rounds need not end")
        self.match = Match(variant)
        lowest, highest = variant.round_score_range
        widest = float(highest - lowest)
        info = pyspiel.GameInfo(
            num_distinct_actions=variant.n_actions,
            max_chance_outcomes=variant.n_card_types,
            num_players=2,
            min_utility=-widest,
            max_utility=widest,
            utility_sum=0.0,
            max_game_length=variant.piles_close_at + variant.deck_size,
        )
        super().__init__(_GAME_TYPE, info, params)

    def new_initial_state(self) -> "LostCitiesState":
        """Before the deal."""
        return LostCitiesState(self)

    def state_at(self, table: Game) -> "LostCitiesState":
        """A state whose history begins in the middle of a round, which has been dealt.

        Its information states begin with what each player sees there.

        Args:
            table: the round; is copied.
        """
        state = LostCitiesState(self)
        state.beginning = table.clone()
        state.table = table.clone()
        return state

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> "LostCitiesObserver":
        """What `pyspiel.make_observation` needs."""
        return LostCitiesObserver(
            self.match, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params
        )


class LostCitiesState(pyspiel.State):  # type: ignore[misc]
    """A history: of the deal, the turns, and the cards drawn.

    Attributes:
        hands: as dealt; lists of card codes.
        table: the game, from the end of the deal on; None before.
        turns: (player, action, the card drawn or None) of every turn.
        pending: the action of a turn that waits for its card from the deck; None if there is none.
        beginning: the round where the history begins, if not at the deal; see `LostCitiesGame.state_at`.
    """

    def __init__(self, game: LostCitiesGame) -> None:
        super().__init__(game)
        self.match = game.match
        self.hands: tuple[list[int], list[int]] = ([], [])
        self.table: Game | None = None
        self.turns: list[tuple[int, int, int | None]] = []
        self.pending: int | None = None
        self.beginning: Game | None = None

    def current_player(self) -> int:
        """0, 1, or OpenSpiel's ids of chance and of the end."""
        if self.table is None or self.pending is not None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.table.over else self.table.mover

    def _legal_actions(self, player: int) -> list[int]:
        assert self.table is not None
        return [int(action) for action in np.flatnonzero(self.table.action_mask())]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """(card, probability) of the next card dealt or drawn."""
        if self.table is None:
            pool = card_counts(self.match.variant)
            for card in self.hands[0] if self._dealt_to else []:
                pool[card] -= 1
            chances = next_card_chances(pool, self.hands[self._dealt_to], self.match.variant.hand_size)
            return list(chances.items())
        counts = np.empty(self.match.variant.n_card_types, dtype=np.int64)
        left = count_deck_at(self.table.states, 0, counts)
        return [(int(card), float(counts[card] / left)) for card in np.flatnonzero(counts)]

    @property
    def _dealt_to(self) -> int:
        """Whose hand the next card of the deal goes to."""
        return int(len(self.hands[0]) == self.match.variant.hand_size)

    def _apply_action(self, action: int) -> None:
        if self.table is None:
            self._deal(action)
        elif self.pending is not None:
            draw_next_at(self.table.states, 0, action)
            self._take_turn(self.pending, action)
        elif to_action(self.match.variant, action).source == DECK:
            self.table.check(action)
            self.pending = action
        else:
            self._take_turn(action, None)

    def _deal(self, card: int) -> None:
        self.hands[self._dealt_to].append(card)
        if len(self.hands[1]) == self.match.variant.hand_size:
            variant = self.match.variant
            deck = [format_card(variant, card) for card in deck_of(variant, self.hands)]
            self.table = Game(variant, seed=0, deck=deck)

    def _take_turn(self, action: int, drawn: int | None) -> None:
        assert self.table is not None
        self.turns.append((self.table.mover, action, drawn))
        self.table.step(action)
        self.pending = None

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return format_card(self.match.variant, action)
        return format_action(self.match.variant, action)

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self.table is not None and self.table.over

    def returns(self) -> list[float]:
        """The margins, once the round is over."""
        if self.table is None or not self.table.over:
            return [0.0, 0.0]
        first, second = self.table.scores
        return [float(first - second), float(second - first)]

    def remembered(self, player: int) -> str:
        """All that a player has seen, in order: the information state."""
        return self._told((player,))

    def _seen_at_first(self, player: int) -> str:
        """The hand as dealt, or all that the player saw where the history begins."""
        if self.beginning is None:
            return " ".join(format_card(self.match.variant, card) for card in self.hands[player])
        return " / ".join(describe(self.beginning.observation(player), self.match).splitlines())

    def __str__(self) -> str:
        return self._told((0, 1))

    def _told(self, players: tuple[int, ...]) -> str:
        """The history as these players saw it."""
        variant = self.match.variant
        words = []
        for player in players:
            words.append(f"{player}: {self._seen_at_first(player)}")
        for mover, action, drawn in self.turns:
            card = f" {format_card(variant, drawn)}" if drawn is not None and mover in players else ""
            words.append(format_action(variant, action) + card)
        if self.pending is not None:
            words.append(f"{format_action(variant, self.pending)} ?")
        return ", ".join(words)


class LostCitiesObserver:
    """What a player sees: a *recall* observation (tensor and text), or all that was ever seen (text alone).

    Attributes:
        tensor: float32 (observation_size,), or None with perfect recall.
        dict: its blocks by name, see `observation_blocks`.

    Raises:
        ValueError: if the observation is asked to hold less, or more, than what one player knows.
    """

    def __init__(self, match: Match, kind: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observations take no parameters, got {dict(params)}")
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"an observation is all that one player knows, not {kind}")
        self.perfect_recall = kind.perfect_recall
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if not self.perfect_recall:
            self.tensor = np.zeros(observation_size(match, "recall"), dtype=np.float32)
            for block in observation_blocks(match, "recall"):
                self.dict[block.name] = self.tensor[block.slice].reshape(block.shape)

    def set_from(self, state: LostCitiesState, player: int) -> None:
        """Writes what `player` sees into `tensor`; zeros before the deal is done."""
        if self.tensor is not None:
            self.tensor[:] = 0.0 if state.table is None else state.table.observation(player)

    def string_from(self, state: LostCitiesState, player: int) -> str:
        """The same in words."""
        if self.perfect_recall:
            return state.remembered(player)
        if state.table is None:
            return "the cards are being dealt"
        return describe(state.table.observation(player), state.match)


class AgentPolicy(Policy):  # type: ignore[misc]
    """An agent of this project as an OpenSpiel policy, for both players.

    Args:
        game: a `LostCitiesGame`.
        agent: made for its match.

    Raises:
        ValueError: if the agent was made for another match.
    """

    def __init__(self, game: LostCitiesGame, agent: Agent) -> None:
        super().__init__(game, [0, 1])
        if agent.match != game.match:
            raise ValueError(f"the agent was made for {agent.match}, not for {game.match}")
        self.agent = agent

    def action_probabilities(self, state: LostCitiesState, player_id: int | None = None) -> dict[int, float]:
        """How likely the agent is to choose each legal action."""
        assert state.table is not None
        mask = state.table.action_mask()
        observation = state.table.observation(state.table.mover)
        (chances,) = self.agent.probabilities(observation[None], mask[None])
        return {int(action): float(chances[action]) for action in np.flatnonzero(mask)}


pyspiel.register_game(_GAME_TYPE, LostCitiesGame)
