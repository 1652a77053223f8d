// The ticket beside a chart. What follows from its fields is computed by the server as somebody
// types; the texts of its answer are copied as they are, never calculated with here. Nothing in
// this file sends: only the buttons of the forms do.
import { off } from "./keys.js";

const wait = 200; // after the last key
const again = 5000; // how often a filled ticket is checked while prices change

let asking = null;
let timer = 0;
let checked = 0;

const form = () => document.querySelector("form[data-ticket]");

function line(data) {
  const detail = data?.lineAt ? { at: Number(data.lineAt), words: data.lineWords, side: data.lineSide } : null;
  document.dispatchEvent(new CustomEvent("chart:ticket", { detail }));
}

// What is typed or reviewed has a price that is drawn.
const lined = () => document.querySelector("#ticket[data-line-at], #ticket [data-line-at]")?.dataset;

function put(name, text) {
  const field = form()?.elements.namedItem(name);
  if (field && field.value !== text) field.value = text;
}

// Only fields that are not the source of the answer are written.
function copy(data, near) {
  const ticket = form();
  const basis = ticket.elements.namedItem("basis")?.value ?? "quantity";
  if (near && data.price) put(ticket.elements.namedItem("price") ? "price" : "trigger_price", data.price);
  if (ticket.elements.namedItem("kind").value === "place") {
    if (basis !== "quantity") put("quantity", data.quantity);
    if (basis !== "value") put("value", data.value);
    if (basis !== "share") put("share", data.share);
    put("derived", data.derived);
  }
  summed(data.sum);
  line(data);
}

// The button says what is reviewed: on a phone the figures are below it.
function summed(words) {
  const place = form()?.querySelector("[data-sum-here]");
  if (place && place.textContent !== words) place.textContent = words;
}

function pending(is) {
  const ticket = form();
  if (!ticket?.matches("[hx-post]")) return; // elsewhere nothing is derived
  ticket.toggleAttribute("data-pending", is);
  ticket.dispatchEvent(new CustomEvent("ticket:pending", { bubbles: true }));
}

async function check(near) {
  clearTimeout(timer);
  const ticket = form();
  if (!ticket) return line(null);
  asking?.abort();
  const mine = (asking = new AbortController());
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(ticket)) if (name !== "token" && value !== "") query.append(name, value);
  if (near) query.set("near", near);
  try {
    const answer = await fetch(`${ticket.dataset.check}?${query}`, { signal: mine.signal, headers: { "HX-Request": "true" } });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const html = await answer.text();
    if (mine.signal.aborted || form() !== ticket) return;
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const fresh = holder.content.querySelector("[data-checked]");
    const place = document.getElementById("ticket-check");
    if (!fresh || !place) return;
    if (place.querySelector("#ticket-rules")?.open) fresh.querySelector("#ticket-rules")?.setAttribute("open", "");
    const focused = place.contains(document.activeElement) && document.activeElement;
    copy(fresh.dataset, near);
    place.replaceChildren(fresh);
    if (focused) (place.querySelector(`[data-take="${focused.dataset.take}"]`) ?? place.querySelector("summary"))?.focus();
    checked = Date.now();
    pending(false);
  } catch (error) {
    if (error.name === "AbortError") return;
    const place = document.getElementById("ticket-check");
    summed("");
    if (place) place.textContent = "The check gives no answer now. A review checks every rule again.";
    pending(false);
  }
}

function soon() {
  pending(true);
  clearTimeout(timer);
  timer = setTimeout(check, wait);
}

function typed(event) {
  if (!event.target.form?.matches("form[data-ticket]")) return;
  const { name } = event.target;
  if (name === "totp") return;
  if (["quantity", "value", "share"].includes(name)) put("basis", name);
  soon();
}

function take(name, text) {
  put(name, text);
  if (["quantity", "value", "share"].includes(name)) put("basis", name);
  pending(true);
  check();
}

// The trade on which the button went down. Newer trades may take its place before the button goes
// up, and a click then has the whole table as its target.
let pressed = null;

function clicked(event) {
  if (!form()) return;
  const entry = event.target.closest?.("[data-entry]");
  if (entry) return void side(entry.dataset.entry); // its link leads to the ticket
  const taken = event.target.closest?.("[data-take]");
  if (taken) return take(taken.dataset.take, taken.dataset.text);
  const share = event.target.closest?.("[data-share]");
  if (share && share.localName === "button") return take("share", share.dataset.share);
  const price = form().elements.namedItem("price") ? "price" : "trigger_price";
  if (event.target.closest?.("[data-last]")) {
    const last = document.querySelector("#ticket-check [data-checked]")?.dataset.last;
    if (last) take(price, last);
    return;
  }
  const trade = pressed ?? event.target.closest?.("tr[data-price]");
  pressed = null;
  if (trade && form().elements.namedItem(price)) take(price, trade.dataset.price);
}

// A price that was pointed at in the chart: the server finds the nearest one that is allowed.
function pointed({ detail }) {
  if (!form() || form().elements.namedItem("kind").value === "batch") return;
  pending(true);
  check(detail);
}

// Enter in a field of the ticket beside a chart checks; it sends nothing.
function entered(event) {
  if (event.key !== "Enter" || event.target.localName !== "input" || !event.target.form?.matches("form[data-ticket][hx-post], form[data-confirm]")) return;
  event.preventDefault();
  if (event.target.form.matches("form[data-ticket]")) check();
}

// Keys lead to a field or choose a side. None of them sends.
const keys = {
  p: () => focus("ticket-price", "ticket-trigger_price"),
  q: () => focus("ticket-quantity", "ticket-size"),
  b: () => side("buy"),
  s: () => side("sell"),
};

function focus(...ids) {
  const field = ids.map((id) => document.getElementById(id)).find((found) => found?.offsetParent);
  field?.focus();
  field?.select();
  return Boolean(field);
}

function side(value) {
  const choice = document.querySelector(`input[name="side"][value="${value}"]`);
  choice?.click();
  return Boolean(choice);
}

function key(event) {
  if (off()) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.repeat) return;
  const field = event.target.closest?.("input, select, textarea, [contenteditable], dialog");
  if (field && field.type !== "radio") return;
  if (keys[event.key]?.()) event.preventDefault();
}

// The page of tickets follows the pair that is entered.
function follow({ target }) {
  const live = document.getElementById("ticket-market");
  if (!live || !target.matches?.("input[data-follow]")) return;
  const pair = target.value.trim();
  if (!/^([A-Za-z0-9]{2,20}[/-]?[A-Za-z0-9]{2,15}(_SPBL)?|cmt_[a-z0-9]{1,36})$/.test(pair)) return;
  const url = new URL(live.dataset.live, location.href);
  url.searchParams.set("symbol", pair);
  live.dataset.live = url.pathname + url.search;
  document.dispatchEvent(new Event("live:moved"));
}

// After a step the reader is led to its heading, never to the button that sends.
function arrived() {
  document.querySelector("#ticket [data-arrive]")?.focus({ preventScroll: true });
  const ticket = document.getElementById("ticket");
  if (ticket && ticket.getBoundingClientRect().top < 0) ticket.scrollIntoView({ block: "start" });
}

function lost({ detail }) {
  const ticket = document.getElementById("ticket");
  if (!ticket || !ticket.contains(detail.elt)) return;
  const words = document.getElementById("ticket-lost");
  if (!words) return;
  const confirm = detail.elt.closest("form[data-confirm]");
  words.hidden = false;
  words.textContent = confirm
    ? "No answer arrived here. The order may have been sent: press the button again to see what became of it. It is not sent twice."
    : "No answer arrived. Nothing was sent; try again.";
}

export function watchTicket() {
  document.addEventListener("input", typed);
  document.addEventListener("pointerdown", (event) => (pressed = event.target.closest?.("tr[data-price]") ?? null));
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", entered, true);
  document.addEventListener("keydown", key);
  document.addEventListener("change", follow);
  document.addEventListener("chart:price", pointed);
  document.addEventListener("chart:ready", () => line(lined()));
  document.addEventListener("htmx:sendError", lost);
  document.addEventListener("htmx:responseError", (event) => {
    if (!event.detail.xhr.responseText.includes('id="ticket"')) lost(event);
  });
  document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => {
    if (target?.id !== "ticket") return;
    arrived();
    line(lined());
  });
  document.addEventListener("live:beat", () => {
    const ticket = form();
    if (!ticket || document.hidden || ticket.hasAttribute("data-pending") || Date.now() - checked < again) return;
    // Elsewhere than beside a chart an empty ticket has no figures, which would push the page about.
    if (ticket.matches("[hx-post]") || ticket.elements.namedItem("quantity")?.value || ticket.elements.namedItem("size")?.value) check();
  });
}
