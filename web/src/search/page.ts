// The page of a search: what was found, in the words of the terminal, and each trial against the rate that it was made at.

import { endCharts } from "../charts/plot.ts";
import { h, keepingFocus, table } from "../dom.ts";
import { onThemeChange } from "../theme.ts";
import { date, duration, perSec } from "../units.ts";
import { latencyChart, throughputChart } from "./charts.ts";
import type { Outcome, SearchData, SearchPoint } from "./record.ts";

const WORDS: Record<Outcome, string> = { sustained: "✓ sustained", not_sustained: "✗ not sustained", client_limited: "? client was the limit" };

export class SearchPage {
  private readonly root: HTMLElement;
  private readonly search: SearchData;
  private readonly charts = h("div");

  constructor(root: HTMLElement, search: SearchData) {
    this.root = root;
    this.search = search;
    onThemeChange(() => this.drawCharts());
  }

  show(): void {
    const { search } = this;
    document.title = `${search.name} – Weir search`;
    const head = h("header", { class: "wide" },
      h("p", { class: "brand" }, search.is_curve ? "Weir: latency against load" : "Weir search"), h("h1", {}, search.name),
      h("p", { class: "facts" }, `search ${search.search_id} · ${date(search.started_unix_ns)}`));
    const sections = [
      section("answer", search.is_curve ? "What it shows" : "Answer", this.answer()),
      section("curve", "Throughput and latency against load", this.charts),
      section("trials", search.is_curve ? "Rates" : "Trials", trials(search)),
    ];
    this.root.replaceChildren(
      h("a", { class: "skip", href: "#main" }, "Skip to the answer"), head,
      h("main", { id: "main" }, h("div", { class: "wide" }, ...sections)));
    this.drawCharts();
  }

  private answer(): HTMLElement {
    const { headline, lines } = this.search;
    const pairs = lines.flatMap(([label, text]) => [h("dt", {}, label), h("dd", {}, text)]);
    return h("div", {}, headline ? h("p", { class: "verdict" }, headline) : null, h("dl", { class: "pairs" }, ...pairs));
  }

  private drawCharts(): void {
    keepingFocus(() => {
      endCharts(this.charts);
      if (this.search.points.length === 0) {
        this.charts.replaceChildren(h("p", { class: "note" }, "No trial at a rate was made."));
        return;
      }
      const latency = latencyChart(this.search) ?? h("p", { class: "note" }, "No response times were measured.");
      this.charts.replaceChildren(throughputChart(this.search), latency);
    });
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("weir-drawn")));
  }
}

function section(id: string, title: string, content: Node): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), content);
}

/** All trials, by rate for a curve and else in the order in which they were made. */
function trials(search: SearchData): HTMLElement {
  const rows = search.is_curve ? search.points : [...search.points].sort((a, b) => a.number - b.number);
  const time = (ns: number | null): string => (ns === null ? "–" : duration(ns));
  return table("Trials", [
    { head: "trial", cell: (point: SearchPoint) => `${point.number} ${point.kind}`, isText: true },
    { head: "asked", cell: (point) => `${perSec(point.offered_per_sec)}/s` },
    { head: "length", cell: (point) => duration(point.duration_ns) },
    { head: "achieved", cell: (point) => `${perSec(point.achieved_per_sec)}/s` },
    { head: "p50", cell: (point) => time(point.p50_ns) },
    { head: "p90", cell: (point) => time(point.p90_ns) },
    { head: "p99", cell: (point) => time(point.p99_ns) },
    { head: "p99.9", cell: (point) => time(point.p99_9_ns) },
    { head: "in flight", cell: (point) => point.in_flight_mean.toFixed(1) },
    { head: "outcome", cell: (point) => [WORDS[point.outcome], ...point.reasons].join("; "), isText: true },
  ], rows);
}
