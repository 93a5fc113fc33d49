// The page over a run store: list, filter, compare, delete, and a run watched, changed and stopped while it goes on.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { COMMAND, Folder, Target, launch, rows, weir } from "./browser.ts";

const HOSTILE = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

let browser: Browser;
let target: Target;
let server: ChildProcess;
let address: string;
const folder = new Folder();
const store = folder.file("runs.db");

before(async () => {
  target = await Target.start();
  for (const name of ["before", "after", HOSTILE]) {
    weir(["http", `${target.url}/hello`, "-r", "300/s", "-d", "1s", "-q", "--name", name, "--label", `for=${HOSTILE}`, "--store", store]);
  }
  server = spawn(COMMAND, ["serve", "--listen", "127.0.0.1:0", "--store", store], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: server.stdout! })) {
    const found = /http:\/\/\S+/.exec(line)?.[0];
    if (found) {
      address = found;
      break;
    }
  }
  browser = await launch();
});

after(async () => {
  await browser.close();
  server.kill();
  target.stop();
  folder.remove();
});

/** The served page with what it complains of; questions are answered with yes. */
async function visit(hash = ""): Promise<{ page: Page; complaints: string[]; others: string[] }> {
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage();
  const complaints: string[] = [];
  const others: string[] = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => { if (!request.url().startsWith(address)) others.push(request.url()); });
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(`${address}${hash}`);
  return { page, complaints, others };
}

test("runs are listed, filtered and opened, and hostile names are text", async () => {
  const { page, complaints, others } = await visit();
  await page.locator("tbody tr").nth(2).waitFor();
  const names = (await rows(page, "Runs, newest first")).map(([name]) => name);
  assert.deepEqual(names, [HOSTILE, "after", "before"]);
  await page.getByLabel("Name").fill("fore");
  await page.getByText("1 of 3 runs").waitFor();
  assert.deepEqual((await rows(page, "Runs, newest first")).map(([name]) => name), ["before"]);
  await page.getByRole("link", { name: "before" }).click();
  await page.locator("#percentiles canvas").waitFor();
  assert.equal(await page.locator("h1").textContent(), "before");
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("link", { name: "onerror" }).click();
  await page.locator("#percentiles canvas").waitFor();
  assert.equal(await page.locator("h1").textContent(), HOSTILE);
  assert.equal(await page.locator("img").count(), 0);
  assert.notEqual(await page.title(), "taken");
  assert.deepEqual([complaints, others], [[], []]);
});

test("chosen runs are laid over each other and compared", async () => {
  const { page } = await visit();
  for (const name of ["before", "after"]) await page.getByRole("checkbox", { name: `Choose ${name}` }).check();
  await page.getByRole("button", { name: "Compare" }).click();
  const anyway = page.getByRole("button", { name: "Compare all the same" });
  const figures = page.getByRole("region", { name: "Each figure on both sides" });
  await anyway.or(figures).first().waitFor();
  if (await anyway.isVisible()) await anyway.click();
  await figures.waitFor();
  const rate = (await rows(page, "Each figure on both sides")).find(([, figure]) => figure === "rate");
  assert.match(rate?.[2] ?? "", /^(29\d|30\d)\/s$/);
  const figureNames = (await rows(page, "Each figure on both sides")).map(([, figure]) => figure);
  assert.ok(figureNames.includes("response p50") && figureNames.includes("client CPU per request"), figureNames.join());
  await page.goBack();
  for (const name of ["before", "after"]) await page.getByRole("checkbox", { name: `Choose ${name}` }).check();
  await page.getByRole("button", { name: "Lay over each other" }).click();
  await page.locator("#percentiles canvas").waitFor();
  assert.match((await page.locator("h1").textContent()) ?? "", /A · .*B · /);
});

test("a run in progress is watched, its rate changed, and it is stopped", async (context) => {
  const run = spawn(COMMAND, ["http", `${target.url}/hello`, "-r", "200/s", "-d", "120s", "-q", "--name", "going", "--store", store], { stdio: "ignore" });
  context.after(() => run.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => run.on("exit", resolve));
  const { page, complaints } = await visit();
  await page.getByLabel("Name").fill("going");
  await page.locator(".running").waitFor();
  await page.getByRole("link", { name: "going" }).click();
  await page.locator("#percentiles canvas").waitFor();
  assert.match((await page.locator(".verdict").textContent()) ?? "", /running/);
  await page.getByLabel("Rate of open phases").fill("800/s");
  await page.getByRole("button", { name: "Change" }).click();
  await page.getByText("Asked for 800/s.").waitFor();
  // Another page that watches it is told as well.
  const other = await visit(await page.evaluate(() => location.hash));
  await other.page.locator("#percentiles canvas").waitFor();
  // The rate over the whole run rises above the 200/s that it had alone.
  await page.waitForFunction(() => Number(/(\d+)\/s/.exec(document.querySelector(".tile dd")?.textContent ?? "")?.[1]) > 250);
  await page.getByRole("button", { name: "Stop" }).click();
  assert.equal(await ended, 4, "it says that it was cut short");
  await page.getByText("interrupted").first().waitFor();
  await page.locator(".verdict.suspect, .verdict.invalid").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  assert.match((await page.locator("body").textContent()) ?? "", /was changed by hand to 800\/s/);
  await other.page.locator(".verdict.suspect, .verdict.invalid").waitFor();
  assert.deepEqual([complaints, other.complaints], [[], []]);
});

test("a run that serves itself shows its end to who watches it, and a closed one has no rate to change", async () => {
  const arguments_ = ["http", `${target.url}/hello`, "-c", "2", "-d", "4s", "-q", "--name", "own", "--store", store, "--serve=127.0.0.1:0"];
  const run = spawn(COMMAND, arguments_, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<number | null>((resolve) => run.on("exit", resolve));
  let own = "";
  for await (const line of createInterface({ input: run.stderr! })) {
    own = /http:\/\/\S+/.exec(line)?.[0] ?? "";
    if (own) break;
  }
  const page = await (await browser.newContext()).newPage();
  await page.goto(own);
  await page.getByRole("link", { name: "own", exact: true }).click();
  await page.locator(".verdict.running").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 1);
  assert.equal(await page.getByLabel("Rate of open phases").isVisible(), false);
  await page.locator(".verdict:not(.running)").waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  assert.equal(await ended, 0);
});

test("marks that turn the writing are shown as what can't be shown, and a new run appears by itself", async () => {
  const { page } = await visit();
  await page.locator("tbody tr").first().waitFor();
  weir(["http", `${target.url}/hello`, "-n", "5", "-q", "--name", "\u202egnp.exe", "--store", store]);
  await page.getByRole("link", { name: "\ufffdgnp.exe" }).waitFor();
  await page.getByRole("checkbox", { name: "Choose \ufffdgnp.exe" }).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "\ufffdgnp.exe" }).waitFor({ state: "detached" });
});

test("a run is deleted when asked twice", async () => {
  const { page } = await visit();
  await page.getByRole("checkbox", { name: "Choose after" }).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("link", { name: "after", exact: true }).waitFor({ state: "detached" });
  assert.doesNotMatch(weir(["runs", "--store", store]), /\bafter\b/);
});

test("the list is no wider than a phone", async () => {
  const { page } = await visit();
  await page.setViewportSize({ width: 360, height: 700 });
  await page.locator("tbody tr").first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
});
