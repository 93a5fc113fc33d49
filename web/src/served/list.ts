// The runs of the store: what there is, which of it to look at, to hold against each other, or to forget.

import { type Column, h, table } from "../dom.ts";
import { count, date, duration, perSec, plural, ratio } from "../units.ts";
import { type RunSummary, listRuns, removeRun } from "./server.ts";
import { runLink, said } from "./words.ts";

/** Time between two looks while a run is in progress, and while none is: one may begin. */
const LOOK_MS = 2000;
const IDLE_LOOK_MS = 5000;
/** As many runs as the server lists at most unless it is asked for more. */
const LISTED_MAX = 500;

export class RunList {
  private readonly root: HTMLElement;
  private readonly body = h("div", { "aria-live": "polite" });
  private readonly actions = h("div", { class: "actions", role: "group", "aria-label": "With the chosen runs" });
  private readonly chosen = new Set<string>();
  private runs: RunSummary[] = [];
  private all = 0;
  /** What is drawn, so that nothing is drawn anew under a reader's eyes while nothing changed. */
  private drawn = "";
  private filter = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isGone = false;

  constructor(root: HTMLElement) {
    this.root = root;
  }

  async start(): Promise<void> {
    const name = h("input", { type: "search", id: "filter-name", placeholder: "part of a name", autocomplete: "off" });
    const label = h("input", { type: "search", id: "filter-label", placeholder: "key=value", autocomplete: "off" });
    const changed = (): void => {
      const parts = [name.value.trim() ? `name=${encodeURIComponent(name.value.trim())}` : "", label.value.includes("=") ? `label=${encodeURIComponent(label.value.trim())}` : ""];
      this.filter = parts.filter(Boolean).join("&");
      void this.look();
    };
    for (const field of [name, label]) field.addEventListener("input", changed);
    this.root.replaceChildren(
      h("header", { class: "wide" }, h("p", { class: "brand" }, "Weir"), h("h1", {}, "Runs")),
      h("main", { class: "wide", id: "main" }, h("section", {},
        h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
          h("label", { for: "filter-name" }, "Name"), name, h("label", { for: "filter-label" }, "Label"), label),
        this.actions, this.body)));
    await this.look();
  }

  stop(): void {
    this.isGone = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    clearTimeout(this.timer);
    try {
      ({ runs: this.runs, count: this.all } = await listRuns(this.filter));
      if (this.isGone) return;
      for (const id of this.chosen) if (!this.runs.some((run) => run.id === id)) this.chosen.delete(id);
      const found = JSON.stringify([this.all, this.runs]);
      if (found !== this.drawn) this.draw();
      this.drawn = found;
    } catch (error) {
      this.drawn = "";
      this.body.replaceChildren(said(error));
    }
    clearTimeout(this.timer);
    const isGoing = this.runs.some((run) => run.state === "running");
    if (!this.isGone) this.timer = setTimeout(() => void this.look(), isGoing ? LOOK_MS : IDLE_LOOK_MS);
  }

  private draw(): void {
    this.drawActions();
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["run"] : undefined;
    if (this.all === 0) {
      this.body.replaceChildren(h("p", { class: "note" }, "There are no runs yet. Every `weir run`, `weir http` and `weir wrk` in this folder adds one."));
      return;
    }
    const shown = this.runs.length === this.all ? plural(this.all, "run") : `${count(this.runs.length)} of ${plural(this.all, "run")}`
      + (this.runs.length >= LISTED_MAX ? ": the newest. Filter by name or label to find older ones." : "");
    this.body.replaceChildren(h("p", { class: "note" }, shown), table("Runs, newest first", this.columns(), this.runs, "whole"));
    if (focused) this.body.querySelectorAll<HTMLElement>("[data-run]").forEach((box) => { if (box.dataset["run"] === focused) box.focus(); });
  }

  private columns(): Column<RunSummary>[] {
    const none = "–";
    return [
      { head: "Run", isText: true, cell: (run) => h("span", { class: "run" }, this.box(run), runLink(run.id, run.name || run.id)) },
      { head: "Started", cell: (run) => date(run.started_unix_ns) },
      { head: "Length", cell: (run) => (run.state === "running" ? h("span", { class: "running" }, "running") : duration(run.duration_ns)) },
      { head: "Verdict", cell: (run) => h("span", { class: run.verdict === "valid" ? "good" : run.verdict === "invalid" ? "bad" : "doubt" }, run.state === "running" ? none : run.state === "aborted" ? "aborted" : run.verdict) },
      { head: "Rate /s", title: "Completed per second, of what was asked", cell: (run) => (run.offered_per_sec === null ? perSec(run.achieved_per_sec) : `${perSec(run.achieved_per_sec)} of ${perSec(run.offered_per_sec)}`) },
      { head: "p50", title: "Median response time", cell: (run) => (run.p50_ns === null ? none : duration(run.p50_ns)) },
      { head: "p99", title: "99th percentile of the response time", cell: (run) => (run.p99_ns === null ? none : duration(run.p99_ns)) },
      { head: "Errors", title: "What did not end well, of all that was due", cell: (run) => ratio(run.not_completed / Math.max(1, run.not_completed + run.completed)) },
      { head: "Objectives", cell: (run) => (run.slo_count === 0 ? none : run.slo_missed_count === 0 ? `${run.slo_count} met` : h("span", { class: "bad" }, `${run.slo_missed_count} of ${run.slo_count} missed`)) },
      { head: "Labels", isText: true, cell: (run) => Object.entries(run.labels).map(([key, value]) => `${key}=${value}`).join(" ") },
    ];
  }

  private box(run: RunSummary): HTMLElement {
    const box = h("input", { type: "checkbox", checked: this.chosen.has(run.id), "data-run": run.id, "aria-label": `Choose ${run.name || run.id}` });
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(run.id);
      else this.chosen.delete(run.id);
      this.drawActions();
    });
    return box;
  }

  /** The oldest of the chosen runs is the baseline. */
  private drawActions(): void {
    const ids = this.runs.filter((run) => this.chosen.has(run.id)).map((run) => run.id).reverse();
    const go = (place: string) => (): void => { location.hash = place; };
    const path = ids.map(encodeURIComponent).join("/");
    this.actions.replaceChildren(
      h("button", { type: "button", disabled: ids.length === 0, onclick: go(`#/runs/${path}`) }, ids.length > 1 ? "Lay over each other" : "Show"),
      h("button", { type: "button", disabled: ids.length < 2, onclick: go(`#/compare/${path}`) }, "Compare"),
      h("button", { type: "button", class: "danger", disabled: ids.length === 0, onclick: () => void this.remove(ids) }, "Delete"),
      h("span", { class: "note", role: "status" }, ids.length === 0 ? "Choose runs to show, compare or delete them." : `${plural(ids.length, "run")} chosen${ids.length > 1 ? "; the oldest is the baseline" : ""}`));
  }

  private async remove(ids: readonly string[]): Promise<void> {
    if (!confirm(`Delete ${plural(ids.length, "run")} for good?`)) return;
    try {
      for (const id of ids) await removeRun(id);
      this.chosen.clear();
      this.drawActions();
      await this.look();
    } catch (error) {
      this.body.prepend(said(error));
    }
  }
}
