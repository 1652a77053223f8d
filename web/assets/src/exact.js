// What a figure says when it is pressed: its exact value, its unit, its meaning, or why it is not
// known. These words are titles, which only a mouse shows. One panel shows them all: by a click or
// a tap on a figure, by Enter on the figures that take the focus, and from there, or by the key e,
// arrows go through all figures of the page in the order of reading.
import { off } from "./keys.js";
import { layOut } from "./later.js";

const figures = ":is(span, bdi, td, th, dt, h2, p, button.exact)[title]";
const within = "a, summary, button:not(.exact), label, dialog, #exact-panel, nav, [data-chart]";

const panel = () => document.getElementById("exact-panel");
const part = (name) => panel().querySelector(`[data-exact="${name}"]`);

let shown = null; // the figure of the panel
let from = null; // what had the focus before

const all = () => [...document.querySelectorAll(`#page ${figures}`)].filter((element) => element.checkVisibility({ checkVisibilityCSS: true }));

// Words without what is only for screen readers, and with the figure in one line.
const textOf = (element) => (element?.innerText ?? "").replace(/\s+/g, " ").trim();

// about names a figure: by the heads of its row and column, its term, or its section.
function about(figure) {
  const cell = figure.closest("td, th");
  if (cell) {
    const table = cell.closest("table");
    const head = table.tHead?.rows[table.tHead.rows.length - 1]?.cells[cell.cellIndex];
    return [...new Set([textOf(cell.parentElement.querySelector("th[scope=row]") ?? cell.parentElement.cells[0]), textOf(head)])].filter((words) => words && words !== textOf(cell)).join(" · ");
  }
  const term = figure.closest("dd")?.parentElement.querySelector("dt");
  if (term) return textOf(term);
  const item = figure.closest("li");
  const section = figure.closest("section, form");
  const title = document.getElementById(section?.getAttribute("aria-labelledby")) ?? section?.querySelector("h2, h3");
  return [section?.getAttribute("aria-label") ?? textOf(title), textOf(item?.querySelector("bdi, a"))].filter(Boolean).join(" · ");
}

// number is the plain number at the beginning of some words, for a spreadsheet.
function number(words) {
  const found = /^[≈≥]?\s*([-−+]?\d[\d,]*(?:\.\d+)?)(?![\d.:]*[-/:]\d)/.exec(words);
  return found ? found[1].replaceAll(",", "").replace("−", "-").replace("+", "") : "";
}

// copied is what the panel copies: what its figure states, or its number.
const copied = () => shown.dataset.copy ?? number(shown.getAttribute("title"));

function show(figure) {
  if (!panel().matches(":popover-open")) {
    from = document.activeElement;
    panel().showPopover();
  }
  shown?.classList.remove("exact-shown");
  shown = figure;
  layOut(figure);
  shown.classList.add("exact-shown");
  const words = figure.getAttribute("title");
  part("about").textContent = about(figure);
  part("short").textContent = textOf(figure);
  part("words").textContent = words;
  part("copy").hidden = copied() === "";
  part("copied").textContent = "";
  place();
}

// On a wide screen the panel is beside its figure; on a phone it is a sheet, see the style.
function place() {
  const { offsetWidth: width, offsetHeight: height } = panel();
  shown.scrollIntoView({ block: "nearest", inline: "nearest" });
  const sheet = width === document.documentElement.clientWidth;
  if (sheet && shown.getBoundingClientRect().bottom > innerHeight - height - 16) shown.scrollIntoView({ block: "center" });
  const box = shown.getBoundingClientRect();
  const top = box.bottom + 8 + height > innerHeight ? Math.max(8, box.top - height - 8) : box.bottom + 8;
  panel().style.setProperty("top", `${top}px`);
  panel().style.setProperty("left", `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8))}px`);
}

function step(by) {
  const list = all();
  if (list.length === 0) return;
  const at = list.indexOf(shown);
  show(list[at < 0 ? 0 : (at + by + list.length) % list.length]);
}

function open(figure) {
  show(figure);
  part("next").focus({ preventScroll: true });
}

// The first figure in sight, or of the page.
function begin() {
  const list = all();
  const focused = document.activeElement;
  open(list.find((figure) => focused !== document.body && (figure === focused || focused.contains(figure))) ?? list.find((figure) => figure.getBoundingClientRect().top > 0) ?? list[0] ?? document.body);
}

// A page that is not served by HTTPS has no clipboard, so the words are marked and copied.
async function copy() {
  const text = copied();
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    panel().append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    part("copy").focus();
    if (!done) {
      part("copied").textContent = "The browser does not allow to copy. Mark the value and copy it.";
      return;
    }
  }
  part("copied").textContent = `${text} is copied.`;
}

export function watchExact() {
  document.addEventListener("click", (event) => {
    if (!panel()) return;
    const button = event.target.closest("#exact-panel [data-exact]");
    if (button) {
      const does = { next: () => step(1), back: () => step(-1), copy, close: () => panel().hidePopover() }[button.dataset.exact];
      does?.();
      return;
    }
    const figure = event.target.closest(figures);
    // A link or a menu within a figure, such as the one that sorts by a column, does what it says.
    if (!figure?.closest("#page") || event.target.closest(within) || figure.getAttribute("title") === "" || String(getSelection())) return;
    open(figure);
  });
  document.addEventListener("keydown", (event) => {
    if (!panel() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (panel().matches(":popover-open") && panel().contains(document.activeElement)) {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      step(by);
    } else if (event.key === "e" && !off() && !event.target.closest?.("input, select, textarea, [contenteditable], dialog") && all().length > 0) {
      event.preventDefault();
      begin();
    }
  });
  document.addEventListener("toggle", (event) => {
    if (event.target !== panel() || event.newState === "open") return;
    shown?.classList.remove("exact-shown");
    shown = null;
    if (from?.isConnected && (document.activeElement === document.body || panel().contains(document.activeElement))) from.focus({ preventScroll: true });
  }, true);
  // The figures of the panel were replaced: it is about nothing any more.
  document.addEventListener("htmx:afterSwap", () => shown && !shown.isConnected && panel()?.hidePopover());
}
