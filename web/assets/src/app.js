import "htmx.org";
import { watchCharts } from "./still.js";
import { watchExact } from "./exact.js";
import { watchFinder } from "./finder.js";
import { watchFocus } from "./focus.js";
import { watchGroups } from "./groups.js";
import { watchHeads } from "./heads.js";
import { watchKeys } from "./keys.js";
import { watchLive } from "./live.js";
import { watchMenus } from "./menus.js";
import { watchPoints } from "./points.js";
import { watchPrints } from "./prints.js";
import { watchRows } from "./rows.js";
import { watchTheme } from "./switch.js";
import { watchScrolls } from "./scrolls.js";
import { watchSending } from "./sending.js";
import { watchSwaps } from "./swaps.js";
import { watchTicket } from "./ticket.js";
import { watchTables } from "./unfold.js";

document.documentElement.classList.add("js");
watchTheme();
watchMenus();
watchExact(); // before the keys: its arrows are not those of periods
watchKeys();
watchFinder();
watchGroups();
watchSwaps();
watchFocus();
watchRows(); // after the focus was given back
watchPoints();
watchScrolls();
watchHeads();
watchPrints();
watchSending();
watchCharts();
watchLive();
watchTicket();
watchTables();
