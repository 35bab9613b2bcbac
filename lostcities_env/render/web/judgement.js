/* drawJudgement(places, move, options) writes what a judge thinks of a turn into three elements.

  places    {title, text, bars}
  move      the turn with its `judgement`, or null if nobody is to move
  options   judge and name: what the judge and the player to move are called; hidden: whether the hand of the player may
            not be seen; all: whether all legal turns are listed, and not only the likeliest; onAll: called to change that
*/
const drawJudgement = (() => {
  const FEW = 6;
  const { make } = LostCities;
  const { signed, turnChip } = Parts;

  return function ({ title, text, bars }, move, { judge, name, hidden, all, onAll }) {
    bars.replaceChildren();
    title.textContent = move ? `${name} to move: what ${judge} thinks` : `What ${judge} thinks`;
    if (!move || hidden) {
      text.textContent = move ? "That would tell what is in the hidden hand." : "Nobody is to move here.";
      return;
    }
    const { value, actions, cost } = move.judgement;
    const lost = cost < 0.05 ? "" : ` The turn taken costs ${cost.toFixed(1)} points against its own choice.`;
    text.textContent = `It expects ${name} to end this round at ${signed(value)}.${lost}`;
    const taken = actions.findIndex(([turn]) => turn === move.text);
    const few = actions.slice(0, FEW);
    if (taken >= FEW) few.push(actions[taken]);
    bars.append(make("div", { class: "bar head" }, make("span"), make("span", {}, "plays it"), make("span", {}, "points")));
    bars.append(make("ol", {}, ...(all ? actions : few).map((action) => bar(action, action[0] === move.text))));
    if (few.length === actions.length) return;
    const change = all ? "Show fewer" : `Show all ${actions.length}`;
    bars.append(make("button", { type: "button", class: "more", onclick: onAll }, change));
  };

  function bar([turn, probability, gain], taken) {
    const percent = `${(100 * probability).toFixed(probability < 0.0995 ? 1 : 0)} %`;
    const track = make("span", { class: "track" }, make("i"), make("b", {}, percent));
    track.firstChild.style.width = `${100 * probability}%`;
    const row = make("li", { class: "bar" }, turnChip(turn), track, make("span", { class: "gain" }, signed(gain)));
    if (taken) {
      row.classList.add("taken");
      row.firstChild.append(make("em", {}, "taken"));
    }
    return row;
  }
})();
