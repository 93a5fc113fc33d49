// The first thing on the page: whether the numbers may be believed, what was promised and kept, and the result in words.

import { type Column, h, table } from "../dom.ts";
import { carries } from "../histogram.ts";
import { type Run, type View, loadWords, measured, noun, phaseOf, phaseTitle } from "../model.ts";
import { type Latencies, type PhaseRecord, type RunRecord, type SloRecord, type VerdictState, QUANTILES, latencies, notCompleted } from "../record.ts";
import { count, duration, perSec, plural, ratio } from "../units.ts";

const SIGNS: Record<VerdictState, string> = { valid: "✓", suspect: "!", invalid: "✗", running: "…" };
const MEANINGS: Record<VerdictState, string> = {
  valid: "Nothing speaks against these numbers.",
  suspect: "The numbers may be used with the reasons below in mind.",
  invalid: "The numbers say more about the client than about the server.",
  running: "These are its numbers so far; it is judged at its end.",
};

export function verdictSection(view: View): Node[] {
  const several = view.runs.length > 1;
  const parts: Node[] = view.runs.flatMap((run) => (several ? [h("h3", { class: "sub" }, run.title), ...runVerdict(run)] : runVerdict(run)));
  if (several) parts.push(runTable(view));
  const [run] = view.runs;
  if (!several && run) {
    const phases = measured(run.record);
    const phase = phaseOf(run, view.selection.phase) ?? phases[0];
    if (phase && phases.length > 1) parts.push(h("h3", { class: "sub" }, `Phase ${phaseTitle(phase)}: ${loadWords(run.record, phase)}`));
    if (phase) parts.push(sentences(phase), tiles(phase));
    if (phases.length > 1) parts.push(h("h3", { class: "sub" }, "All measured phases, response time"), phaseTable(run.record, phases));
  }
  return parts;
}

function runVerdict({ record }: Run): Node[] {
  const { state, reasons } = record.verdict;
  const badge = h("p", { class: `verdict ${state}` },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[state]), h("strong", {}, state), " ", MEANINGS[state]);
  const items = reasons.map((reason) =>
    h("li", {}, h("strong", {}, reason.state === "valid" ? "note" : reason.state), " ", reason.message, h("span", { class: "hint" }, ` → ${reason.hint}`)));
  return [badge, ...(items.length > 0 ? [h("ul", { class: "reasons" }, ...items)] : []), ...objectives(record)];
}

function objectives(record: RunRecord): Node[] {
  if (record.slos.length === 0) return [];
  const missed = record.slos.filter((slo) => !slo.ok).length;
  const all = plural(record.slos.length, "objective");
  const words = missed === 0 ? `${all}: ${record.slos.length === 1 ? "kept" : "all kept"}` : `${missed} of ${all} missed`;
  const columns: Column<SloRecord>[] = [
    { head: "objective", cell: (slo) => slo.expression, isText: true },
    { head: "outcome", cell: (slo) => h("span", { class: slo.ok ? "good" : "bad" }, slo.ok ? "✓ kept" : "✗ missed"), isText: true },
    { head: "observed", cell: (slo) => slo.observed_text },
    { head: "phase", cell: (slo) => slo.phase, isText: true },
  ];
  return [h("p", { class: missed > 0 ? "slos bad" : "slos good" }, `${missed > 0 ? "✗" : "✓"} ${words}`), table("Objectives", columns, record.slos)];
}

/** The result of a phase in words: rate and errors, latency, and what looking at sends alone would hide. */
function sentences(phase: PhaseRecord): HTMLElement {
  const things = noun(phase);
  const asked = phase.offered_per_sec;
  const rate = asked === null
    ? `${perSec(phase.achieved_per_sec)} ${things} per second were completed.`
    : `${perSec(asked)} ${things} per second were asked for, and ${perSec(phase.achieved_per_sec)} completed in time (${ratio(asked > 0 ? phase.achieved_per_sec / asked : 0)}).`;
  return h("div", { class: "words" }, h("p", {}, `${rate} ${errorWords(phase)}`), h("p", {}, latencyWords(phase)), h("p", {}, omissionWords(phase)));
}

function errorWords(phase: PhaseRecord): string {
  const { counts } = phase;
  const lost = notCompleted(counts);
  if (lost === 0) return `None of ${count(counts.completed)} failed.`;
  const fates: [number, string][] = [
    ...Object.entries(phase.errors).sort(([, a], [, b]) => b - a).map(([name, n]): [number, string] => [n, name.replaceAll("_", " ")]),
    [counts.dropped, "dropped"], [counts.unstarted, "never started"], [counts.unfinished, "unfinished"],
  ];
  const words = fates.filter(([n]) => n > 0).map(([n, name]) => `${count(n)} ${name}`).join(", ");
  return `${count(lost)} of ${count(counts.completed + lost)} did not end well (${ratio(lost / (counts.completed + lost))}): ${words}.`;
}

function latencyWords(phase: PhaseRecord): string {
  const of = phase.response_ns;
  const clause = [of.p50 === null ? "" : `half of the answers were there within ${duration(of.p50)}`, of.p99 === null ? "" : `99% within ${duration(of.p99)}`,
    of.max === null ? "" : `the last within ${duration(of.max)}`].filter(Boolean).join(", ");
  if (!clause) return "No time was measured.";
  return `From the moment at which they were due, ${clause}.`;
}

/** Coordinated omission in a sentence: the quantile at which response and service time are furthest apart. */
export function omissionWords(phase: PhaseRecord): string {
  if (phase.load_model === "closed") {
    return "This is a closed load: while the server stands still nothing is due, so a stall shows as one slow answer per user and hides the requests that would have come. Give a rate to see those.";
  }
  const gaps = QUANTILES.flatMap(({ key, name, quantile }) => {
    const [response, service] = [phase.response_ns[key], phase.service_ns[key]];
    return response && service ? [{ name, quantile, response, service, factor: response / service }] : [];
  });
  const widest = gaps.reduce<(typeof gaps)[number] | undefined>((most, gap) => (most && most.factor >= gap.factor ? most : gap), undefined);
  if (!widest) return "";
  if (widest.factor < 1.05) {
    return "Response time (from due) and service time (from sent) agree at every percentile: hardly anything waited before it was sent.";
  }
  if (widest.factor < 1.5) {
    return `Response time (from due) and service time (from sent) are at most ${Math.ceil((widest.factor - 1) * 100)}% apart, at ${widest.name}: ${duration(widest.response)} and ${duration(widest.service)}. The difference is the wait before the send.`;
  }
  const factor = widest.factor >= 10 ? count(widest.factor) : widest.factor.toFixed(1);
  return `Seen from the send alone (service time) ${widest.name} would read ${duration(widest.service)}; who was due on time waited ${duration(widest.response)}, ${factor} times as long. The difference is the wait before the send.`;
}

/** A figure of the record, or why there is none. */
export function figure(of: Latencies, value: number | null, quantile?: number): string {
  if (value !== null) return duration(value);
  return of.count > 0 && quantile !== undefined && !carries(of.count, quantile) ? "too few" : "–";
}

function tiles(phase: PhaseRecord): HTMLElement {
  const of = phase.response_ns;
  const lost = notCompleted(phase.counts);
  const all: [string, string, string][] = [
    ["asked", phase.offered_per_sec === null ? "no rate" : `${perSec(phase.offered_per_sec)}/s`, phase.load_model === "open" ? "open model" : "closed model"],
    ["achieved", `${perSec(phase.achieved_per_sec)}/s`, phase.offered_per_sec ? ratio(phase.achieved_per_sec / phase.offered_per_sec) : `${count(phase.counts.completed)} completed`],
    ["not completed", count(lost), ratio(lost / Math.max(1, lost + phase.counts.completed))],
    ["p50", figure(of, of.p50, 0.5), "response"],
    ["p99", figure(of, of.p99, 0.99), "response"],
    ["p99.9", figure(of, of.p99_9, 0.999), "response"],
    ["max", figure(of, of.max), "response"],
  ];
  return h("dl", { class: "tiles" }, ...all.map(([name, value, note]) =>
    h("div", { class: name === "not completed" && lost > 0 ? "tile bad" : "tile" }, h("dt", {}, name), h("dd", {}, value, h("small", {}, note)))));
}

/** Columns that say how a phase went. */
function phaseColumns<Row>(of: (row: Row) => PhaseRecord | undefined): Column<Row>[] {
  const cell = (text: (phase: PhaseRecord) => string) => (row: Row): string => {
    const phase = of(row);
    return phase ? text(phase) : "–";
  };
  const response = (key: "p50" | "p90" | "p99" | "p99_9" | "max", quantile?: number): ((row: Row) => string) =>
    cell((phase) => figure(latencies(phase, "response"), phase.response_ns[key], quantile));
  return [
    { head: "asked", cell: cell((phase) => (phase.offered_per_sec === null ? "–" : `${perSec(phase.offered_per_sec)}/s`)) },
    { head: "achieved", cell: cell((phase) => `${perSec(phase.achieved_per_sec)}/s`) },
    { head: "completed", cell: cell((phase) => count(phase.counts.completed)) },
    { head: "not completed", cell: cell((phase) => count(notCompleted(phase.counts))) },
    { head: "p50", cell: response("p50", 0.5) },
    { head: "p90", cell: response("p90", 0.9) },
    { head: "p99", cell: response("p99", 0.99) },
    { head: "p99.9", cell: response("p99_9", 0.999) },
    { head: "max", cell: response("max") },
  ];
}

function phaseTable(record: RunRecord, phases: readonly PhaseRecord[]): HTMLElement {
  return table("Measured phases, response time", [
    { head: "phase", cell: phaseTitle, isText: true },
    { head: "load", cell: (phase) => loadWords(record, phase), isText: true },
    { head: "length", cell: (phase) => duration(phase.duration_ns) },
    ...phaseColumns<PhaseRecord>((phase) => phase),
  ], phases);
}

function runTable(view: View): HTMLElement {
  return table(`Phase ${view.selection.phase} of all runs, response time`, [
    { head: "run", cell: (run: Run) => run.title, isText: true },
    { head: "verdict", cell: (run) => run.record.verdict.state, isText: true },
    ...phaseColumns<Run>((run) => phaseOf(run, view.selection.phase)),
  ], view.runs);
}
