// The forge's own: cards that are dragged, an editor in which Tab indents, parts that show what is under way.
import { replaceParts, toast, token } from "./base.js";

// -- boards: a card dropped on a column sends the same form as its menu ---------------------------------------------

let dragged = null;
const columnAt = (target) => target.closest?.("[data-moves] [data-column]");

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".board-card[draggable]");
  if (!dragged) return;
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.dataset.iid);
});

document.addEventListener("dragover", (event) => {
  const column = dragged && columnAt(event.target);
  document.querySelectorAll(".column.over").forEach((one) => one !== column && one.classList.remove("over"));
  if (!column || column.contains(dragged)) return;
  event.preventDefault();
  column.classList.add("over");
});

document.addEventListener("dragend", () => {
  dragged?.classList.remove("dragged");
  document.querySelectorAll(".column.over").forEach((one) => one.classList.remove("over"));
  dragged = null;
});

document.addEventListener("drop", async (event) => {
  const column = dragged && columnAt(event.target);
  if (!column || column.contains(dragged)) return;
  event.preventDefault();
  const form = dragged.querySelector("form[data-swap]");
  const body = new URLSearchParams(new FormData(form));
  body.set("to", column.dataset.column);
  column.querySelector(".cards").append(dragged);
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "x-csrf-token": token() } });
    replaceParts(await answer.text(), "#board");
  } catch {
    toast("The server did not answer. Try again.", "bad");
    location.reload();
  }
});

// -- in the editor, Tab writes spaces; after Escape it moves on as usual --------------------------------------------

let leaving = false;
document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".editor")) return;
  if (event.key === "Escape") leaving = true;
  else if (event.key === "Tab" && !event.shiftKey && !leaving) {
    event.preventDefault();
    event.target.setRangeText("    ", event.target.selectionStart, event.target.selectionEnd, "end");
  } else if (event.key !== "Tab") leaving = false;
});

// -- what is under way (`data-live`) is looked at again as long as it says so and somebody looks ---------------------

setInterval(async () => {
  const live = document.querySelector("[data-live][id]");
  if (!live || document.hidden || live.querySelector("details[open], form :focus")) return;
  try {
    const answer = await fetch(location.href, { headers: { "x-part": live.id } });
    if (answer.ok && live.isConnected) replaceParts(await answer.text(), `#${live.id}`);
  } catch {
    // The server is away for a moment; the next look may find it.
  }
}, 3000);
