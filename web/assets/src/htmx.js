// htmx starts once the page is loaded and painted. It is a script of its own, which browsers compile
// beside the page, and it prepares the page in short tasks, so that what the reader does comes in
// between. Links and forms work without it until then: the browser follows them itself.
const prepared = "form, [type=submit][form], [hx-get], [hx-post], [hx-put], [hx-patch], [hx-delete], [hx-trigger]";
const taskLasts = 5; // ms

let htmx = null;

function load() {
  const script = document.createElement("script");
  script.src = document.documentElement.dataset.htmx;
  return new Promise((done) => {
    script.addEventListener("load", done);
    document.head.append(script);
  });
}

const pause = () => (globalThis.scheduler?.yield ? scheduler.yield() : new Promise((done) => setTimeout(done)));

// What readers entered before htmx listened. It is told afterwards, or a search that is typed at
// once would have no answer.
const entered = { input: new Set(), change: new Set() };
const note = ({ type, target }) => entered[type].add(target);
for (const kind of Object.keys(entered)) document.addEventListener(kind, note, true);

function tell() {
  for (const [kind, fields] of Object.entries(entered)) {
    document.removeEventListener(kind, note, true);
    for (const field of fields) if (field.isConnected) field.dispatchEvent(new Event(kind, { bubbles: true }));
    fields.clear();
  }
}

export async function startHtmx() {
  await prepareAll();
  tell();
}

async function prepareAll() {
  if (document.readyState !== "complete") await new Promise((done) => addEventListener("load", done, { once: true }));
  await new Promise((done) => setTimeout(done));
  if (!document.querySelector("[data-boost], [hx-get], [hx-post]")) return; // a page to sign in
  await load();
  htmx = globalThis.htmx;
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
