// The head of a long table stays in sight. Where the table fits its page the style does it; a table
// that scrolls sideways is a box of its own, so its head is moved along. The distance is in a style
// sheet: the content security policy refuses styles of elements that htmx moves.
const sheet = new CSSStyleSheet();

let asked = false;
let moved = "";

function move() {
  asked = false;
  let rules = "";
  for (const box of document.querySelectorAll("[id] > .whole:not([data-fits])")) {
    const place = box.getBoundingClientRect();
    if (place.top >= 0 || place.bottom <= 0) continue;
    const room = place.height - 2 * (box.querySelector("thead")?.offsetHeight ?? 0);
    rules += `#${CSS.escape(box.parentElement.id)} > .whole { --head: ${Math.round(Math.max(0, Math.min(-place.top, room)))}px }`;
  }
  if (rules === moved) return;
  moved = rules;
  sheet.replaceSync(rules);
}

export function watchHeads() {
  document.adoptedStyleSheets.push(sheet);
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
