// htmx starts once the page is loaded and painted. It prepares the page in short tasks, so that what
// the reader does comes in between. Links and forms work without it until then: the browser follows
// them itself.
const prepared = "form, [type=submit][form], [hx-get], [hx-post], [hx-put], [hx-patch], [hx-delete], [hx-trigger]";
const taskLasts = 5; // ms

let htmx = null;

const pause = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((done) => setTimeout(done)));

export async function startHtmx() {
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  await new Promise((done) => setTimeout(done));
  htmx = (await import("htmx.org")).default;
  await pause();
  let began = performance.now();
  for (const element of document.querySelectorAll(prepared)) {
    htmx.process(element);
    if (performance.now() - began < taskLasts) continue;
    await pause();
    began = performance.now();
  }
}

// prepare makes htmx see the attributes of elements that it did not put into the page itself.
export function prepare(element) {
  htmx?.process(element);
}
