// The part of a chart of prices that is in sight. It stays the same time while new candles
// arrive, or ends at the newest candle if it did before.
const least = 10; // candles in sight

let view = null; // {page, first, span, newest}: first is the label of its first candle

const pageOf = (element) => `${location.pathname}${location.search} ${element.id}`;

// range returns the first and the last candle in sight.
function range(element, labels) {
  const last = labels.length - 1;
  if (!view || view.page !== pageOf(element)) return [0, last];
  const span = Math.min(view.span, last);
  if (view.newest) return [last - span, last];
  const first = Math.max(labels.indexOf(view.first), 0);
  return [Math.min(first, last - span), Math.min(first + span, last)];
}

export function zoomed(element, option) {
  const [startValue, endValue] = range(element, option.xAxis[0].data);
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

function sightOf(chart) {
  const { dataZoom, xAxis } = chart.getOption();
  const last = xAxis[0].data.length - 1;
  return { first: dataZoom[0].startValue ?? 0, end: dataZoom[0].endValue ?? last, last, labels: xAxis[0].data };
}

function keep(element, chart) {
  const { first, end, last, labels } = sightOf(chart);
  view = first === 0 && end === last ? null : { page: pageOf(element), first: labels[first], span: end - first, newest: end === last };
  element.dataset.sight = `${first} ${end} ${last}`;
}

export function watchZoom(element, chart) {
  chart.on("datazoom", () => keep(element, chart));
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
