// htmx starts once the page is loaded and painted, in a task of its own. Links and forms work
// without it until then: the browser follows them itself.
let htmx = null;

export async function startHtmx() {
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  await new Promise((done) => setTimeout(done));
  htmx = (await import("htmx.org")).default;
}

// prepare makes htmx see the attributes of elements that it did not put into the page itself.
export function prepare(element) {
  htmx?.process(element);
}
