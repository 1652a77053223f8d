// Own fills are told when they happen: in one line in sight, and to screen readers. The words are
// the server's; each fill is told once. The line stays until it is closed, and moves nothing.
const line = () => document.getElementById("fill-line");

let untold = false; // fills that came while the page was hidden

// marksOf says which fills a page knows, for its stream.
export const marksOf = (page) => (page.dataset.fills ? `&fills=${encodeURIComponent(page.dataset.fills)}` : "");

// told takes a message of the stream. What a hidden page hears is asked for again when it is shown,
// since the server sums up what happened since the marks that the page has.
export function told(page, { marks, count, words }) {
  if (document.hidden) {
    untold = true;
    return;
  }
  page.dataset.fills = marks;
  const place = line();
  if (!place) return;
  const before = place.hidden ? 0 : Number(place.dataset.count);
  place.dataset.count = before + count;
  place.querySelector("[data-words]").textContent = before ? `${words} ${before} more before.` : words;
  place.hidden = false;
  document.getElementById("announcement").textContent = words;
}

// missed reports whether the stream has to sum up again, for a page that is shown again.
export function missed() {
  const is = untold;
  untold = false;
  return is;
}

export function watchFills() {
  document.addEventListener("click", ({ target }) => {
    if (!target.closest?.("#fill-line button")) return;
    line().hidden = true;
    document.getElementById("page").focus({ preventScroll: true });
  });
}
