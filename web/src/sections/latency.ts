// Latency over time: as bands between percentiles, and as a heat map that shows every mode of the distribution.

import type uPlot from "uplot";
import { heatCharts } from "../charts/heat.ts";
import { PX, chart } from "../charts/plot.ts";
import { TIME_GROUP, phaseShades, shadesOf, timeAxis, timeline, together, valuesOf } from "../charts/time.ts";
import { h } from "../dom.ts";
import { carries, quantilesNs } from "../histogram.ts";
import { type Row, type Run, type View, rowHistogram, rowsOf, sideless } from "../model.ts";
import { type Measure, latencies } from "../record.ts";
import { runLook, theme } from "../theme.ts";
import { duration, tick } from "../units.ts";
import { latencyObjectives, outlined, quantileName } from "./objectives.ts";
import { NO_INTERVALS } from "./rate.ts";

type Key = "p50" | "p90" | "p99" | "max";
const QUANTILE: Record<Exclude<Key, "max">, number> = { p50: 0.5, p90: 0.9, p99: 0.99 };

/** A figure of a row: the record's own where it is one interval, else from the merged histograms. */
export function figureOf(row: Row, measure: Measure, key: Key): number | null {
  const [moment] = row.moments;
  if (moment && row.moments.length === 1) return latencies(moment, measure)[key];
  if (key === "max") return row.moments.reduce<number | null>((most, one) => larger(most, latencies(one, measure).max), null);
  const histogram = rowHistogram(row, measure);
  const none = { ...latencies(row.moments[0]!, measure), min: null, max: null };
  return carries(histogram.count, QUANTILE[key]) ? quantilesNs(histogram, none, [QUANTILE[key]])[0]! : null;
}

function larger(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}

export function latencySection(view: View): Node[] {
  const [run] = view.runs;
  if (!run || view.runs.every((one) => rowsOf(one, view.selection).length === 0)) return [h("p", { class: "note" }, NO_INTERVALS)];
  const missing = view.selection.action !== null && view.selection.measure === "wait"
    ? [h("p", { class: "note" }, "Waits of single actions are not kept by interval: choose response or service, or all actions.")] : [];
  return [...missing, view.runs.length === 1 ? bands(view, run) : overlaid(view), ...heatCharts(view)];
}

function bands(view: View, run: Run): HTMLElement {
  const { selection } = view;
  const colors = theme();
  const line = timeline(rowsOf(run, selection));
  const values = (key: Key) => valuesOf(line, (row) => figureOf(row, selection.measure, key));
  const color = colors.measure[selection.measure];
  const common = { color, format: duration };
  return chart({
    title: titleOf(view), note: note(line.rows, selection.measure), height: 300,
    x: timeAxis(line, [run]), group: TIME_GROUP,
    behind: phaseShades(sideless(run.record, selection.phase), selection.phase),
    y: { kind: selection.scale, head: "latency", mark: tick },
    lines: [
      { name: "max", values: values("max"), ...common, width: 1, dash: [2, 3] },
      { name: "p99", values: values("p99"), ...common, width: 1.5, fill: "" },
      { name: "p90", values: values("p90"), ...common, width: 1.5, dash: [6, 3] },
      { name: "p50", values: values("p50"), ...common, width: 2.5 },
    ],
    over: (plot) => bounds(plot, view, run),
    bands: [{ upper: 1, lower: 2, color: `${color}26` }, { upper: 2, lower: 3, color: `${color}4d` }],
  });
}

function titleOf({ selection }: View): string {
  return `${capital(selection.measure)} time over time${selection.action === null ? "" : `: ${selection.action}`}`;
}

function note(rows: readonly (Row | null)[], measure: Measure): string {
  const kept = rows.filter((row): row is Row => row !== null && row.phase.kind === "measure");
  const worst = kept.reduce<Row | undefined>((most, row) => ((figureOf(row, measure, "max") ?? 0) > (most ? (figureOf(most, measure, "max") ?? 0) : -1) ? row : most), undefined);
  const max = worst && figureOf(worst, measure, "max");
  const where = max ? ` The longest, ${duration(max)}, ended in the interval at ${(worst.startNs / 1e9).toFixed(0)} s.` : "";
  const carried = kept.filter((row) => figureOf(row, measure, "p99") !== null).length;
  const few = kept.length > 0 && carried < kept.length / 2 ? ` A p99 needs 1,000 answers in its interval, which ${carried === 0 ? "none" : `only ${carried} of ${kept.length}`} had: the map below shows each answer.` : "";
  return `Half of each interval lies below the thick line, 90% below the upper edge of the dark band, 99% below that of the light one.${where}${few}`;
}

function overlaid(view: View): HTMLElement {
  const { selection, runs } = view;
  const colors = theme();
  const lines = runs.map((run) => timeline(rowsOf(run, selection)));
  const { x, spread } = together(lines);
  const key = (of: Key, width: number) => runs.map((run, index) => ({
    name: `${of} ${run.letter}`, values: spread(index, valuesOf(lines[index]!, (row) => figureOf(row, selection.measure, of))),
    ...runLook(colors, run.index), width, format: duration,
  }));
  return chart({
    title: titleOf(view), note: "Thick lines are medians, thin ones the 99th percentile of each interval.", height: 300,
    x: timeAxis({ x, rows: x.map(() => null) }, runs), group: TIME_GROUP, ...shadesOf(view),
    y: { kind: selection.scale, head: "latency", mark: tick }, lines: [...key("p99", 1.25), ...key("p50", 2.5)],
  });
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Objectives on percentiles of the chosen latency, as lines across the phases that they speak of. */
function bounds(plot: uPlot, view: View, run: Run): void {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales["y"]!;
  const colors = theme();
  const inside = (x: number): number => Math.max(bbox.left, Math.min(bbox.left + bbox.width, x));
  ctx.save();
  for (const { measure, quantile, boundNs, phase } of latencyObjectives(run.record)) {
    if (measure !== view.selection.measure || boundNs < (min ?? 0) || boundNs > (max ?? Infinity)) continue;
    const y = plot.valToPos(boundNs, "y", true);
    for (const [place, one] of run.record.phases.filter(({ name, kind }) => (phase === undefined ? kind === "measure" : name === phase)).entries()) {
      const [from, to] = [one.start_ns, one.start_ns + one.duration_ns].map((ns) => inside(plot.valToPos(ns / 1e9, "x", true))) as [number, number];
      ctx.strokeStyle = colors.ink;
      ctx.lineWidth = 1.5 * PX();
      ctx.setLineDash([8 * PX(), 5 * PX()]);
      ctx.beginPath();
      ctx.moveTo(from, y);
      ctx.lineTo(to, y);
      ctx.stroke();
      ctx.setLineDash([]);
      if (place === 0) outlined(ctx, `objective: p${quantileName(quantile)} < ${tick(boundNs)}`, from + 6 * PX(), y - 18 * PX(), "left");
    }
  }
  ctx.restore();
}
