// Response against service against wait: what users waited, what the server needed, and what stood between. Where the first two differ, a
// tool that looks only at what it sent hides the difference (coordinated omission).

import { type Line, chart } from "../charts/plot.ts";
import { type Shape, shapes } from "../charts/shapes.ts";
import { TIME_GROUP, phaseShades, timeAxis, timeline, valuesOf } from "../charts/time.ts";
import { type Column, h, table } from "../dom.ts";
import { type Run, type View, chosen, phaseOf, rowsOf, sideless } from "../model.ts";
import { type Latencies, MEASURES, type Measure, QUANTILES, latencies } from "../record.ts";
import { DASHES, theme } from "../theme.ts";
import { duration, tick } from "../units.ts";
import { figureOf } from "./latency.ts";
import { figure, omissionWords } from "./verdict.ts";

interface Entry {
  run: Run;
  measure: Measure;
  of: Latencies;
}

export function againstSection(view: View): Node[] {
  const entries = view.runs.flatMap((run) => {
    const phase = phaseOf(run, view.selection.phase);
    const of = phase && chosen(phase, view.selection.action);
    return of ? MEASURES.map((measure): Entry => ({ run, measure, of: latencies(of, measure) })) : [];
  });
  const name = ({ run, measure }: Entry): string => (run.letter ? `${run.letter} ${measure}` : measure);
  const rows: Shape[] = entries.map((entry) => ({ name: name(entry), measure: entry.measure, of: entry.of }));
  const [run] = view.runs;
  const phase = run && phaseOf(run, view.selection.phase);
  const parts: Node[] = [];
  if (view.runs.length === 1 && phase && view.selection.action === null) parts.push(h("p", {}, omissionWords(phase)));
  parts.push(
    h("figure", { class: "chart" },
      h("figcaption", {}, h("h3", {}, "Side by side"), h("p", { class: "note" }, "The same axis of time for all. Heights are square roots of shares, so that a rare slow answer is still seen.")),
      shapes(rows)),
    figures(entries, name));
  if (view.runs.length === 1 && run) parts.push(...overTime(view, run));
  return parts;
}

function figures(entries: readonly Entry[], name: (entry: Entry) => string): HTMLElement {
  const plain = (head: string, key: "min" | "mean" | "max"): Column<Entry> => ({ head, cell: ({ of }) => figure(of, of[key]) });
  return table("Latencies in figures", [
    { head: "latency", cell: (entry) => h("span", { class: "whole" }, h("i", { class: `dot ${entry.measure}` }), name(entry)), isText: true },
    plain("min", "min"), plain("mean", "mean"),
    ...QUANTILES.map(({ key, name: head, quantile }): Column<Entry> => ({ head, cell: ({ of }) => figure(of, of[key], quantile) })),
    plain("max", "max"),
  ], entries);
}

/** The percentile at which the three differ most, over time. */
function overTime(view: View, run: Run): Node[] {
  const { selection } = view;
  const colors = theme();
  const line = timeline(rowsOf(run, selection));
  const phase = phaseOf(run, selection.phase);
  const of = phase && chosen(phase, selection.action);
  if (!of) return [];
  // The three are compared where most intervals have a figure at all.
  const told = (key: "p50" | "p90" | "p99"): number => valuesOf(line, (row) => figureOf(row, "response", key)).filter((value) => value != null).length;
  const keys = (["p99", "p90", "p50"] as const).filter((key) => told(key) >= told("p50") / 2);
  const factor = (key: "p50" | "p90" | "p99"): number => (of.response_ns[key] ?? 0) / Math.max(1, of.service_ns[key] ?? Infinity);
  const key = keys.reduce((best, one) => (factor(one) > factor(best) * 1.05 ? one : best), keys[0] ?? "p50");
  const all = MEASURES.map((measure, index): Line => ({
    name: `${key} of ${measure}`, values: valuesOf(line, (row) => figureOf(row, measure, key)), color: colors.measure[measure], dash: DASHES[index]!, format: duration,
    width: measure === "response" ? 2.5 : 1.75,
  }));
  const lines = all.filter((one) => one.values.some((value) => value != null));
  if (lines.length === 0) return [];
  return [chart({
    title: `${lines.length === 3 ? "The three" : lines.map(({ name }) => name.split(" ").at(-1)).join(" and ")} over time, at ${key}`, note: "Where response lies above service, requests waited before they could be sent.", height: 240,
    x: timeAxis(line, [run]), group: TIME_GROUP, behind: phaseShades(sideless(run.record, selection.phase), selection.phase),
    y: { kind: selection.scale, head: "latency", mark: tick }, lines,
  })];
}
