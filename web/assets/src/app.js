import "htmx.org";
import { watchKeys } from "./keys.js";
import { watchMenus } from "./menus.js";
import { watchTheme } from "./switch.js";
import { watchScrolls } from "./scrolls.js";
import { watchSending } from "./sending.js";
import { watchSwaps } from "./swaps.js";

watchTheme();
watchMenus();
watchKeys();
watchSwaps();
watchScrolls();
watchSending();
