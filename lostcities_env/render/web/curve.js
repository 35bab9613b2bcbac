/* drawCurve(element, curve) draws values over time as SVG, above and below a line at 0.

  lines     of each its `kind`, a class for its style, and its `points`, [frame, value], in order
  frames    how many frames there are
  breaks    frames before which a line across separates rounds; no line goes on there
  marks     points to mark with a dot
  current   the frame that is shown
  above, below   who is ahead above the line, and below it
  onFrame(frame) is called with the frame that was pressed
*/
const drawCurve = (() => {
  const HEIGHT = 168;
  const MARGIN = { left: 34, right: 10, top: 18, bottom: 18 };

  function shape(tag, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  /* The smallest round number of which two at most reach `most`. */
  const tick = (most) => [5, 10, 20, 25, 50, 100, 200, 500].find((step) => 2 * step >= most) ?? 1000;

  return function (element, { lines, frames, breaks, marks, current, above, below, onFrame }) {
    const width = Math.max(element.clientWidth, 200);
    const most = Math.max(5, ...lines.flatMap(({ points }) => points.map(([, value]) => Math.abs(value))));
    const step = tick(most * 0.85);
    const reach = Math.max(most, 2 * step) * 1.04;
    const last = Math.max(frames - 1, 1);
    const x = (frame) => MARGIN.left + ((width - MARGIN.left - MARGIN.right) * frame) / last;
    const y = (value) => MARGIN.top + ((HEIGHT - MARGIN.top - MARGIN.bottom) * (reach - value)) / (2 * reach);
    const svg = shape("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img" });
    svg.setAttribute("aria-label", `Above 0 ${above} is ahead, below it ${below}`);
    for (const value of [-2 * step, -step, 0, step, 2 * step]) {
      const kind = value ? "grid" : "zero";
      svg.append(shape("line", { class: kind, x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }));
      svg.append(shape("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, LostCities.points(Math.abs(value))));
    }
    for (const frame of breaks) {
      const at = (x(frame - 1) + x(frame)) / 2;
      svg.append(shape("line", { class: "break", x1: at, x2: at, y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    }
    const path = (points) => points.map(([frame, value]) => `${x(frame).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
    for (const { kind, points } of lines) {
      const starts = [0, ...breaks, frames];
      const rounds = starts.slice(1).map((end, k) => points.filter(([frame]) => frame >= starts[k] && frame < end));
      const d = rounds.filter((run) => run.length).map((run) => `M${path(run)}`).join("");
      svg.append(shape("path", { class: `line ${kind}`, d }));
    }
    svg.append(shape("text", { class: "who", x: MARGIN.left, y: 11 }, `\u25b2 ${above} ahead`));
    svg.append(shape("text", { class: "who", x: MARGIN.left, y: HEIGHT - 4 }, `\u25bc ${below} ahead`));
    svg.append(shape("line", { class: "now", x1: x(current), x2: x(current), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
    for (const [frame, value] of marks) svg.append(shape("circle", { class: "mark", cx: x(frame), cy: y(value), r: 4 }));
    for (const [frame, value] of lines.flatMap(({ points }) => points)) {
      if (frame === current) svg.append(shape("circle", { class: "here", cx: x(frame), cy: y(value), r: 5 }));
    }

    const choose = (event) => {
      const place = event.clientX - svg.getBoundingClientRect().left - MARGIN.left;
      const share = place / (width - MARGIN.left - MARGIN.right);
      onFrame(Math.min(Math.max(Math.round(share * last), 0), frames - 1));
    };
    element.onpointerdown = choose;
    element.onpointermove = (event) => event.buttons && choose(event);
    element.replaceChildren(svg);
  };
})();
