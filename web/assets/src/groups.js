// The reader folds groups of the navigation, and unfolds parts of pages. Cookies remember them, so
// that the server draws them as they were left.
const remember = (name, values) => {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${values.join(".")}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
};

const recalled = (name) => (document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1] ?? "").split(".").filter(Boolean);

export function watchGroups() {
  // toggle does not bubble.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.isConnected) return;
      if (target.matches?.("details[data-nav]")) {
        remember("folded", [...document.querySelectorAll("details[data-nav]:not([open])")].map((group) => group.dataset.nav));
      } else if (target.matches?.("details[data-fold]")) {
        const others = recalled("unfolded").filter((name) => name !== target.dataset.fold);
        remember("unfolded", target.open ? [...others, target.dataset.fold] : others);
      }
    },
    true,
  );
}
