// What a phone has scrolled near stays laid out, see .later in the style: its sheets may then cover
// the whole screen.
const seen = (element) => element.classList.add("seen");

export function watchLater() {
  document.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => !skipped && seen(target), true);
  if (!matchMedia("(width < 40rem)").matches) return;
  // What is on the first screen was shown before this script began to listen.
  const first = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) seen(target);
    first.disconnect();
  });
  for (const element of document.querySelectorAll(".later, #page section.panel")) first.observe(element);
}
