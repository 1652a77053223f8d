import "htmx.org";
import { watchCharts } from "./still.js";
import { watchFinder } from "./finder.js";
import { watchFocus } from "./focus.js";
import { watchGroups } from "./groups.js";
import { watchKeys } from "./keys.js";
import { watchLive } from "./live.js";
import { watchMenus } from "./menus.js";
import { watchRows } from "./rows.js";
import { watchTheme } from "./switch.js";
import { watchScrolls } from "./scrolls.js";
import { watchSending } from "./sending.js";
import { watchSwaps } from "./swaps.js";
import { watchTicket } from "./ticket.js";

document.documentElement.classList.add("js");
watchTheme();
watchMenus();
watchKeys();
watchFinder();
watchGroups();
watchSwaps();
watchFocus();
watchRows(); // after the focus was given back
watchScrolls();
watchSending();
watchCharts();
watchLive();
watchTicket();
