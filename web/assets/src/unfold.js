// What is folded costs nothing before somebody unfolds it. The figures of a chart and the forms of a
// line are in the page as text, within <noscript>, and become elements here.
export function unfold(details) {
  const folded = details.querySelector(":scope > noscript");
  if (!folded) return;
  const holder = document.createElement("template");
  // Parsed for this page it is text; parsed for another document it has elements.
  holder.innerHTML = folded.childElementCount > 0 ? folded.innerHTML : folded.textContent;
  folded.replaceWith(holder.content);
  details.dispatchEvent(new Event("unfolded", { bubbles: true }));
}

// focusFirst sets the focus to what is filled in first: whoever opens a form types next. A menu that has
// a form among other entries keeps it on the entry that opened it.
export function focusFirst(details) {
  const fields = ':scope:not([data-menu]) form[method="post"] :is(textarea, select, input:not([type="hidden"], [type="checkbox"], [type="radio"]))';
  (details.querySelector("[data-first]") ?? details.querySelector(fields))?.focus();
}

let opened = null; // by its summary, until it is open

const unfoldOpen = () => document.querySelectorAll("details[open]").forEach(unfold);

// Tables of many rows are read when somebody unfolds them, and again when the figures above them
// change. Without this file a link in their place leads to a page that has them.
const unfolded = () => document.querySelectorAll("details[data-table][open]");

const again = 5_000; // ms, after a table could not be read
let retry = 0;

async function read({ id, dataset }) {
  const answer = await fetch(dataset.table, { headers: { "HX-Request": "true" } }).catch(() => null);
  const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  // Meanwhile the page may have become another one, or its part a new one.
  const details = document.getElementById(id);
  const place = details?.open && details.querySelector("[data-keep]");
  if (!place) return;
  const fresh = page?.getElementById(place.id);
  if (!fresh) {
    if (!place.querySelector("table")) place.textContent = "The table cannot be read now; it is tried again.";
    clearTimeout(retry);
    retry = setTimeout(() => unfolded().forEach(read), again);
    return;
  }
  const box = place.querySelector("[data-scroll]");
  const top = box?.scrollTop ?? 0;
  place.replaceChildren(...fresh.childNodes);
  if (top) place.querySelector("[data-scroll]")?.scrollTo({ top, behavior: "instant" });
}

export function watchTables() {
  // A click comes before its part is shown. toggle does not bubble.
  document.addEventListener(
    "click",
    ({ target }) => {
      const details = target.closest?.("details > summary")?.parentElement;
      if (!details) return;
      unfold(details);
      opened = details.open ? null : details;
    },
    true,
  );
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.open || target.localName !== "details") return;
      unfold(target);
      if (target !== opened) return; // another one was open when its part came
      focusFirst(target);
      opened = null;
    },
    true,
  );
  document.addEventListener("toggle", ({ target }) => target.matches?.("details[data-table][open]") && read(target), true);
  for (const drawn of ["htmx:afterSettle", "htmx:historyRestore", "live:drawn"]) document.addEventListener(drawn, unfoldOpen);
  document.addEventListener("chart:data", () => unfolded().forEach(read));
}
