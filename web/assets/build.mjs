// Builds web/static from the sources beside this file. The outputs are
// committed, so that the Go program builds on a machine without Node.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { build } from "esbuild";

const out = "../static";
mkdirSync(out, { recursive: true });

// htmx at its start goes through the whole page in one task. Here src/htmx.js prepares the page, in
// short tasks; attributes hx-on are not searched for, as the content security policy refuses them;
// and no link is prepared before it is pressed, see src/boost.js.
const changes = [
  ["let body = getDocument().body\n    processNode(body)", "let body = getDocument().body"],
  ["forEach(findHxOnWildcardElements(elt), processHxOnWildcard)", ""],
  ["', [hx-boost] a, [data-hx-boost] a, a[hx-boost], a[data-hx-boost]'", "', a[hx-boost=\"true\"]'"],
];

const lessHtmx = {
  name: "less htmx",
  setup(build) {
    build.onLoad({ filter: /htmx\.esm\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8");
      for (const [old, fresh] of changes) {
        if (contents.split(old).length !== 2) throw new Error(`htmx does not have once: ${old}`);
        contents = contents.replace(old, fresh);
      }
      return { contents };
    });
  },
};

await build({
  entryPoints: { app: "src/app.js", charts: "src/charts.js", htmx: "src/global-htmx.js" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox113", "safari16.4"],
  plugins: [lessHtmx],
  legalComments: "none",
  logLevel: "warning",
});

execFileSync(
  process.execPath,
  ["node_modules/@tailwindcss/cli/dist/index.mjs", "--minify", "--input", "src/app.css", "--output", `${out}/app.css`],
  { stdio: ["ignore", "ignore", "inherit"] },
);

copyFileSync("src/favicon.svg", `${out}/favicon.svg`);
