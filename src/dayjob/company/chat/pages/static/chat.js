// Rooms that change while one looks: new messages, earlier ones on scrolling up, the panel, writing, files.
import { openSheet, swap, toast, token } from "./base.js";

const room = () => document.getElementById("room");
const list = () => document.getElementById("messages");
const stream = () => document.getElementById("stream");
const atEnd = () => !stream() || stream().scrollHeight - stream().scrollTop - stream().clientHeight < 120;
const toEnd = () => stream()?.scrollTo({ top: stream().scrollHeight });

// -- messages ------------------------------------------------------------------------------------------------------

function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html").querySelector("li.message");
}

function put(html, thread, shown) {
  const fresh = parsed(html);
  if (!fresh) return;
  const old = [...document.querySelectorAll(`[data-id="${CSS.escape(fresh.dataset.id)}"]`)];
  const replies = document.getElementById("thread-messages");
  const inThread = old.some((one) => replies?.contains(one));
  for (const one of old) {
    const next = document.importNode(fresh, true);
    next.id = one.id;
    next.classList.toggle("grouped", one.classList.contains("grouped"));
    if (next.isEqualNode(one)) continue;
    const focused = one.contains(document.activeElement);
    one.replaceWith(next);
    if (focused) next.focus();
  }
  if (thread && replies && document.getElementById("panel").dataset.thread === thread && !inThread) {
    const next = document.importNode(fresh, true);
    next.id = `panel-${fresh.id}`;
    append(replies, next, false);
    next.scrollIntoView({ block: "nearest" });
  }
  if ((thread && !shown) || !list() || room().dataset.latest !== "yes" || document.getElementById(fresh.id)) return;
  const follow = atEnd();
  append(list(), document.importNode(fresh, true), true);
  document.getElementById("nothing")?.remove();
  if (follow) toEnd();
  else offerNewest();
  markRead();
}

function append(place, message, days) {
  const last = place.querySelector("li.message:last-of-type");
  if (days && last?.dataset.day !== message.dataset.day) {
    const line = document.createElement("li");
    line.className = "day";
    line.append(Object.assign(document.createElement("span"), { textContent: message.dataset.day }));
    place.append(line);
  } else if (last && last.dataset.author === message.dataset.author && !last.matches(".line") && !message.matches(".line")) {
    message.classList.toggle("grouped", Date.parse(message.dataset.at) - Date.parse(last.dataset.at) < 300000);
  }
  place.append(message);
}

function gone(id) {
  document.querySelectorAll(`[data-id="${CSS.escape(id)}"]`).forEach((one) => one.remove());
}

function offerNewest() {
  if (document.querySelector(".newer")) return;
  const button = Object.assign(document.createElement("button"), { className: "button primary newer", textContent: "New messages", type: "button" });
  button.addEventListener("click", () => { toEnd(); button.remove(); });
  room().append(button);
}

// Whoever reads the newest messages goes on reading them when the window or a picture changes its size.
function stayAtEnd() {
  let stuck = atEnd();
  stream().addEventListener("scroll", () => { stuck = atEnd(); });
  const watcher = new ResizeObserver(() => { if (stuck) toEnd(); });
  watcher.observe(stream());
  watcher.observe(list());
}

// -- the line to the server ----------------------------------------------------------------------------------------

let line = null;
let tries = 0;

function connect() {
  line = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/-/live`);
  line.addEventListener("open", () => {
    tries = 0;
    if (room()?.dataset.room) line.send(JSON.stringify({ room: room().dataset.room, since: room().dataset.asOf }));
    markRead();
  });
  line.addEventListener("message", (event) => {
    const news = JSON.parse(event.data);
    if (news.html) put(news.html, news.thread, news.shown);
    if (news.at > (room()?.dataset.asOf ?? "")) room().dataset.asOf = news.at;
    if (news.gone) gone(news.gone);
    if (news.rooms) putRooms(news.rooms);
  });
  line.addEventListener("close", (event) => {
    if (event.code === 1008) return toast("Your session has ended. Log in again to go on.", "bad");
    tries += 1;
    setTimeout(connect, Math.min(1000 * 2 ** tries, 30000));
  });
}

function markRead() {
  if (line?.readyState === WebSocket.OPEN && room()?.dataset.room && document.visibilityState === "visible") {
    line.send(JSON.stringify({ read: room().dataset.room }));
  }
}

function putRooms(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("rooms");
  const here = fresh.querySelector(`[data-room="${CSS.escape(room()?.dataset.room || "-")}"]`);
  const path = location.pathname;
  (here ?? fresh.querySelector(`a[href="${CSS.escape(path)}"]`))?.setAttribute("aria-current", "page");
  here?.classList.remove("unread");
  here?.querySelector(".badge, .new-dot")?.remove();
  const old = document.getElementById("rooms");
  if (fresh.isEqualNode(old)) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  // What did not change stays the same element: whoever is about to press it, by hand or by program, still can.
  for (const link of fresh.querySelectorAll("a[href]")) {
    const same = old.querySelector(`a[href="${CSS.escape(link.getAttribute("href"))}"]`);
    if (same?.isEqualNode(link)) link.replaceWith(same);
  }
  old.replaceWith(document.adoptNode(fresh));
  if (focused) document.querySelector(`#rooms a[href="${CSS.escape(focused)}"]`)?.focus();
}

document.addEventListener("visibilitychange", markRead);

// -- earlier messages ----------------------------------------------------------------------------------------------

let loading = false;

async function loadEarlier() {
  const link = document.querySelector("a#earlier");
  if (!link || loading) return;
  loading = true;
  const answer = await fetch(link.href).catch(() => null);
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const height = stream().scrollHeight - stream().scrollTop;
    list().prepend(...document.importNode(page.getElementById("messages"), true).childNodes);
    link.parentElement.replaceWith(document.importNode(page.getElementById("earlier")?.closest("p") ?? document.createElement("p"), true));
    stream().scrollTop = stream().scrollHeight - height;
    watchTop();
  }
  loading = false;
}

function watchTop() {
  const link = document.querySelector("a#earlier");
  if (!link) return;
  new IntersectionObserver((seen, watcher) => {
    if (!seen[0].isIntersecting) return;
    watcher.disconnect();
    loadEarlier();
  }, { root: stream(), rootMargin: "200px 0px 0px 0px" }).observe(link);
}

// -- the panel, and links to messages ------------------------------------------------------------------------------

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-panel]");
  if (link && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    document.getElementById("sheet")?.close();
    const answer = await swap(link.href, "#panel");
    if (!answer?.ok) return;
    history.pushState(null, "", link.href);
    const panel = document.getElementById("panel");
    (panel.querySelector("textarea") ?? panel.querySelector("h2 + a") ?? document.getElementById("composer"))?.focus();
    panel.querySelector("#thread-messages")?.lastElementChild?.scrollIntoView({ block: "nearest" });
  }
  const copier = event.target.closest("[data-copy-link]");
  if (copier) {
    await navigator.clipboard?.writeText(location.origin + copier.dataset.copyLink).catch(() => null);
    toast("The link is copied.");
    copier.closest("dialog")?.close();
  }
});

document.addEventListener("swapped", (event) => {
  if (event.target.dataset.gone) gone(event.target.dataset.gone);
});

// -- writing -------------------------------------------------------------------------------------------------------

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("[data-upload]")) {
    event.preventDefault();
    upload(form);
  }
  if (!form.matches("[data-composer]")) return;
  event.preventDefault();
  const text = form.elements.text.value;
  if (!text.trim() || form.dataset.sending) return;
  form.dataset.sending = "yes";
  const first = !room().dataset.room;
  const answer = await fetch(form.action, {
    method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "x-part": "message", "x-csrf-token": token() },
  }).catch(() => null);
  delete form.dataset.sending;
  if (answer?.redirected) return location.assign(answer.url);
  const html = answer ? await answer.text() : "";
  if (!answer?.ok) {
    const why = new DOMParser().parseFromString(html, "text/html").querySelector("[role=alert]")?.textContent.trim();
    return toast(why || "The message was not sent. Try again.", "bad");
  }
  form.elements.text.value = "";
  if (first) return location.reload();
  put(html, form.elements.thread.value, false);
  if (!form.elements.thread.value) toEnd();
  form.elements.text.focus();
});

document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (!field.matches?.("[data-composer] textarea")) return;
  if (completion.keydown(event, field)) return;
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.form.requestSubmit();
  }
});

document.addEventListener("input", (event) => {
  if (event.target.matches?.("[data-composer] textarea")) completion.typed(event.target);
});

// -- completion of @names and #channels ----------------------------------------------------------------------------

const completion = {
  box: null, asked: 0,
  word(field) {
    return /(?:^|[\s(])([@#])([\w.-]{0,40})$/.exec(field.value.slice(0, field.selectionStart));
  },
  async typed(field) {
    const word = this.word(field);
    const number = ++this.asked;
    if (!word) return this.close(field);
    this.narrow(field, word[2].toLowerCase());
    const answer = await fetch(`/-/complete?${new URLSearchParams({ sign: word[1], text: word[2] })}`).catch(() => null);
    if (number !== this.asked || !answer?.ok) return;
    const found = await answer.json();
    this.close(field);
    if (!found.length) return;
    this.box = document.createElement("ul");
    this.box.className = "completion";
    this.box.id = `${field.id}-names`;
    this.box.setAttribute("role", "listbox");
    this.box.setAttribute("aria-label", word[1] === "@" ? "People" : "Channels");
    found.forEach((one, at) => {
      const item = document.createElement("li");
      item.id = `${this.box.id}-${at}`;
      item.setAttribute("role", "option");
      item.dataset.name = one.name;
      item.append(Object.assign(document.createElement("span"), { className: "strong nowrap", textContent: word[1] + one.name }));
      item.append(Object.assign(document.createElement("span"), { className: "small truncate", textContent: one.title }));
      item.addEventListener("mousedown", (event) => { event.preventDefault(); this.take(field, item); });
      this.box.append(item);
    });
    field.form.append(this.box);
    field.setAttribute("aria-controls", this.box.id);
    field.setAttribute("aria-autocomplete", "list");
    this.choose(field, this.box.firstElementChild);
  },
  narrow(field, text) {
    // What is shown fits what is typed, also before the server has answered: Enter takes no stale name.
    if (!this.box) return;
    for (const one of [...this.box.children]) if (!one.textContent.toLowerCase().includes(text)) one.remove();
    if (!this.box.children.length) this.close(field);
    else if (!this.box.querySelector("[aria-selected=true]")) this.choose(field, this.box.firstElementChild);
  },
  choose(field, item) {
    for (const one of this.box.children) one.setAttribute("aria-selected", String(one === item));
    field.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  },
  take(field, item) {
    const word = this.word(field);
    const start = field.selectionStart - word[2].length;
    field.setRangeText(`${item.dataset.name} `, start, field.selectionStart, "end");
    this.close(field);
    field.focus();
  },
  close(field) {
    this.box?.remove();
    this.box = null;
    field.removeAttribute("aria-controls");
    field.removeAttribute("aria-activedescendant");
  },
  keydown(event, field) {
    if (!this.box) return false;
    const items = [...this.box.children];
    const at = items.findIndex((one) => one.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") this.choose(field, items[(at + 1) % items.length]);
    else if (event.key === "ArrowUp") this.choose(field, items.at(at - 1));
    else if (event.key === "Enter" || event.key === "Tab") this.take(field, items[at]);
    else if (event.key === "Escape") this.close(field);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  },
};

// -- files ---------------------------------------------------------------------------------------------------------

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-upload] input[type=file]")) preview(event.target);
});

function preview(field) {
  const file = field.files[0];
  const box = field.form.querySelector(".preview");
  box.replaceChildren();
  box.hidden = !file;
  if (!file) return;
  if (/^image\/(png|jpeg|gif|webp)$/.test(file.type)) {
    const picture = Object.assign(document.createElement("img"), { src: URL.createObjectURL(file), alt: `Preview of ${file.name}` });
    box.append(picture);
  }
  box.append(Object.assign(document.createElement("p"), { className: "small quiet", textContent: `${file.name}, ${Math.ceil(file.size / 1000)} KB` }));
}

function upload(form) {
  const bar = form.querySelector("[data-progress]");
  const button = form.querySelector("button.primary");
  const sending = new XMLHttpRequest();
  bar.hidden = false;
  button.disabled = true;
  sending.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) bar.querySelector("progress").value = (100 * event.loaded) / event.total;
  });
  sending.addEventListener("loadend", () => {
    button.disabled = false;
    bar.hidden = true;
    if (sending.status === 200) {
      put(sending.responseText, form.elements.tmid.value, false);
      form.closest("dialog")?.close();
      toast("The file is sent.");
      return;
    }
    const why = new DOMParser().parseFromString(sending.responseText ?? "", "text/html").querySelector("[role=alert]")?.textContent.trim();
    toast(why || "The file was not sent. Try again.", "bad");
  });
  sending.open("POST", form.action);
  sending.setRequestHeader("x-part", "message");
  sending.setRequestHeader("x-csrf-token", token());
  sending.send(new FormData(form));
}

async function offer(files) {
  const link = document.querySelector("#room > .foot a[href$='/upload']");
  if (!files.length || !link) return;
  await openSheet(link.href);
  const field = document.getElementById("upload-file");
  if (!field) return;
  field.files = files;
  preview(field);
}

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!room() || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    room().classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") offer(event.dataTransfer.files);
  });
}

document.addEventListener("paste", (event) => {
  if (event.clipboardData?.files.length && event.target.matches?.("[data-composer] textarea")) offer(event.clipboardData.files);
});

// -- beginning -----------------------------------------------------------------------------------------------------

if (room()) {
  const sought = new URLSearchParams(location.search).get("msg");
  const found = sought && document.getElementById(`message-${sought}`);
  if (found) {
    found.classList.add("sought");
    found.scrollIntoView({ block: "center" });
  } else if (document.querySelector(".unread-line")) {
    document.querySelector(".unread-line").scrollIntoView({ block: "center" });
  } else toEnd();
  watchTop();
  stayAtEnd();
  document.getElementById("thread-messages")?.lastElementChild?.scrollIntoView({ block: "nearest" });
  if (matchMedia("(min-width: 50.01rem)").matches) (document.getElementById("thread-composer") ?? document.getElementById("composer"))?.focus({ preventScroll: true });
}
if (document.getElementById("rooms")) connect();
