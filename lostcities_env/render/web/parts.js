/* Small things that pages are made of: Parts.make builds an element, whose handlers are attributes such as `onclick`;
   Parts.turnChip("-R7 G") is a turn to be read at a glance; Parts.signed(3.14) is "+3.1". */
const Parts = (() => {
  const { cardChip, points } = LostCities;

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  const signed = (value) => (value > 0 ? "+" : "") + points(value.toFixed(1));

  function turnChip(text) {
    const [placed, source] = text.split(" ");
    const discard = placed.startsWith("-");
    const card = discard ? placed.slice(1) : placed;
    const node = make("span", { class: "turn" }, discard ? "discard " : "play ", cardChip(card), " ");
    node.append(make("span", { class: "source" }, source === "deck" ? "deck" : `pile ${source}`));
    return node;
  }

  return { make, signed, turnChip };
})();
