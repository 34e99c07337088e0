// Uploads with progress, dropping files onto a folder, ticking rows, and lists that follow what dialogs changed.
import { confirmed, openSheet, swap, toast, token } from "./base.js";

// -- ticking rows --------------------------------------------------------------------------------------------------

const picked = () => [...document.querySelectorAll("#listing tbody .pick input:checked")];

document.addEventListener("change", (event) => {
  const boxes = [...document.querySelectorAll("#listing tbody .pick input")];
  if (event.target.matches("[data-pick-all]")) boxes.forEach((one) => (one.checked = event.target.checked));
  if (!event.target.closest(".pick")) return;
  const all = document.querySelector("[data-pick-all]");
  const count = picked().length;
  if (all) {
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }
  const label = document.querySelector("[data-picked]");
  if (label) label.textContent = `${count} selected`;
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("#selection button");
  if (!button) return;
  if (button.value === "transport") {
    event.preventDefault();
    const query = new URLSearchParams([["dir", button.form.elements.dir.value], ...picked().map((one) => ["files[]", one.value])]);
    openSheet(`/index.php/apps/files/transport?${query}`);
  } else if (button.dataset.ask && !button.dataset.asked) {
    event.preventDefault();
    if (await confirmed(button.dataset.ask, "Delete selection")) {
      button.dataset.asked = "yes";
      button.form.requestSubmit(button);
    }
  }
});

// A menu near the lower edge opens upwards.
document.addEventListener(
  "toggle",
  (event) => {
    if (!event.target.matches?.("details.menu")) return;
    event.target.classList.remove("up");
    const sheet = event.target.querySelector(".sheet").getBoundingClientRect();
    event.target.classList.toggle("up", event.target.open && sheet.bottom > innerHeight && sheet.height < event.target.getBoundingClientRect().top);
  },
  true,
);

// -- a list follows what a dialog changed --------------------------------------------------------------------------

let stale = false;
document.addEventListener("part", (event) => {
  if (event.target.id === "sharing") stale = true;
});
document.getElementById("sheet")?.addEventListener("close", () => {
  if (stale && document.getElementById("listing")) swap(location.href, "#listing");
  stale = false;
});

// -- uploads -------------------------------------------------------------------------------------------------------

function line(list, name) {
  const item = document.createElement("li");
  item.className = "upload-line";
  const label = document.createElement("span");
  label.textContent = name;
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", `Upload of ${name}`);
  const state = document.createElement("span");
  item.append(label, bar, state);
  list.append(item);
  const tell = (text, kind) => {
    state.textContent = text;
    state.className = kind;
  };
  return { bar, tell };
}

function askConflict(name) {
  const box = document.createElement("dialog");
  box.setAttribute("aria-labelledby", "conflict-title");
  box.innerHTML = `<form class="dialog-body" method="dialog"><h2 id="conflict-title">This name is taken</h2><p></p><div class="dialog-foot"><button class="button" value="skip">Cancel this file</button><button class="button" value="replace">Replace</button><button class="button primary" value="both">Keep both</button></div></form>`;
  box.querySelector("p").textContent = `“${name}” is in this folder already.`;
  document.body.append(box);
  box.showModal();
  return new Promise((resolve) =>
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue || "skip");
    }),
  );
}

function send(address, file, bar) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.setRequestHeader("requesttoken", token());
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = event.loaded / event.total;
    });
    request.addEventListener("load", () => resolve(request.response ?? { problem: "The server did not take the file." }));
    request.addEventListener("error", () => resolve({ problem: "The connection broke. Try again." }));
    request.send(file);
  });
}

async function uploadAll(action, folder, files, list) {
  let saved = 0;
  for (const file of files) {
    const { bar, tell } = line(list, file.name);
    const about = new URLSearchParams({ dir: folder, name: file.name });
    const check = await fetch(`${action}/check?${about}&size=${file.size}`).then((answer) => answer.json()).catch(() => ({ problem: "The server did not answer. Try again." }));
    let choice = "";
    if (!check.problem && check.taken) choice = await askConflict(file.name);
    if (choice === "skip") {
      tell("Left out", "muted");
      continue;
    }
    const answer = check.problem ? check : await send(`${action}?${about}&conflict=${choice}`, file, bar);
    if (answer.problem) {
      tell(answer.problem, "bad");
      toast(answer.problem, "bad");
    } else {
      bar.value = 1;
      tell("Done", "good");
      saved += 1;
    }
  }
  if (saved) {
    toast(saved === 1 ? "1 file is uploaded." : `${saved} files are uploaded.`);
    if (document.getElementById("listing")) await swap(location.href, "#listing");
  }
  return saved === files.length;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-upload]")) return;
  event.preventDefault();
  const chooser = form.querySelector("input[type=file]");
  const button = form.querySelector("button");
  button.disabled = true;
  const list = form.querySelector("[data-progress]");
  list.replaceChildren();
  const whole = await uploadAll(form.getAttribute("action"), form.dataset.upload, [...chooser.files], list);
  button.disabled = false;
  form.reset();
  if (!document.getElementById("listing")) return location.assign(document.querySelector("[data-page-only] a").href);
  if (whole) form.closest("dialog")?.close();
});

const withScript = (root) => root.querySelectorAll("[data-without-script]").forEach((one) => (one.hidden = true));
withScript(document);
document.addEventListener("part", (event) => withScript(event.target));

function dropFolder(event) {
  if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return null;
  return event.target.closest?.("[data-drop], [data-upload]");
}
document.addEventListener("dragover", (event) => {
  const place = dropFolder(event);
  if (!place) return;
  event.preventDefault();
  place.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => event.target.closest?.(".dropping")?.classList.remove("dropping"));
document.addEventListener("drop", async (event) => {
  const place = dropFolder(event);
  if (!place) return;
  event.preventDefault();
  place.classList.remove("dropping");
  const files = [...event.dataTransfer.files];
  if (place.dataset.upload !== undefined) {
    await uploadAll(place.getAttribute("action"), place.dataset.upload, files, place.querySelector("[data-progress]"));
    return;
  }
  const box = document.getElementById("uploads");
  box.hidden = false;
  const list = box.querySelector("ul");
  list.replaceChildren();
  if (await uploadAll("/index.php/apps/files/upload", place.dataset.drop, files, list)) setTimeout(() => (box.hidden = true), 4000);
});
