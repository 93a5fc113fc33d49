// The whole distribution as one line: which share of all was done within which time, with the tail drawn as large as the rest.
//
// The axis is 1 / (1 − quantile), as HdrHistogram's plots have it: 50%, 90%, 99%, 99.9% stand a decade apart. A quantile beyond which fewer
// than ten values lie is an anecdote: that part of a line is thin and dotted.

import type uPlot from "uplot";
import { type Line, PX, type Values, chart } from "../charts/plot.ts";
import { SAMPLES_BEYOND_MIN, carries, histogramOf, quantilesNs } from "../histogram.ts";
import { h } from "../dom.ts";
import { type Run, type View, chosen, phaseOf } from "../model.ts";
import { type Latencies, MEASURES, latencies } from "../record.ts";
import { DASHES, runLook, theme } from "../theme.ts";
import { count, duration, tick } from "../units.ts";
import { capital } from "./latency.ts";
import { latencyObjectives, outlined, quantileName } from "./objectives.ts";

/** Points to a decade of the axis. */
const PER_DECADE = 64;

interface Curve {
  name: string;
  of: Latencies;
  color: string;
  dash: number[];
  width: number;
}

export function percentileSection(view: View): Node[] {
  const { selection } = view;
  const curves = view.runs.length === 1 ? measures(view, view.runs[0]!) : overRuns(view);
  const filled = curves.filter(({ of }) => histogramOf(of).count > 0);
  if (filled.length === 0) return [h("p", { class: "note" }, "The record keeps no distributions of this: what is known of percentiles is in the figures above and below.")];
  const most = Math.max(...filled.map(({ of }) => histogramOf(of).count));
  const points = grid(most);
  const lines = filled.flatMap((curve) => linesOf(curve, points));
  return [chart({
    title: (view.runs.length === 1 ? "Response, service and wait by percentile" : `${capital(selection.measure)} time by percentile, all runs`) + of(selection.action),
    note: `Read: at 99%, the height at or below which 99 of 100 lie. Dotted: fewer than ${SAMPLES_BEYOND_MIN} values lie beyond, which carries no percentile. ${counts(filled)}`,
    height: 340,
    x: { kind: "percentile", values: points, min: 1, max: points.at(-1)!, head: "percentile", format: (value) => percentile(1 - 1 / value) },
    y: { kind: selection.scale, head: "latency", mark: tick },
    lines,
    over: (plot) => objectives(plot, view),
  })];
}

function of(action: string | null): string {
  return action === null ? "" : `: ${action}`;
}

function counts(curves: readonly Curve[]): string {
  const all = new Set(curves.map(({ of }) => of.count));
  return all.size === 1 ? `${count([...all][0]!)} values each.` : curves.map(({ name, of }) => `${name}: ${count(of.count)}`).join(", ");
}

/** The three latencies of one run. */
function measures(view: View, run: Run): Curve[] {
  const colors = theme();
  const phase = phaseOf(run, view.selection.phase);
  const of = phase && chosen(phase, view.selection.action);
  if (!of) return [];
  return MEASURES.map((measure, index) => ({
    name: measure, of: latencies(of, measure), color: colors.measure[measure], dash: DASHES[index]!, width: measure === view.selection.measure ? 2.75 : 1.75,
  }));
}

function overRuns(view: View): Curve[] {
  const colors = theme();
  return view.runs.flatMap((run) => {
    const phase = phaseOf(run, view.selection.phase);
    const of = phase && chosen(phase, view.selection.action);
    return of ? [{ name: run.title, of: latencies(of, view.selection.measure), width: 2.25, ...runLook(colors, run.index) }] : [];
  });
}

/** Places from all (1) to the last single value. */
function grid(most: number): number[] {
  const decades = Math.max(1, Math.log10(most));
  const length = Math.ceil(decades * PER_DECADE) + 1;
  return Array.from({ length }, (_, index) => 10 ** ((index / (length - 1)) * decades));
}

/** What is carried, and from its last point on what is not. */
function linesOf(curve: Curve, points: readonly number[]): Line[] {
  const histogram = histogramOf(curve.of);
  const values = quantilesNs(histogram, curve.of, points.map((point) => 1 - 1 / point));
  const isCarried = points.map((point) => carries(histogram.count, 1 - 1 / point));
  const lastCarried = isCarried.lastIndexOf(true);
  const solid: Values = values.map((value, index) => (isCarried[index] ? value : null));
  const dotted: Values = values.map((value, index) => (index >= lastCarried && points[index]! <= histogram.count * 1.0001 ? value : null));
  const common = { color: curve.color, format: duration };
  return [
    { ...common, name: curve.name, values: solid, dash: curve.dash, width: curve.width },
    { ...common, name: curve.name, values: dotted, dash: [1, 4], width: 1.25, isSilent: true },
  ];
}

/** `99.93%`, with as many digits as its distance to 100% needs. */
export function percentile(quantile: number): string {
  const beyond = 1 - quantile;
  const digits = Math.max(0, Math.min(8, Math.ceil(-Math.log10(beyond) - 1e-6) - 2));
  return `${(Math.floor(quantile * 100 * 10 ** digits + 1e-6) / 10 ** digits).toFixed(digits)}%`;
}

/** Objectives on percentiles as ceilings: the curve must pass below. */
function objectives(plot: uPlot, view: View): void {
  const [run] = view.runs;
  const { ctx } = plot;
  const { min, max } = plot.scales["y"]!;
  const colors = theme();
  ctx.save();
  ctx.setLineDash([]);
  for (const { measure, quantile, boundNs, phase } of run ? latencyObjectives(run.record) : []) {
    if ((phase !== undefined && phase !== view.selection.phase) || view.selection.action !== null) continue;
    if (view.runs.length > 1 && measure !== view.selection.measure) continue;
    if (boundNs < (min ?? 0) || boundNs > (max ?? Infinity)) continue;
    const [x, y] = [plot.valToPos(1 / (1 - quantile), "x", true), plot.valToPos(boundNs, "y", true)];
    if (x > plot.bbox.left + plot.bbox.width) continue;
    const half = 16 * PX();
    ctx.strokeStyle = colors.ink;
    ctx.lineWidth = 2 * PX();
    ctx.beginPath();
    ctx.moveTo(x - half, y);
    ctx.lineTo(x + half, y);
    ctx.moveTo(x, y);
    ctx.lineTo(x, y - 7 * PX());
    ctx.stroke();
    outlined(ctx, `objective: ${measure} p${quantileName(quantile)} < ${tick(boundNs)}`, x, y + 5 * PX(), "center");
  }
  ctx.restore();
}
