// Small comforts over pages that work without them: keys, and following a run as it goes on.
"use strict";

const say = (text) => { document.getElementById("said").textContent = text; };

// ---- following: ask for this same page; 204 means that it still looks the same ----
async function follow() {
  if (!("live" in document.body.dataset) || document.hidden) return;
  const busy = document.activeElement && ["INPUT", "SELECT"].includes(document.activeElement.tagName);
  if (busy || String(getSelection())) return;
  let answer;
  try {
    answer = await fetch(location.href, { headers: { "X-Dayjob-Version": document.body.dataset.version } });
  } catch {
    return; // the viewer has ended, or is starting again
  }
  if (answer.status !== 200) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const open = [...document.querySelectorAll("main details")].map((one) => one.open);
  document.getElementById("main").replaceWith(fresh.getElementById("main"));
  document.querySelectorAll("main details").forEach((one, at) => { if (at in open) one.open = open[at]; });
  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  document.body.dataset.version = fresh.body.dataset.version;
  say("The page was updated.");
}
if ("live" in document.body.dataset) setInterval(follow, 2000);

// ---- keys: / search, j and k from step to step, [ and ] from page to page ----
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const steps = [...document.querySelectorAll(".step")];
  const at = steps.findIndex((step) => step === document.activeElement || step.contains(document.activeElement));
  const go = { j: Math.min(at + 1, steps.length - 1), k: Math.max(at - 1, 0) }[event.key];
  if (go !== undefined && steps.length) {
    steps[go].focus({ preventScroll: true });
    steps[go].scrollIntoView({ block: "start" });
    history.replaceState(null, "", `#${steps[go].id}`);
  } else if (event.key === "/") {
    const field = document.getElementById("q") || document.getElementById("filter");
    if (!field) return;
    field.focus();
  } else if (event.key === "[" || event.key === "]") {
    const link = document.querySelector(event.key === "[" ? "a[rel=prev]" : "a[rel=next]");
    if (link) link.click();
  } else {
    return;
  }
  event.preventDefault();
});

// ---- sorting: a click on a column's name, again for the other way round ----
function sortable(table) {
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("thead th").forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => {
        const cell = row.cells[column];
        const text = cell.dataset.value ?? cell.textContent.trim();
        const number = parseFloat(text.replace(/[,$%]/g, ""));
        return cell.classList.contains("figure") ? (Number.isNaN(number) ? -Infinity : number) : text;
      };
      const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
      const rows = [...table.tBodies[0].rows].sort((a, b) => order(value(a), value(b)) * (down ? -1 : 1));
      table.tBodies[0].append(...rows);
    });
  });
}
document.querySelectorAll("table[data-sortable]").forEach(sortable);
