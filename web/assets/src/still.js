// The server draws each chart. The script that answers to the pointer is large: it is
// loaded when somebody is there and a chart is in sight, or when a button of a chart is pressed.
const signs = ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"];

let loading = null;
function load() {
  loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = document.documentElement.dataset.charts;
    script.addEventListener("load", done);
    script.addEventListener("error", () => {
      script.remove();
      setTimeout(() => {
        loading = null;
        wait();
      }, 2000);
    });
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

// wait loads the script when somebody is there.
function wait() {
  for (const sign of signs) addEventListener(sign, greet, { capture: true, passive: true });
}

function greet() {
  for (const sign of signs) removeEventListener(sign, greet, true);
  look();
  document.addEventListener("htmx:afterSettle", look);
}

// A chart of prices on which the pointer went down before the script had drawn it. The script would
// lose that click, so the drawing of the server takes it.
let early = null;

function press({ target }) {
  const place = target.closest?.(".points [role=img]");
  early = place && !place.querySelector("[data-drawn]") ? place : null;
}

// The price at a height lies between the labels of the axis, which is even.
function take(place, { clientX, clientY }) {
  const [axis, plot] = [...place.querySelectorAll(".still > svg")].map((svg) => [svg, svg.getBoundingClientRect()]);
  if (!plot || clientX < plot[1].left || clientX > plot[1].right) return;
  const { top, height } = axis[1];
  const labels = [...axis[0].querySelectorAll("text")].map((text) => [(parseFloat(text.getAttribute("y")) / 100) * height + top, Number(text.textContent.replaceAll(",", ""))]);
  const [[low, least], [high, most]] = [labels[0], labels[labels.length - 1]];
  if (low === high || clientY > low || clientY < high) return;
  const price = least + ((clientY - low) / (high - low)) * (most - least);
  if (price > 0) document.dispatchEvent(new CustomEvent("chart:price", { detail: price.toFixed(12) }));
}

export function watchCharts() {
  addEventListener("pointerdown", press, true);
  addEventListener("click", (event) => {
    if (early?.contains(event.target)) take(early, event);
    early = null;
  }, true);
  wait();
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (button) load().then(() => document.dispatchEvent(new CustomEvent("chart:save", { detail: button })));
    const step = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (step) load().then(() => document.dispatchEvent(new CustomEvent("chart:zoom", { detail: step })));
  });
}
