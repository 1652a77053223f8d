// Menus are <details>, so they work without this file; here they learn to
// close when the reader goes elsewhere.
function closeAll(except) {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (menu !== except) menu.open = false;
  }
}

export function watchMenus() {
  // A click on the shade behind a sheet reaches the menu itself.
  document.addEventListener("click", ({ target }) => closeAll(target.matches("details[data-menu]") ? null : target.closest("details[data-menu]")));
  document.addEventListener("focusin", (event) => {
    if (event.target !== document.body) closeAll(event.target.closest("details[data-menu]"));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = event.target.closest?.("details[data-menu][open]");
    closeAll();
    menu?.querySelector("summary")?.focus();
  });
}
