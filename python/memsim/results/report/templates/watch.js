"use strict";
// Shows the status of watch.py, twice a second, until the server does not answer.
const $ = (selector, from = document) => from.querySelector(selector);
const text = (id, value) => { document.getElementById(id).textContent = value; };
const rates = [];  // µs of simulated time per second, one for each status
let before = null, shown = null;
const drawing = $(".drawing");

function quantity(value) {
  for (const [scale, prefix] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]])
    if (value >= scale) return (value / scale).toPrecision(3) + prefix;
  return value.toPrecision(3);
}
function time(us) {
  return us >= 1e3 ? `${(us / 1e3).toPrecision(3)} ms` : us >= 1 ? `${us.toPrecision(3)} µs` : `${(us * 1e3).toPrecision(3)} ns`;
}
function element(tag, content, className = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...[content].flat());
  return made;
}
function bar(share) {
  const made = element("div", [], "bar"), inside = made.appendChild(document.createElement("i"));
  inside.style.width = `${Math.min(100, 100 * share)}%`;
  return made;
}
function matches(section, words) {
  const wanted = $("input", section).value.toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.every(word => words.toLowerCase().includes(word));
}

function tables(status) {
  const queues = document.getElementById("queues"), waits = document.getElementById("waits");
  $(".found", queues).textContent = `${status.queues_in_all} with messages`;
  $("tbody", queues).replaceChildren(...status.queues.filter(q => matches(queues, `${q.receiver} ${q.sender}`)).map(q => {
    const row = document.createElement("tr");
    row.append(element("td", q.receiver, "path"), element("td", q.sender, "path"),
      element("td", q.sender_waits ? [element("span", "sender waits", "badge not"), ` ${q.messages}`] : `${q.messages}`, "value"),
      element("td", q.depth ? bar(q.messages / q.depth) : "reserved", "soft"));
    return row;
  }));
  $(".found", waits).textContent = status.waits_in_all;
  $("ul", waits).replaceChildren(...status.waits.filter(line => matches(waits, line)).map(line => element("li", line)));
}

function show(status) {
  document.title = `${status.simulated} · memsim`;
  text("name", [status.name, ...status.arguments].join(" "));
  text("run", `run ${status.run}`);
  text("state", status.ended ? "ended" : "in progress");
  document.getElementById("state").className = status.ended ? "badge met" : "badge ordering";
  text("simulated", status.simulated);
  text("took", status.took);
  const [left, of] = status.left.split(" left ");
  text("left", left || "–");
  text("left-of", of ? `left ${of}` : "left");
  if (before && before.run === status.run && status.at > before.at) {
    const seconds = status.at - before.at;
    rates.push((status.us - before.us) / seconds);
    text("rate", time(rates.at(-1)));
    text("events", quantity((status.events - before.events) / seconds));
  }
  if (!before || before.run !== status.run) draw();
  before = status;
  if (rates.length > 600) rates.shift();
  const highest = Math.max(...rates, 1e-12);
  $("#spark polyline").setAttribute("points",
    rates.map((r, i) => `${(600 * i) / Math.max(1, rates.length - 1)},${118 - (112 * r) / highest}`).join(" "));
  text("spark-range", rates.length ? `0 to ${time(highest)}` : "");
  if (status.work.length)
    document.getElementById("work").replaceChildren(...status.work.map(w => {
      const line = element("div", []);
      line.append(element("p", `${w.what}: ${w.done.toLocaleString("en")} of ${w.all.toLocaleString("en")} ${w.unit}` +
        (w.left ? `, ${w.left} left` : "")), bar(w.share));
      line.style.marginBottom = ".8rem";
      return line;
    }));
  tables(status);
  colour(status);
}

// The machine with its lists folded. Connections with a full queue or a waiting sender are marked.
async function draw() {
  const answer = await fetch("drawing");
  drawing.innerHTML = answer.ok ? await answer.text() : "";
  document.getElementById("machine").hidden = !$("svg", drawing);
  if (shown) colour(shown);
}
function node(port) {
  const path = port.slice(0, port.lastIndexOf("."));
  for (const name of nodes(path)) if (document.getElementById(`node:${name}`)) return name;
  return path;
}
// The path, then the path with any of its indices folded.
function nodes(path) {
  const at = path.search(/\[\d+\]/);
  if (at < 0) return [path];
  const end = path.indexOf("]", at) + 1;
  return nodes(path.slice(end)).flatMap(rest => [path.slice(0, end) + rest, `${path.slice(0, at)}[*]${rest}`]);
}
function colour(status) {
  for (const edge of drawing.querySelectorAll(".busy, .full")) edge.classList.remove("busy", "full");
  for (const q of status.queues) {
    const [from, to] = [node(q.sender), node(q.receiver)];
    const edge = document.getElementById(`edge:${from}:${to}`) || document.getElementById(`edge:${to}:${from}`);
    if (edge) edge.classList.add(q.sender_waits || (q.depth && q.messages >= q.depth) ? "full" : "busy");
  }
}
for (const input of document.querySelectorAll("input")) input.addEventListener("input", () => shown && tables(shown));

async function ask() {
  try {
    const status = await (await fetch("status")).json();
    if (status.run) show(shown = status);
  } catch {
    text("state", "the process has ended");
    document.getElementById("state").className = "badge";
    return;
  }
  setTimeout(ask, 500);
}
ask();
