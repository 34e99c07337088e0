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
