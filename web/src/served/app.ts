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
    // When it is over the whole record tells more than its intervals did.
    const source = new LiveSource(run.id, () => this.go());
    this.leave = () => source.stop();
    bar.replaceChildren(liveBar(run));
    place.replaceChildren(h("main", { class: "wide" }, h("p", { class: "note", role: "status" }, "Waiting for the first interval …")));
    source.start((runs) => page.show(runs), (why) => page.fail(why));
  }
}

async function inProgress(id: string): Promise<RunSummary | undefined> {
  const { runs } = await listRuns(`limit=${NEWEST}`);
  return runs.find((run) => run.id === id && run.state === "running");
}

/** Stop, and for open phases the rate. */
function liveBar(run: RunSummary): HTMLElement {
  const told = h("span", { class: "note", role: "status" });
  const wish = (work: () => Promise<null>, words: string) => (): void => {
    work().then(() => { told.replaceChildren(words); }, (error: unknown) => { told.replaceChildren(said(error)); });
  };
  const rate = h("input", { id: "live-rate", size: 10, placeholder: "500/s", autocomplete: "off" });
  const form = h("form", { onsubmit: (event) => {
    event.preventDefault();
    wish(() => changeRate(run.id, rate.value.trim()), `asked for ${rate.value.trim()}`)();
  } }, h("label", { for: "live-rate" }, "Rate of open phases"), rate, h("button", {}, "Change"));
  return h("div", { class: "wide live", role: "group", "aria-label": "Run in progress" },
    h("span", { class: "running" }, "in progress"), form,
    h("button", { type: "button", class: "danger", onclick: wish(() => stopRun(run.id), "asked to stop: it drains and is judged") }, "Stop"), told);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
