"use strict";
// Tables that sort by any column and filter by words. Text from outside enters the page by textContent alone.

function element(tag, settings, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(settings || {})) {
    if (name === "text") made.textContent = value;
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Numbers by size, texts by letter with their numbers by size, and what is missing always last.
function compare(a, b, direction) {
  const lacks = (value) => value === null || value === undefined || Number.isNaN(value);
  if (lacks(a) || lacks(b)) return lacks(a) - lacks(b);
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  return direction * String(a).localeCompare(String(b), "en", { numeric: true });
}

// columns: [{title, value(row) to sort by, text(row) to show, number, long, bad(row), hint(row)}].
function sortableTable(box, { columns, rows, name, page = 100 }) {
  const filter = element("input", { type: "search", placeholder: "filter by words", "aria-label": `filter ${name}` });
  const count = element("span", { class: "count", role: "status" });
  const body = element("tbody");
  const more = element("button", { class: "more", type: "button" });
  const searched = rows.map((row) => columns.map((column) => column.text(row)).join(" ").toLowerCase());
  const sorting = { column: null, direction: 1 };
  let shown = page;

  const headings = columns.map((column, number) => {
    const button = element("button", { type: "button", text: column.title });
    const heading = element("th", { scope: "col", class: column.number ? "number" : "" }, button);
    button.addEventListener("click", () => {
      const again = sorting.column === number;
      sorting.direction = again ? -sorting.direction : column.number ? -1 : 1;
      sorting.column = number;
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", sorting.direction > 0 ? "ascending" : "descending");
      update();
    });
    return heading;
  });

  function cell(column, row) {
    const kinds = [column.number && "number", column.long && "long", column.bad && column.bad(row) && "bad"];
    const made = element("td", { class: kinds.filter(Boolean).join(" "), text: column.text(row) });
    if (column.hint && column.hint(row)) made.title = column.hint(row);
    return made;
  }

  function update() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = rows.filter((_, place) => words.every((word) => searched[place].includes(word)));
    if (sorting.column !== null) {
      const { value } = columns[sorting.column];
      kept.sort((a, b) => compare(value(a), value(b), sorting.direction));
    }
    body.replaceChildren(
      ...kept.slice(0, shown).map((row) => element("tr", {}, ...columns.map((column) => cell(column, row)))),
    );
    count.textContent = words.length ? `${kept.length} of ${rows.length}` : `${rows.length}`;
    const left = kept.length - shown;
    more.hidden = left <= 0;
    more.textContent = `show ${Math.min(left, page)} more of ${left}`;
  }

  filter.addEventListener("input", () => { shown = page; update(); });
  more.addEventListener("click", () => { shown += page; update(); });
  const table = element("table", { "aria-label": name }, element("thead", {}, element("tr", {}, ...headings)), body);
  box.append(element("div", { class: "controls" }, filter, count), element("div", { class: "scroll", tabindex: "0" }, table), more);
  update();
}
