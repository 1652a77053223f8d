// Measures pages of the demo with Lighthouse: "make lighthouse" prints medians of several runs.
//
// A page is measured on a phone in two ways: as the next page of a visit, which is what a reader
// meets, and as the first page of a new browser. Chrome makes a new process for the first page of
// our origin, as its header Cross-Origin-Opener-Policy asks for, and Lighthouse counts the start of
// that process four times over, as a phone is slower. What it comes to on this machine shows a page
// that is nothing but a heading, sent with the same header.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: asked } = parseArgs({
  options: {
    modules: { type: "string" }, // the folder with lighthouse and puppeteer-core
    program: { type: "string", default: "./webapp" },
    runs: { type: "string", default: "3" },
    pages: { type: "string", default: "" },
  },
});

const everyPage = [
  "/", "/commissions", "/payments", "/drivers", "/forecast", "/rates", "/changes", "/pivot", "/worklist", "/invitees", "/codes", "/cohorts", "/returns",
  "/sub-affiliates", "/segments", "/months", "/collection", "/summaries", "/attention", "/statements", "/programmes",
  "/console", "/console/markets", "/console/markets/BTCUSDT_SPBL", "/console/orders", "/console/fills", "/console/bills",
];
const pages = asked.pages.split(/[\s,]+/).filter(Boolean);

const from = createRequire(join(asked.modules, "package.json"));
const load = (name) => import(pathToFileURL(from.resolve(name)));
const { default: lighthouse, desktopConfig } = await load("lighthouse");
const { launch } = await load("puppeteer-core");

function chromium() {
  for (const folder of process.env.PATH.split(delimiter)) {
    for (const name of ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable"]) {
      try {
        accessSync(join(folder, name));
        return join(folder, name);
      } catch {
        // the next one
      }
    }
  }
  throw new Error("no Chromium is installed");
}

// startDemo starts the demo on a free port.
async function startDemo() {
  const demo = spawn(asked.program, ["demo", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface(demo.stdout)) {
    if (line.startsWith("url: ")) return { demo, address: line.slice(5).replace(/\/$/, "") };
  }
  throw new Error("the demo printed no address");
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// comeIn signs in and waits until the first collection is over.
async function comeIn(browser, address) {
  const page = await browser.newPage();
  await page.goto(`${address}/login`);
  await Promise.all([page.waitForNavigation(), page.click("form[action^='/login/demo'] button")]);
  const over = () => document.querySelector("#progress") !== null && document.querySelector("#progress progress") === null && document.querySelector("#valued") !== null;
  for (let tries = 0; !(await page.evaluate(over)); tries++) {
    if (tries > 300) throw new Error("the first collection takes too long");
    await pause(1000);
    await page.goto(`${address}/`);
  }
  await page.close();
}

// Cookies stay, so that one is signed in; everything else is a first visit.
const stored = { disableStorageReset: false, clearStorageTypes: ["file_systems", "shader_cache", "service_workers", "cache_storage"] };
// A page with a stream is never idle.
const flags = { ...stored, output: "json", logLevel: "error", maxWaitForLoad: 20_000, onlyCategories: ["performance", "accessibility", "best-practices"] };

const ways = {
  "phone, next page": { flags: { ...flags, skipAboutBlank: true }, from: (address) => `${address}/favicon.ico` },
  "phone, first page": { flags },
  "desktop, first page": { flags, config: desktopConfig },
};

async function measure(browser, url, way) {
  const page = await browser.newPage();
  if (way.from) await page.goto(way.from(new URL(url).origin));
  const { lhr } = await lighthouse(url, way.flags, way.config, page);
  await page.close();
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  if (new URL(lhr.finalDisplayedUrl).pathname !== new URL(url).pathname) throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
  const score = (name) => Math.round(lhr.categories[name].score * 100);
  return {
    performance: score("performance"),
    accessibility: score("accessibility"),
    practices: score("best-practices"),
    blocked: Math.round(lhr.audits["total-blocking-time"].numericValue),
    shift: Number(lhr.audits["cumulative-layout-shift"].numericValue.toFixed(3)),
  };
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

async function row(browser, name, url) {
  const cells = [];
  let accessibility = 100;
  let practices = 100;
  let shift = 0;
  for (const way of Object.values(ways)) {
    const runs = [];
    for (let run = 0; run < Number(asked.runs); run++) runs.push(await measure(browser, url, way));
    const all = runs.map(({ performance }) => performance).toSorted((a, b) => a - b);
    cells.push(`${median(all)} (${all[0]}–${all.at(-1)}), ${median(runs.map(({ blocked }) => blocked))} ms`);
    accessibility = Math.min(accessibility, ...runs.map((run) => run.accessibility));
    practices = Math.min(practices, ...runs.map((run) => run.practices));
    shift = Math.max(shift, ...runs.map((run) => run.shift));
  }
  console.log(`| ${[name, ...cells, accessibility, practices, shift].join(" | ")} |`);
}

const heading = createServer((_, answer) => {
  answer.setHeader("Content-Type", "text/html; charset=utf-8");
  answer.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  answer.end('<!doctype html><html lang="en"><head><title>Heading</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head><body><h1>Heading</h1></body></html>');
});
heading.listen(0, "127.0.0.1");
await once(heading, "listening");
const profile = mkdtempSync(join(tmpdir(), "lighthouse-"));
const { demo, address } = await startDemo();
let browser;
try {
  browser = await launch({
    executablePath: chromium(),
    userDataDir: profile,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  await comeIn(browser, address);
  console.log(`| Page | ${Object.keys(ways).join(" | ")} | Accessibility | Best practices | Most shift |`);
  console.log(`|---|${"---|".repeat(Object.keys(ways).length + 3)}`);
  await row(browser, "a heading alone", `http://127.0.0.1:${heading.address().port}/`);
  for (const page of pages.length > 0 ? pages : everyPage) await row(browser, page, address + page);
} finally {
  await browser?.close();
  const ended = once(demo, "exit");
  demo.kill("SIGINT");
  await ended;
  heading.close();
  rmSync(profile, { recursive: true, force: true });
}
