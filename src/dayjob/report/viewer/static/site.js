// What a server does for the live viewer, done in the page for a published site: searching, and comparing two trials.
// Data comes as scripts, not as JSON that is fetched, because a page opened from a disk may load only the former.
"use strict";

const arrived = {};
window.dayjobData = (key, value) => { arrived[key] = value; };

function load(source, key) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => (key in arrived ? resolve(arrived[key]) : reject(new Error(`${source} holds no ${key}`)));
    script.onerror = () => reject(new Error(`${source} is not there`));
    document.head.append(script);
  });
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// ---- search: every word must be in the row or in what the trial said and did; the first place is shown ----
async function search(field) {
  const rows = [...document.querySelectorAll("[data-filterable] tbody tr")];
  let texts = {};
  try {
    texts = await load(field.dataset.words, "words");
  } catch {
    // The rows themselves are still searched.
  }
  const known = rows.map((row) => {
    const link = row.querySelector("a[data-key]");
    return { row, said: texts[link ? link.dataset.key : ""] || "", cell: link ? link.closest("td") : null };
  });
  const narrow = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, said, cell } of known) {
      row.querySelector(".snippet")?.remove();
      const own = row.textContent.toLowerCase();
      const lower = said.toLowerCase();
      row.hidden = !words.every((word) => own.includes(word) || lower.includes(word));
      shown += !row.hidden;
      const inside = words.find((word) => !own.includes(word));
      if (!row.hidden && inside && cell) cell.append(snippet(said, lower.indexOf(inside), inside.length));
    }
    document.getElementById("said").textContent = `${shown} trials`;
    document.getElementById("shown").textContent = words.length ? `${shown} of ${known.length} trials` : "";
  };
  field.addEventListener("input", narrow);
  if (location.hash.startsWith("#q=")) field.value = decodeURIComponent(location.hash.slice(3));
  narrow();
}

function snippet(text, at, length) {
  const from = Math.max(0, at - 60);
  return make(
    "p", { class: "snippet" }, from ? "… " : "", text.slice(from, at),
    make("mark", {}, text.slice(at, at + length)), `${text.slice(at + length, at + length + 120)} …`,
  );
}

const field = document.querySelector("#filter[data-words]");
if (field) search(field);

// ---- two trials, side by side ----
async function compare(place) {
  const wanted = new URLSearchParams(location.search);
  const keys = [wanted.get("a"), wanted.get("b")];
  if (!keys[0] || !keys[1]) return;
  let sides;
  try {
    sides = await Promise.all(keys.map((key) => load(sourceOf(key), key)));
  } catch (error) {
    place.replaceChildren(make("p", { class: "reason-box" }, `These two cannot be compared: ${error.message}.`));
    return;
  }
  place.replaceChildren(
    columns(sides, heading), checkpoints(sides), times(sides), changes(sides),
    make("h2", {}, "Steps"), columns(sides, steps),
  );
  document.getElementById("said").textContent = "Both trials are shown.";
}

function sourceOf(key) {
  const at = key.lastIndexOf("/");
  const [run, name] = [key.slice(0, at), key.slice(at + 1)];
  if (at < 1 || [run, name].includes("..")) throw new Error(`${key} is no trial`);
  return `r/${encodeURIComponent(run)}/t/${encodeURIComponent(name)}/side.js`;
}

const columns = (sides, one) => make("div", { class: "sides" }, ...sides.map(one));

function heading(side, at) {
  const found = make("section", { "aria-label": `${at ? "Second" : "First"} trial` });
  found.append(
    make("h2", {}, make("a", { href: `${side.base}/index.html` }, side.title)),
    make("p", {}, make("span", { class: `label is-${side.kind}` }, side.label), ` ${side.marks} `, make("small", {}, side.run)),
  );
  if (side.reason) found.append(make("p", { class: "reason-box" }, side.reason));
  return found;
}

function steps(side, at) {
  const list = make("ol", { class: "brief" }, ...side.steps.map((words) => make("li", {}, words)));
  const all = make("p", {}, make("a", { href: `${side.base}/steps.html` }, "All steps"));
  return make("section", { "aria-label": `Steps of the ${at ? "second" : "first"}` }, list, all);
}

function table(title, first, kind, rows) {
  const heads = ["First", "Second"].map((text) => make("th", { scope: "col", class: kind }, text));
  const head = make("tr", {}, make("th", { scope: "col" }, first), ...heads);
  const body = rows.map(([name, ...cells]) =>
    make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((text) => make("td", { class: kind }, text))));
  const whole = make("table", { class: "list" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("section", { "aria-label": title }, make("h2", {}, title), whole);
}

function checkpoints(sides) {
  const count = Math.max(...sides.map((side) => side.checkpoints.length));
  const marks = (one) => {
    if (!one) return "–";
    return `${one.result === one.total ? "✓" : one.result ? "◐" : "✗"} ${one.result}/${one.total}`;
  };
  const rows = [...Array(count).keys()].map((at) => [
    sides[0].meanings[at] || `Checkpoint ${at + 1}`, ...sides.map((side) => marks(side.checkpoints[at])),
  ]);
  return count ? table("Checkpoints", "Checkpoint", "whole", rows) : "";
}

function times(sides) {
  return table("Time", "Step", "figure", sides[0].times.map(([name, text], at) => [name, text, sides[1].times[at][1]]));
}

function changes(sides) {
  const lines = difference(sides[0].changes, sides[1].changes);
  const kinds = { "+": "plus", "-": "minus" };
  const shown = lines.map((line) => make("span", { class: kinds[line[0]] || "same" }, `${line}\n`));
  const found = lines.length
    ? make("pre", { class: "diff" }, ...shown)
    : make("p", {}, "The same changes, told in the same words.");
  return make("section", { "aria-label": "Changes in the company" }, make("h2", {}, "Changes in the company"), found);
}

// Lines gone and lines new in their order, by the longest common subsequence, and three lines around each.
function difference(left, right) {
  const length = [...Array(left.length + 1)].map(() => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      length[i][j] = left[i] === right[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  const lines = [];
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(` ${left[i]}`);
      i++;
      j++;
    } else if (j >= right.length || (i < left.length && length[i + 1][j] >= length[i][j + 1])) {
      lines.push(`-${left[i++]}`);
    } else {
      lines.push(`+${right[j++]}`);
    }
  }
  const near = (at) => lines.slice(Math.max(0, at - 3), at + 4).some((line) => line[0] !== " ");
  return lines.filter((_, at) => near(at));
}

const place = document.getElementById("compare");
if (place) compare(place);
