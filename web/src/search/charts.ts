// Throughput and latency against the rate that was asked for, with the knee, the objectives and the chosen rate.

import type uPlot from "uplot";
import { type Line, PX, type Spec, type Values, chart } from "../charts/plot.ts";
import { outlined } from "../sections/objectives.ts";
import { DASHES, theme } from "../theme.ts";
import { duration, perSec, short, tick } from "../units.ts";
import type { Outcome, SearchData, SearchPoint } from "./record.ts";

/** Quantiles that have a line, with their places among the colours. */
const QUANTILES = [
  { key: "p50_ns", name: "p50", look: 0 }, { key: "p90_ns", name: "p90", look: 2 }, { key: "p99_ns", name: "p99", look: 1 },
  { key: "p99_9_ns", name: "p99.9", look: 3 },
] as const;

const rate = (value: number): string => `${perSec(value)}/s`;

export function throughputChart(search: SearchData): HTMLElement {
  const colors = theme();
  const values = (of: Outcome): Values => search.points.map((point) => (point.outcome === of ? point.achieved_per_sec : null));
  const all = search.points.map((point) => point.achieved_per_sec);
  const dots: Line[] = [
    { name: "sustained", values: values("sustained"), color: colors.runs[0]!, dots: true, format: rate },
    { name: "not sustained", values: values("not_sustained"), color: colors.bad, dots: true, format: rate },
    { name: "client was the limit", values: values("client_limited"), color: colors.muted, dots: true, format: rate },
  ];
  return chart({
    title: "Throughput", note: `Completed per second at each rate asked for. ${noteOf(search)}`, height: 240, ...frame(search),
    y: { kind: "linear", head: "per second", mark: short, max: topOf(search) },
    lines: [
      { name: "asked", values: search.points.map((point) => point.offered_per_sec), color: colors.asked, dash: [4, 4], width: 1.5, format: rate },
      ...(search.is_curve ? [{ name: "achieved", values: all, color: colors.runs[0]!, format: rate, isSilent: true }] : []),
      ...dots.filter((line) => line.values.some((value) => value != null)),
    ],
    over: (plot) => {
      rateMarks(plot, search);
      crosses(plot, search);
    },
  });
}

/** What was not sustained is crossed out: colour alone says nothing. */
function crosses(plot: uPlot, { points }: SearchData): void {
  const { ctx } = plot;
  const arm = 4 * PX();
  ctx.save();
  ctx.strokeStyle = theme().bad;
  ctx.lineWidth = 2 * PX();
  ctx.beginPath();
  for (const point of points) {
    if (point.outcome !== "not_sustained") continue;
    const [x, y] = [plot.valToPos(point.offered_per_sec, "x", true), plot.valToPos(point.achieved_per_sec, "y", true)];
    for (const side of [-1, 1]) {
      ctx.moveTo(x - arm, y - side * arm);
      ctx.lineTo(x + arm, y + side * arm);
    }
  }
  ctx.stroke();
  ctx.restore();
}

export function latencyChart(search: SearchData): HTMLElement | null {
  const lines = latencyLines(search);
  if (lines.length === 0) return null;
  const seen = lines.flatMap((line) => line.values.filter((value): value is number => value != null && value > 0));
  const bounds = search.objectives.map(({ bound_ns }) => bound_ns).filter((ns) => ns > 0);
  const words = search.objectives.map(({ expression }) => expression).join(", ");
  return chart({
    title: "Response time", note: `Due to done, at each rate asked for. ${words ? `Objectives: ${words}.` : "There was no objective on latencies."}`,
    height: 320, ...frame(search),
    y: { kind: "log", head: "response time", mark: tick, min: Math.min(...seen, ...bounds), max: Math.max(...seen, ...bounds) },
    lines: lines.flatMap((line) => (search.is_curve ? [line, { ...line, dots: true, isSilent: true }] : [{ ...line, dots: true }])),
    over: (plot) => {
      objectiveLines(plot, search);
      rateMarks(plot, search);
    },
  });
}

/** The quantiles, and what objectives look at besides them. */
function latencyLines(search: SearchData): Line[] {
  const colors = theme();
  const quantiles = QUANTILES.map(({ key, name, look }): Line => ({
    name, values: search.points.map((point) => point[key]), color: colors.runs[look]!, dash: search.is_curve ? DASHES[look]! : [], format: duration,
  }));
  const objectives = search.objectives.flatMap(({ expression }, index): Line[] => {
    const [name = ""] = expression.split(/[<>]/);
    if (QUANTILES.some((quantile) => `${quantile.name}(response)` === name.trim())) return [];
    return [{ name: name.trim(), values: search.points.map((point) => point.objectives_ns[index]), color: colors.runs[4]!, dash: DASHES[4]!, format: duration }];
  });
  return [...quantiles, ...objectives].filter((line) => line.values.some((value) => value != null));
}

/** The axis of rates, and the place that the bound is known to lie in. */
function frame(search: SearchData): Pick<Spec, "x" | "behind" | "over"> {
  const values = search.points.map((point) => point.offered_per_sec);
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 1];
  const low = search.is_curve ? 0 : Math.max(0, first - 0.08 * (last - first));
  return {
    x: {
      kind: "rate", values, min: low, max: last + 0.03 * (last - low), head: "asked",
      format: (value, index) => `${rate(value)} asked${search.is_curve ? "" : `, trial ${search.points[index]!.number}`}`,
    },
    behind: (plot) => shade(plot, search.bound_per_sec),
    over: (plot) => rateMarks(plot, search),
  };
}

function topOf({ points }: SearchData): number {
  return Math.max(...points.map((point: SearchPoint) => Math.max(point.offered_per_sec, point.achieved_per_sec)), 1) * 1.02;
}

function noteOf(search: SearchData): string {
  const words = [];
  if (search.chosen_per_sec !== null) words.push(`${search.is_curve ? "Chosen" : "Answer"}: ${rate(search.chosen_per_sec)}.`);
  if (search.knee_per_sec !== null) words.push(`Knee: ${rate(search.knee_per_sec)}.`);
  if (search.bound_per_sec !== null) words.push(`Shaded: where the bound lies, with 95 %.`);
  return words.join(" ");
}

function shade(plot: uPlot, bound: [number, number] | null): void {
  if (!bound) return;
  const { ctx, bbox } = plot;
  const inside = (perSec: number): number => Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(perSec, "x", true)));
  const [from, to] = [inside(bound[0]), inside(bound[1])];
  ctx.save();
  ctx.fillStyle = theme().shade;
  ctx.fillRect(from, bbox.top, Math.max(PX(), to - from), bbox.height);
  ctx.restore();
}

/** Upright lines at the knee and at the chosen rate; their words stand above the plot, apart where they are the same rate or near it. */
function rateMarks(plot: uPlot, search: SearchData): void {
  const { ctx, bbox } = plot;
  const colors = theme();
  const chosen = search.is_curve ? "chosen" : "answer";
  const marks = [
    { perSec: search.knee_per_sec, name: "knee", dash: [2, 3], align: "right" as const },
    { perSec: search.chosen_per_sec, name: chosen, dash: [], align: "left" as const },
  ];
  ctx.save();
  for (const { perSec: at, name, dash, align } of marks) {
    if (at === null) continue;
    const x = Math.round(plot.valToPos(at, "x", true));
    ctx.strokeStyle = colors.ink;
    ctx.lineWidth = 2 * PX();
    ctx.setLineDash(dash.map((length) => length * PX()));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - 4 * PX());
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    // The knee is never beyond the choice: its words go to the left, unless there is no room.
    const text = `${name} ${rate(at)}`;
    const hasRoom = align === "right" ? x - bbox.left > 90 * PX() : bbox.left + bbox.width - x > 100 * PX();
    const side = hasRoom ? align : align === "right" ? "left" : "right";
    const line = hasRoom || align === "left" ? 18 : 34;
    outlined(ctx, text, x + (side === "left" ? 4 : -4) * PX(), bbox.top - line * PX(), side);
  }
  ctx.restore();
}

/** Objectives as ceilings across the whole width. */
function objectiveLines(plot: uPlot, { objectives }: SearchData): void {
  const { ctx, bbox } = plot;
  const colors = theme();
  ctx.save();
  for (const { expression, bound_ns } of objectives) {
    const y = Math.round(plot.valToPos(bound_ns, "y", true));
    if (!(y >= bbox.top - 1 && y <= bbox.top + bbox.height + 1)) continue;
    ctx.strokeStyle = colors.bad;
    ctx.lineWidth = 2 * PX();
    ctx.setLineDash([8 * PX(), 4 * PX()]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    outlined(ctx, expression, bbox.left + 6 * PX(), y + 3 * PX(), "left");
  }
  ctx.restore();
}
