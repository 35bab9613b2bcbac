/* The page on which a person plays: what was chosen so far, and what the server says of the game. */

import { button, drawHints, drawMoves, drawReview, outcome, scoreTable } from "./panels.js";
import { ServerError, ask } from "./server.js";
import { choice, fillForm } from "./start.js";

const { cardName, cardChip, colourName, drawTable, isTurn, make, sentence, turnChoices } = LostCities;
const $ = (id) => document.getElementById(id);
// Milliseconds between the person's turn and the agent's, so that both are seen.
const PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 450;
const SLOW = 1500;
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let position = null; // where the game stands, as the server says
let chosen = {}; // of the turn being chosen: card, way
let hints = []; // suggestions shown, and the one pointed at
let pointed = 0;
let busy = false; // whether a request is on its way

/* The server */

/* Does something with the server, one thing at a time; shows what goes wrong. */
async function attempt(work) {
  if (busy) return;
  busy = true;
  $("trouble").hidden = true;
  document.body.classList.add("busy");
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    complain(error.message);
    if (error.status === 409) await load(position.id).catch((again) => complain(again.message));
  } finally {
    busy = false;
    document.body.classList.remove("busy");
    if (position) draw();
  }
}

function complain(message) {
  $("trouble").textContent = message;
  $("trouble").hidden = false;
}

const say = (message) => { $("prompt").textContent = message; };
const change = async (what, body = {}) =>
  show(await ask("POST", `games/${position.id}/${what}`, { version: position.version, ...body }));
const load = async (id) => show(await ask("GET", `games/${id}`));

function show(next) {
  position = next;
  chosen = {};
  hints = [];
  draw();
}

/* Goes on while it is the agent's turn; then looks the game over, if that was the end. */
async function goOn() {
  while (position.phase === "agent") {
    await later(PAUSE);
    await change("answer");
  }
  if (position.phase === "over") lookOver(position.id);
}

/* Shows the review of a finished game; it takes some seconds, in which the person may go on. */
async function lookOver(id) {
  drawReview($("review"), null);
  try {
    const review = await ask("GET", `games/${id}/review`);
    if (position?.id === id) drawReview($("review"), review);
  } catch (error) {
    if (position?.id === id) complain(error.message);
  }
}

/* Beginning */

async function begin() {
  const slow = setTimeout(() => complain("The first game ever compiles the rules, which takes some ten seconds."), SLOW);
  try {
    show(await ask("POST", "games", choice()));
  } finally {
    clearTimeout(slow);
  }
  $("trouble").hidden = true;
  location.hash = position.id;
  await goOn();
}

function openStart() {
  position = null;
  location.hash = "";
  $("start").hidden = false;
  $("game").hidden = true;
  $("new").hidden = true;
  $("match").textContent = "";
  $("agent").focus();
}

/* Drawing */

const agentName = () => position.agent.split("/").pop().replace(/\.safetensors$/, "");
const names = () => (position.seat === 0 ? ["You", agentName()] : [agentName(), "You"]);
const roundName = ({ round, rounds }) => (round < rounds ? `round ${round + 1} of ${rounds}` : "extra round");
const mayChoose = () => position?.phase === "person" && !busy;

function draw() {
  $("start").hidden = true;
  $("game").hidden = false;
  $("new").hidden = false;
  const { table, moves, phase } = position;
  const choices = mayChoose() ? turnChoices(table.legal, chosen) : undefined;
  const last = moves[moves.length - 1];
  drawTable($("table"), table, {
    names: names(),
    bottom: position.seat,
    last,
    chosen,
    selectable: choices,
    highlight: hints[pointed],
    onCard: chooseCard,
    onTarget: chooseWay,
    onSource: chooseSource,
  });
  const rounds = table.rounds > 1 ? `, ${roundName(table)}` : "";
  const rules = table.variant.name === "standard" ? "" : `, ${table.variant.name}`;
  $("match").textContent = `against ${agentName()}${rules}${rounds}`;
  $("last").textContent = last ? `${sentence(last, names()[last.player])}.` : "";
  $("last").classList.toggle("theirs", Boolean(last) && last.player !== position.seat);
  drawMoves($("moves"), moves, names());
  $("choices").replaceChildren(...(choices ? drawChoices(choices) : waiting()));
  $("hints").hidden = !hints.length;
  if (hints.length) drawHints($("hints"), hints, position.agent, pointAt);
  drawResult(phase);
}

function waiting() {
  say(position.phase === "agent" ? `${agentName()} is to move …` : "");
  return [];
}

/* The buttons of the step that is to be chosen next. */
function drawChoices(choices) {
  if (!chosen.card) return drawTools();
  const card = cardName(chosen.card);
  const goBack = button("Back", back, "Esc", "quiet");
  if (!chosen.way) {
    say(`What to do with ${card}?`);
    const verbs = { play: button("Play it", () => chooseWay("play"), "P"), discard: button("Discard it", () => chooseWay("discard"), "D") };
    return [...choices.targets.map((way) => verbs[way]), goBack];
  }
  say(`${chosen.way === "play" ? "Play" : "Discard"} ${card}, draw from where?`);
  const sources = choices.sources.map((source) => {
    const pile = position.table.piles[source];
    return source === "deck"
      ? button("Deck", () => chooseSource(source), "D")
      : button(cardChip(pile[pile.length - 1]), () => chooseSource(source), source);
  });
  return [...sources, goBack];
}

function instruction({ way, card, source }) {
  return `${way} ${cardName(card)}, draw from the ${source === "deck" ? source : `${colourName(source)} pile`}`;
}

function drawTools() {
  if (hints.length) say(`Hint: ${instruction(hints[pointed])}`);
  else if (position.table.turn < 2) say("Your turn. Tap a card, or press its place: 1, 2, 3 …");
  else say("Your turn: choose a card.");
  const tools = [button("Hint", hint, "H", "quiet")];
  if (position.undo) {
    const undoing = button("Undo", undo, "U", "quiet");
    undoing.disabled = !position.can_undo;
    tools.push(undoing);
  }
  return tools;
}

function drawResult(phase) {
  const over = phase === "over";
  const section = $("result");
  const appears = section.hidden;
  section.hidden = !over && phase !== "round_over";
  $("game").classList.toggle("finished", !section.hidden);
  if (!over) $("review").hidden = true;
  if (section.hidden) return;
  const several = position.table.rounds > 1;
  const shown = over ? position.results : position.results.slice(-1);
  const first = position.results.length - shown.length;
  section.replaceChildren(
    make("h2", "", outcome(position, names())),
    make("div", "tables", ...shown.map((result, k) => scoreTable(result, names(), several ? `Round ${first + k + 1}` : "Points"))),
  );
  const actions = make("div", "actions");
  if (over) {
    const record = make("a", "", "Save the record");
    record.href = `/api/games/${position.id}/record`;
    record.download = "";
    actions.append(button("Play again", again, "N", "main"), record);
  } else {
    actions.append(button("Next round", nextRound, "N", "main"));
  }
  section.append(actions, make("p", "soft", position.saved ?? ""));
  if (appears) section.scrollIntoView({ block: "nearest" });
}

/* Choosing */

function chooseCard(card) {
  chosen = chosen.card === card && !chosen.way ? {} : { card };
  draw();
}

function chooseWay(way) {
  chosen = { card: chosen.card, way };
  draw();
}

function chooseSource(source) {
  const turn = position.table.legal.find((one) => isTurn(one, { ...chosen, source }));
  return attempt(async () => {
    await change("turn", { turn: turn.text });
    await goOn();
  });
}

function back() {
  chosen = chosen.way ? { card: chosen.card } : {};
  draw();
}

const undo = () => attempt(() => change("undo"));
const nextRound = () => attempt(async () => {
  await change("next-round");
  await goOn();
});
const again = () => attempt(begin);
const hint = () => attempt(async () => {
  const { suggestions } = await ask("POST", `games/${position.id}/hint`, {});
  [hints, pointed] = [suggestions, 0];
});

function pointAt(index) {
  pointed = index;
  draw();
}

/* The keyboard */

function press(key) {
  if (key === "?") return $("keys").showModal();
  if (!position || busy) return undefined;
  if (key === "N" && position.phase === "round_over") return nextRound();
  if (key === "N" && position.phase === "over") return again();
  if (!mayChoose()) return undefined;
  if (key === "H") return hint();
  if (key === "U" && position.can_undo) return undo();
  if (key === "ESCAPE") return back();
  const { cards, targets, sources } = turnChoices(position.table.legal, chosen);
  const way = { P: "play", D: "discard" }[key];
  const source = key === "D" ? "deck" : key;
  const held = position.table.players[position.seat].hand[Number(key) - 1];
  if (chosen.way && sources.includes(source)) return chooseSource(source);
  if (chosen.card && !chosen.way && targets.includes(way)) return chooseWay(way);
  if (held && cards.includes(held.card)) return chooseCard(held.card);
  return undefined;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("form, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  press(event.key.toUpperCase());
});

/* The beginning */

$("start").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(begin);
});
$("new").addEventListener("click", openStart);
$("help").addEventListener("click", () => $("keys").showModal());

window.addEventListener("hashchange", () => {
  if (location.hash.slice(1) !== (position?.id ?? "")) attempt(openNamed);
});

/* Opens the game that the address names, or the beginning. */
async function openNamed() {
  const id = location.hash.slice(1);
  if (!id) return openStart();
  try {
    await load(id);
  } catch (error) {
    openStart();
    throw error;
  }
  return goOn();
}

attempt(async () => {
  fillForm(await ask("GET", "options"));
  await openNamed();
});
