// A swap of the page takes the focused element away. Focus goes back to what
// stands in its place, and a status line says what the page shows now.
const stops = "a[href], button, input, select, textarea, summary, [tabindex]";

// nameOf tells controls of one place apart: what they are called, without the
// marks that a choice adds to them.
const nameOf = (element) => (element.getAttribute("aria-label") ?? element.name ?? "") || element.textContent.trim();

// swapped are the ids of what is swapped as a whole.
const swapped = new Set(["page", "figures"]);

let left = null;

// remember describes the element that the reader used.
function remember({ detail: { elt, target } }) {
  if (!swapped.has(target?.id)) return;
  const byItself = elt.id === target.id; // figures that are read anew while nobody does anything
  const used = elt.contains(document.activeElement) ? document.activeElement : elt;
  if (byItself && used === elt) return;
  const menu = used.closest("details[data-menu]");
  const place = used.parentElement?.closest("[id]");
  left = {
    byItself,
    had: document.activeElement !== document.body, // otherwise there is nothing to give back
    path: location.pathname,
    ids: [menu?.querySelector("summary")?.id, used.id],
    place: place?.id,
    tag: used.localName,
    name: nameOf(used),
    list: used.closest("[aria-label]:not(a, button, input, select)")?.getAttribute("aria-label"),
  };
}

// after is where the reader goes on: the menu that was used, the same control,
// what is left of its list, its section, or the page.
function after() {
  for (const id of left.ids) {
    const element = id && document.getElementById(id);
    if (element) return element;
  }
  const place = (left.place && document.getElementById(left.place)) || document.getElementById("page");
  const same = [...place.querySelectorAll(left.tag)].find((element) => element.matches(stops) && nameOf(element) === left.name && element.checkVisibility());
  if (same) return same;
  if (location.pathname !== left.path) return document.getElementById("page");
  const list = left.list && document.querySelector(`#page [aria-label="${CSS.escape(left.list)}"]`);
  if (list) return list.matches(stops) ? list : list.querySelector(stops);
  const table = place.id !== "page" && place.querySelector("[data-scroll][tabindex]");
  return table || document.getElementById("page");
}

function restore({ detail: { target } }) {
  if (!left || !swapped.has(target?.id)) return;
  const { byItself, had } = left;
  if (had) after()?.focus({ preventScroll: true });
  left = null;
  if (!byItself) announce();
}

// announce says what changed: the title of the page and what it marks as news.
function announce() {
  const line = document.getElementById("announcement");
  if (!line) return;
  const texts = [...document.querySelectorAll("#page h1, #page [data-announce]")].map((element) => (element.localName === "h1" ? element.textContent : element.innerText).replace(/\s+/g, " ").trim());
  line.textContent = texts.filter(Boolean).join(". ");
}

// announceDone says what the form did that led here. A status that is there when a page is read
// is not spoken, only a change of one.
function announceDone() {
  const done = document.querySelector("#page [data-done]");
  const line = document.getElementById("announcement");
  if (done && line) setTimeout(() => (line.textContent = done.innerText.replace(/\s+/g, " ").trim()), 300);
}

export function watchFocus() {
  announceDone();
  document.addEventListener("htmx:beforeRequest", remember);
  document.addEventListener("htmx:afterSettle", restore);
}
