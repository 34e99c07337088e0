// What every page can do: parts that change without a reload, dialogs, menus, toasts, the theme, shortcuts, times.
// Everything here improves links and forms that work without it.

export const token = () => document.querySelector("meta[name=form-token]")?.content ?? "";

export function toast(text, kind = "") {
  const box = document.createElement("div");
  box.className = `toast ${kind}`;
  box.textContent = text;
  document.getElementById("toasts").append(box);
  setTimeout(() => box.remove(), 7000);
}
const brought = [...document.querySelectorAll("#toasts > .toast")];
setTimeout(() => brought.forEach((one) => one.remove()), 7000);

// -- parts: <form data-swap="#list, #count"> or <a data-swap="…"> puts those parts of the answer in place ----------

export function replaceParts(html, selector) {
  const answer = new DOMParser().parseFromString(html, "text/html");
  for (const one of selector.split(",").map((part) => part.trim())) {
    const fresh = answer.querySelector(one);
    const old = document.querySelector(one);
    if (!fresh || !old) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    old.replaceWith(document.adoptNode(fresh));
    if (focused) document.getElementById(focused)?.focus();
    fresh.dispatchEvent(new CustomEvent("part", { bubbles: true }));
  }
  for (const one of answer.querySelectorAll("#toasts .toast")) toast(one.textContent, one.classList.contains("bad") ? "bad" : "");
  for (const one of answer.querySelectorAll("main [role=alert]")) toast(one.textContent.trim(), "bad");
  tellTimes();
}

export async function swap(address, selector, options = {}) {
  const headers = { "x-part": selector, "x-csrf-token": token(), ...options.headers };
  const places = [...document.querySelectorAll(selector)];
  places.forEach((one) => one.setAttribute("aria-busy", "true"));
  try {
    const answer = await fetch(address, { ...options, headers });
    if (answer.redirected && /\/(login|sign_in|auth)/.test(new URL(answer.url).pathname)) return location.assign(answer.url);
    replaceParts(await answer.text(), selector);
    return answer;
  } catch (error) {
    toast("The server did not answer. Try again.", "bad");
    return null;
  } finally {
    places.forEach((one) => one.removeAttribute("aria-busy"));
  }
}

function encoded(form, submitter) {
  const data = new FormData(form, submitter);
  return form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.dataset.confirm && !form.dataset.confirmed) {
    event.preventDefault();
    const button = event.submitter;
    const label = button?.textContent.trim() || button?.getAttribute("aria-label") || "Continue";
    if (await confirmed(form.dataset.confirm, label)) {
      form.dataset.confirmed = "yes";
      form.requestSubmit(button);
      delete form.dataset.confirmed;
    }
    return;
  }
  const selector = event.submitter?.dataset.swap ?? form.dataset.swap;
  // Where none of those parts is (a sheet on a page of its own), the form is sent as it would be without scripts.
  if (!selector || form.method === "dialog" || !document.querySelector(selector)) return;
  event.preventDefault();
  const action = event.submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? location.href;
  const body = encoded(form, event.submitter);
  const reading = form.method === "get";
  const answer = await swap(reading ? `${action.split("?")[0]}?${body}` : action, selector, reading ? {} : { method: "POST", body });
  if (!answer?.ok) return;
  if (form.hasAttribute("data-reset")) form.reset();
  if (form.hasAttribute("data-push")) history.pushState(null, "", answer.url);
  form.closest("dialog")?.close();
  form.dispatchEvent(new CustomEvent("swapped", { bubbles: true }));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (link && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    swap(link.href, link.dataset.swap).then((answer) => {
      if (answer?.ok && link.hasAttribute("data-push")) history.pushState(null, "", link.href);
    });
  }
  const sheet = event.target.closest("a[data-open]");
  if (sheet && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    openSheet(sheet.href);
  }
  const opener = event.target.closest("[data-dialog]");
  if (opener) document.getElementById(opener.dataset.dialog)?.showModal();
  if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
  if (event.target instanceof HTMLDialogElement && event.target.open) event.target.close();
  const copier = event.target.closest("[data-copy]");
  if (copier) copy(copier.dataset.copy);
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) || event.target.closest(".sheet a, .sheet button")) menu.open = false;
  }
  if (event.target.closest("[data-theme-toggle]")) changeTheme();
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

addEventListener("popstate", () => location.reload());

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  toast("Copied.");
}

// -- sheets: <a data-open href="…"> shows the card of another page in a dialog of this one --------------------------

export async function openSheet(address) {
  const answer = await fetch(address, { headers: { "x-part": "#sheet" } }).catch(() => null);
  if (!answer?.ok) return location.assign(address);
  const card = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#sheet-card");
  if (!card || answer.redirected) return location.assign(address);
  const box = document.getElementById("sheet");
  box.className = card.classList.contains("wide") ? "wide" : "";
  box.querySelector("h2").textContent = card.querySelector("h1").textContent;
  card.querySelector("h1").remove();
  card.querySelectorAll("[data-page-only]").forEach((one) => one.remove());
  box.querySelector(".dialog-body").replaceChildren(...document.adoptNode(card).childNodes);
  box.showModal();
  box.querySelector("[autofocus], .dialog-body input:not([type=hidden]), .dialog-body textarea, .dialog-body button")?.focus();
  box.dispatchEvent(new CustomEvent("part", { bubbles: true }));
}

// -- asking first --------------------------------------------------------------------------------------------------

export function confirmed(question, label) {
  const box = document.getElementById("confirm");
  box.querySelector("p").textContent = question;
  box.querySelector("[value=yes]").textContent = label;
  box.returnValue = "";
  box.showModal();
  return new Promise((resolve) => box.addEventListener("close", () => resolve(box.returnValue === "yes"), { once: true }));
}

// -- theme ---------------------------------------------------------------------------------------------------------

function changeTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
}

// -- keys: Escape closes menus; data-key="n" presses or focuses its element; j and k are left to pages -------------

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = document.activeElement?.closest("details.menu[open]") ?? document.querySelector("details.menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
  const sheet = event.target.closest?.("details.menu[open]");
  if (sheet && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    const items = [...sheet.querySelectorAll(".sheet a, .sheet button")];
    const at = items.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    items.at(at % items.length)?.focus();
    event.preventDefault();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
  const wanted = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key && one.checkVisibility());
  if (!wanted) return;
  event.preventDefault();
  if (wanted.matches("input, textarea, select")) wanted.focus();
  else wanted.click();
});

// Ctrl+Enter sends the form of a text area.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) event.target.form?.requestSubmit();
});

// -- times: the page says what the company's clock shows; from there on this browser counts ------------------------

const opened = performance.now();
const units = [[31536000, "year"], [2592000, "month"], [604800, "week"], [86400, "day"], [3600, "hour"], [60, "minute"]];

export const companyNow = () => Date.parse(document.documentElement.dataset.now) + performance.now() - opened;

function tellTimes() {
  for (const one of document.querySelectorAll("time[data-ago]")) {
    const seconds = Math.trunc((companyNow() - Date.parse(one.dateTime)) / 1000);
    const [size, unit] = units.find(([length]) => Math.abs(seconds) >= length) ?? [0, ""];
    const count = size ? Math.floor(Math.abs(seconds) / size) : 0;
    const text = `${count} ${unit}${count > 1 ? "s" : ""}`;
    one.textContent = !size ? "just now" : seconds > 0 ? `${text} ago` : `in ${text}`;
  }
}
setInterval(tellTimes, 30000);
