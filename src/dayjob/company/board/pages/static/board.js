// The board's own behaviour: cards that are dragged or moved by keys, the panel beside a list, pickers that stay open.
import { swap, toast } from "./base.js";

// -- what is open stays open when its part is put in place anew: filters, pickers, the line to add an item ----------

const open = new Set();
document.addEventListener("toggle", (event) => {
  const box = event.target;
  if (!(box instanceof HTMLDetailsElement) || !box.hasAttribute("data-keep") || !box.isConnected) return;
  if (box.open) open.add(box.id);
  else open.delete(box.id);
  if (box.open && box.matches(".quick")) box.querySelector("input:not([type=hidden])")?.focus();
}, true);
document.addEventListener("part", (event) => {
  for (const box of event.target.querySelectorAll("details[data-keep]")) {
    if (open.has(box.id)) box.open = true;
  }
});

// -- dragging: a card into a column, below the card it is dropped on; the server puts it there ----------------------

let dragged = null;

function below(column, y) {
  const cards = [...column.querySelectorAll(".kcard:not(.dragged)")];
  return cards.filter((card) => card.getBoundingClientRect().top + card.offsetHeight / 2 < y).at(-1) ?? null;
}

function clear() {
  for (const one of document.querySelectorAll(".column.over, .kcard.below")) one.classList.remove("over", "below");
}

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".kcard[draggable]") ?? null;
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.querySelector(".kcard-title").textContent);
  dragged.classList.add("dragged");
});
document.addEventListener("dragover", (event) => {
  const column = dragged && event.target.closest?.("[data-drop]");
  if (!column) return;
  event.preventDefault();
  clear();
  column.classList.add("over");
  below(column, event.clientY)?.classList.add("below");
});
document.addEventListener("drop", (event) => {
  const column = dragged && event.target.closest?.("[data-drop]");
  if (!column) return;
  event.preventDefault();
  move(dragged, column, below(column, event.clientY)?.dataset.item ?? "");
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  dragged = null;
  clear();
});

function here() {
  return location.pathname + location.search;
}

function move(card, column, after) {
  const body = new URLSearchParams({ [column.dataset.field]: column.dataset.value, back: here() });
  if (after !== null) body.set("after", after);
  return swap(`${card.querySelector(".kcard-title").getAttribute("href")}move/`, "#listing", { method: "POST", body });
}

// -- keys: Shift with an arrow takes the card that has the focus to the column beside it -----------------------------

document.addEventListener("keydown", async (event) => {
  const card = event.target.closest?.(".kcard[draggable]");
  if (!card || !event.shiftKey || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  event.preventDefault();
  const columns = [...document.querySelectorAll("[data-drop]")];
  const column = columns[columns.indexOf(card.closest("[data-drop]")) + (event.key === "ArrowRight" ? 1 : -1)];
  if (!column) return toast("There is no column on that side.");
  await move(card, column, null);
  document.getElementById(`open-${card.dataset.item}`)?.focus();
});

// -- the panel: an item beside its list, at an address of its own ----------------------------------------------------

const peeked = () => new URLSearchParams(location.search).get("peek");

function withPeek(id) {
  const address = new URL(location.href);
  if (id) address.searchParams.set("peek", id);
  else address.searchParams.delete("peek");
  return address.pathname + address.search;
}

document.addEventListener("click", async (event) => {
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest("a[data-peek]");
  if (link && document.getElementById("peek") && matchMedia("(min-width: 60rem)").matches) {
    event.preventDefault();
    const back = withPeek(link.id.replace("open-", ""));
    const answer = await swap(`${link.getAttribute("href")}?from=${encodeURIComponent(back)}`, "#peek");
    if (!answer?.ok) return;
    history.pushState(null, "", back);
    document.querySelector("#peek .item-title")?.focus();
  }
  if (event.target.closest("a[data-unpeek]")) {
    event.preventDefault();
    unpeek();
  }
});

function unpeek() {
  const panel = document.getElementById("peek");
  const id = peeked();
  panel.hidden = true;
  panel.replaceChildren();
  history.pushState(null, "", withPeek(""));
  document.getElementById(`open-${id}`)?.focus();
}

document.addEventListener("keydown", (event) => {
  const panel = document.getElementById("peek");
  if (event.key !== "Escape" || !panel || panel.hidden || event.defaultPrevented) return;
  if (document.querySelector("dialog[open], details.menu[open]") || event.target.matches("input, textarea, select")) return;
  unpeek();
});

// -- a project's identifier is proposed from its name, until somebody writes one -------------------------------------

document.addEventListener("input", (event) => {
  const form = event.target.form;
  const field = form?.elements.namedItem("identifier");
  if (!field || form.elements.namedItem("confirm") || !form.action.endsWith("/projects/new/")) return;
  if (event.target === field) field.dataset.written = "yes";
  else if (event.target.name === "name" && !field.dataset.written) {
    field.value = event.target.value.normalize("NFD").replace(/[^a-z0-9]/gi, "").slice(0, 5).toUpperCase();
  }
});
