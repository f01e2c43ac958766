"use strict";
// The functions of a report: search, folding, plots. The data come from page.py.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
const COLOURS = ["#4e79a7", "#e0975a", "#5fa07e", "#a585b5", "#c4686c", "#76b0b5", "#9a7f6b", "#d3b450", "#8d96a1", "#e3a3a8",
  "#a9c1da", "#f0c9a6", "#a9d1bd", "#d3c3db", "#e3b3b5", "#bcd8db", "#cdbdb2", "#ead9a4", "#c5cad0", "#6b5b95"];
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.color = "#5a6673";
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;

// Each word must occur in the text. Minor rows are shown on request, by the box or by a search.
function search(section, items, groups) {
  const input = $("input[type=search]", section), all = $("input.all", section), found = $(".found", section);
  function update() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const minor = item.hasAttribute("data-minor") && !words.length && !(all && all.checked);
      item.hidden = minor || !words.every(word => item.dataset.text.includes(word));
      shown += !item.hidden;
    }
    for (const group of groups) {
      const rows = $$("tbody tr:not([hidden])", group).length;
      group.hidden = rows === 0;
      $(".count", group).textContent = rows;
      if (words.length) group.open = rows > 0;
    }
    found.textContent = words.length ? `${shown} found` : "";
  }
  input.addEventListener("input", update);
  if (all) all.addEventListener("change", update);
  update();
  return text => { input.value = text; update(); };
}
for (const id of ["statistics", "parameters"]) {
  const section = document.getElementById(id), groups = $$("details.group", section);
  search(section, $$("tbody tr", section), groups);
  const button = $("button.open", section);
  button.addEventListener("click", () => {
    const open = groups.some(group => !group.hidden && !group.open);
    for (const group of groups) group.open = open;
    button.textContent = open ? "fold all" : "open all";
  });
}
for (const id of ["runs", "claims"]) {
  const section = document.getElementById(id);
  if (section && $("input[type=search]", section)) search(section, $$(".rows tbody tr", section), []);
}

// ---- the machine: one drawing is shown at a time
const drawing = $(".drawing"), chosen = document.getElementById("chosen");
// A drawing that is wider than its place is scaled down, but remains readable.
function fit() {
  const svg = $("svg", drawing), width = svg.viewBox.baseVal.width * 4 / 3;
  $(".machine").classList.toggle("wide", width > 0.6 * $(".machine").clientWidth);
  svg.style.minWidth = `${Math.round(0.75 * width)}px`;
  if (!$(".node", svg)) return;
  const first = $(".node", svg).getBoundingClientRect(), place = drawing.getBoundingClientRect();
  drawing.scrollLeft += first.left + first.width / 2 - place.left - place.width / 2;
}
function show(group) {
  const layout = data.layouts.find(layout => layout.group === group);
  drawing.innerHTML = layout.svg;
  fit();
  for (const button of $$("#folds button")) button.setAttribute("aria-pressed", button.dataset.group === group);
}
$("#folds").addEventListener("click", event => {
  const button = event.target.closest("button");
  if (button) show(button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.group);
});
drawing.addEventListener("click", event => {
  const node = event.target.closest(".node");
  if (!node) return;
  for (const other of $$(".chosen", drawing)) other.classList.remove("chosen");
  node.classList.add("chosen");
  describe(node.id.replace(/^node:/, ""));
});
fit();
function describe(name) {
  const group = name.replace(/\[\d+\]/g, "[*]");
  const of = id => $$(`#${id} details.group`).find(d => [name, group].includes(d.dataset.group));
  chosen.replaceChildren();
  const heading = chosen.appendChild(document.createElement("h3"));
  heading.textContent = name.replaceAll("[*]", "");
  const layout = data.layouts.find(layout => layout.group && layout.group === name);
  if (layout) {
    const button = chosen.appendChild(document.createElement("button"));
    button.textContent = "show each";
    button.addEventListener("click", () => show(layout.group));
  }
  for (const [id, title, count] of [["parameters", "Parameters", 60], ["statistics", "Statistics", 60]]) {
    const table = of(id);
    if (!table) continue;
    const rows = $$("tbody tr", table).filter(row => id === "parameters" || !row.hasAttribute("data-minor"));
    if (!rows.length) continue;
    chosen.appendChild(document.createElement("h3")).textContent = title;
    const made = chosen.appendChild(document.createElement("table"));
    for (const row of rows.slice(0, count)) {
      const line = made.insertRow();
      line.title = row.cells[3].textContent;
      for (const cell of [0, 1]) line.append(row.cells[cell].cloneNode(true));
    }
  }
}

// ---- plots
function compact(value) {
  return Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3) ? value.toExponential(1) : +value.toPrecision(4);
}
const lineOptions = many => ({
  parsing: false, normalized: true, interaction: { mode: "nearest", intersect: false, axis: "x" },
  elements: { point: { radius: 0, hitRadius: 6 }, line: { borderWidth: 1.5 } },
  plugins: { legend: { display: many, labels: { boxWidth: 10, boxHeight: 2 } } },
  scales: { x: { type: "linear", title: { display: true, text: "ms" }, grid: { display: false }, ticks: { maxTicksLimit: 6 } },
    y: { ticks: { callback: compact, maxTicksLimit: 5 }, grid: { color: "#eef1f4" } } },
});
function plot(element) {
  const made = data.series[element.dataset.plot];
  new Chart($("canvas", element), { type: "line", options: lineOptions(made.lines.length > 1), data: {
    datasets: made.lines.map((line, i) => ({ label: line.label, borderColor: COLOURS[i % COLOURS.length],
      backgroundColor: COLOURS[i % COLOURS.length], data: line.points.map(([x, y]) => ({ x, y })) })) } });
}
const inView = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    inView.unobserve(target);
    plot(target);
  }
}, { rootMargin: "300px" });
const series = document.getElementById("series");
if (series) {
  search(series, $$(".plot", series), []);
  for (const element of $$(".plot", series)) inView.observe(element);
}

// A label's words in lines of limited length, three lines at most.
function wrapped(label, most) {
  const lines = [];
  for (const word of label.split(" ")) {
    if (lines.length && `${lines.at(-1)} ${word}`.length <= most) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines.length > 3 ? [...lines.slice(0, 2), `${lines[2]} …`] : lines;
}

function bars(id, labels, unit, datasets) {
  const at = document.getElementById(id), stacked = datasets.length > 1;
  const narrow = at.clientWidth < 600, legend = stacked ? Math.ceil(datasets.length / (narrow ? 3 : 9)) * 24 + 14 : 0;
  const shown = labels.map(label => narrow && label.length > 18 ? wrapped(label, 18) : label);
  at.style.height = `${labels.length * 34 + 66 + legend + 12 * shown.filter(Array.isArray).reduce((n, l) => n + l.length - 1, 0)}px`;
  return new Chart($("canvas", at), { type: "bar", data: { labels: shown, datasets }, options: {
    indexAxis: "y", interaction: { mode: "nearest", axis: "y", intersect: true },
    datasets: { bar: { maxBarThickness: 22 } },
    plugins: { legend: { display: stacked, position: "bottom", labels: { boxWidth: 12, boxHeight: 12 } },
      tooltip: { callbacks: { label: item => `${item.dataset.label}: ${compact(item.parsed.x)} ${unit}` } } },
    scales: { x: { stacked, title: { display: !!unit, text: unit }, grid: { color: "#eef1f4" }, ticks: { callback: compact, maxRotation: 0, maxTicksLimit: narrow ? 5 : 11 } },
      y: { stacked, grid: { display: false } } } } });
}
for (const id of ["latency", "energy"]) {
  const stack = data[id];
  if (!stack || !stack.bars) continue;
  bars(id, stack.bars, stack.unit, stack.parts.map((part, i) =>
    ({ label: part.label, data: part.values, backgroundColor: COLOURS[i % COLOURS.length] })));
}
const select = document.getElementById("compared");
if (select) {
  let chart = null;
  const update = () => {
    if (chart) chart.destroy();
    const { name, values } = data.compared[select.value];
    chart = bars("comparison", data.labels, "", [{ label: name, data: values, backgroundColor: COLOURS[0] }]);
  };
  const usual = data.compared.findIndex(row => row.name === "gpu.dispatcher ipc");
  if (usual >= 0) select.value = usual;
  select.addEventListener("change", update);
  update();
}
