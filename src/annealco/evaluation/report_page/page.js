"use strict";
// The page: reads the content, fills the tables, and draws the plots of the comparison that is chosen.

const content = JSON.parse(document.getElementById("content").textContent);
const at = (name) => document.getElementById(name);
const rows = content.rows.map((cells) => Object.fromEntries(content.fields.map((field, number) => [field, cells[number]])));
const { tables, methods } = content;
const hidden = new Set();
const ENOUGH = 1 - 1e-9;
const PAPER_NETWORK = "The paper's figure beside annealed networks is that of its own network, trained with annealing; the one compared may be another.";

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const fixed = (value, digits) => (value === null || value === undefined ? "\u2013" : value.toFixed(digits));
const seconds = (value) => (value >= 100 ? value.toFixed(1) : value.toFixed(4));
const exact = (value) => (Number.isInteger(value) ? String(value) : fixed(value, 4));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const spread = (middle, deviation, digits) => `${fixed(middle, digits)} \u00b1 ${fixed(deviation, digits)}`;

function limitOf(table) {
  const counted = table.moves === null ? "" : `${table.moves} ${table.moves === 1 ? "move" : "moves"}, `;
  return `${counted}${table.limit} s${table.threads > 1 ? `, ${table.threads} threads` : ""}`;
}
// Moves count before seconds, and runs without them before all others.
const limitOrder = (table) => (table.moves === null ? 0 : table.moves + 1) * 1e9 + table.limit;
const nameOf = (table) => `${table.problem} on ${table.data}, ${limitOf(table)}`;

const status = (row) => content.statuses[row.status];

function showFacts() {
  at("title").textContent = `annealco report: ${content.title}`;
  document.title = `annealco report: ${content.title}`;
  const facts = Object.fromEntries(content.facts);
  at("facts-short").textContent = `Facts: ${facts.rows} rows of ${facts.problems} on ${facts.sets}; last row ${facts["last row"]}`;
  for (const [name, text] of content.facts) at("facts-list").append(element("dt", { text: name }), element("dd", { text }));
}

function paperText(paper) {
  return paper ? `${spread(paper.mean, paper.std, 3)} in ${paper.seconds} s${paper.erratum ? "*" : ""}` : "\u2013";
}

function showSummary() {
  const lines = tables.flatMap((table) => table.lines.map((line) => ({ table, ...line })));
  const cuts = lines.some((line) => line.conductance !== null);
  const number = (title, value, text) => ({ title, value, text, number: true });
  const columns = [
    { title: "problem", value: (line) => line.table.problem, text: (line) => line.table.problem },
    { title: "set", value: (line) => line.table.data, text: (line) => line.table.data },
    { title: "method", value: (line) => methods[line.method], text: (line) => methods[line.method], long: true },
    number("ratio", (line) => line.ratio, (line) => spread(line.ratio, line.ratio_std, 4)),
    number("at reference", (line) => line.best, (line) => percent(line.best)),
    { ...number("feasible", (line) => line.feasible, (line) => percent(line.feasible)), bad: (line) => line.feasible < 1 },
    ...(cuts ? [number("cut / volume", (line) => line.conductance, (line) => (line.conductance === null ? "\u2013" : spread(line.conductance, line.conductance_std, 3)))] : []),
    number("limit", (line) => limitOrder(line.table), (line) => limitOf(line.table)),
    number("wall s", (line) => line.wall, (line) => seconds(line.wall)),
    number("CPU s", (line) => line.cpu, (line) => seconds(line.cpu)),
    { ...number("paper", (line) => line.paper && line.paper.mean, (line) => paperText(line.paper)), hint: (line) => line.paper && line.paper.erratum },
    number("runs", (line) => line.graphs, (line) => String(line.graphs)),
  ];
  sortableTable(at("summary-table"), { columns, rows: lines, name: "summary" });
  const notes = ["At reference: the share of runs that reach the optimum where it is known, else the best known value."];
  if (cuts) notes.push("The paper's figure for cuts is cut / volume, not a ratio.");
  if (lines.some((line) => line.paper && line.paper.method === "annealed")) notes.push(PAPER_NETWORK);
  for (const { table, method, paper } of lines)
    if (paper && paper.erratum) notes.push(`* the paper's ${methods[method]} for ${table.problem} on ${table.data}: ${paper.erratum}`);
  at("summary-notes").append(...[...new Set(notes)].map((text) => element("li", { text })));
}

function showFailures() {
  const ordered = [...rows].sort((a, b) => a.status - b.status || a.ratio - b.ratio);
  const plain = (title, value) => ({ title, value, text: (row) => String(value(row)) });
  const number = (title, value, text) => ({ title, value, text, number: true });
  const columns = [
    { ...plain("status", status), bad: (row) => row.value === null },
    plain("problem", (row) => tables[row.table].problem),
    plain("set", (row) => tables[row.table].data),
    { ...plain("graph", (row) => row.case), number: true },
    { ...plain("method", (row) => methods[row.method]), long: true },
    number("ratio", (row) => row.ratio, (row) => fixed(row.ratio, 4)),
    number("value", (row) => row.value, (row) => exact(row.value)),
    number("reference", (row) => row.reference, (row) => exact(row.reference)),
    number("wall s", (row) => row.wall, (row) => seconds(row.wall)),
    number("CPU s", (row) => row.cpu, (row) => seconds(row.cpu)),
    number("limit", (row) => limitOrder(tables[row.table]), (row) => limitOf(tables[row.table])),
    { ...plain("seed", (row) => row.seed), number: true },
    { ...plain("note", (row) => content.notes[row.note]), long: true },
  ];
  sortableTable(at("failures-table"), { columns, rows: ordered, name: "failures first", page: 25 });
}

function options(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value, text })));
}

const chosen = () => Number(at("table").value);
const shownMethods = () => tables[chosen()].lines.map((line) => line.method).filter((method) => !hidden.has(method));
const rowsOf = (method) => rows.filter((row) => row.table === chosen() && row.method === method);

function drawFrontier() {
  const time = at("frontier-time").value;
  const unit = time === "cpu" ? "CPU s" : "wall s";
  const here = tables[chosen()];
  const same = tables.filter((table) => table.problem === here.problem && table.data === here.data);
  const series = shownMethods().map((method) => {
    const found = same.flatMap((table) => table.lines.filter((line) => line.method === method).map((line) => ({ table, ...line })));
    const points = found.map((line) => ({
      x: line[time], y: line.ratio,
      tip: [methods[method], `ratio ${spread(line.ratio, line.ratio_std, 4)}`, `${seconds(line[time])} ${unit}, limit ${limitOf(line.table)}`],
    }));
    return { method, line: true, marks: true, points: points.sort((a, b) => a.x - b.x) };
  });
  const best = [];
  for (const point of series.flatMap((each) => each.points).sort((a, b) => a.x - b.x || b.y - a.y))
    if (!best.length || point.y > best[best.length - 1].y) best.push(point);
  draw(at("frontier"), {
    label: "ratio against time", series, reference: best, stepped: true,
    x: { label: `mean ${unit} a graph`, log: true }, y: { label: "mean ratio" },
  });
}

// The mean ratio over runs when all are stopped at a time; `events` are changes of one run's ratio.
function anytimePoints(method, own) {
  const events = own.flatMap((row) => {
    const steps = row.trace || [[row.wall, row.ratio]];
    return steps.map(([when, ratio], number) => [when, ratio - (number ? steps[number - 1][1] : 0)]);
  }).sort((a, b) => a[0] - b[0]);
  const every = Math.ceil(events.length / 300);
  const points = [];
  let sum = 0;
  events.forEach(([when, gain], number) => {
    sum += gain / own.length;
    if (number % every && number !== events.length - 1) return;
    points.push({ x: when, y: sum, tip: [methods[method], `mean ratio ${fixed(sum, 4)} after ${seconds(when)} s`] });
  });
  return points;
}

function drawAnytime() {
  if (!rows.some((row) => row.table === chosen() && row.trace)) return emptyPlot(at("anytime"), "No row of this comparison tells when its run improved.");
  const series = shownMethods().map((method) => {
    const own = rowsOf(method);
    if (own.some((row) => row.trace)) return { method, line: true, step: true, points: anytimePoints(method, own) };
    const [x, y] = [mean(own.map((row) => row.wall)), mean(own.map((row) => row.ratio))];
    return { method, marks: true, points: [{ x, y, tip: [methods[method], `mean ratio ${fixed(y, 4)} at the end, ${seconds(x)} s`] }] };
  });
  const last = largest(series.flatMap((each) => each.points.map((point) => point.x)));
  for (const { step, points } of series) if (step) points.push({ ...points[points.length - 1], x: last });
  draw(at("anytime"), { label: "mean ratio over time", series, x: { label: "wall s", log: true }, y: { label: "mean ratio", high: 1 } });
}

// Steps that count up: after each of the sorted values, what share of all runs is there.
function shareSteps(values, total, tip) {
  const points = [];
  values.forEach((value, number) => {
    if (value === values[number + 1]) return;
    points.push({ x: value, y: (number + 1) / total, tip: tip(value, (number + 1) / total) });
  });
  return points;
}

function drawShares() {
  const series = shownMethods().map((method) => {
    const ratios = rowsOf(method).map((row) => row.ratio).sort((a, b) => b - a);
    const tip = (ratio, share) => [methods[method], `${percent(share)} of runs at ratio ${fixed(ratio, 4)} or better`];
    return { method, line: true, step: true, points: shareSteps(ratios, ratios.length, tip) };
  });
  const lowest = smallest([1, ...series.flatMap((each) => each.points.map((point) => point.x))]);
  for (const each of series) {
    const [first, last] = [each.points[0], each.points[each.points.length - 1]];
    each.points.unshift({ x: 1, y: first.x > ENOUGH ? first.y : 0, tip: [methods[each.method], `${percent(first.x > ENOUGH ? first.y : 0)} of runs at the reference`] });
    each.points.push({ x: lowest, y: 1, tip: last.tip });
  }
  draw(at("shares"), { label: "share of runs by ratio", series, x: { label: "ratio", high: 1 }, y: { label: "share of runs", low: 0, high: 1 } });
}

function drawProfile() {
  const target = Number(at("target").value) - 1e-9;
  const last = largest(rows.filter((row) => row.table === chosen()).map((row) => row.wall));
  const series = shownMethods().map((method) => {
    const own = rowsOf(method);
    const times = own.filter((row) => row.ratio >= target).map((row) => {
      const reached = (row.trace || []).find(([, ratio]) => ratio >= target);
      return reached ? reached[0] : row.wall;
    }).sort((a, b) => a - b);
    const tip = (time, share) => [methods[method], `${percent(share)} of runs after ${seconds(time)} s`];
    const points = shareSteps(times, own.length, tip);
    const end = points[points.length - 1];
    if (end) points.unshift({ ...points[0], y: 0 });
    if (end && last > end.x) points.push({ ...end, x: last });
    return { method, line: true, step: true, points };
  });
  draw(at("profile"), { label: "share of runs at the target over time", series, x: { label: "wall s", log: true }, y: { label: "share of runs", low: 0, high: 1 } });
}

function drawScatter() {
  const [across, up] = [Number(at("scatter-x").value), Number(at("scatter-y").value)];
  const figure = at("scatter-figure").value;
  const key = (row) => `${row.case}/${row.seed}`;
  const partner = new Map(rowsOf(up).map((row) => [key(row), row]));
  const pairs = rowsOf(across).filter((row) => partner.has(key(row))).map((row) => [row, partner.get(key(row))]);
  const places = new Map();
  for (const [a, b] of pairs) {
    const name = `${a[figure]}/${b[figure]}`;
    places.set(name, [...(places.get(name) || []), [a, b]]);
  }
  const points = [...places.values()].map((same) => {
    const [a, b] = same[0];
    const graphs = [...new Set(same.map(([row]) => row.case))];
    const cases = graphs.slice(0, 8).join(", ") + (graphs.length > 8 ? ", \u2026" : "");
    return {
      x: a[figure], y: b[figure], size: 0.7 + 0.3 * same.length,
      tip: [`graph ${cases}`, `${methods[across]}: ${fixed(a[figure], 4)}`, `${methods[up]}: ${fixed(b[figure], 4)}`],
    };
  }).sort((a, b) => b.size - a.size);
  const more = pairs.filter(([a, b]) => a[figure] > b[figure] + 1e-9).length;
  const less = pairs.filter(([a, b]) => b[figure] > a[figure] + 1e-9).length;
  at("scatter-note").textContent = `A mark is a graph, a larger one several. Higher across: ${more}; higher up: ${less}; equal: ${pairs.length - more - less}.`;
  const values = points.flatMap((point) => [point.x, point.y]);
  const axis = { log: figure !== "ratio" };
  if (values.length) Object.assign(axis, extent(axis, values));
  draw(at("scatter"), {
    label: "graph by graph", series: [{ method: up, marks: true, points }],
    reference: values.length ? [{ x: axis.low, y: axis.low }, { x: axis.high, y: axis.high }] : null,
    x: { label: methods[across], ...axis }, y: { label: methods[up], ...axis },
  });
}

function drawPlots() {
  for (const one of [drawFrontier, drawAnytime, drawShares, drawProfile, drawScatter]) one();
}

function showLegend() {
  at("legend").replaceChildren(...tables[chosen()].lines.map(({ method }) => {
    const sample = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, mark(method, 8, 8, 6));
    const button = element("button", { type: "button", "aria-pressed": String(!hidden.has(method)) }, sample, element("span", { text: methods[method] }));
    button.addEventListener("click", () => {
      if (!hidden.delete(method)) hidden.add(method);
      button.setAttribute("aria-pressed", String(!hidden.has(method)));
      drawPlots();
    });
    return button;
  }));
}

function choose() {
  const table = tables[chosen()];
  const ranked = [...table.lines].sort((a, b) => b.ratio - a.ratio).map((line) => line.method);
  const entries = table.lines.map((line) => [line.method, methods[line.method]]);
  options(at("scatter-x"), entries);
  options(at("scatter-y"), entries);
  at("scatter-y").value = ranked[0];
  at("scatter-x").value = ranked[1] ?? ranked[0];
  const references = table.references.map(([kind, count]) => `${kind} (${count})`).join(", ");
  const uneven = table.uneven ? " Not all methods were run on all graphs yet: they cannot be compared." : "";
  at("table-note").textContent = `References by graph: ${references}. Seeds: ${table.seeds.join(", ")}.${uneven}`;
  showLegend();
  drawPlots();
}

showFacts();
showSummary();
showFailures();
options(at("table"), tables.map((table, number) => [number, nameOf(table)]));
choose();
at("table").addEventListener("change", choose);
at("frontier-time").addEventListener("change", drawFrontier);
at("target").addEventListener("change", drawProfile);
for (const name of ["scatter-x", "scatter-y", "scatter-figure"]) at(name).addEventListener("change", drawScatter);
let drawnWidth = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === drawnWidth) return;
  drawnWidth = window.innerWidth;
  drawPlots();
});
