// Columns of numbers are aligned on the point. A browser aligns them on the right only, so what has
// fewer decimals than the longest number of its column gets the room that is missing. The heading stands
// over the digits of most rows. A table that would not fit its page any more stays as it was.
const number = /^[-−+<≈]*[\d,]*\d(?:\.(\d+))?$/;

const rooms = 14; // classes of the style

function decimalsOf(cell) {
  const text = cell.textContent.trim();
  if (text === "" || text === "—") return null;
  const parts = number.exec(text);
  return parts ? (parts[1]?.length ?? -1) : undefined; // a point has a place of its own
}

// A number that opens its reasons has them in its cell, too.
function shownOf(cell) {
  return cell.querySelector(":scope > details > summary") ?? cell;
}

// headsOf are the headings of the columns, by the first column of each.
function headsOf(table) {
  const heads = new Map();
  let at = 0;
  for (const cell of [...(table.tHead?.rows ?? [])].at(-1)?.cells ?? []) {
    heads.set(at, cell);
    at += cell.colSpan;
  }
  return heads;
}

// The number of decimals that most cells of a column have.
function commonest(column) {
  const counts = new Map();
  for (const { decimals } of column) counts.set(decimals, (counts.get(decimals) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

// Its width is a class: the content security policy refuses styles of elements that htmx moves.
function roomFor(decimals, most) {
  const room = document.createElement("span");
  room.className = `room room-${Math.min(Math.max(most, 0) - Math.max(decimals, 0), rooms)}${decimals < 0 ? " room-point" : ""}`;
  return room;
}

function align(table) {
  const columns = new Map();
  for (const row of table.querySelectorAll(":scope > tbody > tr, :scope > tfoot > tr")) {
    let at = 0;
    for (const cell of row.cells) {
      if (cell.classList.contains("num") && cell.colSpan === 1 && !cell.querySelector(".room")) {
        const decimals = decimalsOf(shownOf(cell));
        const column = columns.get(at) ?? [];
        columns.set(at, column);
        if (decimals !== null) column.push({ cell, decimals });
      }
      at += cell.colSpan;
    }
  }
  const added = [];
  const heads = headsOf(table);
  for (const [at, column] of columns) {
    if (column.length === 0 || column.some(({ decimals }) => decimals === undefined)) continue;
    const most = Math.max(...column.map(({ decimals }) => decimals));
    for (const { cell, decimals } of column) if (decimals !== most) added.push([shownOf(cell), roomFor(decimals, most)]);
    const common = commonest(column);
    const head = heads.get(at);
    if (common !== most && head && !head.querySelector(".room")) added.push([head, roomFor(common, most)]);
  }
  if (added.length === 0) return;
  for (const [place, room] of added) place.append(room);
  const box = table.closest("[data-scroll]");
  if (box && table.scrollWidth > box.clientWidth) for (const [, room] of added) room.remove();
}

const wide = matchMedia("(width >= 64rem)");

function alignAll() {
  if (!wide.matches) return;
  for (const table of document.querySelectorAll("main .grid-table")) align(table);
}

export function watchPoints() {
  document.addEventListener("htmx:afterSettle", alignAll);
  document.addEventListener("htmx:historyRestore", alignAll);
  document.addEventListener("unfolded", alignAll);
  alignAll();
}
