// Runs before the first paint: the remembered theme must stand before anything
// is drawn, and what is there for readers without scripts must be out of the
// way. Without a remembered choice of theme the system's setting applies.
const root = document.documentElement;
root.classList.add("js");
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's setting applies.
}

// The table of a chart comes unfolded, for those who see no chart. It is folded
// once, when the browser reports it open; later the reader decides.
addEventListener(
  "toggle",
  ({ target }) => {
    if (target.dataset?.fold === undefined) return;
    delete target.dataset.fold;
    target.open = false;
  },
  true,
);

// A page whose scripts do not load is a page without scripts.
addEventListener(
  "error",
  ({ target }) => {
    if (target.localName !== "script") return;
    root.classList.remove("js");
    for (const details of document.querySelectorAll("[data-chart-table]")) details.open = true;
  },
  true,
);
