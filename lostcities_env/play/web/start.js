/* The form in which a game is chosen. */

const $ = (id) => document.getElementById(id);

let agents = []; // as the server offers them

/* Fills the form with what the server offers, and chooses what is so by default. */
export function fillForm(options) {
  ({ agents } = options);
  const { agent, variant, rounds, begins, undo } = options.default;
  const lengths = Array.from({ length: options.most_rounds }, (_, k) => new Option(lengthName(k + 1), k + 1));
  $("agent").replaceChildren(...agents.map(({ name }) => new Option(name, name)));
  $("agent").value = agent;
  $("rounds").replaceChildren(...lengths);
  $("rounds").value = rounds;
  document.querySelector(`[name=begins][value=${begins ? "you" : "agent"}]`).checked = true;
  $("undo").checked = undo;
  $("agent").addEventListener("change", () => showAgent($("variant").value));
  showAgent(variant);
}

function lengthName(rounds) {
  if (rounds === 1) return "one round";
  return `${rounds} rounds${rounds === 3 ? ", the printed game" : ""}`;
}

/* What the chosen agent is, and the rules that it knows: among them those wanted, if it knows them. */
function showAgent(wanted) {
  const { name, about, variants } = agents.find((one) => one.name === $("agent").value);
  $("about").textContent = about;
  $("agent-begins").textContent = name;
  $("variant").replaceChildren(...variants.map((variant) => new Option(variant, variant)));
  if (variants.includes(wanted)) $("variant").value = wanted;
}

/* What is chosen, as the server takes it. */
export const choice = () => ({
  agent: $("agent").value,
  variant: $("variant").value,
  rounds: Number($("rounds").value),
  begins: document.querySelector("[name=begins]:checked").value === "you",
  undo: $("undo").checked,
});
