"use strict";

/* The table in a web page. Needs table.css and nothing else; defines one global, LostCities.

LostCities.drawTable(element, view, options) draws `view`, what `table_view` of lostcities_env/render/view.py gives, into
`element`, in place of what was there; the keyboard's focus stays where it was. All options can be left out:

  names       names of seat 0 and seat 1
  bottom      the seat drawn below, 0 or 1 (default: the viewer's, else 0)
  last        the last turn, marked on the table: {player, card, way, source}, and `drawn`, the card that was drawn,
              if it may be shown
  highlight   a turn to point at: {player, card, way, source}; the seat below if there is no player

Choosing a turn takes three steps: a card of the hand below, then "play" or "discard", then where to draw from.

  selectable  what can be chosen now: {cards: ["R7", ...], targets: ["play", "discard"], sources: ["deck", "R", ...]};
              each of them becomes a button, marked as open to choice. `turnChoices` makes it.
  chosen      what has been chosen so far: {card, way}
  onCard(card), onTarget(way), onSource(source)
              called when one of them is clicked, or pressed on the keyboard

LostCities.turnChoices(legal, chosen) is what can be chosen after `chosen`, where `legal` is the view's list of turns. The
turn itself is the one of that list with the card, the way and the source chosen.

A page typically keeps `view` and `chosen` and draws anew at each change:

  const choices = LostCities.turnChoices(view.legal, chosen);
  LostCities.drawTable(element, view, {
    names, last, chosen, selectable: choices,
    onCard: (card) => { chosen = {card}; draw(); },
    onTarget: (way) => { chosen = {card: chosen.card, way}; draw(); },
    onSource: (source) => send(view.legal.find((turn) => LostCities.isTurn(turn, {...chosen, source}))),
  });

LostCities.cardName("R7") is "red 7", LostCities.colourName("R") "red"; LostCities.sentence(turn, name, tense)
says in words what a turn did ("past", the default) or does ("present");
LostCities.cardChip("R7") is the card as a small element to put into text; LostCities.points(-12) writes points.

LostCities.make(tag, attributes, ...children) builds an element: attributes are an object, in which handlers are named like
`onclick`, or only the classes as a text; null is no child.

Every element that stands for a card has the card in `data-card`; cards in a hand have their place in `data-place`.
*/
const LostCities = (() => {
  const NAMES = { R: "red", B: "blue", G: "green", Y: "yellow", W: "white", P: "purple" };
  // One shape a colour, on a field of 24 by 24: the colours can be told apart without seeing colour.
  const SIGNS = {
    R: "M12 2.5 22.5 21H1.5Z",
    B: "M12 1.5C12 1.5 4 10.6 4 15.2a8 7.6 0 0 0 16 0C20 10.6 12 1.5 12 1.5Z",
    G: "M21.5 2.5C22 14 17.5 21.5 7 21.5L4.5 23 3 21.4 4 19C2.5 8 10 2.5 21.5 2.5Z",
    Y: "M12 2.5a9.5 9.5 0 0 0 0 19a9.5 9.5 0 0 0 0-19Z",
    W: "M12 .8 21.5 12 12 23.2 2.5 12Z",
    P: "M12 1 15.2 8.5 23.3 9.2 17.2 14.6 19 22.5 12 18.3 5 22.5 6.8 14.6.7 9.2 8.8 8.5Z",
  };
  const EYE =
    "M12 5.5C7 5.5 3.5 9 2 12c1.5 3 5 6.5 10 6.5S20.5 15 22 12c-1.5-3-5-6.5-10-6.5Zm0 2.5a4 4 0 1 1 0 8a4 4 0 1 1 0-8Z" +
    "m0 2.2a1.8 1.8 0 1 0 0 3.6a1.8 1.8 0 1 0 0-3.6Z";
  const VERBS = { past: ["played", "discarded", "drew"], present: ["plays", "discards", "draws"] };
  const SVG = "http://www.w3.org/2000/svg";
  const MINUS = "\u2212";

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    const named = typeof attributes === "string" ? { class: attributes } : attributes;
    for (const [name, value] of Object.entries(named)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== "") node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  /* A shape on a field of 24 by 24. */
  function shape(className, d) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", className);
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
    return svg;
  }

  const sign = (letter) => shape("lc-sign", SIGNS[letter]);
  const rank = (card) => (card.slice(1) === "x" ? "\u00d7" : card.slice(1));
  const rankName = (card) => (card.slice(1) === "x" ? "wager" : card.slice(1));
  const cardName = (card) => `${NAMES[card[0]]} ${rankName(card)}`;
  const colourName = (letter) => NAMES[letter];
  const points = (number) => String(number).replace("-", MINUS);
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const isTurn = (turn, other) => ["card", "way", "source"].every((part) => turn[part] === other[part]);

  function sentence(turn, name, tense = "past") {
    const [played, discarded, drew] = VERBS[tense];
    const where = turn.source === "deck" ? "the deck" : `the ${NAMES[turn.source]} pile`;
    const drawn = turn.drawn ? ` (${cardName(turn.drawn)})` : "";
    const placed = turn.way === "play" ? played : discarded;
    return `${name} ${placed} ${cardName(turn.card)} and ${drew} from ${where}${drawn}`;
  }

  function turnChoices(legal, chosen = {}) {
    const distinct = (turns, part) => [...new Set(turns.map((turn) => turn[part]))];
    const withCard = legal.filter((turn) => turn.card === chosen.card);
    const withWay = withCard.filter((turn) => turn.way === chosen.way);
    return {
      cards: distinct(legal, "card"),
      targets: distinct(withCard, "way"),
      sources: distinct(withWay, "source"),
    };
  }

  /* The face of a card. Its index is at the edge that stays visible when other cards lie on it. */
  function face(card) {
    const index = make("span", "lc-index", make("b", "", rank(card)), sign(card[0]));
    const middle = make("span", "lc-middle", sign(card[0]), make("span", "lc-letter", card[0]));
    const node = make("span", "lc-card", index, middle);
    node.dataset.colour = card[0];
    node.dataset.card = card;
    node.setAttribute("aria-hidden", "true");
    return node;
  }

  function cardChip(card) {
    const node = make("span", "lc-chip", sign(card[0]), rank(card));
    node.dataset.colour = card[0];
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", cardName(card));
    return node;
  }

  /* A place on the table: a button where it can be chosen, else a picture with a name. */
  function place(className, label, key, choose, ...children) {
    const node = make(choose ? "button" : "div", className, ...children);
    node.setAttribute("aria-label", label);
    if (choose) {
      node.type = "button";
      node.classList.add("lc-can");
      node.dataset.focus = key;
      node.addEventListener("click", choose);
    } else {
      node.setAttribute("role", "img");
    }
    return node;
  }

  class Table {
    constructor(view, options) {
      this.view = view;
      this.options = options;
      this.bottom = options.bottom ?? view.viewer ?? 0;
      this.names = options.names ?? ["Player 0", "Player 1"];
      this.last = options.last ?? {};
      this.chosen = options.chosen ?? {};
      this.highlight = { player: this.bottom, ...options.highlight };
      this.selectable = { cards: [], targets: [], sources: [], ...options.selectable };
    }

    draw() {
      const colours = this.view.variant.colours.map(({ letter }) => letter);
      const board = make("div", "lc-board", this.deckColumn(), ...colours.map((letter) => this.column(letter)));
      const node = make("div", "lc-table", this.side(1 - this.bottom), board, this.side(this.bottom));
      node.style.setProperty("--columns", colours.length);
      const hands = this.view.players.map(({ hand }) => hand.length);
      node.style.setProperty("--hand-size", Math.max(...hands, 5));
      node.style.setProperty("--most", this.view.variant.cards_per_colour);
      return node;
    }

    side(player) {
      const { mover, over, winner, rounds, match_scores: match } = this.view;
      const below = player === this.bottom;
      const pills = [];
      if (mover === player) pills.push(make("span", "lc-pill lc-moving", "to move"));
      if (over && winner === player) pills.push(make("span", "lc-pill lc-won", "wins"));
      if (over && winner === null) pills.push(make("span", "lc-pill", "draw"));
      const totals = rounds > 1 ? make("span", "lc-match", `match ${points(match[player])}`) : null;
      const name = make("div", "lc-name", make("strong", "", this.names[player]), ...pills, totals);
      const node = make("section", `lc-side ${below ? "lc-below" : "lc-above"}`, name, this.hand(player, below));
      node.classList.toggle("lc-mover", mover === player);
      node.setAttribute("aria-label", this.names[player]);
      return node;
    }

    hand(player, below) {
      const list = make("ul", "lc-hand");
      list.setAttribute("aria-label", `Hand of ${this.names[player]}`);
      let drawnToMark = player === this.last.player ? this.last.drawn : null;
      let chosenToMark = below ? this.chosen.card : null;
      let highlightToMark = player === this.highlight.player ? this.highlight.card : null;
      this.view.players[player].hand.forEach(({ card, known }, index) => {
        if (card === null) {
          list.append(make("li", "", place("lc-back", "hidden card", "", null)));
          return;
        }
        const choose = below && this.selectable.cards.includes(card) ? () => this.options.onCard?.(card) : null;
        const eye = known ? shape("lc-eye", EYE) : null;
        const label = cardName(card) + (known ? ", known to the opponent" : "");
        const node = place("lc-held", label, `hand ${index}`, choose, face(card), eye);
        if (known) node.title = "The opponent knows this card";
        node.dataset.card = card;
        node.dataset.place = index;
        if (card === chosenToMark) {
          node.classList.add("lc-chosen");
          node.classList.toggle("lc-gone", Boolean(this.chosen.way));
          chosenToMark = null;
          if (choose) node.setAttribute("aria-pressed", "true");
        }
        if (card === highlightToMark) {
          node.classList.add("lc-hint");
          highlightToMark = null;
        }
        if (card === drawnToMark) {
          node.classList.add("lc-new");
          drawnToMark = null;
        }
        list.append(make("li", "", node));
      });
      return list;
    }

    column(letter) {
      const node = make(
        "div",
        "lc-column",
        this.expedition(1 - this.bottom, letter),
        this.score(1 - this.bottom, letter),
        this.pile(letter),
        this.score(this.bottom, letter),
        this.expedition(this.bottom, letter),
      );
      node.dataset.colour = letter;
      node.setAttribute("role", "group");
      node.setAttribute("aria-label", NAMES[letter]);
      return node;
    }

    expedition(player, letter) {
      const { cards, points: worth } = this.view.players[player].expeditions[letter];
      const below = player === this.bottom;
      const mine = below && this.chosen.card?.[0] === letter;
      const shown = cards.map(face);
      if (player === this.last.player && this.last.way === "play" && this.last.card[0] === letter) {
        shown[cards.lastIndexOf(this.last.card)]?.classList.add("lc-last");
      }
      if (mine && this.chosen.way === "play") {
        const ghost = face(this.chosen.card);
        ghost.classList.add("lc-ghost");
        shown.push(ghost);
      }
      const choose = mine && this.selectable.targets.includes("play") ? () => this.options.onTarget?.("play") : null;
      const what = cards.length ? `${cards.map(rankName).join(", ")}; ${points(worth)} points` : "not opened";
      const label = choose
        ? `Play ${cardName(this.chosen.card)} on the ${NAMES[letter]} expedition`
        : `${NAMES[letter]} expedition of ${this.names[player]}: ${what}`;
      const node = place(`lc-expedition ${below ? "" : "lc-flip"}`, label, "target play", choose, ...shown);
      node.style.setProperty("--gaps", Math.max(shown.length - 1, 1));
      if (choose && !shown.length) node.append(make("span", "lc-verb", "play"));
      if (player === this.highlight.player && this.highlight.way === "play" && this.highlight.card[0] === letter) {
        node.classList.add("lc-hint");
      }
      return node;
    }

    score(player, letter) {
      const { length, points: worth } = this.view.players[player].expeditions[letter];
      const node = make("div", "lc-points", length ? points(worth) : "");
      node.classList.toggle("lc-minus", worth < 0);
      node.setAttribute("aria-hidden", "true"); // the label of the expedition says it
      return node;
    }

    pile(letter) {
      const cards = this.view.piles[letter];
      const discarding = this.chosen.card?.[0] === letter && this.selectable.targets.includes("discard");
      const drawable = this.selectable.sources.includes(letter);
      let choose = null;
      let verb = "";
      if (drawable) [choose, verb] = [() => this.options.onSource?.(letter), "Draw from"];
      else if (discarding) [choose, verb] = [() => this.options.onTarget?.("discard"), "Discard on"];
      const top = cards.length ? face(cards[cards.length - 1]) : make("span", "lc-empty", sign(letter), letter);
      const content = [top];
      if (this.chosen.way === "discard" && this.chosen.card[0] === letter) {
        const ghost = face(this.chosen.card);
        ghost.classList.add("lc-ghost");
        content.push(ghost);
      }
      const holds = cards.length ? `${count(cards.length, "card")}, top ${rankName(cards[cards.length - 1])}` : "empty";
      const label = `${verb ? `${verb} the ` : ""}${NAMES[letter]} pile: ${holds}`;
      const key = drawable ? `source ${letter}` : "target discard";
      const node = place("lc-pile", label, key, choose, ...content);
      if (cards.length > 1) node.append(make("span", "lc-count", String(cards.length)));
      if (discarding && !this.chosen.way && !cards.length) node.append(make("span", "lc-verb", "discard"));
      if (cards.length) node.title = `Top last: ${cards.map(rank).join(" ")}`;
      if (this.last.way === "discard" && this.last.card[0] === letter) top.classList.add("lc-last");
      if (this.last.source === letter) node.classList.add("lc-from");
      if (this.highlight.source === letter) node.classList.add("lc-hint");
      if (this.highlight.way === "discard" && this.highlight.card[0] === letter) node.classList.add("lc-hint");
      return node;
    }

    deckColumn() {
      const left = this.view.deck_count;
      const choose = this.selectable.sources.includes("deck") ? () => this.options.onSource?.("deck") : null;
      const label = `${choose ? "Draw from the" : "The"} deck: ${count(left, "card")} left`;
      const back = make("span", left ? "lc-back" : "lc-empty", make("span", "lc-left", String(left)));
      const deck = place("lc-pile lc-deck", label, "source deck", choose, back);
      if (this.last.source === "deck") deck.classList.add("lc-from");
      if (this.highlight.source === "deck") deck.classList.add("lc-hint");
      return make("div", "lc-column lc-totals", this.total(1 - this.bottom), deck, this.total(this.bottom));
    }

    total(player) {
      const { score } = this.view.players[player];
      const node = make("div", "lc-total", make("span", "", "total"), make("b", "", points(score)));
      node.dataset.total = player;
      node.setAttribute("role", "img");
      node.setAttribute("aria-label", `${this.names[player]}: ${points(score)} points`);
      return node;
    }
  }

  function drawTable(element, view, options = {}) {
    const active = document.activeElement;
    const focused = element.contains(active) ? active.dataset.focus : null;
    element.replaceChildren(new Table(view, options).draw());
    if (focused) element.querySelector(`[data-focus="${focused}"]`)?.focus();
  }

  return { drawTable, turnChoices, isTurn, cardName, colourName, cardChip, sentence, points, make };
})();
