// The server draws each chart. The script that answers to the pointer is large: it is
// loaded when somebody is there and a chart is in sight, or when a button of a chart is pressed.
const signs = ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"];

let loading = null;
function load() {
  loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = document.documentElement.dataset.charts;
    script.addEventListener("load", done);
    document.head.append(script);
  });
  return loading;
}

const sight = new IntersectionObserver((entries) => {
  if (!entries.some((entry) => entry.isIntersecting)) return;
  sight.disconnect();
  load();
});

function look() {
  if (loading) return;
  sight.disconnect();
  for (const chart of document.querySelectorAll("[data-chart]")) sight.observe(chart);
}

function greet() {
  for (const sign of signs) removeEventListener(sign, greet, true);
  look();
  document.addEventListener("htmx:afterSettle", look);
}

export function watchCharts() {
  for (const sign of signs) addEventListener(sign, greet, { capture: true, passive: true });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (button) load().then(() => document.dispatchEvent(new CustomEvent("chart:save", { detail: button })));
    const step = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (step) load().then(() => document.dispatchEvent(new CustomEvent("chart:zoom", { detail: step })));
  });
}
