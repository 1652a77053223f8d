// Keeps a page up to date by one stream of the server (server-sent events). A page that is
// hidden for a minute closes its stream, and opens it again when it is shown. What is drawn
// says when it is out of date: nothing looks live that is not.
import { marksOf, missed, told, watchFills } from "./fills.js";
import { prepare } from "./htmx.js";
import { morph } from "./morph.js";
import { priced, titled } from "./title.js";

const silence = 12_000; // longer than two heartbeats of the server
const hiddenFor = 60_000;
const oldAfter = 20_000;

let stream = null; // of this page: {url, abort}
let pause = 1000; // before the next try; it grows
let retry = 0;
let watchdog = 0;
let hiding = 0;
let ahead = 0; // of the server's clock, in ms

function element() {
  return document.querySelector("[data-live]");
}

function say(words) {
  const state = document.getElementById("live-state");
  if (!state) return;
  if (state.hidden === Boolean(words)) state.hidden = !words;
  if (state.textContent !== words) state.textContent = words;
  state.parentElement.classList.toggle("not-live", words !== "");
  titled(words === "");
}

function clock(time) {
  return `${new Date(time).toISOString().slice(11, 19)} UTC`;
}

let heard = 0; // when the newest message came, by the server's clock

function lost(why) {
  say(`${why} What you see is the state of ${clock(heard || Date.now() + ahead)}.`);
}

function guard() {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => {
    close();
    lost("The connection is lost; it is tried again.");
    later();
  }, silence);
}

// What is told is drawn at the next frame: of each part its newest state, all at once, so that the
// page is laid out once. A page that is hidden draws nothing.
const waiting = new Map();
let frame = 0;

function draw(name, action) {
  waiting.delete(name);
  waiting.set(name, action);
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const actions = [...waiting.values()];
    waiting.clear();
    const focused = document.activeElement?.id;
    for (const action of actions) action();
    // An element that moved within its list has lost the focus.
    if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus({ preventScroll: true });
    age();
    document.dispatchEvent(new Event("live:drawn"));
  });
}

// One message may hold several elements: each becomes what the one with its id is.
function become(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  for (const fresh of [...holder.content.children]) {
    const old = fresh.id && document.getElementById(fresh.id);
    if (!old || old.isEqualNode(fresh)) continue;
    morph(old, fresh);
    prepare(old);
  }
}

const nameOf = (html) => /id="([^"]+)"/.exec(html)?.[1];

function take(name, data) {
  guard();
  switch (name) {
    case "beat":
      heard = Number(data);
      ahead = heard - Date.now();
      pause = 1000;
      draw("beat", () => say(""));
      titled(true); // also in a tab that is not in front
      document.dispatchEvent(new Event("live:beat"));
      break;
    case "part":
      priced(data);
      draw(nameOf(data), () => become(data));
      break;
    case "chart":
      waiting.delete("tail"); // of the chart before
      draw(nameOf(data), () => {
        become(data);
        document.dispatchEvent(new CustomEvent("chart:data"));
      });
      break;
    case "tail":
      draw("tail", () => document.dispatchEvent(new CustomEvent("chart:tail", { detail: JSON.parse(data) })));
      break;
    case "fills":
      if (element()) told(element(), JSON.parse(data));
      break;
    case "end":
      close();
      lost(data);
  }
}

async function read(url, abort) {
  const answer = await fetch(url, {
    signal: abort.signal,
    headers: { "HX-Request": "true", "HX-Trigger": "live", "HX-Current-URL": location.href, Accept: "text/event-stream" },
  });
  if (answer.status === 401 || answer.status === 403) return "This page is no longer kept up to date: your session has ended.";
  if (answer.status === 429) return "This page is not kept up to date: too many pages of yours are open. Reload it by hand.";
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error("ended");
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
      take(name, lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("\n"));
      if (abort.signal.aborted) return "";
    }
  }
}

// had says which state of its parts the page was loaded with. Later it has others.
function had() {
  const { dataset } = element();
  const parts = dataset.had;
  delete dataset.had;
  return parts ? `&had=${parts}` : "";
}

function open() {
  clearTimeout(retry);
  if (document.readyState !== "complete") return; // the load event comes back to it
  const url = element()?.dataset.live;
  if (stream?.url === url) return;
  close();
  if (!url) return;
  const abort = new AbortController();
  stream = { url, abort };
  guard();
  read(url + had() + marksOf(element()), abort)
    .then((why) => {
      if (stream?.abort !== abort) return;
      close();
      if (why) lost(why);
    })
    .catch(() => {
      if (stream?.abort !== abort) return;
      close();
      lost("The connection is lost; it is tried again.");
      later();
    });
}

// The pauses grow, and differ from browser to browser, so that not all come back at once.
function later() {
  clearTimeout(retry);
  if (document.hidden) return;
  retry = setTimeout(open, pause * (0.75 + Math.random() / 2));
  pause = Math.min(pause * 2, 60_000);
}

function close() {
  clearTimeout(watchdog);
  stream?.abort.abort();
  stream = null;
}

// Times say how old they are, as soon as that is worth a word.
function age() {
  const now = Date.now() + ahead;
  for (const time of document.querySelectorAll("time[data-as-of]")) {
    const old = now - Date.parse(time.dataset.asOf);
    time.dataset.words ??= time.textContent;
    const seconds = Math.floor(old / 1000);
    const words = seconds < 60 ? `${seconds} s` : seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
    const text = old > 5000 ? `${time.dataset.words}, ${words} ago` : time.dataset.words;
    if (time.textContent !== text) time.textContent = text;
    time.classList.toggle("text-error", old > oldAfter);
  }
}

function visibility() {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(() => {
      clearTimeout(retry);
      close();
      titled(false);
    }, hiddenFor);
  } else if (missed() && stream && element()) {
    close();
    open();
  } else if (!stream && element()) {
    if (heard && Date.now() + ahead - heard > silence) lost("Being brought up to date.");
    pause = 1000;
    open();
  }
}

export function watchLive() {
  watchFills();
  document.addEventListener("visibilitychange", visibility);
  document.addEventListener("htmx:afterSettle", open);
  document.addEventListener("live:moved", open);
  document.addEventListener("htmx:historyRestore", open);
  addEventListener("online", open);
  addEventListener("pagehide", close);
  addEventListener("pageshow", ({ persisted }) => persisted && open());
  setInterval(() => element() && !document.hidden && age(), 1000);
  // The page is read first: the stream waits until the browser has nothing else to do.
  const idle = globalThis.requestIdleCallback ?? setTimeout;
  if (document.readyState === "complete") idle(open);
  else addEventListener("load", () => idle(open));
}
