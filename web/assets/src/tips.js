// The tooltip of a chart lies over the page, so that a small chart shows all of it too. It has the
// exact texts of the server, not the drawn floats.
const away = 14; // px, from the pointer
const edge = 8; // px, to the edge of the window

// Screen readers have the table of each chart instead of its tooltips.
export function placeOfTips() {
  const there = document.getElementById("chart-tips");
  if (there) return there;
  const place = made("div", "", "no-print");
  place.id = "chart-tips";
  place.ariaHidden = "true";
  document.body.append(place);
  return place;
}

// beside keeps the tooltip of a chart within the window, and off the pointer where there is room.
export const beside =
  (element) =>
  ([x, y], _parameters, _tip, _shape, { contentSize: [width, height] }) => {
    const { left, top } = element.getBoundingClientRect();
    const fits = (at, size, window) => {
      const after = at + away + size + edge <= window;
      return Math.max(edge, Math.min(after ? at + away : at - away - size, window - size - edge));
    };
    return [fits(left + x, width, document.documentElement.clientWidth) - left, fits(top + y, height, innerHeight) - top];
  };

function made(name, words, className) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = words;
  return element;
}

// tipOf makes a tooltip of its first lines and of rows with a name, a value, and a key if the chart
// tells its parts apart by colours.
export function tipOf([title, ...notes], rows) {
  const tip = document.createElement("div");
  tip.append(made("p", title, "font-medium"), ...notes.map((note) => made("p", note, "text-muted")));
  if (!rows.length) return tip;
  const table = document.createElement("dl");
  for (const { name, value, key } of rows) {
    const words = made("dt", name);
    if (key) {
      const mark = made("span", "");
      mark.style.backgroundColor = key.colour;
      words.prepend(mark);
    }
    table.append(words, made("dd", value));
  }
  tip.append(table);
  return tip;
}
