// Runs held against each other: what may be said first, then each figure.

import { type Column, h, table } from "../dom.ts";
import { date, duration, perSec, ratio } from "../units.ts";
import { type Comparison, type Row, type Verdict, ServerFault, compareRuns } from "./server.ts";
import { home, runLink, said } from "./words.ts";

const WORDS: Record<Verdict, string> = { slower: "slower", faster: "faster", same: "the same", undecided: "undecided" };
const LOOK: Record<Verdict, string> = { slower: "bad", faster: "good", same: "", undecided: "doubt" };

export async function showComparison(root: HTMLElement, ids: readonly string[], force = false): Promise<void> {
  const body = h("main", { class: "wide", id: "main" }, h("p", { class: "note" }, "Comparing …"));
  root.replaceChildren(home(), h("header", { class: "wide" }, h("p", { class: "brand" }, "Weir"), h("h1", {}, "Comparison")), body);
  try {
    body.replaceChildren(...drawn(await compareRuns(ids, force)));
  } catch (error) {
    const refused = error instanceof ServerFault && error.status === 422;
    const anyway = h("button", { type: "button", onclick: () => void showComparison(root, ids, true) }, "Compare all the same");
    body.replaceChildren(h("section", {}, h("h2", {}, refused ? "Not compared" : "Failed"), said(error), refused && !force ? anyway : null));
  }
}

function drawn(comparison: Comparison): Node[] {
  const side = (index: number): Comparison["sides"][number] | undefined => comparison.sides[index];
  const sides = h("ul", { class: "reasons" }, ...comparison.sides.map((one, index) => h("li", {}, index === 0 ? "Baseline: " : "Against it: ",
    ...one.runs.flatMap((run) => [runLink(run.run_id, run.name || run.run_id), ` (${date(run.started_unix_ns)}, ${run.verdict}) `]))));
  const notes = [...comparison.objections, ...comparison.cautions].map(({ message, hint }) =>
    h("li", {}, message, hint ? h("span", { class: "hint" }, ` — ${hint}`) : null));
  const first = h("section", {}, h("h2", {}, "What was compared"), sides, notes.length > 0 ? h("ul", { class: "reasons" }, ...notes) : null, ...differences(comparison));
  const tables = comparison.candidates.map((candidate) => h("section", {},
    h("h2", {}, `${side(candidate.side_index)?.name ?? "?"} against ${side(0)?.name ?? "?"}`),
    h("p", { class: "words" }, summary(candidate.rows)),
    table("Each figure on both sides", columns(), candidate.rows, "whole"),
    candidate.only_on_one_side.length > 0 ? h("p", { class: "note" }, `Only on one side: ${candidate.only_on_one_side.join(", ")}`) : null));
  return [first, ...tables];
}

/** One sentence on all rows. */
export function summary(rows: readonly Row[]): string {
  const of = rows.filter((row) => row.metric !== "client_cpu");
  const parts = (["slower", "faster", "same", "undecided"] as const).map((verdict) => {
    const number = of.filter((row) => row.verdict === verdict).length;
    return number > 0 ? `${number} ${WORDS[verdict]}` : "";
  });
  return `Of ${of.length} figures: ${parts.filter(Boolean).join(", ")}.`;
}

function columns(): Column<Row>[] {
  const place = (row: Row): string => [row.phase, row.action].filter(Boolean).join(" / ") || "whole run";
  return [
    { head: "Where", isText: true, cell: place },
    { head: "Figure", isText: true, cell: (row) => figureName(row.metric) },
    { head: "Baseline", cell: (row) => figure(row.metric, row.baseline) },
    { head: "Candidate", cell: (row) => figure(row.metric, row.candidate) },
    { head: "Change", cell: (row) => change(row.metric, row.change) },
    { head: "Interval", title: "How far the change may be off", cell: (row) => range(row) },
    { head: "Verdict", isText: true, cell: (row) => h("span", { class: LOOK[row.verdict] }, WORDS[row.verdict]) },
  ];
}

/** `response.p99_9` as people write it. */
export function figureName(metric: string): string {
  return metric === "client_cpu" ? "client CPU per request" : metric.replace(".", " ").replace("_", ".");
}

function figure(metric: string, value: number): string {
  if (metric === "rate") return `${perSec(value)}/s`;
  return metric === "errors" ? ratio(value) : duration(value);
}

export function change(metric: string, value: number): string {
  if (metric === "errors") return `${value > 0 ? "+" : ""}${(value * 100).toFixed(3)} points`;
  return `${value > 0 ? "+" : ""}${(value * 100).toFixed(1)}%`;
}

/** Of the change between runs; where nothing is known of that, of these two runs alone, in brackets. */
function range(row: Row): string {
  const interval = row.interval ?? row.within_runs?.interval;
  if (!interval) return "–";
  const text = `${change(row.metric, interval.low)} … ${change(row.metric, interval.high)}`;
  return row.interval ? text : `(these runs: ${text})`;
}

function differences({ differences }: Comparison): Node[] {
  if (differences.length === 0) return [];
  const rows: Column<Comparison["differences"][number]>[] = [
    { head: "Differs in", isText: true, cell: (one) => `${one.kind}: ${one.path}` },
    { head: "Baseline", isText: true, cell: (one) => one.baseline },
    { head: "Other", isText: true, cell: (one) => one.candidate },
  ];
  return [h("h3", {}, "What else is different"), table("Differences of plan and environment", rows, differences)];
}
