// Keys of a list whose rows have forms: they move from row to row, and use the controls of the
// row that has the focus. They work in lists marked with data-rows only, so no other page acts
// on them.
import { filling, off, resting } from "./keys.js";
import { focusFirst, unfold } from "./unfold.js";

const typing = "input, select, textarea, [contenteditable], dialog";

let place = -1; // of the row that was used last

const rows = () => [...document.querySelectorAll("[data-rows] [data-row]")].filter((row) => !row.closest("details:not([open])"));

const current = () => document.activeElement?.closest?.("[data-row]");

function select(row) {
  if (!row) return;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const all = rows();
  const at = all.indexOf(current());
  const from = at < 0 && place >= 0 ? Math.min(place, all.length - 1) - (by > 0 ? 1 : -1) : at;
  select(all[Math.max(0, Math.min(all.length - 1, from + by))]);
}

// use clicks a control of the row: a button sends its form, a summary opens it.
function use(key) {
  const all = rows();
  const row = current() ?? all[Math.max(0, Math.min(place, all.length - 1))];
  const find = () => row?.querySelector(`[data-key="${key}"]`);
  if (!find()) row?.querySelectorAll("details").forEach(unfold);
  const control = find();
  if (!control) return false;
  place = all.indexOf(row);
  if (control.localName !== "summary" || !control.parentElement.open) control.click();
  else focusFirst(control.parentElement);
  return true;
}

const steps = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !(event.key in steps) || event.defaultPrevented || off()) return;
  if (!document.querySelector("[data-rows]")) return;
  if (event.target.closest?.(typing)) return;
  if (event.key === "Escape") {
    const open = filling();
    if (!open) return;
    open.open = false;
    select(open.closest("[data-row]"));
    return;
  }
  if (resting(event)) return;
  if (event.key in steps) {
    if (event.key.startsWith("Arrow") && !current()) return; // they scroll the page
    event.preventDefault();
    move(steps[event.key]);
    return;
  }
  if (event.key === "u") {
    const undo = document.querySelector("[data-undo]");
    if (undo) {
      event.preventDefault();
      undo.click();
    }
    return;
  }
  if (["c", "d", "x", "s", "n", "a"].includes(event.key) && use(event.key)) event.preventDefault();
}

// After a form was sent from a row, the row that stands in its place is used next.
function sent({ detail: { elt } }) {
  const row = elt.closest?.("[data-row]");
  if (row) place = rows().indexOf(row);
  else if (!elt.closest?.("#latest")) place = -1;
}

// After an answer, what was refused is in view; otherwise the row that is next has the focus.
function settled({ detail: { target } }) {
  if (place < 0 || target?.id !== "page") return;
  const refused = document.getElementById("refused");
  if (refused) {
    refused.scrollIntoView({ block: "center" });
    return;
  }
  const all = rows();
  select(all[Math.min(place, all.length - 1)]);
}

export function watchRows() {
  document.addEventListener("keydown", press);
  document.addEventListener("htmx:beforeRequest", sent);
  document.addEventListener("htmx:afterSettle", settled);
}
