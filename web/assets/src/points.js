// Columns of numbers are aligned on the point. A browser aligns them on the right only, so what has
// fewer decimals than the longest number of its column gets the room that is missing. A table that
// would not fit its page any more stays as it was.
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
  for (const column of columns.values()) {
    if (column.some(({ decimals }) => decimals === undefined)) continue;
    const most = Math.max(...column.map(({ decimals }) => decimals));
    for (const { cell, decimals } of column) {
      if (decimals === most) continue;
      // Its width is a class: the content security policy refuses styles of elements that htmx moves.
      const room = document.createElement("span");
      room.className = `room room-${Math.min(Math.max(most, 0) - Math.max(decimals, 0), rooms)}${decimals < 0 ? " room-point" : ""}`;
      added.push([cell, room]);
    }
  }
  if (added.length === 0) return;
  for (const [cell, room] of added) shownOf(cell).append(room);
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
