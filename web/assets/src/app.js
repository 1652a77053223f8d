import "htmx.org";
import { watchFocus } from "./focus.js";
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
watchFocus();
watchScrolls();
watchSending();
