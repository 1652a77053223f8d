// The strip below a chart of prices: all its candles as a line, and the part of them that is in
// sight. Its ends and its middle can be dragged.
import { init } from "echarts/core";
import { least } from "./zoom.js";

let strip = null; // its ECharts
let above = null; // the chart that it moves

// Where nobody traded the price stays what it was; where trades may be missing it is not known.
function prices({ series }) {
  const of = (name) => series.find(({ id }) => id === name)?.data ?? [];
  const missing = of("missing");
  let price = "-";
  return of("candles").map(({ value }, at) => {
    if (missing[at]?.value === 1) price = "-";
    if (Array.isArray(value)) price = value[1];
    return price;
  });
}

// drawStrip draws the strip for a chart and its part in sight.
export function drawStrip(chart, { option }, { first, end }, colours) {
  const element = document.querySelector("[data-strip]");
  if (strip?.getDom() !== element) leaveStrip();
  if (!element) return;
  above = chart;
  if (!strip) {
    strip = init(element, null, { renderer: "canvas" });
    strip.on("datazoom", () => above.dispatchAction({ type: "dataZoom", dataZoomId: "sight", ...shown() }));
  }
  const edges = { left: 8, right: 84 }; // as the candles have
  const line = { lineStyle: { color: colours.reference, width: 1, opacity: 1 }, areaStyle: { color: colours.reference, opacity: 0.12 } };
  strip.setOption({
    animation: false,
    grid: { ...edges, top: 0, bottom: 0 },
    xAxis: { type: "category", show: false, data: option.xAxis[0].data },
    yAxis: { type: "value", show: false, scale: true },
    // Only the strip's own drawing of it is seen.
    series: { type: "line", data: prices(option), silent: true, symbol: "none", lineStyle: { opacity: 0 } },
    dataZoom: {
      type: "slider",
      ...edges,
      top: 2,
      bottom: 2,
      startValue: first,
      endValue: end,
      minValueSpan: least - 1,
      brushSelect: false,
      showDetail: false,
      borderColor: colours.line,
      borderRadius: 4,
      backgroundColor: "transparent",
      dataBackground: line,
      selectedDataBackground: line,
      fillerColor: colours.shade,
      handleSize: "100%",
      handleIcon: "path://M0 3a3 3 0 0 1 3-3h4a3 3 0 0 1 3 3v22a3 3 0 0 1-3 3h-4a3 3 0 0 1-3-3z",
      handleStyle: { color: colours.ground, borderColor: colours.text, borderWidth: 1 },
      moveHandleSize: 0,
      emphasis: { handleStyle: { color: colours.ground, borderColor: colours.strong, borderWidth: 1.5 } },
    },
  });
}

// shown is the part that the strip has marked.
function shown() {
  const [{ startValue, endValue }] = strip.getOption().dataZoom;
  return { startValue, endValue };
}

// showInStrip moves the strip to the part that is in sight.
export function showInStrip({ first, end }) {
  if (!strip) return;
  const { startValue, endValue } = shown();
  if (startValue !== first || endValue !== end) strip.setOption({ dataZoom: { startValue: first, endValue: end } });
}

// fitStrip gives the strip the width that its element has now.
export const fitStrip = () => strip?.resize();

// leaveStrip forgets the strip of a page that is left.
export function leaveStrip() {
  strip?.dispose();
  strip = null;
}
