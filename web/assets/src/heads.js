// The head of a long table stays in sight. Where the table fits its page the style does it; a table
// that scrolls sideways is a box of its own, so its head is moved along.
let asked = false;

function move() {
  asked = false;
  const boxes = [...document.querySelectorAll(".whole:not([data-fits])")].map((box) => ({ box, place: box.getBoundingClientRect(), head: box.querySelector("thead")?.offsetHeight ?? 0 }));
  for (const { box, place, head } of boxes) {
    const by = Math.max(0, Math.min(-place.top, place.height - 2 * head));
    box.style.setProperty("--head", `${Math.round(by)}px`);
  }
}

export function watchHeads() {
  document.addEventListener(
    "scroll",
    ({ target }) => {
      if (target !== document || asked) return;
      asked = true;
      requestAnimationFrame(move);
    },
    { passive: true },
  );
}
