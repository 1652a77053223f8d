// What a phone has scrolled near stays laid out, see .later in the style: its sheets may then cover
// the whole screen.
const seen = (element) => element.classList.add("seen");

// layOut lays out the part of the page that an element is in: without it the element has no text
// as it is shown.
export function layOut(element) {
  for (let part = element.closest(".later"); part; part = part.parentElement.closest(".later")) seen(part);
}

export function watchLater() {
  document.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => !skipped && seen(target), true);
  if (!matchMedia("(width < 40rem)").matches) return;
  // What is near the first screen was laid out before this script began to listen.
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen(target);
      near.unobserve(target);
    }
  });
  for (const element of document.querySelectorAll(".later")) near.observe(element);
}
