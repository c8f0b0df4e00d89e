// A graph drawn by clicks, for the page of `annealco app`.
//
// The drawing is {nodes: [[x, y, weight], ...], edges: [[u, v, weight], ...]}, x from 0 to 160 and y from 0 to 90. Every
// change of it goes to the page, which checks it again.

const REACH = { node: 7, edge: 3 }; // As far from it a click still means it: fingers are wide.
const MOST_UNDONE = 100;

export default function ({ parentElement, data, setStateValue }) {
  const svg = parentElement.querySelector("svg");
  // The page calls this again after each of its runs; the drawing in the browser is the newer one then.
  svg.send = (drawing) => setStateValue("drawing", drawing);
  if (svg.isReady) return;
  svg.isReady = true;

  const tool = (name) => parentElement.querySelector(`.tools .${name}`);
  let drawing = structuredClone(data.drawing);
  let chosen = null; // {kind: "nodes" or "edges", index}
  const before = [];

  const change = (make) => {
    before.push(structuredClone(drawing));
    if (before.length > MOST_UNDONE) before.shift();
    make();
    show();
    svg.send(structuredClone(drawing));
  };

  const nearest = (items, distance, reach) => {
    const found = items.map((item, index) => [distance(item), index]).sort((a, b) => a[0] - b[0])[0];
    return found && found[0] <= reach ? found[1] : null;
  };

  const distanceToEdge = (x, y) => ([u, v]) => {
    const [[ax, ay], [bx, by]] = [drawing.nodes[u], drawing.nodes[v]];
    const length = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
    const along = Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
  };

  const join = (u, v) => {
    const same = (edge) => Math.min(edge[0], edge[1]) === Math.min(u, v) && Math.max(edge[0], edge[1]) === Math.max(u, v);
    const place = drawing.edges.findIndex(same);
    if (place < 0) drawing.edges.push([u, v, 1]);
    else drawing.edges.splice(place, 1);
  };

  const remove = () => {
    const { kind, index } = chosen;
    chosen = null;
    drawing[kind].splice(index, 1);
    if (kind === "edges") return;
    const moved = (node) => (node > index ? node - 1 : node);
    drawing.edges = drawing.edges
      .filter(([u, v]) => u !== index && v !== index)
      .map(([u, v, weight]) => [moved(u), moved(v), weight]);
  };

  const click = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const [x, y] = [Math.round(point.x * 10) / 10, Math.round(point.y * 10) / 10];
    const node = nearest(drawing.nodes, ([a, b]) => Math.hypot(a - x, b - y), REACH.node);
    const edge = nearest(drawing.edges, distanceToEdge(x, y), REACH.edge);
    if (node !== null && chosen?.kind === "nodes" && chosen.index !== node) {
      const first = chosen.index;
      chosen = null;
      change(() => join(first, node));
    } else if (node !== null || edge !== null) {
      const meant = node !== null ? { kind: "nodes", index: node } : { kind: "edges", index: edge };
      chosen = chosen?.kind === meant.kind && chosen.index === meant.index ? null : meant;
      show();
    } else if (drawing.nodes.length < data.most) {
      chosen = null;
      change(() => drawing.nodes.push([x, y, 1]));
    }
  };

  const add = (name, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    svg.append(made);
  };

  const show = () => {
    const isChosen = (kind, index) => (chosen?.kind === kind && chosen.index === index ? "chosen" : "");
    svg.replaceChildren();
    drawing.edges.forEach(([u, v, weight], index) => {
      const [[x1, y1], [x2, y2]] = [drawing.nodes[u], drawing.nodes[v]];
      add("line", { x1, y1, x2, y2, class: isChosen("edges", index), "stroke-dasharray": weight < 0 ? "2 1.5" : "none" });
      if (weight !== 1) add("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 2.5, class: "weight" }, weight);
    });
    drawing.nodes.forEach(([x, y, weight], index) => {
      add("circle", { cx: x, cy: y, r: 4, class: isChosen("nodes", index) });
      add("text", { x, y, class: "name" }, index + 1);
      if (weight !== 1) add("text", { x, y: y - 6.5, class: "weight" }, weight);
    });
    tool("weight").disabled = tool("remove").disabled = chosen === null;
    tool("weight").value = chosen === null ? "" : drawing[chosen.kind][chosen.index][2];
    tool("undo").disabled = before.length === 0;
    tool("clear").disabled = drawing.nodes.length === 0;
    const isFull = drawing.nodes.length >= data.most;
    tool("full").textContent = isFull ? `${data.most} nodes are the most that can be drawn` : "";
  };

  svg.addEventListener("click", click);
  tool("remove").addEventListener("click", () => change(remove));
  tool("clear").addEventListener("click", () => {
    chosen = null;
    change(() => (drawing = { nodes: [], edges: [] }));
  });
  tool("undo").addEventListener("click", () => {
    chosen = null;
    drawing = before.pop();
    show();
    svg.send(structuredClone(drawing));
  });
  tool("weight").addEventListener("change", (event) => {
    const weight = event.target.valueAsNumber;
    if (chosen !== null && Number.isFinite(weight)) change(() => (drawing[chosen.kind][chosen.index][2] = weight));
    else show();
  });
  show();
}
