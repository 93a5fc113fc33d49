// Whoever reads by keyboard, screen reader, on a phone or in the dark reads the same page.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { Folder, Target, launch, open, weir } from "./browser.ts";

let browser: Browser;
let target: Target;
const folder = new Folder();
const page = folder.file("run.html");

before(async () => {
  target = await Target.start("--stall", "100ms/500ms");
  const run = folder.file("run.json");
  const plan = {
    name: "a name that is rather long, as names of runs in continuous integration are: main@0123456789abcdef0123456789abcdef",
    target: target.url,
    phases: [{ name: "warm-up", warmup: true, rate: "200/s", duration: "1s" }, { name: "measure", rate: "500/s", duration: "2s" }],
    actions: [{ name: "hello", get: "/hello" }, { name: "an/action/with/a/rather/long/path/that/does/not/break", get: "/posts/1" }],
    slos: ["p99(response) < 1ms"],
  };
  writeFileSync(folder.file("plan.json"), JSON.stringify(plan));
  weir(["run", folder.file("plan.json"), "--quiet", "--json", run, "--store", folder.file("runs.db")], [0, 1]);
  weir(["report", run, "-o", page]);
  browser = await launch();
});

after(async () => {
  await browser.close();
  target.stop();
  folder.remove();
});

test("nothing is wider than a phone", async () => {
  for (const width of [360, 390, 768]) {
    const { page: shown, complaints } = await open(browser, page, { width });
    const over = await shown.evaluate(() => {
      const limit = document.documentElement.clientWidth;
      const wide = [...document.querySelectorAll("body *")].filter((element) => {
        const isInside = element.closest(".scrolled, pre, svg, .unseen, .skip") !== null;
        return !isInside && element.getBoundingClientRect().right > limit + 0.5;
      });
      return { scroll: document.documentElement.scrollWidth - limit, wide: wide.map((element) => `${element.tagName}.${element.className}`) };
    });
    assert.deepEqual(over, { scroll: 0, wide: [] }, `${width} px`);
    assert.deepEqual(complaints, []);
  }
});

/** Elements whose text stands out too little from what is behind it, by WCAG 2.2's formula (§1.4.3: 4.5, large text 3). */
async function faint(shown: Page): Promise<string[]> {
  return shown.evaluate(() => {
    const channel = (value: number): number => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const parse = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r = 0, g = 0, b = 0]: number[]): number => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const behind = (element: Element | null): number[] => {
      for (let here = element; here; here = here.parentElement) {
        const color = parse(getComputedStyle(here).backgroundColor);
        if ((color[3] ?? 1) > 0.99) return color;
      }
      return [255, 255, 255];
    };
    const found: string[] = [];
    for (const element of document.querySelectorAll("body *")) {
      const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent?.trim()).join("");
      if (!text || element.closest("script, noscript, .unseen, .skip") || element.getClientRects().length === 0) continue;
      const style = getComputedStyle(element);
      const color = parse(element instanceof SVGElement ? style.fill : style.color);
      const [light, dark] = [luminance(color), luminance(behind(element))].sort((a, b) => b - a) as [number, number];
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const contrast = (light + 0.05) / (dark + 0.05);
      if (contrast < (isLarge ? 3 : 4.5)) found.push(`${element.tagName}.${element.getAttribute("class")} "${text.slice(0, 20)}" ${contrast.toFixed(2)}`);
    }
    return found;
  });
}

test("text stands out, in the light and in the dark", async () => {
  for (const dark of [false, true]) {
    const { page: shown } = await open(browser, page, { dark });
    assert.equal(await shown.evaluate(() => document.documentElement.dataset["theme"]), dark ? "dark" : "light");
    await shown.locator("#environment summary").click();
    assert.deepEqual(await faint(shown), [], dark ? "dark" : "light");
    // The other look is a button away.
    await shown.getByRole("button", { name: "Dark" }).click();
    assert.deepEqual(await faint(shown), [], dark ? "light by choice" : "dark by choice");
  }
});

test("everything has a name, and heads come in order", async () => {
  const { page: shown } = await open(browser, page);
  for (const summary of await shown.locator("figure summary").all()) await summary.click();
  const faults = await shown.evaluate(() => {
    const found: string[] = [];
    const text = (id: string | null): string => (id ?? "").split(" ").map((one) => document.getElementById(one)?.textContent ?? "").join(" ").trim();
    const name = (element: Element): string => {
      const labels = element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? [...(element.labels ?? [])].map((label) => label.textContent).join("") : "";
      return element.getAttribute("aria-label") ?? (text(element.getAttribute("aria-labelledby")) || labels || element.textContent?.trim() || "");
    };
    if (!document.documentElement.lang) found.push("no language");
    if (document.title.length < 5) found.push("no title");
    for (const element of document.querySelectorAll("button, select, input, summary, a[href], section, [role=img], [role=region], [role=group], [tabindex]")) {
      if (name(element) === "") found.push(`no name: ${element.outerHTML.slice(0, 80)}`);
    }
    for (const stage of document.querySelectorAll(".stage")) {
      if (text(stage.getAttribute("aria-describedby")) === "") found.push(`a chart that says nothing: ${name(stage)}`);
      if (!stage.parentElement?.querySelector("table")) found.push(`a chart without a table: ${name(stage)}`);
    }
    for (const table of document.querySelectorAll("table")) {
      if (!table.caption?.textContent) found.push("a table without a caption");
      if ([...table.querySelectorAll("th")].some((head) => !head.scope)) found.push(`a head without a scope: ${table.caption?.textContent}`);
    }
    let level = 0;
    for (const head of document.querySelectorAll("h1, h2, h3, h4")) {
      const here = Number(head.tagName.slice(1));
      if (here > level + 1) found.push(`${head.tagName} "${head.textContent}" after h${level}`);
      level = here;
    }
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`the id ${id} twice`);
    for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
      for (const key of ["aria-labelledby", "aria-describedby"]) {
        for (const id of (element.getAttribute(key) ?? "").split(" ").filter(Boolean)) if (!document.getElementById(id)) found.push(`${key} of nothing: ${id}`);
      }
    }
    return found;
  });
  assert.deepEqual(faults, []);
});

test("Tab goes through the page in reading order and shows where it is", async () => {
  const { page: shown } = await open(browser, page);
  const stops: { top: number; isSeen: boolean; what: string }[] = [];
  for (let step = 0; step < 60; step++) {
    await shown.keyboard.press("Tab");
    const stop = await shown.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      if (element === document.body) return null;
      const marked = element.matches(".choice input") ? element.parentElement! : element;
      const inBar = element.closest(".controls") !== null;
      return { top: inBar ? 0 : element.getBoundingClientRect().top + scrollY, isSeen: getComputedStyle(marked).outlineStyle !== "none", what: `${element.tagName} ${element.textContent?.slice(0, 20)}` };
    });
    if (!stop) break;
    stops.push(stop);
  }
  assert.ok(stops.length > 12, `${stops.length} stops`);
  assert.deepEqual(stops.filter(({ isSeen }) => !isSeen), []);
  assert.match(stops[0]!.what, /Skip/);
  const tops = stops.filter(({ top }) => top > 0).map(({ top }) => top);
  assert.ok(tops.every((top, index) => index === 0 || top >= tops[index - 1]! - 1), "the order of stops is that of reading");
});
