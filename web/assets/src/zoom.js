// The part of a chart of prices that is in sight. It stays the same time while new candles
// arrive, or ends at the newest candle if it did before.
export const least = 10; // candles in sight

let view = null; // {page, first, span, newest}: first is when its first candle begins

const pageOf = (element) => `${location.pathname}${location.search} ${element.id}`;

// range returns the first and the last candle in sight. Candles are told apart by their time: older
// ones drop out of the chart, and labels change their form with its length.
function range(element, { option, start, step }) {
  const last = option.xAxis[0].data.length - 1;
  if (!view || view.page !== pageOf(element)) return [0, last];
  const span = Math.min(view.span, last);
  if (view.newest) return [last - span, last];
  const first = Math.max(Math.round((view.first - start) / step), 0);
  return [Math.min(first, last - span), Math.min(first + span, last)];
}

export function zoomed(element, drawing) {
  const { option } = drawing;
  const [startValue, endValue] = range(element, drawing);
  option.dataZoom = [
    {
      id: "sight",
      type: "inside",
      xAxisIndex: option.xAxis.map((_, i) => i),
      startValue,
      endValue,
      minValueSpan: least - 1,
      zoomOnMouseWheel: "ctrl", // the wheel alone scrolls the page
      moveOnMouseWheel: false,
      preventDefaultMouseMove: false,
    },
  ];
}

export function sightOf(chart) {
  const { dataZoom, xAxis } = chart.getOption();
  const last = xAxis[0].data.length - 1;
  return { first: dataZoom[0].startValue ?? 0, end: dataZoom[0].endValue ?? last, last };
}

function keep(element, chart, drawing) {
  const { first, end, last } = sightOf(chart);
  view = first === 0 && end === last ? null : { page: pageOf(element), first: drawing.start + first * drawing.step, span: end - first, newest: end === last };
  tell(element, chart, drawing);
}

// tell says what is in sight: the candles, and when the first of them begins and the newest ends.
export function tell(element, chart, { start, step }) {
  const { first, end, last } = sightOf(chart);
  element.dataset.sight = `${first} ${end} ${last}`;
  element.dataset.since = start + first * step;
  element.dataset.until = start + (last + 1) * step;
}

// drawing returns what the chart shows now.
export function watchZoom(element, chart, drawing) {
  chart.on("datazoom", () => keep(element, chart, drawing()));
}

const steps = {
  in: ({ first, end, span }) => [first + span / 4, end - span / 4],
  out: ({ first, end, span }) => [first - span / 2, end + span / 2],
  back: ({ first, end, span }) => [first - span / 2, end - span / 2],
  forward: ({ first, end, span }) => [first + span / 2, end + span / 2],
  all: ({ last }) => [0, last],
};

// zoom moves the part in sight. It stays within what is there: at an end it keeps its length.
export function zoom(chart, step) {
  const sight = sightOf(chart);
  const span = sight.end - sight.first;
  let [first, end] = steps[step]({ ...sight, span: span + 1 }).map(Math.round);
  // Near the newest candle a narrower part ends at it: that is where one looks.
  if (step === "in" && sight.end === sight.last) [first, end] = [sight.last - Math.floor(span / 2), sight.last];
  const length = Math.min(Math.max(end - first, least - 1), sight.last);
  first = Math.min(Math.max(first, 0), sight.last - length);
  chart.dispatchAction({ type: "dataZoom", dataZoomId: "sight", startValue: first, endValue: first + length });
}
