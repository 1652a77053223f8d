import { openFinder } from "./finder.js";

// Keys of every page. None of them ever changes anything on the server; those of lists are in rows.js.
const typing = "input, select, textarea, [contenteditable], dialog";

// off reports whether the reader turned single keys off, in the own account.
export const off = () => document.documentElement.dataset.keys === "off";

// filling is the open form of a list, if there is one.
export const filling = () => document.querySelector('[data-rows] details[open]:has(form[method="post"])');

// Letters rest while a reader fills in a form: who types a word without a field in focus means no key.
export const resting = ({ key, target }) =>
  /^[a-z]$/i.test(key) && Boolean(filling() ?? target.closest?.('details[open]:has(form[method="post"])'));

function help() {
  const dialog = document.getElementById("help");
  if (!dialog || dialog.open) return;
  // Filters may have changed the address since the page was drawn.
  for (const link of dialog.querySelectorAll("[data-file]")) link.search = location.search;
  document.activeElement?.closest("details[data-menu]")?.removeAttribute("open");
  dialog.showModal();
}

const zoom = (step) => document.querySelector(`[data-zoom="${step}"]`);

const actions = {
  "/": openFinder,
  "?": help,
  ArrowLeft: () => (document.getElementById("range-back") ?? zoom("back"))?.click(),
  ArrowRight: () => (document.getElementById("range-forward") ?? zoom("forward"))?.click(),
  "+": () => zoom("in")?.click(),
  "-": () => zoom("out")?.click(),
  0: () => zoom("all")?.click(),
};

// Keys of ranges and of the comparison follow the link that is marked with them.
function shortcut({ key, repeat }) {
  const link = /^[a-z]$/.test(key) && !repeat && document.querySelector(`[data-shortcut="${key}"]`);
  return link && (() => link.click());
}

// Leaving a field by Esc changes nothing: neither the browser's habit of wiping
// a search field nor the form's of sending what was typed applies.
function leave(event) {
  const still = (change) => change.stopPropagation();
  if (event.target.localName === "input") event.preventDefault();
  document.addEventListener("change", still, true);
  event.target.blur();
  document.removeEventListener("change", still, true);
}

// send sends the form of a text of several lines, in which Enter begins a new line, by its first button.
function send(event) {
  const button = event.target.closest?.("textarea")?.form?.querySelector('button[type="submit"]');
  if (!button) return;
  event.preventDefault();
  button.click();
}

export function watchKeys() {
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.repeat) return send(event);
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openFinder();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.(typing)) {
      if (event.key === "Escape" && !event.target.closest("dialog")) leave(event);
      return;
    }
    // Arrows belong to whatever scrolls sideways and has the focus.
    if (event.key.startsWith("Arrow") && event.target.closest?.("[data-scroll]")) return;
    const action = actions[event.key] ?? shortcut(event);
    if (!action || off() || resting(event)) return;
    event.preventDefault();
    action();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      help();
    }
    // A click on the backdrop reaches the dialog itself.
    if (event.target.localName === "dialog" || event.target.closest("[data-close]")) {
      event.target.closest("dialog").close();
    }
  });
}
