// The title of the tab of a market page says the last price, or that the page is not live: nothing
// looks live that is not. It changes in a tab that is not in front too, as long as that has a stream.
const page = () => document.querySelector("[data-tab]");

let told = null; // {page, price}: of a head that is not drawn yet
let live = false;

function write() {
  const here = page();
  if (!here) return;
  const price = told?.page === here ? told.price : document.getElementById("market-head")?.dataset.price;
  const text = `${live && price ? price : "not live ·"} ${here.dataset.tab} · Rebatedesk`;
  if (document.title !== text) document.title = text;
}

// titled takes whether the page is live.
export function titled(is) {
  live = is;
  write();
}

// priced takes a part of the page that may have the last price. It has none if that is out of date.
export function priced(html) {
  const head = /^\s*<[^>]* id="market-head"[^>]*>/.exec(html)?.[0];
  if (!head) return;
  told = { page: page(), price: /data-price="([^"]*)"/.exec(head)?.[1] };
  write();
}
