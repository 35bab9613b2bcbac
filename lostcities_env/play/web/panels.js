/* What stands beside the table: turns, hints, results, the review. Drawn from what the server sends, and nothing kept. */

const { make, points } = LostCities;
const { signed, turnChip } = Parts;

export function button(label, onClick, key = "", className = "") {
  const node = make("button", className, label);
  node.type = "button";
  node.addEventListener("click", onClick);
  if (key) {
    node.append(make("kbd", "", key));
    node.setAttribute("aria-keyshortcuts", key);
  }
  return node;
}

export function drawMoves(list, moves, names) {
  const rounds = new Set(moves.map((move) => move.round)).size;
  const rows = [];
  let round = 1;
  for (const move of moves) {
    if (rounds > 1 && (move.round !== round || !rows.length)) {
      round = move.round;
      rows.push(make("li", "round", `Round ${round}`));
    }
    rows.push(
      make("li", move.player === names.indexOf("You") ? "mine" : "", make("span", "number", String(move.turn)),
        make("b", "", names[move.player]), turnChip(move.text, move.drawn)),
    );
  }
  list.replaceChildren(...rows);
  list.scrollTop = list.scrollHeight;
}

export function drawHints(section, suggestions, agent, onPoint) {
  const rows = suggestions.map((one, index) => {
    const percent = one.probability > 0 && one.probability < 0.005 ? "< 1" : Math.round(100 * one.probability);
    const share = make("span", "share", `${percent} %`);
    share.style.setProperty("--share", one.probability);
    const value = make("span", "value", one.value === null ? "" : signed(one.value));
    const node = button(turnChip(one.text), () => onPoint(index));
    node.prepend(share);
    node.append(value);
    return make("li", "", node);
  });
  const values = suggestions.some((one) => one.value !== null);
  section.replaceChildren(
    make("h2", "", `What ${agent} would play`),
    make("p", "soft", `How likely it is to${values ? "; the margin of this round that it then expects, in points" : ""}.`),
    make("ol", "", ...rows),
  );
}

function scoreCell(made) {
  if (!made.cards) return make("td", "soft", "–");
  const node = make("td", made.points < 0 ? "minus" : "", points(made.points));
  const times = made.wagers ? ` × ${made.wagers + 1}` : "";
  node.title = `(${made.total} − ${made.cost})${times}${made.bonus ? ` + ${made.bonus}` : ""}`;
  return node;
}

export function scoreTable(result, names, caption) {
  const order = [names.indexOf("You"), 1 - names.indexOf("You")];
  const head = make("tr", "", make("th", ""), ...order.map((seat) => make("th", "", names[seat])));
  const rows = Object.entries(result.colours).map(([colour, made]) =>
    make("tr", "", make("th", "", colour), ...order.map((seat) => scoreCell(made[seat]))));
  const total = make("tr", "total", make("th", "", "total"), ...order.map((seat) => make("td", "", points(result.scores[seat]))));
  return make("table", "scores", make("caption", "", caption), make("thead", "", head), make("tbody", "", ...rows, total));
}

/* The line above the tables: who has won what. */
export function outcome(position, names) {
  const { table, seat } = position;
  const [mine, theirs] = [seat, 1 - seat].map((player) => points(table.match_scores[player]));
  if (!table.over) {
    const last = position.results[position.results.length - 1].scores;
    return `Round ${position.results.length} is over: ${points(last[seat])} to ${points(last[1 - seat])}`;
  }
  if (table.winner === null) return `A draw, ${mine} to ${theirs}`;
  return table.winner === seat ? `You win, ${mine} to ${theirs}` : `${names[1 - seat]} wins, ${theirs} to ${mine}`;
}

/* The person's mistakes; null while they are still being looked for. */
export function drawReview(section, review) {
  section.hidden = false;
  const title = make("h2", "", "Your turns, looked over");
  if (review === null) {
    section.replaceChildren(title, make("p", "soft", "Judging every turn, which takes some seconds …"));
    return;
  }
  const { judge, mistakes, turns, total } = review;
  if (judge === null) {
    section.replaceChildren(title, make("p", "soft", "No agent here can judge turns of these rules."));
    return;
  }
  const summary = mistakes.length
    ? `${judge} would have played otherwise in ${mistakes.length} of your ${turns} turns and expects ` +
      `${total.toFixed(1)} points more from that.`
    : `${judge} sees nothing to mend in your ${turns} turns.`;
  const several = mistakes.some(({ played }) => played.round > 1);
  const rows = mistakes.map(({ played, better, cost }) =>
    make("li", "",
      make("span", "cost", signed(-cost)),
      make("span", "", make("span", "soft", `${several ? `round ${played.round}, ` : ""}turn ${played.turn}: `), turnChip(played.text, played.drawn),
        make("br", ""), make("span", "soft", "better: "), turnChip(better.text))));
  section.replaceChildren(title, make("p", "soft", summary), ...(rows.length ? [make("ol", "mistakes", ...rows)] : []));
}
