// Tables of many rows are read when somebody unfolds them, and again when the figures above them
// change. Without this file a link in their place leads to a page that has them.
const unfolded = () => document.querySelectorAll("details[data-table][open]");

async function read(details) {
  const place = details.querySelector("[data-keep]");
  const answer = await fetch(details.dataset.table, { headers: { "HX-Request": "true" } }).catch(() => null);
  const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  const fresh = page?.getElementById(place.id);
  if (!fresh) {
    if (!place.querySelector("table")) place.textContent = "The table cannot be read now. Fold and unfold it to try again.";
    return;
  }
  const box = place.querySelector("[data-scroll]");
  const top = box?.scrollTop ?? 0;
  place.replaceChildren(...fresh.childNodes);
  if (top) place.querySelector("[data-scroll]")?.scrollTo({ top, behavior: "instant" });
}

export function watchTables() {
  // toggle does not bubble.
  document.addEventListener("toggle", ({ target }) => target.matches?.("details[data-table][open]") && read(target), true);
  document.addEventListener("chart:data", () => unfolded().forEach(read));
}
