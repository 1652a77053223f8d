// What htmx needs to know about these pages.
import { unfold } from "./unfold.js";

const inPlace = new Set(["ticket", "trading-bar"]);
const quiet = new Set(["progress", "figures", "trading-bar"]);

// Forms send every field; a URL to share holds only those that say something.
function dropEmpty(event) {
  if (event.detail.verb !== "get") return;
  const { parameters } = event.detail;
  for (const name of Object.keys(parameters)) {
    if (parameters[name] === "") delete parameters[name];
  }
}

// A page that nobody looks at does not poll.
function skipHidden(event) {
  if (document.hidden && quiet.has(event.detail.elt.id)) event.preventDefault();
}

// An error page replaces the page the reader asked to leave, but a failed
// refresh in the background leaves the figures that stand there.
function decideErrors(event) {
  const { xhr, target } = event.detail;
  if (xhr.status < 400) return;
  // A ticket that was refused says why in its own place, and so does the state of sending.
  event.detail.shouldSwap = target.id === "page" || (inPlace.has(target.id) && xhr.responseText.includes(`id="${target.id}"`));
}

// The figures are refreshed under the reader's hands: what was unfolded stays
// unfolded, and what was scrolled stays where it was.
let unfolded = [];
let scrolled = [];
function rememberPlace(event) {
  const { target, requestConfig } = event.detail;
  const all = (selector) => (target.id === "figures" ? [...target.querySelectorAll(selector)] : []);
  // A form of a row leads back to its list.
  const lists = requestConfig?.verb === "post" ? [...target.querySelectorAll("details[id][open]:has([data-rows])")] : [];
  unfolded = [...all("details[id][open]"), ...lists].map((details) => details.id);
  scrolled = all(".scroll-x[id]").map(({ id, scrollLeft, scrollTop }) => ({ id, left: scrollLeft, top: scrollTop }));
}
function restorePlace() {
  for (const id of unfolded) {
    const details = document.getElementById(id);
    if (!details) continue;
    details.open = true;
    unfold(details);
  }
  for (const { id, left, top } of scrolled) document.getElementById(id)?.scrollTo({ left, top, behavior: "instant" });
  unfolded = [];
  scrolled = [];
}

function showOffline(offline) {
  const notice = document.getElementById("offline");
  if (notice) notice.hidden = !offline;
}

export function watchSwaps() {
  const on = (name, listener) => document.addEventListener(name, listener);
  on("htmx:configRequest", dropEmpty);
  on("htmx:beforeRequest", skipHidden);
  on("htmx:beforeSwap", decideErrors);
  on("htmx:beforeSwap", rememberPlace);
  on("htmx:afterSettle", restorePlace); // settling sets attributes anew
  on("htmx:sendError", () => showOffline(true));
  on("htmx:afterOnLoad", () => showOffline(false));
}
