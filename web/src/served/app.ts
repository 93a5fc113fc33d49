// The page over the run store: the list, runs, runs in progress, comparisons. Which of them is in the address, so that it can be kept and sent.

import { h } from "../dom.ts";
import { Page } from "../page.ts";
import type { RunRecord } from "../record.ts";
import { showComparison } from "./compare.ts";
import { RunList } from "./list.ts";
import { LiveSource } from "./live.ts";
import { type RunSummary, changeRate, listRuns, loadRun, stopRun } from "./server.ts";
import { home, said } from "./words.ts";

/** How many of the newest runs are looked through for one in progress. */
const NEWEST = 20;

export class App {
  private readonly root: HTMLElement;
  private leave: () => void = () => {};

  constructor(root: HTMLElement) {
    this.root = root;
  }

  start(): void {
    addEventListener("hashchange", () => this.go());
    this.go();
  }

  private go(): void {
    this.leave();
    this.leave = () => {};
    const [kind = "", ...parts] = location.hash.replace(/^#\/?/, "").split("/");
    const ids = parts.filter(Boolean).map(decoded);
    if (kind === "runs" && ids.length > 0) void this.runs(ids);
    else if (kind === "compare" && ids.length > 1) void showComparison(this.root, ids);
    else this.list();
  }

  private list(): void {
    const list = new RunList(this.root);
    this.leave = () => list.stop();
    document.title = "Weir runs";
    void list.start();
  }

  private async runs(ids: readonly string[]): Promise<void> {
    const place = h("div");
    const bar = h("div");
    this.root.replaceChildren(home(), bar, place);
    let isHere = true;
    this.leave = () => { isHere = false; };
    try {
      const running = ids.length === 1 ? await inProgress(ids[0]!) : undefined;
      if (running) this.watch(running, place, bar);
      else {
        const runs: RunRecord[] = await Promise.all(ids.map(loadRun));
        if (isHere) new Page(place).show(runs);
      }
    } catch (error) {
      place.replaceChildren(h("main", { class: "wide" }, said(error)));
    }
  }

  private watch(run: RunSummary, place: HTMLElement, bar: HTMLElement): void {
    const page = new Page(place);
    const live = new LiveBar(run);
    const ended = (): void => {
      // The whole record tells more than its intervals did; a server that stopped with its run leaves these.
      loadRun(run.id).then((record) => { bar.replaceChildren(); page.show([record]); }, () => live.say("The run has ended, and its server with it."));
    };
    const source = new LiveSource(run.id, ended, (isLost) => live.say(isLost ? "Connection lost; trying again …" : ""));
    this.leave = () => source.stop();
    bar.replaceChildren(live.root);
    place.replaceChildren(h("main", { class: "wide" }, h("p", { class: "note", role: "status" }, "Waiting for the first interval …")));
    source.start((runs) => page.show(runs), (why) => page.fail(why));
  }
}

async function inProgress(id: string): Promise<RunSummary | undefined> {
  const { runs } = await listRuns(`limit=${NEWEST}`);
  return runs.find((run) => run.id === id && run.state === "running");
}

/** What can be done with a run in progress: stop it, and for open phases change the rate. */
class LiveBar {
  readonly root: HTMLElement;
  private readonly told = h("span", { class: "note", role: "status" });

  constructor(run: RunSummary) {
    const rate = h("input", { id: "live-rate", size: 10, placeholder: "500/s", autocomplete: "off" });
    const form = h("form", { onsubmit: (event) => {
      event.preventDefault();
      this.wish(changeRate(run.id, rate.value.trim()), `Asked for ${rate.value.trim()}.`);
    } }, h("label", { for: "live-rate" }, "Rate of open phases"), rate, h("button", {}, "Change"));
    const stop = (): void => {
      if (confirm("Stop this run? What is under way may finish; the run is judged and kept.")) this.wish(stopRun(run.id), "Asked to stop.");
    };
    this.root = h("div", { class: "wide live", role: "group", "aria-label": "Run in progress" },
      h("span", { class: "running" }, "In progress"), form, h("button", { type: "button", class: "danger", onclick: stop }, "Stop"), this.told);
  }

  say(words: string): void {
    this.told.replaceChildren(words);
  }

  private wish(asked: Promise<null>, words: string): void {
    asked.then(() => this.say(words), (error: unknown) => this.told.replaceChildren(said(error)));
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
