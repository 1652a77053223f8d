import { watchBoost } from "./boost.js";
import { watchCharts } from "./still.js";
import { watchExact } from "./exact.js";
import { watchFinder } from "./finder.js";
import { watchFocus } from "./focus.js";
import { watchGroups } from "./groups.js";
import { watchHeads } from "./heads.js";
import { startHtmx } from "./htmx.js";
import { watchKeys } from "./keys.js";
import { watchLater } from "./later.js";
import { watchLive } from "./live.js";
import { watchMenus } from "./menus.js";
import { watchPickers } from "./pickers.js";
import { watchPoints } from "./points.js";
import { watchPrints } from "./prints.js";
import { watchRows } from "./rows.js";
import { watchTheme } from "./switch.js";
import { watchScrolls } from "./scrolls.js";
import { watchHints } from "./hints.js";
import { watchSearch } from "./search.js";
import { watchSending } from "./sending.js";
import { watchSwaps } from "./swaps.js";
import { watchTicket } from "./ticket.js";
import { watchTables } from "./unfold.js";

document.documentElement.classList.add("js");

function start() {
  watchBoost();
  watchTheme();
  watchMenus();
  watchPickers();
  watchExact(); // before the keys: its arrows are not those of periods
  watchKeys();
  watchFinder();
  watchGroups();
  watchSearch(); // before htmx hears of a form
  watchSwaps();
  watchFocus();
  watchRows(); // after the focus was given back
  watchPoints();
  watchScrolls();
  watchLater();
  watchHeads();
  watchPrints();
  watchHints();
  watchSending();
  watchCharts();
  watchLive();
  watchTicket();
  watchTables();
  startHtmx();
}

// The browser styles and lays out the page at the end of the task that this file runs in. What
// listens starts in a task of its own, so that neither is long.
if (globalThis.scheduler?.postTask) scheduler.postTask(start, { priority: "user-blocking" });
else setTimeout(start);
