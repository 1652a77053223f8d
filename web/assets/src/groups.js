// The reader folds groups of the navigation. A cookie remembers them, so that the server draws
// them folded.
export function watchGroups() {
  // toggle does not bubble.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.matches?.("details[data-nav]") || !target.isConnected) return;
      const closed = [...document.querySelectorAll("details[data-nav]:not([open])")].map((group) => group.dataset.nav);
      const secure = location.protocol === "https:" ? "; Secure" : "";
      document.cookie = `folded=${closed.join(".")}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    },
    true,
  );
}
