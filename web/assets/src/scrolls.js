// Marks what goes on to the right or below, so that the style can say so.
// All sizes are read before any mark is set: each mark makes the browser lay out the page
// again when the next size is read.
// What is hidden may be no more than the padding of the last column, which nobody misses.
const padding = 16;

function measure(elements) {
  // What is folded has no size, and asking for it would lay it out.
  const found = elements.filter((element) => !element.closest("details:not([open])")).map((element) => ({
    element,
    more: element.scrollWidth - element.clientWidth - element.scrollLeft > padding,
    fits: element.classList.contains("whole") && element.scrollWidth <= element.clientWidth,
    below: element.scrollHeight - element.clientHeight - element.scrollTop > 1,
  }));
  const sections = new Map();
  for (const { element, more, below, fits } of found) {
    element.toggleAttribute("data-more", more);
    element.toggleAttribute("data-below", below);
    element.toggleAttribute("data-fits", fits);
    const section = element.closest("section");
    if (section) sections.set(section, more || sections.get(section) || false);
  }
  for (const [section, more] of sections) tell(section, more || section.querySelector("[data-more]") !== null);
}

// tell writes only what is new: it is asked at every step of a scroll.
function tell(section, more) {
  const words = more ? "more" : "none";
  for (const cue of section.querySelectorAll(".scroll-cue")) if (cue.closest("section") === section && cue.dataset.cue !== words) cue.dataset.cue = words;
}

// An element that is observed for the first time is measured after the next layout.
const sizes = new ResizeObserver((entries) => measure(entries.map(({ target }) => target)));
const watched = new Set();

function watchAll() {
  for (const element of watched) {
    if (element.isConnected) continue;
    sizes.unobserve(element);
    watched.delete(element);
  }
  measure([...watched]);
  for (const element of document.querySelectorAll("[data-scroll]")) {
    if (watched.has(element)) continue;
    watched.add(element);
    sizes.observe(element);
  }
  for (const cue of document.querySelectorAll(".scroll-cue:not([data-cue])")) {
    if (!cue.closest("section")?.querySelector("[data-scroll]")) cue.dataset.cue = "none"; // its table has no rows
  }
}

export function watchScrolls() {
  document.addEventListener("scroll", ({ target }) => target.dataset?.scroll !== undefined && measure([target]), true);
  document.addEventListener("htmx:afterSettle", watchAll);
  document.addEventListener("htmx:historyRestore", watchAll);
  document.addEventListener("unfolded", watchAll);
  watchAll();
}
