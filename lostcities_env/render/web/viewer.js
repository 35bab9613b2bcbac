/* The viewer: one frame of one game is shown; every control changes which, and `show` draws it. */
(() => {
  const AT_LEAST = 1; // points that a turn of "Look here" costs
  const AT_MOST = 8; // turns in "Look here"
  const ICONS = {
    "to-start": "M5 4h2.5v16H5zM20 4v16L8.5 12z",
    back: "M17 4v16L6 12z",
    play: "M7 4v16l12-8z",
    pause: "M6 4h4.5v16H6zM13.5 4H18v16h-4.5z",
    forward: "M7 4v16l11-8z",
    "to-end": "M16.5 4H19v16h-2.5zM4 4v16l11.5-8z",
  };
  const { drawTable, make, sentence, points } = LostCities;
  const { turnChip } = Parts;
  const get = (id) => document.getElementById(id);
  const games = JSON.parse(get("games").textContent);
  games.forEach(unfold);

  let game = games[0];
  let at = 0;
  let timer = null;
  let all = false; // whether all legal turns are listed

  /* Puts the whole view into each frame, which holds what changed since the one before. */
  function unfold({ frames }) {
    for (let k = 1; k < frames.length; k++) frames[k].view = merge(frames[k - 1].view, frames[k].view);
  }

  function merge(old, change) {
    const both = [old, change].every((one) => one !== null && typeof one === "object");
    if (!both || Array.isArray(change)) return change;
    const merged = Array.isArray(old) ? [...old] : { ...old };
    for (const key of Object.keys(change)) merged[key] = merge(old[key], change[key]);
    return merged;
  }

  function setIcon(id, name) {
    get(id).innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
  }

  /* Whose hand is shown: 0, 1, or null for both. */
  const shownHand = () => (get("hands").value === "2" ? null : Number(get("hands").value));
  const isShown = (player) => shownHand() === null || shownHand() === player;

  function asSeen(view) {
    const players = view.players.map((player, seat) => {
      if (isShown(seat)) return player;
      const known = player.hand.filter((held) => held.known);
      const hidden = player.hand.filter((held) => !held.known).map(() => ({ card: null, known: false }));
      return { ...player, hand: [...known, ...hidden] };
    });
    return { ...view, viewer: shownHand(), players };
  }

  /* A turn without what the viewer may not see. */
  const moveAsSeen = (move) => (move.source === "deck" && !isShown(move.player) ? { ...move, drawn: null } : move);

  /* What the judge expects at a frame, as the margin of seat 0, seen by whom; the margin itself at the end of a round. */
  function expected({ view, move }, seer) {
    if (view.round_over) return view.players[0].score - view.players[1].score;
    if (move?.player !== seer) return null;
    return seer === 0 ? move.judgement.value : -move.judgement.value;
  }

  function mistakes() {
    return game.frames
      .map(({ move }, frame) => ({ move, frame, cost: move?.judgement?.cost ?? 0 }))
      .filter(({ move, cost }) => cost >= AT_LEAST && isShown(move.player))
      .sort((one, other) => other.cost - one.cost)
      .slice(0, AT_MOST);
  }

  function show(frame) {
    at = Math.min(Math.max(frame, 0), game.frames.length - 1);
    const { view, move } = game.frames[at];
    const before = at > 0 ? game.frames[at - 1] : null;
    const last = before?.move && before.view.round === view.round ? moveAsSeen(before.move) : null;
    drawTable(get("table"), asSeen(view), {
      names: game.players,
      last,
      highlight: move ? moveAsSeen(move) : null,
    });
    say(view, last, move);
    get("slider").value = at;
    get("slider").setAttribute("aria-valuetext", place(view));
    get("where").textContent = place(view);
    showRounds(view);
    showJudgement(move);
    showCurve();
    for (const node of document.querySelectorAll("[data-frame]")) {
      const here = Number(node.dataset.frame) === at;
      if (here) node.setAttribute("aria-current", "true");
      else node.removeAttribute("aria-current");
      if (here && node.closest("#turns")) scrollWithin(get("turns"), node);
    }
    if (at === game.frames.length - 1) pause();
  }

  const place = (view) => (view.round_over ? `end of ${view.turn}` : `turn ${view.turn + 1}`);

  function say(view, last, move) {
    const first = view.rounds > 1 ? `Round ${view.round + 1} is dealt.` : "The cards are dealt.";
    get("said-last").textContent = last ? `${sentence(last, game.players[last.player], "past")}.` : first;
    get("said-last").classList.toggle("marked", last !== null);
    const [one, two] = view.players.map(({ score }) => points(score));
    const end = view.round_over ? `The round ends ${one} : ${two}.` : "The game was left unfinished.";
    get("said-next").textContent = move ? `${sentence(moveAsSeen(move), game.players[move.player], "present")}.` : end;
    get("said-next").classList.toggle("marked", move !== null);
  }

  /* Scrolls a list without moving the page. */
  function scrollWithin(list, node) {
    const [outer, inner] = [list.getBoundingClientRect(), node.getBoundingClientRect()];
    if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
    if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
  }

  function showRounds({ round }) {
    [...get("rounds").children].forEach((node, number) => node.classList.toggle("current", number === round));
  }

  function showJudgement(move) {
    get("judgement").hidden = !game.judge;
    if (!game.judge) return;
    const places = { title: get("judgement-title"), text: get("judgement-value"), bars: get("bars") };
    const name = move && game.players[move.player];
    drawJudgement(places, move, { judge: game.judge, name, hidden: move && !isShown(move.player), all, onAll: changeAll });
  }

  function changeAll() {
    all = !all;
    show(at);
    get("bars").querySelector(".more").focus();
  }

  function showCurve() {
    get("course").hidden = !game.judge;
    if (!game.judge) return;
    const starts = game.frames.flatMap(({ view }, k) => (k && view.round !== game.frames[k - 1].view.round ? [k] : []));
    const lines = [0, 1].filter(isShown).map((seat) => {
      const values = game.frames.map((frame, k) => [k, expected(frame, seat)]);
      return { kind: `seat-${seat}`, points: values.filter(([, value]) => value !== null) };
    });
    get("lines").replaceChildren("With the cards of", ...lines.map(({ kind }) => make("span", { class: kind }, game.players[kind.at(-1)])));
    drawCurve(get("curve"), {
      lines,
      frames: game.frames.length,
      breaks: starts,
      marks: mistakes().map(({ frame, move }) => [frame, expected(game.frames[frame], move.player)]),
      current: at,
      above: game.players[0],
      below: game.players[1],
      onFrame: jump,
    });
  }

  function listMistakes() {
    const found = mistakes();
    get("mistakes").hidden = !game.judge;
    get("mistakes-text").textContent = found.length
      ? `The turns that lose most in the eyes of ${game.judge}.`
      : `No turn costs as much as a point in the eyes of ${game.judge}.`;
    const entries = found.map(({ move, frame, cost }) => {
      const { round, rounds, turn } = game.frames[frame].view;
      const where = `${rounds > 1 ? `Round ${round + 1}, turn` : "Turn"} ${turn + 1}, ${game.players[move.player]}`;
      const head = make("span", { class: "where" }, where, make("b", {}, points((-cost).toFixed(1))));
      const instead = make("span", {}, turnChip(move.text), " instead of ", turnChip(move.judgement.actions[0][0]));
      return make("li", {}, make("button", { type: "button", "data-frame": frame, onclick: () => jump(frame) }, head, instead));
    });
    get("mistakes-list").replaceChildren(...entries);
  }

  function listTurns() {
    const nodes = [];
    game.frames.forEach(({ view, move }, frame) => {
      if (view.turn === 0 && view.rounds > 1) nodes.push(make("h3", {}, `Round ${view.round + 1}`));
      const attributes = { type: "button", "data-frame": frame, onclick: () => jump(frame) };
      if (move) {
        const number = make("span", { class: "number" }, String(view.turn + 1));
        const name = make("span", { class: "who" }, game.players[move.player]);
        nodes.push(make("button", attributes, number, name, turnChip(move.text)));
      } else {
        const [first, second] = view.players.map(({ score }) => points(score));
        const text = view.round_over ? `End of the round, ${first} : ${second}` : "Left unfinished";
        nodes.push(make("button", { ...attributes, class: "end" }, text));
      }
    });
    get("turns").replaceChildren(...nodes);
  }

  function listRounds() {
    const { rounds } = game.frames[0].view;
    const ends = game.frames.filter(({ view }) => view.round_over).map(({ view }) => view);
    const starts = game.frames.flatMap(({ view }, frame) => (view.turn === 0 ? [frame] : []));
    get("rounds").hidden = rounds === 1;
    get("rounds").replaceChildren(
      ...starts.map((frame, number) => {
        const score = ends[number]?.players.map((player) => points(player.score)).join(" : ") ?? "unfinished";
        const label = make("span", {}, make("i", {}, "Round "), String(number + 1));
        return make("button", { type: "button", onclick: () => jump(frame) }, label, make("b", {}, score));
      }),
    );
  }

  function result({ over, winner, scores, players }) {
    const score = scores.map(points).join(" : ");
    if (!over) return "unfinished";
    return winner === null ? `${score}, a draw` : `${score}, ${players[winner]} wins`;
  }

  function choose(chosen) {
    pause();
    game = chosen;
    const { players, frames, variant } = game;
    const { rounds } = frames[0].view;
    get("title").textContent = `${players[0]} against ${players[1]}`;
    get("subtitle").textContent = `${result(game)} \u00b7 ${variant}${rounds > 1 ? `, ${rounds} rounds` : ""}`;
    get("slider").max = frames.length - 1;
    const hands = [[2, "both"], [0, players[0]], [1, players[1]]];
    const chosenHand = get("hands").value || "2";
    get("hands").replaceChildren(...hands.map(([value, name]) => make("option", { value }, name)));
    get("hands").value = chosenHand;
    get("course-title").textContent = `How ${game.judge} expects the round to end`;
    const headers = [["Variant", variant], ["Judged by", game.judge ?? "nobody"], ...game.headers];
    get("headers").replaceChildren(...headers.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    listTurns();
    listRounds();
    listMistakes();
    show(0);
  }

  function jump(frame) {
    pause();
    show(frame);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    setIcon("play", "play");
    get("play").setAttribute("aria-label", "Play");
  }

  function play() {
    if (at === game.frames.length - 1) show(0);
    clearInterval(timer);
    timer = setInterval(() => show(at + 1), Number(get("speed").value));
    setIcon("play", "pause");
    get("play").setAttribute("aria-label", "Pause");
  }

  const toggle = () => (timer === null ? play() : pause());

  function chooseHands(value) {
    get("hands").value = value;
    listMistakes();
    show(at);
  }

  const actions = {
    "to-start": () => jump(0),
    back: () => jump(at - 1),
    play: toggle,
    forward: () => jump(at + 1),
    "to-end": () => jump(game.frames.length - 1),
  };
  const KEYS = { Home: "to-start", ArrowLeft: "back", " ": "play", ArrowRight: "forward", End: "to-end" };

  function onKey(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT") return;
    if (key === " " && ["BUTTON", "SUMMARY"].includes(target.tagName)) return; // presses that button
    if (key in KEYS) actions[KEYS[key]]();
    else if (["0", "1", "2"].includes(key)) chooseHands(key);
    else return;
    event.preventDefault();
  }

  for (const [id, action] of Object.entries(actions)) {
    setIcon(id, id);
    get(id).addEventListener("click", action);
  }
  get("slider").addEventListener("input", () => jump(Number(get("slider").value)));
  get("speed").addEventListener("change", () => timer !== null && play());
  get("hands").addEventListener("change", () => chooseHands(get("hands").value));
  get("game").addEventListener("change", () => choose(games[get("game").selectedIndex]));
  get("choose-game").hidden = games.length === 1;
  games.forEach((one, number) => {
    const text = `${number + 1}. ${one.players.join(" \u2013 ")}, ${result(one)}`;
    get("game").append(make("option", {}, text));
  });
  document.addEventListener("keydown", onKey);
  new ResizeObserver(showCurve).observe(get("right"));
  choose(game);
})();
