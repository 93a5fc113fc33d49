// A real browser, a real target and the real command, for tests of the page as people see it.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";

const BROWSER = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
export const COMMAND = process.env["WEIR"] ?? "../target/debug/weir";
/** Without a GPU, and without all that a browser asks of the network by itself. */
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

/** Files of a test, gone at its end. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "weir-web-"));

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Runs the command; an exit code that is not among `codes` is an error. What it prints comes back. */
export function weir(arguments_: string[], codes: number[] = [0]): string {
  try {
    return execFileSync(COMMAND, arguments_, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
  } catch (error) {
    const { status, stderr, stdout } = error as { status: number | null; stderr: string; stdout: string };
    if (status !== null && codes.includes(status)) return stdout;
    throw new Error(`weir ${arguments_.join(" ")} ended with ${status}: ${stderr}`);
  }
}

/** The embedded target on a free port. */
export class Target {
  private readonly child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
  }

  static async start(...options: string[]): Promise<Target> {
    const child = spawn(COMMAND, ["target", "--listen", "127.0.0.1:0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout! });
    for await (const line of lines) {
      const url = /https?:\/\/[^/,\s]+/.exec(line)?.[0];
      if (url) return new Target(child, url);
    }
    throw new Error("the target said no address");
  }

  stop(): void {
    this.child.kill();
  }
}

export interface Look {
  width?: number;
  dark?: boolean;
  /** What stands once the page is drawn. */
  ready?: string;
}

/** A page with all that it said and asked for. */
export interface Opened {
  page: Page;
  /** Errors, warnings and dialogs; there must be none. */
  complaints: string[];
  /** What it asked the network for; nothing but itself. */
  requests: string[];
}

export async function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: BROWSER, args: ARGUMENTS });
}

/** Opens a file and waits until its charts stand. */
export async function open(browser: Browser, file: string, { width = 1280, dark = false, ready = "#percentiles canvas" }: Look = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  const opened: Opened = { page, complaints: [], requests: [] };
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) opened.complaints.push(message.text());
  });
  page.on("pageerror", (error) => opened.complaints.push(error.message));
  page.on("dialog", (dialog) => {
    opened.complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => opened.requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  await page.locator(ready).first().waitFor();
  return opened;
}

/** The texts of a table's rows, found by its caption. */
export async function rows(page: Page, caption: string): Promise<string[][]> {
  const table = page.locator("table", { has: page.locator("caption", { hasText: caption }) }).first();
  return table.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}
