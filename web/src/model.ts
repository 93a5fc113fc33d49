// What is shown: the runs with their letters, and which phase, action and latency of them is chosen.

import { type Histogram, complete, histogramOf, merged } from "./histogram.ts";
import {
  type ActionRecord, type Counts, type IntervalRecord, type Latencies, type Measure, type PhaseRecord, type RunRecord, NONE, latencies,
} from "./record.ts";
import { count } from "./units.ts";

/** A run with the sign under which it appears in all charts. */
export interface Run {
  record: RunRecord;
  index: number;
  /** `A`, `B`, …; empty when there is only one run. */
  letter: string;
  /** Letter and name. */
  title: string;
}

/** What the reader chose. */
export interface Selection {
  /** Title of a phase. */
  phase: string;
  /** Name of an action; null: all together. */
  action: string | null;
  measure: Measure;
  /** Axis of latencies. */
  scale: "log" | "linear";
}

/** All that a section draws from. */
export interface View {
  runs: readonly Run[];
  selection: Selection;
  /** Chooses something else; the page draws itself anew. */
  choose: (change: Partial<Selection>) => void;
}

export function runsOf(records: readonly RunRecord[]): Run[] {
  return records.map((record, index) => {
    const letter = records.length > 1 ? letterOf(index) : "";
    return { record, index, letter, title: letter ? `${letter} · ${record.name}` : record.name };
  });
}

/** `A` … `Z`, `A1` … */
function letterOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${letter}${Math.floor(index / 26)}`;
}

/** The phase's name, with the number of the repeat from the second on. */
export function phaseTitle(phase: PhaseRecord): string {
  return phase.repeat_index > 0 ? `${phase.name} #${phase.repeat_index + 1}` : phase.name;
}

/** The phases that are the result; all, where there is none of them. */
export function measured(record: RunRecord): PhaseRecord[] {
  const phases = record.phases.filter((phase) => phase.kind === "measure");
  return phases.length > 0 ? phases : record.phases;
}

/** Titles of all phases, measured ones first, in order. */
export function phaseTitles(runs: readonly Run[]): string[] {
  const phases = runs.flatMap(({ record }) => record.phases);
  const of = (kind: string): string[] => phases.filter((phase) => phase.kind === kind).map(phaseTitle);
  return [...new Set([...of("measure"), ...of("warmup")])];
}

/** The phase that is shown first: one that missed an objective, so that the fault is seen without looking for it; else the first. */
export function phaseToShow(runs: readonly Run[]): string {
  const titles = phaseTitles(runs);
  const missed = new Set(runs.flatMap(({ record }) => record.slos.filter((slo) => !slo.ok).map((slo) => slo.phase)));
  return titles.find((title) => missed.has(title)) ?? titles[0] ?? "";
}

/** The chosen phase of a run, if it has one. */
export function phaseOf(run: Run, title: string): PhaseRecord | undefined {
  return run.record.phases.find((phase) => phaseTitle(phase) === title);
}

/** Actions of the chosen phase over all runs; none where there is one only, which is the phase. */
export function actionNames(view: Pick<View, "runs">, phase: string): string[] {
  const names = view.runs.flatMap((run) => phaseOf(run, phase)?.actions.map((action) => action.name) ?? []);
  const unique = [...new Set(names)];
  return unique.length > 1 ? unique : [];
}

/** Counts and latencies of a phase, or of the chosen action in it. */
export function chosen(phase: PhaseRecord, action: string | null): ActionRecord | PhaseRecord | undefined {
  return action === null ? phase : phase.actions.find(({ name }) => name === action);
}

/** What is shown of an interval. */
export interface Moment {
  counts: Counts;
  response_ns: Latencies;
  service_ns: Latencies;
  wait_ns: Latencies;
}

/** An interval, or the chosen action in it; undefined where the record keeps no actions per interval. */
export function momentOf(interval: IntervalRecord, action: string | null): Moment | undefined {
  const { counts, response_ns, service_ns, wait_ns } = interval;
  if (action === null) return { counts, response_ns, service_ns, wait_ns: wait_ns ?? NONE };
  if (!interval.actions) return undefined;
  const part = interval.actions.find(({ name }) => name === action);
  return { counts: part?.counts ?? NOTHING, response_ns: complete(part?.response_ns), service_ns: complete(part?.service_ns), wait_ns: NONE };
}

const NOTHING: Counts = { due: 0, started: 0, completed: 0, failed: 0, dropped: 0, unstarted: 0, unfinished: 0, censored: 0 };

/** Whether charts over time can show single actions. */
export function hasActionsOverTime(runs: readonly Run[]): boolean {
  return runs.some(({ record }) => record.phases.some((phase) => phase.intervals.some((interval) => (interval.actions?.length ?? 0) > 0)));
}

/** A row of a chart over time: one or several intervals of a phase. */
export interface Row {
  phase: PhaseRecord;
  startNs: number;
  durationNs: number;
  moments: Moment[];
  intervals: IntervalRecord[];
}

/** Phases that can share one axis of time: the chosen one, and all that don't run beside it or each other. */
export function sideless(record: RunRecord, title: string): PhaseRecord[] {
  const end = (phase: PhaseRecord): number => phase.start_ns + phase.duration_ns;
  const first = record.phases.find((phase) => phaseTitle(phase) === title);
  const taken: PhaseRecord[] = first ? [first] : [];
  for (const phase of record.phases) {
    if (taken.every((other) => other !== phase && (phase.start_ns >= end(other) || end(phase) <= other.start_ns))) taken.push(phase);
  }
  return taken.sort((a, b) => a.start_ns - b.start_ns);
}

/** Most rows that a chart over time is given: more than pixels would only overlap. */
const ROWS_MAX = 720;

const knownRows = new WeakMap<RunRecord, Map<string, Row[]>>();

/** The intervals of a run in order of time; several together where there are too many to tell apart. All charts share the same rows, and with them what was
 * worked out of each. */
export function rowsOf(run: Run, selection: Selection): Row[] {
  const phases = sideless(run.record, selection.phase);
  const total = phases.reduce((sum, phase) => sum + phase.intervals.length, 0);
  const known = knownRows.get(run.record) ?? new Map<string, Row[]>();
  knownRows.set(run.record, known);
  // A run in progress has more intervals each time.
  const key = JSON.stringify([selection.phase, selection.action, total]);
  const rows = known.get(key) ?? madeRows(phases, total, selection);
  known.set(key, rows);
  return rows;
}

function madeRows(phases: readonly PhaseRecord[], total: number, selection: Selection): Row[] {
  const group = Math.max(1, Math.ceil(total / ROWS_MAX));
  return phases.flatMap((phase) => {
    const rows: Row[] = [];
    const loadEndNs = phase.start_ns + phase.duration_ns;
    for (const interval of phase.intervals) {
      const moment = momentOf(interval, selection.action);
      if (!moment) continue;
      const isDrain = interval.start_ns >= loadEndNs;
      // A drain of nothing is no stretch of time.
      if (isDrain && interval.counts.completed + interval.counts.failed + interval.counts.unfinished + interval.counts.unstarted === 0) continue;
      const last = rows.at(-1);
      if (last && last.intervals.length < group && !isDrain) {
        last.moments.push(moment);
        last.intervals.push(interval);
        last.durationNs = interval.start_ns + interval.duration_ns - last.startNs;
      } else {
        rows.push({ phase, startNs: interval.start_ns, durationNs: interval.duration_ns, moments: [moment], intervals: [interval] });
      }
    }
    return rows;
  });
}

const knownHistograms = new WeakMap<Row, Partial<Record<Measure, Histogram>>>();

/** The distribution of a row. */
export function rowHistogram(row: Row, measure: Measure): Histogram {
  const known = knownHistograms.get(row) ?? {};
  knownHistograms.set(row, known);
  return (known[measure] ??= merged(row.moments.map((moment) => histogramOf(latencies(moment, measure)))));
}

/** What a phase counts: an action of one request is called what everybody calls it. */
export function noun(phase: PhaseRecord): string {
  return (phase.requests?.length ?? 0) > 0 ? "actions" : "requests";
}

/** A value at a path of untyped JSON. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here: unknown = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

/** `open, constant 1,000/s` or `closed, 64 users`: the load model, with as much as the plan in the record tells. */
export function loadWords(record: RunRecord, phase: PhaseRecord): string {
  const phases = at(record.plan, "phases");
  const planned = Array.isArray(phases) ? phases.find((one) => at(one, "name") === phase.name) : undefined;
  const load = at(planned, "load");
  const users = at(load, "closed", "users") ?? at(load, "once", "users");
  if (phase.load_model === "closed") {
    const kind = at(load, "once") === undefined ? "closed" : "once each";
    return typeof users === "number" ? `${kind}, ${count(users)} user${users === 1 ? "" : "s"}` : kind;
  }
  const spreads: Record<string, string> = { constant: "constant ", poisson: "Poisson ", uniform_jitter: "jittered " };
  const spread = spreads[String(at(load, "open", "arrivals"))] ?? "";
  const stages = at(load, "open", "stages");
  if (!Array.isArray(stages) || stages.length === 0) return "open";
  const [from, to] = [rate(at(stages[0], "rate_from")), rate(at(stages.at(-1), "rate_to"))];
  if (from === undefined || to === undefined) return "open";
  if (stages.length > 1) return `open, ${spread}${from}/s → ${to}/s in ${stages.length} stages`;
  return from === to ? `open, ${spread}${from}/s` : `open, ${spread}${from}/s → ${to}/s`;
}

/** A plan's rate, [count, ns], per second. */
function rate(value: unknown): string | undefined {
  const [events, periodNs] = [at(value, 0), at(value, 1)];
  if (typeof events !== "number" || typeof periodNs !== "number" || periodNs <= 0) return undefined;
  const perSec = (events * 1e9) / periodNs;
  return perSec >= 100 ? count(perSec) : String(Number(perSec.toPrecision(3)));
}
