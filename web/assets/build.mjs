// Builds web/static from the sources beside this file. The outputs are
// committed, so that the Go program builds on a machine without Node.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const out = "../static";
mkdirSync(out, { recursive: true });

await build({
  entryPoints: ["src/app.js", "src/charts.js"],
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox113", "safari16.4"],
  define: { XPathEvaluator: "NoHxOn" },
  inject: ["src/no-hx-on.js"],
  legalComments: "none",
  logLevel: "warning",
});

execFileSync(
  process.execPath,
  ["node_modules/@tailwindcss/cli/dist/index.mjs", "--minify", "--input", "src/app.css", "--output", `${out}/app.css`],
  { stdio: ["ignore", "ignore", "inherit"] },
);

copyFileSync("src/favicon.svg", `${out}/favicon.svg`);
