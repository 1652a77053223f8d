// A hint about a page is there at the first visit. After that it is in the help of the page: a hint that
// was shown is put away as if by its button, and stays in sight until the reader leaves the page.
const told = new Set();

function putAway() {
  const form = document.querySelector(".guide-note form");
  const page = form?.elements.page.value;
  if (!form || told.has(page)) return;
  told.add(page);
  fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual", keepalive: true }).catch(() => told.delete(page));
}

export function watchHints() {
  document.addEventListener("htmx:afterSettle", putAway);
  putAway();
}
