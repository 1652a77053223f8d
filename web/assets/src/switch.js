// The theme switch: light or dark, remembered in a cookie, so that the server writes
// the theme into the page and nothing is drawn in the wrong one.
const dark = matchMedia("(prefers-color-scheme: dark)");

function shown() {
  return document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
}

export function watchTheme() {
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const theme = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  });
}
