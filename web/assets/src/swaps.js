// What htmx needs to know about these pages.
const quiet = new Set(["progress", "figures"]);

// Forms send every field; a URL to share holds only those that say something.
function dropEmpty(event) {
  if (event.detail.verb !== "get") return;
  const { parameters } = event.detail;
  for (const name of Object.keys(parameters)) {
    if (parameters[name] === "") delete parameters[name];
  }
}

// A page that nobody looks at does not poll.
function skipHidden(event) {
  if (document.hidden && quiet.has(event.detail.elt.id)) event.preventDefault();
}

// An error page replaces the page the reader asked to leave, but a failed
// refresh in the background leaves the figures that stand there.
function decideErrors(event) {
  const { xhr, target } = event.detail;
  if (xhr.status < 400) return;
  event.detail.shouldSwap = target.id === "page";
}

// The figures are refreshed under the reader's hands: what was unfolded stays
// unfolded.
let unfolded = [];
function rememberUnfolded(event) {
  const open = event.detail.target.querySelectorAll("details[id][open]");
  unfolded = event.detail.target.id === "figures" ? [...open].map((details) => details.id) : [];
}
function restoreUnfolded() {
  for (const id of unfolded) {
    const details = document.getElementById(id);
    if (!details) continue;
    delete details.dataset.fold;
    details.open = true;
  }
  unfolded = [];
}

function showOffline(offline) {
  const notice = document.getElementById("offline");
  if (notice) notice.hidden = !offline;
}

export function watchSwaps() {
  const on = (name, listener) => document.addEventListener(name, listener);
  on("htmx:configRequest", dropEmpty);
  on("htmx:beforeRequest", skipHidden);
  on("htmx:beforeSwap", decideErrors);
  on("htmx:beforeSwap", rememberUnfolded);
  on("htmx:afterSettle", restoreUnfolded); // settling sets attributes anew
  on("htmx:sendError", () => showOffline(true));
  on("htmx:afterOnLoad", () => showOffline(false));
}
