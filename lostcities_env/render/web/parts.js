/* Small things that pages are made of: Parts.turnChip("-R7 G", "B3") is a turn to be read at a glance, and the card that it
   brought, if that may be shown; Parts.signed(3.14) is "+3.1". */
const Parts = (() => {
  const { cardChip, make, points } = LostCities;

  const signed = (value) => (value > 0 ? "+" : "") + points(value.toFixed(1));

  function turnChip(text, drawn = null) {
    const [placed, source] = text.split(" ");
    const discard = placed.startsWith("-");
    const card = cardChip(discard ? placed.slice(1) : placed);
    const from = make("span", "source", source === "deck" ? "deck" : `pile ${source}`);
    const brought = drawn === null ? [] : [" \u2192 ", cardChip(drawn)];
    return make("span", "turn", discard ? "discard " : "play ", card, " ", from, ...brought);
  }

  return { signed, turnChip };
})();
