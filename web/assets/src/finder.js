// The search from everywhere: arrow keys choose among what was found, and Enter opens it. The
// server finds; until it answers, the pages that are listed are narrowed here.
const field = () => document.getElementById("finder-text");
const hits = () => [...document.querySelectorAll("#finder .hit")].filter((hit) => hit.checkVisibility());

export function openFinder() {
  const dialog = document.getElementById("finder");
  if (!dialog) return;
  if (!dialog.open) dialog.showModal();
  field().select();
  choose(0);
}

// choose marks a hit, which Enter opens.
function choose(at) {
  const list = hits();
  const chosen = list[(at + list.length) % list.length];
  for (const hit of document.querySelectorAll("#finder .hit")) {
    hit.setAttribute("aria-selected", hit === chosen);
    hit.removeAttribute("id");
  }
  if (!chosen) return field().removeAttribute("aria-activedescendant");
  chosen.id = "finder-chosen";
  field().setAttribute("aria-activedescendant", chosen.id);
  chosen.scrollIntoView({ block: "nearest" });
}

// What the arrow keys chose stays chosen when the answer of the server arrives.
let moved = "";

const chosen = () => hits().findIndex((hit) => hit.getAttribute("aria-selected") === "true");

// narrow hides what does not contain the text; the groups that are empty then go too.
function narrow(text) {
  const sought = text.trim().toLowerCase();
  for (const hit of document.querySelectorAll("#finder .hit")) {
    hit.hidden = !hit.textContent.toLowerCase().includes(sought);
  }
  for (const group of document.querySelectorAll("#finder [role=group]")) {
    group.hidden = !group.querySelector(".hit:not([hidden])");
  }
}

export function watchFinder() {
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-find]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openFinder();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "finder-text") return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen() + (event.key === "ArrowDown" ? 1 : -1));
      moved = hits()[chosen()]?.href;
    }
  });
  // Enter submits the form, and opens what is chosen instead of the page of the search.
  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#finder")) return;
    const hit = hits()[Math.max(chosen(), 0)];
    if (!hit) return;
    event.preventDefault();
    hit.click();
  });
  document.addEventListener("input", (event) => {
    if (event.target.id !== "finder-text") return;
    narrow(event.target.value);
    moved = "";
    choose(0);
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig?.elt?.id === "finder-text") choose(Math.max(hits().findIndex((hit) => hit.href === moved), 0));
  });
}
