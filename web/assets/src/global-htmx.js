// The script of htmx, for htmx.js.
import htmx from "htmx.org";

globalThis.htmx = htmx;
