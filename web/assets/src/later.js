// What a phone has scrolled near stays laid out, see .later in the style: its sheets may then cover
// the whole screen.
const parts = ".later, #page section.panel";
const seen = (element) => element.classList.add("seen");

// layOut lays out the part of the page that an element is in: without it the element has no text
// as it is shown.
export function layOut(element) {
  for (let part = element.closest(parts); part; part = part.parentElement.closest(parts)) seen(part);
}

export function watchLater() {
  document.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => !skipped && seen(target), true);
  if (!matchMedia("(width < 40rem)").matches) return;
  // What is on the first screen was shown before this script began to listen.
  const first = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) seen(target);
    first.disconnect();
  });
  for (const element of document.querySelectorAll(parts)) first.observe(element);
}
