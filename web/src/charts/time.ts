// What charts over the run's time have in common: rows of intervals as points, and phases as shaded, labelled stretches behind them.

import type uPlot from "uplot";
import { type Row, type Run, type View, phaseTitle, sideless } from "../model.ts";
import type { PhaseRecord } from "../record.ts";
import { font, theme } from "../theme.ts";
import { clock } from "../units.ts";
import { PX, type Spec, type Values } from "./plot.ts";

/** Charts over time share cursor and zoom. */
export const TIME_GROUP = "time";

/** Points of a chart over time; between phases, and before a drain, there is one without a value, so that lines break there. */
export interface Timeline {
  x: number[];
  /** The row of each point. */
  rows: (Row | null)[];
}

/** Whether a row lies after its phase's load: what is done in it was under way when the load ended. */
export function isDrain(row: Row): boolean {
  return row.startNs >= row.phase.start_ns + row.phase.duration_ns;
}

/** A point in the middle of each row. */
export function timeline(rows: readonly Row[]): Timeline {
  const line: Timeline = { x: [], rows: [] };
  let last: Row | undefined;
  for (const row of rows) {
    if (last && (last.phase !== row.phase || isDrain(last) !== isDrain(row))) {
      line.x.push(Math.max(row.startNs / 1e9, (line.x.at(-1) ?? 0) + 1e-9));
      line.rows.push(null);
    }
    // A stretch of no length still has a place of its own on the axis.
    const middle = (row.startNs + row.durationNs / 2) / 1e9;
    line.x.push(Math.max(middle, (line.x.at(-1) ?? -1) + 1e-9));
    line.rows.push(row);
    last = row;
  }
  return line;
}

export function valuesOf(line: Timeline, value: (row: Row) => number | null): Values {
  return line.rows.map((row) => (row ? value(row) : null));
}

/** The length of the longest run, s. */
export function endOf(runs: readonly Run[]): number {
  const ends = runs.flatMap(({ record }) => [record.duration_ns, ...record.phases.map((phase) => phase.start_ns + phase.duration_ns + phase.drain_ns)]);
  return Math.max(1e-3, ...ends.map((ns) => ns / 1e9));
}

/** The time axis of runs. */
export function timeAxis(line: Timeline, runs: readonly Run[]): Spec["x"] {
  return {
    kind: "time", values: line.x, min: 0, max: endOf(runs), head: "time",
    format: (value, index) => {
      const row = line.rows[index];
      return row ? `${clock(round(row.startNs / 1e9))} to ${clock(round((row.startNs + row.durationNs) / 1e9))}` : clock(round(value));
    },
  };
}

function round(secs: number): number {
  return Math.round(secs * 100) / 100;
}

/** Several runs' points on one axis: each run's values at its own times, and `undefined` at those of others, which parts no line. */
export function together(lines: readonly Timeline[]): { x: number[]; spread: (of: number, values: Values) => Values } {
  const x = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  return {
    x,
    spread: (of, values) => {
      const own = lines[of]!.x;
      let place = 0;
      return x.map((at) => {
        while (place < own.length && own[place]! < at) place++;
        if (own[place] === at) return values[place] ?? null;
        // Where a line is parted it is so for as long as its own next value is not there.
        return place > 0 && (values[place - 1] ?? null) === null ? null : place < own.length && (values[place] ?? null) === null ? null : undefined;
      });
    },
  };
}

/** The phases behind a chart of runs: those of the first, where all went through the same ones at the same times. */
export function shadesOf({ runs, selection }: Pick<View, "runs" | "selection">): Pick<Spec, "behind"> {
  const all = runs.map((run) => sideless(run.record, selection.phase));
  const [first, ...others] = all;
  const isSame = (a: PhaseRecord, b: PhaseRecord | undefined): boolean =>
    b !== undefined && phaseTitle(a) === phaseTitle(b) && Math.abs(a.start_ns - b.start_ns) < 1e9 && Math.abs(a.duration_ns - b.duration_ns) < 1e9;
  if (!first || others.some((phases) => phases.length !== first.length || !first.every((phase, index) => isSame(phase, phases[index])))) return {};
  return { behind: phaseShades(first, selection.phase) };
}

/** Draws the phases of a run: warm-ups hatched, drains shaded, each with its name above where there is room. */
export function phaseShades(phases: readonly PhaseRecord[], selected: string): (plot: uPlot) => void {
  return (plot) => {
    const { ctx, bbox } = plot;
    const colors = theme();
    const x = (ns: number): number => Math.max(bbox.left, Math.min(bbox.left + bbox.width, plot.valToPos(ns / 1e9, "x", true)));
    ctx.save();
    ctx.font = font(11 * PX());
    ctx.textBaseline = "bottom";
    for (const phase of phases) {
      const [from, to, end] = [phase.start_ns, phase.start_ns + phase.duration_ns, phase.start_ns + phase.duration_ns + phase.drain_ns].map(x) as [number, number, number];
      if (end - from < 1) continue;
      if (phase.kind === "warmup") hatch(ctx, from, bbox.top, end - from, bbox.height, colors.shade);
      else if (end - to >= 2) {
        ctx.fillStyle = colors.shade;
        ctx.fillRect(to, bbox.top, end - to, bbox.height);
      }
      ctx.strokeStyle = colors.muted;
      ctx.lineWidth = PX();
      ctx.setLineDash([2 * PX(), 3 * PX()]);
      line(ctx, from, bbox.top - 14 * PX(), from, bbox.top + bbox.height);
      ctx.setLineDash([]);
      const isSelected = phaseTitle(phase) === selected;
      ctx.fillStyle = isSelected ? colors.ink : colors.muted;
      if (isSelected && phases.length > 1) ctx.fillRect(from, bbox.top - 2 * PX(), to - from, 2 * PX());
      label(ctx, phase, from + 4 * PX(), bbox.top - 4 * PX(), to - from - 5 * PX());
    }
    ctx.restore();
  };
}

function label(ctx: CanvasRenderingContext2D, phase: PhaseRecord, left: number, bottom: number, room: number): void {
  const title = phaseTitle(phase);
  const full = phase.kind === "warmup" && !/warm.?up/i.test(title) ? `${title} (warm-up)` : title;
  for (const text of [full, title, title.length > 8 ? `${title.slice(0, 7)}…` : title]) {
    if (ctx.measureText(text).width > room) continue;
    ctx.fillText(text, left, bottom);
    return;
  }
}

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

function hatch(ctx: CanvasRenderingContext2D, left: number, top: number, width: number, height: number, color: string): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.5;
  ctx.fillRect(left, top, width, height);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.5 * PX();
  const step = 8 * PX();
  for (let at = left - height; at < left + width; at += step) line(ctx, at, top + height, at + height, top);
  ctx.restore();
}
