// Draws the elements with data-chart that are in sight, over what the server drew, from
// the JSON beside them. The server says what is drawn; colours and sizes come from the
// page's style.
import { BarChart, CandlestickChart, LineChart, ScatterChart } from "echarts/charts";
import { DataZoomInsideComponent, DataZoomSliderComponent, GridComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { getInstanceByDom, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { drawStrip, fitStrip, leaveStrip, showInStrip } from "./strip.js";
import { beside, placeOfTips, tipOf } from "./tips.js";
import { sightOf, tell, watchZoom, zoom, zoomed } from "./zoom.js";

use([BarChart, CandlestickChart, LineChart, ScatterChart, DataZoomInsideComponent, DataZoomSliderComponent, GridComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");
let finger = false; // points at the page, not a mouse or a pen
for (const kind of ["pointerdown", "pointermove"]) addEventListener(kind, ({ pointerType }) => (finger = pointerType === "touch"), { capture: true, passive: true });
const drawn = new Set();
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting && !drawn.has(target)) draw(target);
  },
  { rootMargin: "200px" },
);
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) getInstanceByDom(target)?.resize();
  fitStrip();
});

function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--chart-${name}`).trim();
  return {
    parts: [1, 2, 3, 4, 5, 6, 7, 8].map(colour),
    reference: colour("reference"),
    text: colour("text"),
    strong: colour("strong"),
    line: colour("line"),
    surface: colour("surface"),
    ground: style.getPropertyValue("--color-base-100").trim(),
    missing: colour("missing"),
    shade: colour("shade"),
    gap: colour("gap"),
    rise: colour("rise"),
    fall: colour("fall"),
    font: getComputedStyle(document.body).fontFamily,
  };
}

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
function axisNumber(value) {
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toPrecision(1) : compact.format(value);
}

// The rich text of labels gives braces and bars a meaning, so they are taken out.
const plain = (text) => text.replace(/[{}|]/g, "");

const prices = new Intl.NumberFormat("en-US", { maximumFractionDigits: 8 });

// The price at a height of a chart of prices, as a click takes it: a multiple of the tick, by whole
// numbers of ticks. A contract has no known tick: its price has six digits.
function priceAt(value, tick) {
  if (!(value > 0)) return "";
  if (!tick) return Number(value.toPrecision(6)).toFixed(12).replace(/\.?0+$/, "");
  const digits = tick.split(".")[1]?.length ?? 0;
  const ticks = BigInt(Math.max(Math.round(value / Number(tick)), 1));
  const text = String(ticks * BigInt(tick.replace(".", ""))).padStart(digits + 1, "0");
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}

const grouped = (text) => text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

// crosshair shows the price under the pointer, on the axis of prices. A click takes the one that is
// shown, which the element has.
function crosshair(element, drawing, colours) {
  return {
    show: true,
    type: "line",
    snap: false,
    triggerTooltip: false,
    lineStyle: { color: colours.reference, width: 1, type: [4, 4] },
    label: {
      show: true,
      color: colours.ground,
      backgroundColor: colours.strong,
      padding: [1, 5],
      fontSize: 12,
      lineHeight: labelLine,
      formatter: ({ value }) => {
        const price = priceAt(value, drawing.tick);
        element.dataset.pointed = price;
        return price && plain(`${grouped(price)} ${drawing.coin ?? ""}`);
      },
    },
  };
}

// The button beside the list of open orders that leads to the review of a cancellation.
const cancelButton = (order) => document.getElementById(`cancel-${order}`);

// An order that is pressed in the chart is cancelled as in the list: the review comes first.
function cancel(order) {
  cancelled = true;
  cancelButton(order)?.click();
}
let cancelled = false; // by the click that is being handled, which takes no price

// Height of a line in a label with a ground, in pixels. ECharts would measure a Chinese character,
// which many fonts lack.
const labelLine = 16;

// Lines across a chart of prices: the last price, and open orders. The words of an order that the
// reader may cancel can be pressed.
function levelsOf(levels, colours) {
  const colour = { last: colours.reference, buy: colours.rise, sell: colours.fall, trigger: colours.parts[0] };
  return {
    symbol: "none",
    animation: false,
    emphasis: { disabled: true },
    tooltip: { show: false },
    data: (levels ?? []).map(({ at, words, side, order }) => ({
      yAxis: at,
      order: order && cancelButton(order) ? order : undefined,
      lineStyle: { color: colour[side] ?? colours.reference, type: side === "last" ? [2, 3] : "solid", width: 1 },
      label: {
        formatter: plain(order && cancelButton(order) ? `${words}  ×` : words),
        position: side === "last" ? "end" : "insideStartTop",
        color: side === "last" ? colours.ground : (colour[side] ?? colours.text),
        backgroundColor: side === "last" ? colours.reference : colours.ground,
        distance: side === "last" ? undefined : 3,
        padding: order ? [4, 6] : [1, 4],
        fontSize: 12,
        lineHeight: labelLine,
      },
    })),
  };
}

// Moving averages, and which of them the reader does not want to see.
const averages = { "average-short": 1, "average-long": 3, "average-volume": "reference" };
const hidden = (id) => document.querySelector("[data-hidden]")?.dataset.hidden.split(" ").includes(id);

const marks = {
  bought: { symbol: "triangle", symbolRotate: 0, colour: "rise" },
  sold: { symbol: "triangle", symbolRotate: 180, colour: "fall" },
};

function dressPrices(series, { option, levels }, colours) {
  if (series.id === "candles") {
    series.itemStyle = { color: colours.rise, color0: colours.fall, borderColor: colours.rise, borderColor0: colours.fall };
    series.markLine = levelsOf(levels, colours);
    series.emphasis = { disabled: true };
    series.barMaxWidth = 14;
  } else if (series.id === "volume") {
    const candles = option.series.find(({ id }) => id === "candles").data;
    const rises = (at) => !(candles[at]?.value?.[1] < candles[at]?.value?.[0]);
    series.itemStyle = { color: ({ dataIndex }) => (rises(dataIndex) ? colours.rise : colours.fall), opacity: 0.45 };
    series.emphasis = { disabled: true };
  } else if (averages[series.id]) {
    const colour = colours.parts[averages[series.id]] ?? colours.reference;
    Object.assign(series, { symbol: "none", silent: true, z: 3, data: hidden(series.id) ? [] : series.data, tooltip: { show: false } });
    series.lineStyle = { color: colour, width: 1.25 };
    series.itemStyle = { color: colour };
  } else if (marks[series.id]) {
    const { symbol, symbolRotate, colour } = marks[series.id];
    Object.assign(series, { symbol, symbolRotate, symbolSize: 11, z: 5, silent: true, tooltip: { show: false } });
    series.itemStyle = { color: colours[colour], borderColor: colours.ground, borderWidth: 1.5 };
  }
}

function dressSeries(series, i, drawing, colours) {
  const { tips } = drawing;
  if (series.id === "candles" || series.id === "volume" || marks[series.id] || averages[series.id]) {
    dressPrices(series, drawing, colours);
    series.animation = false;
  } else if (series.id === "reference") {
    // Behind the columns.
    series.lineStyle = { type: [4, 4], width: 1, color: colours.reference, opacity: 0.5 };
    series.itemStyle = { color: colours.reference, opacity: 0.5 };
    series.z = 1;
  } else if (series.id?.startsWith("so-far-")) {
    // The piece of a line that leads to a day that is not over; the line itself has the tooltip.
    const colour = colours.parts[Number(series.id.slice(7)) % colours.parts.length];
    series.lineStyle = { type: [3, 4], color: colour };
    series.itemStyle = { color: colour };
    Object.assign(series, { silent: true, tooltip: { show: false } });
  } else if (series.id === "missing") {
    // Days of which nothing, or not all, is known.
    series.itemStyle = { color: colours.missing, opacity: 0.5 };
    series.silent = true;
    series.tooltip = { show: false };
    series.animation = false;
    series.z = 0;
  } else if (series.id === "noted") {
    // A thin line where an annotation begins or ends; the tooltip's first lines have its words.
    Object.assign(series, { silent: true, animation: false, z: 4, tooltip: { show: false } });
    series.itemStyle = { color: colours.reference };
  } else if (series.id === "noted-dots") {
    Object.assign(series, { silent: true, animation: false, z: 4, symbolSize: 6, tooltip: { show: false } });
    series.itemStyle = { color: colours.reference };
  } else if (series.id?.startsWith("flows")) {
    // The columns of a waterfall stand on invisible ones, also below zero.
    Object.assign(series, { stackStrategy: "all", emphasis: { disabled: true } });
    if (series.id === "flows") {
      series.itemStyle = { color: ({ dataIndex }) => colours.parts[tips[dataIndex]?.part ?? 0] };
      series.label = {
        show: true,
        position: "top",
        color: colours.strong,
        fontSize: 12,
        formatter: ({ dataIndex }) => plain(tips[dataIndex]?.label ?? ""),
      };
    } else {
      Object.assign(series, { itemStyle: { color: "transparent" }, silent: true, tooltip: { show: false } });
    }
  } else if (series.id === "differences") {
    // What was paid too little and too much.
    Object.assign(series, { emphasis: { disabled: true }, cursor: "default" });
    series.itemStyle = { color: ({ value }) => (value < 0 ? colours.fall : colours.rise) };
  } else if (series.id?.startsWith("gap")) {
    // The filled part between two lines, on an invisible line along the lower of them.
    Object.assign(series, { stackStrategy: "all", silent: true, symbol: "none", tooltip: { show: false }, z: 1 });
    series.lineStyle = { width: 0 };
    series.itemStyle = { opacity: 0 };
    series.areaStyle = { color: colours.gap, opacity: series.id === "gap" ? 1 : 0 };
  } else {
    series.itemStyle = { ...series.itemStyle, color: colours.parts[i % colours.parts.length] };
    // A gap the colour of the card keeps stacked parts apart without their colours.
    if (series.stack) Object.assign(series.itemStyle, { borderColor: colours.ground, borderWidth: 1 });
    series.emphasis = { disabled: true };
    series.cursor = "default";
  }
  series.id ??= `part ${i} ${series.name}`; // by which a tooltip finds it
}

// The axis of prices reaches to the lines that are no further from the candles in sight than these
// are high, as in the drawing of the server. Without such a line ECharts chooses its ends.
function reach(axis, drawing) {
  const end = (which, most, step) => ({ min, max }) => {
    const span = max - min;
    const near = drawing.levels.map(({ at }) => at).filter((at) => at >= min - span && at <= max + span);
    const far = which(min, max, ...near);
    if (!(span > 0) || far === most(min, max)) return null;
    const unit = 10 ** Math.floor(Math.log10(span / 5));
    return step((far + (far < min ? -span : span) * 0.03) / unit) * unit;
  };
  axis.min = end(Math.min, Math.min, Math.floor);
  axis.max = end(Math.max, Math.max, Math.ceil);
}

function dress(element, drawing, animated) {
  const { option, tips } = drawing;
  const colours = palette();
  option.animation = animated && !still.matches;
  option.animationDuration = 350;
  option.animationDurationUpdate = 350;
  option.textStyle = { fontFamily: colours.font };
  option.series.forEach((series, i) => dressSeries(series, i, drawing, colours));
  for (const axis of option.xAxis) {
    axis.axisLine = { lineStyle: { color: colours.line } };
    axis.axisTick = { show: false };
    axis.axisLabel = { ...axis.axisLabel, color: colours.text, fontSize: 12, hideOverlap: true, margin: 10 };
  }
  if (drawing.levels) {
    reach(option.yAxis[0], drawing);
    option.yAxis[0].axisPointer = crosshair(element, drawing, colours);
  }
  for (const axis of option.yAxis) {
    axis.splitLine = { show: axis.show !== false, lineStyle: { color: colours.line } };
    axis.axisLabel = { ...axis.axisLabel, color: colours.text, fontSize: 12, formatter: axis.scale ? (value) => prices.format(value) : axisNumber };
  }
  option.axisPointer = { link: [{ xAxisIndex: "all" }] };
  Object.assign(option.tooltip, {
    appendTo: placeOfTips,
    className: "chart-tip",
    displayTransition: false,
    transitionDuration: 0,
    position: beside(element),
    backgroundColor: colours.surface,
    borderColor: colours.line,
    borderWidth: 1,
    borderRadius: 8,
    padding: [6, 12, 8, 12],
    textStyle: { color: colours.strong, fontSize: 12 },
    axisPointer: { type: "shadow", shadowStyle: { color: colours.shade }, z: 0, label: { show: false } },
    formatter: (list) => tooltip(drawing, colours, [list].flat()),
  });
  return option;
}

// The tooltip of a place of the chart: its days, what is noted about them, what a click on the
// column does, and the values of the parts in sight.
function tooltip(drawing, colours, list) {
  const tip = drawing.tips[list[0]?.dataIndex];
  if (!tip) return "";
  const lines = (tip.title ?? "").split("\n");
  if (drawing.levels) return tipOf(lines, candleRows(tip, drawing.option.series));
  if (drawing.narrow && tip.from && drawing.tips.length > 1) lines.push(`${finger ? "Tap the column again" : "Click the column"}: ${tip.from === tip.to ? "this day" : "these days"} alone`);
  const hovered = new Set(list.map(({ seriesId }) => seriesId));
  const rows = drawing.option.series.flatMap((series, i) => {
    const value = hovered.has(series.id) && series.tooltip?.show !== false && tip.values[i];
    return value ? [{ name: series.name, value, key: keyOf(series, i, tip, colours) }] : [];
  });
  return tipOf(lines, rows);
}

// How a part is marked in a tooltip, as in the legend.
function keyOf({ id }, i, tip, colours) {
  if (id === "reference") return { colour: colours.reference };
  if (id === "flows") return { colour: colours.parts[tip.part ?? 0] };
  return { colour: colours.parts[i % colours.parts.length] };
}

// The values of a candle: its prices, its volume and the averages in sight.
function candleRows(tip, series) {
  const volume = tip.values[4] ? [`volume ${tip.values[4]}`] : [];
  const lines = series.flatMap(({ id }, i) => (averages[id] && !hidden(id) && tip.values[i] ? [tip.values[i]] : []));
  return [...tip.values[0].split(", "), ...volume, ...lines].map((text) => {
    const [, name, value] = /^(.*) (\S*\d\S*|—)$/.exec(text) ?? [, text, ""];
    return { name, value };
  });
}

// Drawings whose newest candle changes, by the id of the element.
const running = new Map();

// What each element was drawn from, and at which address.
const states = new WeakMap();

// Draws an element if its data is new, or if the colours are. Only what the reader chose, which
// changes the address, may move: figures that are brought up to date appear in their place.
function draw(element, recoloured = false) {
  const source = document.getElementById(element.dataset.chart);
  if (!source) return;
  const text = source.textContent;
  const before = states.get(element);
  if (before?.text === text && !recoloured) return;
  const chosen = before !== undefined && before.address !== location.href;
  states.set(element, { text, address: location.href });
  let chart = getInstanceByDom(element);
  const first = !chart; // it takes the place of the server's drawing, so it does not grow
  if (first) {
    chart = init(element, null, { renderer: "canvas" });
    drawn.add(element);
    sizes.observe(element);
    sight.unobserve(element);
    point(element, chart);
    watchZoom(element, chart, () => running.get(element.id));
    chart.on("datazoom", () => showInStrip(sightOf(chart)));
    chart.on("click", ({ componentType, data, event }) => {
      const words = ["text", "tspan", "rect"].includes(event?.target?.type); // on the line itself a click takes its price
      if (componentType === "markLine" && data.order && words) cancel(data.order);
    });
    document.querySelector("[data-zooms]")?.classList.remove("invisible");
  }
  const drawing = JSON.parse(text);
  drawing.narrow = Boolean(element.parentElement.dataset.narrow);
  running.set(element.id, drawing);
  if (drawing.levels) drawing.own = drawing.levels;
  drawing.averages = Object.fromEntries(drawing.option.series.filter(({ id }) => averages[id]).map(({ id, data }) => [id, data]));
  if (drawing.levels && ticketLine) drawing.levels = [...drawing.own, ticketLine];
  if (drawing.levels) zoomed(element, drawing);
  chart.setOption(dress(element, drawing, chosen && !drawing.levels), { replaceMerge: ["series", "xAxis", "yAxis"] });
  if (drawing.levels) {
    tell(element, chart, drawing);
    drawStrip(chart, drawing, sightOf(chart), palette());
  }
  element.dataset.drawn = "";
  if (first) document.dispatchEvent(new Event("chart:ready"));
}

// Goes to an address as a link within the page does.
function follow(address) {
  const link = document.createElement("a");
  link.href = address;
  link.hidden = true;
  document.getElementById("page").append(link);
  link.click();
}

// A click into a column, also above its bar, shows its days alone, where a page can do so. A finger
// shows the tooltip of the column first, and its days alone when it taps that column again. A click
// into a chart of prices points at a price.
function point(element, chart) {
  const canvas = chart.getZr();
  let pressed, pressedBefore; // columns, by their first days
  const columnAt = ({ offsetX, offsetY }) => {
    const { tips } = running.get(element.id) ?? {};
    if (!element.parentElement.dataset.narrow || !(tips?.length > 1) || !chart.containPixel({ gridIndex: 0 }, [offsetX, offsetY])) return null;
    const tip = tips[chart.convertFromPixel({ gridIndex: 0 }, [offsetX, offsetY])[0]];
    return tip?.from ? tip : null;
  };
  canvas.on("mousemove", (at) => columnAt(at) && canvas.setCursorStyle("pointer"));
  canvas.on("mousedown", (at) => {
    pressedBefore = pressed;
    pressed = columnAt(at)?.from;
  });
  canvas.on("click", (at) => {
    const column = columnAt(at);
    if (!column || (finger && pressedBefore !== column.from)) return;
    pressed = undefined;
    const address = new URL(element.parentElement.dataset.narrow, location.href);
    address.searchParams.set("from", column.from);
    address.searchParams.set("to", column.to);
    follow(address.href);
  });
  canvas.on("click", ({ offsetX, offsetY }) => {
    const taken = cancelled;
    cancelled = false;
    if (taken || !running.get(element.id)?.levels || !chart.containPixel({ gridIndex: 0 }, [offsetX, offsetY])) return;
    const price = element.dataset.pointed || priceAt(chart.convertFromPixel({ gridIndex: 0 }, [offsetX, offsetY])[1], running.get(element.id).tick);
    if (price) document.dispatchEvent(new CustomEvent("chart:price", { detail: price }));
  });
  canvas.on("globalout", () => delete element.dataset.pointed);
}

// The price of the ticket beside a chart, drawn across it.
let ticketLine = null;
function drawTicket(line) {
  if (JSON.stringify(line) === JSON.stringify(ticketLine)) return;
  ticketLine = line;
  for (const [id, drawing] of running) {
    const element = document.getElementById(id);
    if (!element || !drawing.own || !drawn.has(element)) continue;
    drawing.levels = line ? [...drawing.own, line] : drawing.own;
    getInstanceByDom(element)?.setOption({ series: [{ id: "candles", markLine: levelsOf(drawing.levels, palette()) }] });
  }
}

function drawAll(recoloured = false) {
  for (const element of drawn) {
    if (element.isConnected) continue;
    sizes.unobserve(element);
    getInstanceByDom(element)?.dispose();
    drawn.delete(element);
  }
  if (!document.querySelector("[data-strip]")) leaveStrip();
  for (const element of document.querySelectorAll("[data-chart]")) {
    if (drawn.has(element)) draw(element, recoloured);
    else sight.observe(element);
  }
}

// The picture is what the reader sees, on a ground of its own and sharp enough
// to print.
function save(button) {
  const element = document.getElementById(button.dataset.picture);
  if (!element) return;
  if (!drawn.has(element)) draw(element);
  const chart = getInstanceByDom(element);
  const ground = getComputedStyle(element.closest(".panel") ?? document.body).backgroundColor;
  const link = document.createElement("a");
  link.href = chart.getDataURL({ type: "png", pixelRatio: 3, backgroundColor: ground });
  link.download = `${(document.querySelector("[data-tab]")?.dataset.tab ?? document.title.split(" · ")[0])} ${element.closest("section")?.querySelector("h2")?.textContent.trim() ?? ""}.png`
    .replace(/[^\p{L}\p{N}. ,-]+/gu, " ")
    .trim();
  link.click();
}

// The chart of prices shows another part of it.
function move(step) {
  for (const [id, drawing] of running) {
    const element = document.getElementById(id);
    if (element && drawing.levels) zoom(getInstanceByDom(element), step);
  }
}

function moved({ detail }) {
  for (const element of document.querySelectorAll("[data-chart]")) if (!drawn.has(element)) draw(element);
  move(detail);
}

// A moving average is shown or hidden.
function drawAverage(series) {
  for (const [id, { averages: lines }] of running) {
    const element = document.getElementById(id);
    if (element && lines?.[series] && drawn.has(element)) getInstanceByDom(element).setOption({ series: [{ id: series, data: hidden(series) ? [] : lines[series] }] });
  }
}

// The newest candle, and the lines, of a chart that is drawn already.
function drawTail({ id, at, candle, volume, tip, levels, averages: newest }) {
  const element = document.getElementById(id);
  const drawing = running.get(id);
  if (!element || !drawing || !drawn.has(element)) return;
  const candles = drawing.option.series.find((series) => series.id === "candles");
  if (at !== candles.data.length - 1) return; // of another chart; the whole one follows
  candles.data[at] = { ...candles.data[at], value: candle };
  const volumes = drawing.option.series.find((series) => series.id === "volume");
  if (volumes) volumes.data[at] = { ...volumes.data[at], value: volume };
  drawing.tips[at] = tip;
  drawing.own = levels;
  drawing.levels = ticketLine ? [...levels, ticketLine] : levels;
  const update = [{ id: "candles", data: candles.data, markLine: levelsOf(drawing.levels, palette()) }];
  if (volumes) update.push({ id: "volume", data: volumes.data });
  for (const line of drawing.option.series) {
    if (!(line.id in newest)) continue;
    drawing.averages[line.id][at] = { value: newest[line.id] };
    update.push({ id: line.id, data: hidden(line.id) ? [] : drawing.averages[line.id] });
  }
  getInstanceByDom(element)?.setOption({ series: update });
}

document.addEventListener("chart:tail", ({ detail }) => drawTail(detail));
document.addEventListener("chart:ticket", ({ detail }) => drawTicket(detail));
document.addEventListener("chart:average", ({ detail }) => drawAverage(detail));
document.addEventListener("chart:data", () => drawAll());
document.addEventListener("chart:zoom", moved);
document.addEventListener("chart:save", ({ detail }) => save(detail));
drawAll();
document.addEventListener("htmx:afterSettle", () => drawAll());
document.addEventListener("htmx:historyRestore", () => drawAll());
dark.addEventListener("change", () => drawAll(true));
new MutationObserver(() => drawAll(true)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
