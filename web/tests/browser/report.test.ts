// The report of real runs, opened in a real browser: its numbers are the record's, it can be used by mouse and keyboard, asks for nothing,
// and lets no text become markup.

import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import type { RunRecord } from "../../src/record.ts";
import { Folder, Target, launch, open, rows, weir } from "./browser.ts";

/** A plan with all that a page shows: a warm-up, two actions, a check, objectives of which one is missed, failures. */
const plan = (url: string): string => JSON.stringify({
  name: "shop",
  target: { url, connections: 4 },
  actions: [
    { name: "browse", weight: 3, get: "/posts/1", check: { status: 200 } },
    { name: "look around", weight: 1, get: "/hello" },
    { name: "broken", weight: 1, get: "/status/500" },
  ],
  phases: [
    { name: "warm-up", warmup: true, rate: "200/s", duration: "1s" },
    { name: "steady", rate: "600/s", duration: "3s" },
    { name: "crowd", users: 4, duration: "1s" },
  ],
  slos: ["p90(response) < 1ms", "p50(response) < 10s"],
});

const HOSTILE = `<img src=x onerror="alert(1)">&amp;</script><script>alert(2)</script>`;

let browser: Browser;
let target: Target;
const folder = new Folder();
const [shop, closed, page, both] = ["shop.json", "closed.json", "shop.html", "both.html"].map((name) => folder.file(name)) as [string, string, string, string];

before(async () => {
  target = await Target.start("--stall", "100ms/500ms");
  writeFileSync(folder.file("plan.json"), plan(target.url));
  weir(["run", folder.file("plan.json"), "--quiet", "--json", shop, "--store", folder.file("runs.db")], [0, 1]);
  weir(["http", `${target.url}/hello`, "-c", "2", "-d", "1s", "--quiet", "--name", HOSTILE, "-H", "x-note: <b>bold</b>", "--json", closed, "--store", folder.file("runs.db")]);
  weir(["report", shop, "-o", page]);
  weir(["report", shop, closed, "-o", both]);
  browser = await launch();
});

after(async () => {
  await browser.close();
  target.stop();
  const keep = process.env["WEIR_KEEP"];
  if (keep) for (const name of ["shop.html", "both.html"]) copyFileSync(folder.file(name), `${keep}/${name}`);
  folder.remove();
});

const recordOf = (file: string): RunRecord => JSON.parse(readFileSync(file, "utf8")) as RunRecord;

/** Rows of a Markdown table whose head begins as given, as `weir report` prints it. */
function markdown(head: string): string[][] {
  const lines = weir(["report", shop, "--format", "markdown"]).split("\n");
  const start = lines.findIndex((line) => line.startsWith(head));
  assert.ok(start >= 0, `no table ${head}`);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end).map((line) => line.slice(2, -2).split(" | "));
}

test("verdict, objectives and figures are those of the record", async () => {
  const { page: shown, complaints, requests } = await open(browser, page);
  const record = recordOf(shop);
  assert.match(await shown.locator(".verdict").innerText(), new RegExp(record.verdict.state, "i"));
  assert.equal(await shown.locator("h1").innerText(), "shop");
  const slos = await rows(shown, "Objectives");
  assert.deepEqual(slos.map(([expression, outcome, observed]) => [expression, outcome?.includes("kept"), observed]),
    record.slos.map((slo) => [slo.expression, slo.ok, slo.observed_text]));
  assert.ok(slos.some(([, outcome]) => outcome === "✗ missed") && slos.some(([, outcome]) => outcome === "✓ kept"));

  // The command prints the same figures by other code.
  const figures = await rows(shown, "Latencies in figures");
  const printed = markdown("| phase | latency |").filter(([phase]) => phase === "steady");
  assert.equal(printed.length, 3);
  const same = (cell: string | undefined): string | undefined => (cell === "too few" ? "–" : cell);
  assert.deepEqual(figures.map(([name, , mean, p50, , p90, , p99, p999, , max]) => [name, mean, p50, p90, p99, p999, max].map(same)),
    printed.map(([, name, ...cells]) => [name, ...cells]));
  const actions = await rows(shown, "Actions of phase steady");
  const printedActions = markdown("| phase | action |").filter(([phase]) => phase === "steady");
  assert.deepEqual(actions.map(([name, completed, , failed, mean, p50, p90, p99, p999, , max]) => [name, completed, failed, mean, p50, p90, p99, p999, max].map(same)),
    printedActions.map(([, ...cells]) => cells));
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, [pathToFileURL(page).href]);
});

test("each chart has its numbers, and they are the intervals' own", async () => {
  const { page: shown, complaints } = await open(browser, page);
  const record = recordOf(shop);
  const figure = shown.locator("#rate figure").first();
  await figure.locator("summary").click();
  const shownRates = await rows(shown, "Rate asked and achieved");
  const intervals = record.phases.flatMap((phase) => phase.intervals.filter((interval) => interval.start_ns < phase.start_ns + phase.duration_ns));
  const rates = intervals.map(({ counts, duration_ns }) => Math.round((counts.completed * 1e9) / duration_ns));
  const numbers = shownRates.map(([, achieved]) => Number(achieved!.replace(/[,/s]/g, "")));
  assert.ok(intervals.length >= 5);
  assert.deepEqual(numbers.slice(0, 4).map(Math.round), rates.slice(0, 4));
  const charts = shown.locator("figure.chart");
  for (let index = 0; index < await charts.count(); index++) {
    const canvas = charts.nth(index).locator("canvas");
    if (await canvas.count() === 0) continue;
    const painted = await canvas.evaluate((element) => {
      const { data } = (element as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, (element as HTMLCanvasElement).width, (element as HTMLCanvasElement).height);
      let count = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at]! > 0) count++;
      return count;
    });
    assert.ok(painted > 1_000, `chart ${index} is empty`);
  }
  assert.deepEqual(complaints, []);
});

test("phase, latency, action and order can be chosen", async () => {
  const { page: shown, complaints } = await open(browser, page);
  const record = recordOf(shop);
  await shown.getByLabel("wait", { exact: true }).check();
  assert.equal(await shown.locator("#latency h3").first().innerText(), "Wait time over time");
  await shown.getByLabel("service", { exact: true }).check();
  assert.equal(await shown.locator("#latency h3").first().innerText(), "Service time over time");
  assert.ok(await shown.getByLabel("service", { exact: true }).evaluate((element) => element === document.activeElement), "focus stays on what was chosen");
  await shown.getByLabel("linear").check();
  await shown.getByLabel("Action", { exact: true }).selectOption({ label: "broken" });
  assert.match(await shown.locator("#latency h3").first().innerText(), /Service/);
  const summary = shown.locator("#rate figure").first().locator("summary");
  await summary.click();
  await shown.getByLabel("log", { exact: true }).check();
  assert.ok(await summary.evaluate((element) => (element.parentElement as HTMLDetailsElement).open), "what was opened stays open");
  const completedOfBroken = (await rows(shown, "Rate of broken")).map(([, achieved]) => achieved);
  assert.ok(completedOfBroken.every((text) => text === "0/s" || text === "–"), completedOfBroken.join(" "));
  await shown.getByLabel("Action", { exact: true }).selectOption({ label: "all" });
  await shown.getByLabel("Phase", { exact: true }).selectOption("crowd");
  const crowd = record.phases.find(({ name }) => name === "crowd")!;
  assert.match(await shown.locator(".words").innerText(), /closed load/);
  const completed = () => shown.locator("#actions-table tbody tr").evaluateAll((all) => all.map((row) => Number(row.children[1]!.textContent!.replaceAll(",", ""))));
  const head = shown.locator("#actions-table th", { hasText: "completed" });
  const byCount = crowd.actions.map(({ counts }) => counts.completed).sort((a, b) => b - a);
  await head.getByRole("button").click();
  assert.deepEqual(await completed(), byCount);
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  await head.getByRole("button").press("Enter");
  assert.deepEqual(await completed(), [...byCount].reverse());
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  assert.deepEqual(complaints, []);
});

test("charts are read by keyboard, zoomed by mouse, and zoom out again", async () => {
  const { page: shown, complaints } = await open(browser, page);
  const stage = shown.locator("#latency .stage").first();
  await stage.focus();
  await stage.press("Home");
  const legend = shown.locator("#latency .legend").first();
  assert.match(await legend.locator(".place").innerText(), /^0s to 1s/);
  assert.match(await legend.locator(".item", { hasText: "p50" }).innerText(), /\d (ns|µs|ms|s)$/);
  await stage.press("ArrowRight");
  assert.doesNotMatch(await legend.locator(".place").innerText(), /^0s/);
  const over = shown.locator("#latency .u-over").first();
  const box = (await over.boundingBox())!;
  const ends = () => shown.locator("#latency .u-over").first().evaluate(() => document.querySelectorAll("canvas").length);
  const before = await over.screenshot();
  await shown.mouse.move(box.x + box.width * 0.3, box.y + 30);
  await shown.mouse.down();
  await shown.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 4 });
  await shown.mouse.up();
  await shown.mouse.move(1, 1);
  assert.ok(await ends() > 0);
  const zoomed = await over.screenshot();
  assert.ok(!before.equals(zoomed), "a zoom shows something else");
  await stage.focus();
  await stage.press("Escape");
  await stage.evaluate((element) => (element as HTMLElement).blur());
  assert.ok(!(await over.screenshot()).equals(zoomed), "Escape shows all again");
  assert.deepEqual(complaints, []);
});

test("runs are laid over each other, and hostile names stay text", async () => {
  const { page: shown, complaints, requests } = await open(browser, both);
  assert.equal(await shown.locator("h1").innerText(), `A · shop, B · ${HOSTILE}`);
  assert.equal(await shown.locator("img, #page script, b img").count(), 0);
  // A phase that only one of them has is shown for that one; the other's own is there to choose.
  await shown.getByLabel("Phase", { exact: true }).selectOption("measure");
  const compared = await rows(shown, "Phase measure of all runs");
  assert.equal(compared.length, 2);
  assert.equal(compared[0]![2], "–");
  assert.equal(compared[1]![4], recordOf(closed).phases[0]!.counts.completed.toLocaleString("en-US"));
  assert.match(await shown.locator("#percentiles .legend").innerText(), /B · <img/);
  await shown.locator("#environment summary").last().click();
  assert.match(await shown.locator("#environment pre").last().innerText(), /<b>bold<\/b>/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests, [pathToFileURL(both).href]);
});

test("the page may run nothing but its own script", async () => {
  const { page: shown } = await open(browser, page);
  const held = await shown.evaluate(async () => {
    const tried: string[] = [];
    try {
      document.body.innerHTML = "<p>x</p>";
      tried.push("markup");
    } catch { /* refused, as it should be */ }
    try {
      // (What a test evaluates may itself make code from text; a timer's code is the page's.)
      setTimeout("window.broken = 1", 0);
    } catch { /* refused, as it should be */ }
    await new Promise((done) => setTimeout(done, 0));
    const script = document.createElement("script");
    try {
      script.textContent = "window.broken = 1";
      document.body.append(script);
    } catch { /* refused, as it should be */ }
    if ("broken" in window) tried.push("script");
    return tried;
  });
  assert.deepEqual(held, []);
  const asked = await shown.evaluate(() => fetch("http://127.0.0.1:1/").then(() => "sent", () => "refused"));
  assert.equal(asked, "refused");
});

test("a report is read back as the record that it was made from", () => {
  const read = JSON.parse(weir(["report", page, "--format", "json"])) as unknown;
  assert.deepEqual(read, recordOf(shop));
});

test("a record with little in it is shown all the same", async () => {
  const context = await browser.newContext();
  const shown = await context.newPage();
  const complaints: string[] = [];
  shown.on("pageerror", (error) => complaints.push(error.message));
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "histogram").map(([key, inner]) => [key, strip(inner)]));
  };
  const whole = recordOf(shop);
  const poor: [string, RunRecord][] = [
    ["without histograms", strip(whole) as RunRecord],
    ["without intervals", { ...whole, phases: whole.phases.map((phase) => ({ ...phase, intervals: [] })) }],
    ["without phases", { ...whole, phases: [], slos: [], plan: null }],
    ["with a phase of nothing", { ...whole, phases: [{ ...whole.phases[0]!, duration_ns: 0, drain_ns: 0, kind: "measure", intervals: [], actions: [] }] }],
    ["with a broken histogram", { ...whole, phases: whole.phases.map((phase) => ({ ...phase, response_ns: { ...phase.response_ns, histogram: "AAAA" } })) }],
  ];
  for (const [what, record] of poor) {
    writeFileSync(folder.file("poor.json"), JSON.stringify(record));
    weir(["report", folder.file("poor.json"), "-o", folder.file("poor.html")]);
    await shown.goto(pathToFileURL(folder.file("poor.html")).href);
    await shown.waitForFunction(() => performance.getEntriesByName("weir-drawn").length > 0, null, { timeout: 5_000 }).catch(() => complaints.push("not drawn"));
    assert.deepEqual(complaints, [], what);
    assert.equal(await shown.locator("h1").innerText(), "shop", what);
    assert.ok((await shown.locator("#environment").innerText()).includes(record.environment.kernel), what);
  }
  await context.close();
});

test("ten minutes of twenty actions open quickly", async () => {
  // Two seconds of such a run, whose last whole second is then said to have been all of the ten minutes.
  const names = Array.from({ length: 20 }, (_, index) => `action ${index}`);
  const many = { name: "many", target: target.url, actions: names.map((name) => ({ name, get: "/hello" })), phases: [{ name: "steady", rate: "1000/s", duration: "2s" }] };
  writeFileSync(folder.file("many.json"), JSON.stringify(many));
  weir(["run", folder.file("many.json"), "--quiet", "--json", folder.file("many-run.json"), "--store", folder.file("runs.db")]);
  const record = recordOf(folder.file("many-run.json"));
  const [steady] = record.phases;
  const second = steady!.intervals[1]!;
  assert.equal(second.actions?.length, 20);
  steady!.duration_ns = record.duration_ns = 600e9;
  steady!.intervals = Array.from({ length: 600 }, (_, index) => ({ ...second, start_ns: steady!.start_ns + index * 1e9, duration_ns: 1e9 }));
  const [json, html] = [folder.file("long.json"), folder.file("long.html")];
  writeFileSync(json, JSON.stringify(record));
  const started = performance.now();
  weir(["report", json, "-o", html]);
  const written = performance.now() - started;
  const { page: shown, complaints } = await open(browser, html);
  const drawn = await shown.evaluate(() => performance.getEntriesByName("weir-drawn")[0]!.startTime);
  const size = readFileSync(html).length;
  console.log(`long run: ${(size / 1e6).toFixed(1)} MB, written in ${written.toFixed(0)} ms, drawn ${drawn.toFixed(0)} ms after opening`);
  // Half a second and one second on a quiet machine; a busy one, and a build without optimisation, are given three times as long.
  assert.ok(written < 1_500, `written in ${written} ms`);
  assert.ok(drawn < 3_000, `drawn after ${drawn} ms`);
  await shown.getByLabel("Action", { exact: true }).selectOption({ label: "action 7" });
  assert.deepEqual(complaints, []);
});
