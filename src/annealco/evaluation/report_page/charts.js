"use strict";
// Plots as SVG: axes, lines, steps and marks, with a note on what is nearest to the pointer.

const COLOURS = ["#2f7ed8", "#e8710a", "#1a9850", "#d62f4b", "#8e5bd0", "#a0702f", "#d957a8", "#0f9aa8", "#8a8f00", "#7a8594"];
const DASHES = ["", "7 3", "2 3"];
const ROOM = 9; // Between the ends of an axis and the frame, so that marks at an end are whole.
const MARGIN = { top: 10, right: 14, bottom: 44, left: 54 };

function svg(tag, settings, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(settings || {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Methods differ by colour, then by the shape of their marks and the dashes of their lines.
const colourOf = (method) => COLOURS[method % COLOURS.length];
const dashOf = (method) => DASHES[Math.floor(method / COLOURS.length) % DASHES.length];

function mark(method, x, y, radius) {
  const shape = Math.floor(method / COLOURS.length) % 3;
  const settings = { class: "mark", fill: colourOf(method) };
  if (shape === 0) return svg("circle", { ...settings, cx: x, cy: y, r: radius });
  if (shape === 1) return svg("rect", { ...settings, x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });
  const corners = `${x},${y - 1.3 * radius} ${x + 1.2 * radius},${y + radius} ${x - 1.2 * radius},${y + radius}`;
  return svg("polygon", { ...settings, points: corners });
}

// Arrays of many rows are too long to be arguments of Math.max.
const largest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
const smallest = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);

function powerText(value) {
  const digits = Number(value.toPrecision(2));
  return value >= 1e5 || value < 1e-4 ? digits.toExponential().replace("e+", "e") : String(digits);
}

// A scale has position(value) in pixels, ticks and their text; on a logarithmic one what is 0 stands at its lower end.
function scale({ log, low, high }, from, to) {
  if (log) {
    [low, high] = [Math.log10(low), Math.log10(high)];
    const steps = high - low > 2.5 ? [1] : high - low > 1 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    const every = Math.ceil((high - low) / 6);
    const ticks = [];
    for (let power = Math.floor(low); power <= high; power += 1)
      if (power % every === 0) for (const step of steps) ticks.push(step * 10 ** power);
    const position = (value) => from + ((to - from) * (Math.log10(Math.max(value, 10 ** low)) - low)) / (high - low);
    const inside = (tick) => Math.log10(tick) >= low - 1e-9 && Math.log10(tick) <= high + 1e-9;
    return { position, ticks: ticks.filter(inside), text: powerText };
  }
  const span = high - low || 1;
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough * 0.99) * power;
  const ticks = [];
  for (let number = Math.ceil(low / step - 1e-9); number * step <= high + step * 1e-9; number += 1) ticks.push(number * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const position = (value) => from + ((to - from) * (value - low)) / span;
  return { position, ticks, text: (tick) => tick.toFixed(digits) };
}

// Limits of an axis: those given, else those of the points.
function extent(axis, values) {
  const usable = axis.log ? values.filter((value) => value > 0) : values;
  let low = axis.low ?? smallest(usable);
  let high = axis.high ?? largest(usable);
  if (!usable.length) [low, high] = axis.log ? [1e-3, 1] : [0, 1];
  if (axis.log && high / low < 3) [low, high] = [low / 2, high * 2];
  if (!axis.log && low === high) [low, high] = [low - 0.05, high + (axis.high === high ? 0 : 0.05)];
  return { log: axis.log, low, high };
}

function pathOf(places, step) {
  return places.map(([x, y], number) => {
    if (number === 0) return `M${x.toFixed(1)} ${y.toFixed(1)}`;
    return step ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `L${x.toFixed(1)} ${y.toFixed(1)}`;
  }).join("");
}

function axes(drawing, x, y, { width, height, xLabel, yLabel }) {
  const bottom = height - MARGIN.bottom;
  for (const tick of x.ticks) {
    const at = x.position(tick);
    drawing.append(svg("line", { class: "gridline", x1: at, x2: at, y1: MARGIN.top, y2: bottom }));
    drawing.append(svg("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, x.text(tick)));
  }
  for (const tick of y.ticks) {
    const at = y.position(tick);
    drawing.append(svg("line", { class: "gridline", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }));
    drawing.append(svg("text", { x: MARGIN.left - 7, y: at + 4, "text-anchor": "end" }, y.text(tick)));
  }
  const middle = (MARGIN.top + bottom) / 2;
  drawing.append(svg("text", { x: (MARGIN.left + width - MARGIN.right) / 2, y: height - 8, "text-anchor": "middle" }, shortened(xLabel)));
  drawing.append(svg("text", { transform: `translate(13 ${middle}) rotate(-90)`, "text-anchor": "middle" }, shortened(yLabel)));
}

const shortened = (text) => (text.length > 44 ? `${text.slice(0, 20)}\u2026${text.slice(-20)}` : text);

function emptyPlot(box, message) {
  box.replaceChildren(element("p", { class: "hint", text: message }));
}

// plot: {label, x, y: {label, log, low, high}, series: [{method, line, step, marks, points: [{x, y, size, tip}]}],
// reference: points of a dashed line}. A tip is a list of lines of text.
function draw(box, plot) {
  const every = plot.series.flatMap((series) => series.points);
  if (!every.length) return emptyPlot(box, "nothing to show here");
  const width = Math.max(box.clientWidth, 200);
  const height = Math.round(Math.min(400, Math.max(260, width * 0.62)));
  const x = scale(extent(plot.x, every.map((point) => point.x)), MARGIN.left + ROOM, width - MARGIN.right - ROOM);
  const y = scale(extent(plot.y, every.map((point) => point.y)), height - MARGIN.bottom - ROOM, MARGIN.top + ROOM);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": plot.label });
  axes(drawing, x, y, { width, height, xLabel: plot.x.label, yLabel: plot.y.label });
  const place = (point) => [x.position(point.x), y.position(point.y)];
  if (plot.reference) drawing.append(svg("path", { class: "reference", d: pathOf(plot.reference.map(place), plot.stepped) }));
  const found = [];
  for (const { method, line, step, marks, points } of plot.series) {
    const places = points.map(place);
    if (line && points.length > 1) {
      drawing.append(svg("path", {
        d: pathOf(places, step), fill: "none", stroke: colourOf(method), "stroke-width": 2, "stroke-dasharray": dashOf(method),
      }));
    }
    points.forEach((point, number) => {
      const radius = 5 * Math.sqrt(point.size || 1);
      if (marks || points.length === 1) drawing.append(mark(method, ...places[number], Math.min(radius, 18)));
      found.push({ at: places[number], tip: point.tip });
    });
  }
  box.replaceChildren(drawing);
  addTips(box, drawing, found, width);
}

function addTips(box, drawing, found, width) {
  const tip = element("div", { class: "tip", role: "tooltip" });
  const ring = svg("circle", { class: "ring", r: 7, visibility: "hidden" });
  tip.hidden = true;
  box.append(tip);
  drawing.append(ring);
  const hide = () => { tip.hidden = true; ring.setAttribute("visibility", "hidden"); };
  const move = (event) => {
    const area = drawing.getBoundingClientRect();
    const [px, py] = [event.clientX - area.left, event.clientY - area.top];
    const away = (each) => (each.at[0] - px) ** 2 + (each.at[1] - py) ** 2;
    const nearest = found.reduce((a, b) => (away(b) < away(a) ? b : a));
    if (away(nearest) > 60 ** 2) return hide();
    const [cx, cy] = nearest.at;
    ring.setAttribute("cx", cx);
    ring.setAttribute("cy", cy);
    ring.setAttribute("visibility", "visible");
    tip.replaceChildren(...nearest.tip.map((line) => element("div", { text: line })));
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(cx + 12, width - tip.offsetWidth))}px`;
    tip.style.top = `${cy > tip.offsetHeight + 14 ? cy - tip.offsetHeight - 12 : cy + 14}px`;
  };
  drawing.addEventListener("pointermove", move);
  drawing.addEventListener("pointerdown", move);
  drawing.addEventListener("pointerleave", hide);
}
