// The search of a list filters while the reader types: htmx asks and replaces what was found, and never
// the field, so that nothing that is typed meanwhile is lost. Enter asks at once in the same way.
export function watchSearch() {
  document.addEventListener(
    "submit",
    (event) => {
      const field = event.target.querySelector("#search[hx-get]");
      if (!globalThis.htmx || !field || field !== document.activeElement) return;
      event.preventDefault();
      event.stopPropagation();
      htmx.trigger(field, "seek");
    },
    true,
  );
}
