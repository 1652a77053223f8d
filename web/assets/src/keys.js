// Keys of every page. None of them ever changes anything on the server.
const typing = "input, select, textarea, [contenteditable], dialog";

function help() {
  const dialog = document.getElementById("help");
  if (dialog && !dialog.open) dialog.showModal();
}

const actions = {
  "/": () => document.getElementById("search")?.focus(),
  "?": help,
  ArrowLeft: () => document.getElementById("range-back")?.click(),
  ArrowRight: () => document.getElementById("range-forward")?.click(),
};

export function watchKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.(typing)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    // Arrows belong to whatever scrolls sideways and has the focus.
    if (event.key.startsWith("Arrow") && event.target.closest?.("[data-scroll]")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-help]")) help();
    // A click on the backdrop reaches the dialog itself.
    if (event.target.id === "help" || event.target.closest("[data-close]")) {
      document.getElementById("help")?.close();
    }
  });
}
