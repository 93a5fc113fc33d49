// What was asked of the service and what it did, over time: rate, failures, and how much was in flight.

import { type Line, type Spec, chart } from "../charts/plot.ts";
import { TIME_GROUP, type Timeline, isDrain, shadesOf, timeAxis, timeline, together, valuesOf } from "../charts/time.ts";
import { h } from "../dom.ts";
import { type Row, type Run, type View, rowsOf } from "../model.ts";
import { type PhaseRecord, notCompleted } from "../record.ts";
import { runLook, theme } from "../theme.ts";
import { count, perSec, short } from "../units.ts";

type Value = (row: Row) => number | null;

/** A stretch shorter than this share of its phase's longest interval has no rate: a piece of a hundredth of a second, as a run leaves that is cut short or
 * drains, holds one answer more or less, which is twice the rate or none. */
const PIECE_RATIO_MIN = 0.2;
/** Below this share of what was due in an interval it fell behind; what is under way at its edges makes up less. */
const BEHIND_RATIO = 0.95;

const longestNs = new WeakMap<PhaseRecord, number>();

/** Whether a row is long enough to have a rate. */
export function hasRate({ phase, durationNs }: Pick<Row, "phase" | "durationNs">): boolean {
  const longest = longestNs.get(phase) ?? phase.intervals.reduce((most, one) => Math.max(most, one.duration_ns), 0);
  longestNs.set(phase, longest);
  return durationNs > 0 && durationNs >= PIECE_RATIO_MIN * longest;
}

/** A sum over a row's moments per second. */
const perSecond = (of: (row: Row) => number): Value => (row) => (hasRate(row) ? (of(row) * 1e9) / row.durationNs : null);
const sum = (row: Row, key: "due" | "completed"): number => row.moments.reduce((total, moment) => total + moment.counts[key], 0);
const due: Value = (row) => (row.phase.load_model === "open" && !isDrain(row) ? perSecond((r) => sum(r, "due"))(row) : null);
const completed: Value = perSecond((row) => sum(row, "completed"));
const ended: Value = perSecond((row) => row.moments.reduce((total, { counts }) => total + counts.completed + counts.failed, 0));
const lost: Value = perSecond((row) => row.moments.reduce((total, { counts }) => total + notCompleted(counts), 0));
const inFlight: Value = (row) => row.intervals.reduce((total, one) => total + one.in_flight_mean * one.duration_ns, 0) / Math.max(1, row.durationNs);
const inFlightMost: Value = (row) => Math.max(...row.intervals.map((one) => one.in_flight_max));

/** Said in place of charts over time. */
export const NO_INTERVALS = "The record keeps no intervals of this: what happened when is not known.";

export function rateSection(view: View): Node[] {
  const lines = view.runs.map((run) => timeline(rowsOf(run, view.selection)));
  if (lines.every((line) => line.x.length === 0)) return [h("p", { class: "note" }, NO_INTERVALS)];
  const x = together(lines);
  const parts = [rateChart(view, lines, x)];
  const lostLines = eachRun(view, lines, x, "not completed", lost, (v) => `${perSec(v)}/s`);
  if (lostLines.some((line) => line.values.some((value) => (value ?? 0) > 0))) parts.push(lostChart(view, lines, x.x, lostLines));
  if (view.selection.action === null) parts.push(flightChart(view, lines, x));
  return parts;
}

type Together = ReturnType<typeof together>;

/** A line for each run. */
function eachRun(view: View, lines: readonly Timeline[], x: Together, name: string, value: Value, format: (v: number) => string): Line[] {
  const colors = theme();
  return view.runs.map((run, index) => ({
    name: run.letter ? `${name} ${run.letter}` : name,
    values: x.spread(index, valuesOf(lines[index]!, value)),
    format,
    ...runLook(colors, run.index),
  }));
}

/** What all charts of this section have in common. */
function frame(view: View, lines: readonly Timeline[], x: number[]): Pick<Spec, "x" | "behind" | "group"> {
  const rows = lines.length === 1 ? lines[0]!.rows : x.map(() => null);
  return {
    x: timeAxis({ x, rows }, view.runs), group: TIME_GROUP, ...shadesOf(view),
  };
}

function rateChart(view: View, lines: readonly Timeline[], x: Together): HTMLElement {
  const colors = theme();
  const format = (value: number): string => `${perSec(value)}/s`;
  const asked = view.runs.map((run, index): Line => ({
    name: run.letter ? `asked ${run.letter}` : "asked", values: x.spread(index, valuesOf(lines[index]!, due)),
    color: run.letter ? runLook(colors, run.index).color : colors.asked, dash: run.letter ? [1, 4] : [4, 4], width: 1.5, format,
  }));
  // What is due is due of the phase: which action it will be is chosen when it begins.
  const used = view.selection.action === null ? asked.filter((line) => line.values.some((value) => value != null)) : [];
  return chart({
    title: view.selection.action === null ? "Rate asked and achieved" : `Rate of ${view.selection.action}`, note: rateNote(view), height: 220, ...frame(view, lines, x.x),
    y: { kind: "linear", head: "per second", mark: short },
    lines: [...eachRun(view, lines, x, "achieved", completed, format), ...used],
  });
}

function rateNote(view: View): string {
  const words = view.runs.map((run) => runNote(run, view)).filter(Boolean);
  return words.join(" ") || "Completed per second of each interval.";
}

function runNote(run: Run, view: View): string {
  const rows = rowsOf(run, view.selection).filter((row) => row.phase.kind === "measure" && !isDrain(row));
  const rates = rows.map(completed).filter((value): value is number => value !== null);
  if (rates.length === 0) return "";
  const who = run.letter ? `${run.letter}: ` : "";
  const [least, most] = [perSec(Math.min(...rates)), perSec(Math.max(...rates))];
  const range = `${least === most ? least : `${least} to ${most}`} per second were completed in the measured intervals`;
  const behind = view.selection.action !== null ? 0 : rows.filter((row) => (due(row) ?? 0) > 0 && (ended(row) ?? 0) < BEHIND_RATIO * (due(row) ?? 0)).length;
  return `${who}${range}${behind > 0 ? `; in ${behind} of ${rows.length} intervals, more than 5% less ended than was due` : ""}.`;
}

function lostChart(view: View, lines: readonly Timeline[], x: number[], lost: Line[]): HTMLElement {
  const colors = theme();
  const single = lost.length === 1;
  return chart({
    title: "Not completed", note: "Failed, dropped, never started or unfinished, per second.", height: 130, ...frame(view, lines, x),
    y: { kind: "linear", head: "per second", mark: short },
    lines: single ? lost.map((line) => ({ ...line, color: colors.bad, fill: `${colors.bad}40` })) : lost,
  });
}

function flightChart(view: View, lines: readonly Timeline[], x: Together): HTMLElement {
  const format = (value: number): string => (value < 100 ? String(Number(value.toPrecision(3))) : count(value));
  const mean = eachRun(view, lines, x, "mean", inFlight, format);
  const most = eachRun(view, lines, x, "most", inFlightMost, format).map((line) => ({ ...line, width: 1, dash: [2, 3] }));
  return chart({
    title: "In flight", note: "Sent and not yet answered. Where the most stays at one height, the connections or users were all taken.", height: 130,
    ...frame(view, lines, x.x), y: { kind: "linear", head: "in flight", mark: short }, lines: [...mean, ...most],
  });
}
