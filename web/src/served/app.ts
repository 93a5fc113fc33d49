// The page over the run store: the list, runs, runs in progress, comparisons. Which of them is in the address, so that it can be kept and sent.

import { h } from "../dom.ts";
import { Page } from "../page.ts";
import type { RunRecord } from "../record.ts";
import { showComparison } from "./compare.ts";
import { RunList } from "./list.ts";
import { LiveSource } from "./live.ts";
import { type RunSummary, changeRate, listRuns, loadRun, stopRun } from "./server.ts";
import { home, said } from "./words.ts";

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
      const runs: RunRecord[] = running ? [] : await Promise.all(ids.map(loadRun));
      // Whoever went elsewhere meanwhile is not brought back.
      if (!isHere) return;
      if (running) this.watch(running, place, bar);
      else new Page(place).show(runs);
    } catch (error) {
      if (isHere) place.replaceChildren(h("main", { class: "wide" }, said(error)));
    }
  }

  private watch(run: RunSummary, place: HTMLElement, bar: HTMLElement): void {
    const page = new Page(place);
    const live = new LiveBar(run);
    const ended = (record: RunRecord): void => {
      bar.replaceChildren();
      page.show([record]);
    };
    const source = new LiveSource(run.id, ended, (words) => live.say(words));
    this.leave = () => source.stop();
    bar.replaceChildren(live.root);
    place.replaceChildren(h("main", { class: "wide" }, h("p", { class: "note", role: "status" }, "Waiting for the first interval …")));
    source.start((runs) => {
      page.show(runs);
      runs.forEach((record) => live.offerRate(record));
    }, (why) => page.fail(why));
  }
}

async function inProgress(id: string): Promise<RunSummary | undefined> {
  const { runs } = await listRuns("state=running");
  return runs.find((run) => run.id === id);
}

/** What can be done with a run in progress: stop it, and for open phases change the rate. */
class LiveBar {
  readonly root: HTMLElement;
  private readonly told = h("span", { class: "note", role: "status" });
  private readonly form: HTMLFormElement;

  constructor(run: RunSummary) {
    const rate = h("input", { id: "live-rate", size: 10, placeholder: "500/s", autocomplete: "off" });
    this.form = h("form", { hidden: true, onsubmit: (event) => {
      event.preventDefault();
      this.wish(changeRate(run.id, rate.value.trim()), `Asked for ${rate.value.trim()}.`);
    } }, h("label", { for: "live-rate" }, "Rate of open phases"), rate, h("button", {}, "Change"));
    const stop = (): void => {
      if (confirm("Stop this run? What is under way may finish; the run is judged and kept.")) this.wish(stopRun(run.id), "Asked to stop.");
    };
    this.root = h("div", { class: "wide live", role: "group", "aria-label": "Run in progress" },
      h("span", { class: "running" }, "In progress"), this.form, h("button", { type: "button", class: "danger", onclick: stop }, "Stop"), this.told);
  }

  /** A closed phase has no rate that could be changed. */
  offerRate({ phases }: RunRecord): void {
    this.form.hidden = !phases.some((phase) => phase.load_model === "open");
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
