// Own fills are told when they happen: in one line in sight, and to screen readers. The words are
// the server's; each fill is told once. The line stays until it is closed, and moves nothing.
const line = () => document.getElementById("fill-line");

let untold = false; // fills that came while the page was hidden

// What a page of this window was told is kept for the pages after it, so that a fill which happens
// between two pages is told on the second one.
const kept = 3_600_000; // ms
const keyOf = (page) => `fills ${new URL(page.dataset.live, location.href).searchParams.get("account")}`;

// remembered returns what was told of each pair: {mark, at}.
function remembered(page) {
  try {
    const told = Object.entries(JSON.parse(sessionStorage.getItem(keyOf(page)) ?? "{}"));
    return Object.fromEntries(told.filter(([, { at }]) => Date.now() - at < kept));
  } catch {
    return {}; // no storage, or another's content
  }
}

const listOf = (page) => (page.dataset.fills ?? "").split(",").filter(Boolean);
const pairOf = (mark) => mark.split(".")[0];

function remember(page) {
  const told = remembered(page);
  for (const mark of listOf(page)) told[pairOf(mark)] = { mark, at: Date.now() };
  try {
    sessionStorage.setItem(keyOf(page), JSON.stringify(told));
  } catch {
    // Without storage each page begins anew.
  }
}

// marksOf says which fills a page was told, or the pages before it, for its stream.
export function marksOf(page) {
  if (!page.dataset.fills) return "";
  const told = remembered(page);
  page.dataset.fills = listOf(page).map((mark) => told[pairOf(mark)]?.mark ?? mark).join(",");
  remember(page);
  return `&fills=${encodeURIComponent(page.dataset.fills)}`;
}

// told takes a message of the stream. What a hidden page hears is asked for again when it is shown,
// since the server sums up what happened since the marks that the page has.
export function told(page, { marks, count, words }) {
  if (document.hidden) {
    untold = true;
    return;
  }
  page.dataset.fills = marks;
  remember(page);
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
  document.addEventListener("live:beat", () => {
    const page = document.querySelector("[data-live][data-fills]");
    if (page && !document.hidden) remember(page);
  });
  document.addEventListener("click", ({ target }) => {
    if (!target.closest?.("#fill-line button")) return;
    line().hidden = true;
    document.getElementById("page").focus({ preventScroll: true });
  });
}
