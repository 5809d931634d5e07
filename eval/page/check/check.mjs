// Opens report pages in headless Chromium at several widths and checks: no
// console message, no request to anywhere, no horizontal scroll, no serious
// finding of axe-core, below 1 MB. Usage:
//
//   node check.mjs [--shots DIR] page.html ...
//
// CHROMIUM names the browser. Exits 1 if a page fails, after telling all
// findings, and 3 if the browser does not start.
import { mkdirSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const args = process.argv.slice(2);
let shots = "";
if (args[0] === "--shots") {
  shots = args[1];
  args.splice(0, 2);
  mkdirSync(shots, { recursive: true });
}
const views = [
  { name: "desktop", width: 1280, height: 900, scheme: "light" },
  { name: "desktop-dark", width: 1280, height: 900, scheme: "dark" },
  { name: "phone", width: 390, height: 844, scheme: "light" },
  { name: "phone-dark", width: 390, height: 844, scheme: "dark" },
];

let browser;
try {
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
} catch (e) {
  console.log(`the browser does not start: ${e.message}`);
  process.exit(3);
}
let failed = 0;
for (const file of args) {
  const bad = [];
  const size = statSync(file).size;
  if (size >= 1e6) bad.push(`${size} bytes, 1 MB or more`);
  for (const v of views) {
    const page = await browser.newPage();
    page.on("console", (m) => bad.push(`${v.name}: console: ${m.text()}`));
    page.on("pageerror", (e) => bad.push(`${v.name}: ${e.message}`));
    page.on("request", (r) => {
      if (!/^(file|data|about|blob):/.test(r.url())) bad.push(`${v.name}: asks for ${r.url()}`);
    });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: v.scheme }]);
    await page.setViewport({ width: v.width, height: v.height });
    await page.goto(pathToFileURL(resolve(file)).href);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) bad.push(`${v.name}: ${over} pixels of horizontal scroll`);
    await page.addScriptTag({ path: axe });
    const found = await page.evaluate(async () => {
      const r = await window.axe.run(document, { resultTypes: ["violations"] });
      return r.violations.map((x) => ({ id: x.id, impact: x.impact, help: x.help, at: x.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)) }));
    });
    for (const x of found) {
      const line = `${v.name}: axe ${x.impact}: ${x.id}: ${x.help}\n    ${x.at.join("\n    ")}`;
      if (x.impact === "serious" || x.impact === "critical") bad.push(line);
      else console.log(`${file}: note: ${line}`);
    }
    if (shots) await page.screenshot({ path: `${shots}/${basename(file, ".html")}-${v.name}.png`, fullPage: true });
    await page.close();
  }
  if (shots) {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(resolve(file)).href);
    await page.pdf({ path: `${shots}/${basename(file, ".html")}-print.pdf`, format: "A4" });
    await page.close();
  }
  for (const b of bad) console.log(`${file}: ${b}`);
  console.log(`${file}: ${bad.length === 0 ? "ok" : `${bad.length} findings`}, ${size} bytes`);
  if (bad.length > 0) failed++;
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
