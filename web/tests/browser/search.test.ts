// The page of a real search, opened in a real browser: its words are those of the terminal, its numbers those of the record, and knee,
// objectives and chosen rate stand in its charts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { Folder, Target, launch, open, rows, weir } from "./browser.ts";

const HOSTILE = `<img src=x onerror="alert(1)"></script><script>alert(2)</script>`;

let browser: Browser;
let target: Target;
const folder = new Folder();
const [curve, found] = ["curve.html", "found.html"].map((name) => folder.file(name)) as [string, string];
let printed: string;
let answer: string;

before(async () => {
  // 500 requests per second, by construction.
  target = await Target.start("--servers", "4");
  const url = `${target.url}/tests/http_req/a.xml?value=1&service_us=8000`;
  const quick = ["--no-store", "--quiet", "--warmup", "0s", "--settle", "10ms", "--trial", "500ms"];
  const markdown = folder.file("curve.md");
  weir(["search", url, "--curve", "4", "--max", "800/s", "--slo", "p95(response) < 50ms", "--name", HOSTILE, "--html", curve, "--markdown", markdown, ...quick]);
  printed = readFileSync(markdown, "utf8");
  answer = weir(["search", url, "--start", "400/s", "--precision", "20%", "--budget", "8s", "--confirm", "0s", "--html", found, ...quick]);
  browser = await launch();
});

after(async () => {
  await browser.close();
  target.stop();
  folder.remove();
});

const READY = { ready: "#curve canvas" };

/** How many points of a chart's canvas have this colour, of the style sheet's names. */
async function painted(page: Page, chart: number, color: string): Promise<number> {
  return page.locator("#curve canvas").nth(chart).evaluate((canvas: HTMLCanvasElement, name) => {
    const probe = document.createElement("canvas").getContext("2d")!;
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) count++;
    return count;
  }, color);
}

test("a curve's page has the numbers and the words of the terminal", async () => {
  const { page, complaints, requests } = await open(browser, curve, READY);
  assert.equal(await page.locator("h1").innerText(), HOSTILE);
  const table = await rows(page, "Trials");
  const cells = printed.split("\n").filter((line) => /^\| [\d,.]+\/s /.test(line)).map((line) => line.slice(2, -2).split(" | "));
  assert.equal(table.length, 4);
  assert.deepEqual(table.map(([, asked, , achieved, p50, , p99]) => [asked, achieved, p50, p99]), cells.map(([asked, achieved, , p50, p99]) => [asked, achieved, p50, p99]));
  assert.match(table[3]!.at(-1)!, /^✗ not sustained; p95\(response\) < 50\.0 ms missed/);
  const words = await page.locator("#answer dd").allInnerTexts();
  assert.ok(words.length >= 2 && words.every((text) => printed.includes(text)), `${words.join("\n")}\n${printed}`);
  const notes = (await page.locator("#curve .note").allInnerTexts()).join(" ");
  assert.match(notes, /Chosen: 400\/s\. Knee: 400\/s\./);
  assert.match(notes, /Objectives: p95\(response\) < 50\.0 ms\./);
  // An objective's own quantile has a line beside the usual ones.
  assert.ok((await page.locator("#curve .legend").nth(1).innerText()).includes("p95(response)"));
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, [pathToFileURL(curve).href]);
});

test("the objective, the knee and the choice are drawn", async () => {
  const { page } = await open(browser, curve, READY);
  // The objective's line goes across: some hundred points in its colour. The throughput chart has it in its crosses only.
  assert.ok(await painted(page, 1, "bad") > 300, "no line of the objective");
  const ink = await painted(page, 0, "ink");
  assert.ok(ink > 150, `no upright lines: ${ink}`);
  const crosses = await painted(page, 0, "bad");
  assert.ok(crosses > 20 && crosses < 300, `${crosses} points of crosses`);
});

test("a search's page has its answer and each trial in its order", async () => {
  const { page, complaints } = await open(browser, found, READY);
  const headline = await page.locator(".verdict").innerText();
  assert.ok(answer.startsWith(`http`) && answer.includes(headline), `${headline}\n${answer}`);
  const numbers = (await rows(page, "Trials")).map(([trial]) => Number.parseInt(trial!, 10));
  assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
  assert.ok(numbers.length >= 5);
  assert.match((await page.locator("#curve .note").allInnerTexts()).join(" "), /Answer: [\d,.]+\/s/);
  assert.deepEqual(complaints, []);
});

test("it fits a phone and the dark", async () => {
  const { page, complaints } = await open(browser, curve, { ...READY, width: 360, dark: true });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the phone");
  await page.locator("#curve .stage").first().focus();
  await page.keyboard.press("End");
  assert.match(await page.locator("#curve .legend").first().innerText(), /800\/s asked/);
  assert.deepEqual(complaints, []);
});
