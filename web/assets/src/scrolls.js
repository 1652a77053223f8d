// Marks what goes on to the right or below, so that the style can say so.
function measure(element) {
  const more = element.scrollWidth - element.clientWidth - element.scrollLeft > 1;
  element.toggleAttribute("data-more", more);
  const below = element.scrollHeight - element.clientHeight - element.scrollTop > 1;
  element.toggleAttribute("data-below", below);
}

const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => measure(target)));
const watched = new Set();

function watchAll() {
  for (const element of watched) {
    if (element.isConnected) continue;
    sizes.unobserve(element);
    watched.delete(element);
  }
  for (const element of document.querySelectorAll("[data-scroll]")) {
    if (!watched.has(element)) {
      watched.add(element);
      sizes.observe(element);
    }
    measure(element);
  }
}

export function watchScrolls() {
  document.addEventListener("scroll", ({ target }) => target.dataset?.scroll !== undefined && measure(target), true);
  document.addEventListener("htmx:afterSettle", watchAll);
  document.addEventListener("htmx:historyRestore", watchAll);
  watchAll();
}
