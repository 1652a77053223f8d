// The theme switch: light, dark, remembered in this browser.
const dark = matchMedia("(prefers-color-scheme: dark)");

function shown() {
  return document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
}

export function watchTheme() {
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const theme = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Not remembered, but switched.
    }
  });
}
