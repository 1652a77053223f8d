// Links and forms of a page load the next page through htmx. Preparing hundreds of links takes
// htmx longer than drawing the page, so each is prepared when it is pressed; forms, which may
// listen to their fields, are prepared at once.
import { prepare } from "./htmx.js";

const page = "[data-boost]";

function prepareForms() {
  for (const form of document.querySelectorAll(`${page} form:not([hx-boost])`)) {
    if (!form.closest('[hx-boost="false"]')) form.setAttribute("hx-boost", "true");
  }
}

// A part of a page that refreshes itself names itself as what is replaced, and what is in it inherits
// that. A link that only orders or pages the rows of the part leaves it at that. Any other link
// replaces the page: it leads elsewhere, or changes what the filters above the part show.
const ofRows = ["sort", "page", "per", "cols", "by", "metric"];

function asked({ pathname, search }) {
  const parameters = new URLSearchParams(search);
  for (const name of ofRows) parameters.delete(name);
  parameters.sort();
  return `${pathname}?${parameters}`;
}

function leadAway(link) {
  const part = link.closest("[hx-target]");
  if (!part?.hasAttribute("hx-get") || part === link || asked(link) === asked(location)) return;
  const whole = link.closest(page);
  for (const name of ["hx-target", "hx-select", "hx-select-oob", "hx-swap"]) link.setAttribute(name, whole.getAttribute(name));
  link.setAttribute("hx-push-url", "true");
}

function prepareLink(event) {
  const link = event.target.closest("a[href]");
  if (!link?.closest(`${page}, [hx-boost]`)?.matches(page)) return; // not of the page, or htmx has decided
  leadAway(link);
  link.setAttribute("hx-boost", "true");
  prepare(link);
}

// It begins before htmx goes through the page, which it does when the document is complete.
export function watchBoost() {
  prepareForms();
  document.addEventListener("htmx:afterSwap", prepareForms); // htmx prepares the new parts after this
  document.addEventListener("unfolded", ({ target }) => {
    prepareForms();
    target.querySelectorAll("form").forEach(prepare);
  });
  document.addEventListener("click", prepareLink, true); // before the link hears of it
}
