// Runs before the first paint: the remembered theme must stand before anything
// is drawn. Without a remembered choice the system's setting applies.
const root = document.documentElement;
root.classList.add("js");
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's setting applies.
}
