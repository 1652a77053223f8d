// Fields for days and times within folded parts get the calendar of the browser when the part opens.
const waiting = "input[data-opens-as]";

function dress(part) {
  for (const field of part.querySelectorAll(waiting)) {
    field.type = field.dataset.opensAs;
    for (const bound of ["min", "max"]) if (field.dataset[bound]) field.setAttribute(bound, field.dataset[bound]);
    field.removeAttribute("data-opens-as");
  }
}

function dressOpen() {
  for (const part of document.querySelectorAll("details[open]")) dress(part);
}

export function watchPickers() {
  // A click comes before its part is shown. What opens otherwise says so, without bubbling.
  document.addEventListener("click", ({ target }) => {
    const part = target.closest?.("summary")?.parentElement;
    if (part) dress(part);
  });
  document.addEventListener("toggle", ({ target }) => target.open && dress(target), true);
  document.addEventListener("unfolded", ({ target }) => dress(target));
  document.addEventListener("htmx:afterSettle", dressOpen);
  dressOpen();
}
