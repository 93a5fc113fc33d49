// What the generator itself needed: whether it was the limit, was kept off the CPU, or sent late by its own fault.

import { type Line, type Values, chart } from "../charts/plot.ts";
import { TIME_GROUP, phaseShades, timeAxis, timeline, valuesOf } from "../charts/time.ts";
import { type Column, h, table } from "../dom.ts";
import { type Row, type Run, type View, phaseTitle, rowsOf, sideless } from "../model.ts";
import type { IntervalClientRecord, PhaseRecord, WorkerRecord } from "../record.ts";
import { theme } from "../theme.ts";
import { count, duration, ratio, size, tick } from "../units.ts";
import { pairs } from "./actions.ts";
import { figure } from "./verdict.ts";

export function resourceSection(view: View): Node[] {
  return view.runs.flatMap((run) => [...(run.letter ? [h("h3", { class: "sub" }, run.title)] : []), ...overTime(view, run), ...ofRun(run)]);
}

type Key = keyof IntervalClientRecord;

/** Shares of the worker threads' time, and how late sends were, on the same axis as the latencies; nothing where it was not recorded. */
function overTime(view: View, run: Run): Node[] {
  const { selection } = view;
  const line = timeline(rowsOf(run, { ...selection, action: null }));
  const values = (key: Key): Values => valuesOf(line, (row) => worst(row, key));
  const colors = theme();
  const frame = {
    x: timeAxis(line, view.runs), group: TIME_GROUP, behind: phaseShades(sideless(run.record, selection.phase), selection.phase),
  };
  const shares: Line[] = [
    { name: "busiest worker", values: values("busy_ratio_max"), color: colors.runs[2]!, format: ratio },
    { name: "kept off the CPU", values: values("off_cpu_ratio_max"), color: colors.bad, dash: [6, 3], format: ratio },
  ];
  const late: Line[] = [
    { name: "late sends p99", values: values("lateness_ns_p99"), color: colors.runs[2]!, format: duration },
    { name: "max", values: values("lateness_ns_max"), color: colors.runs[2]!, dash: [2, 3], width: 1, format: duration },
  ];
  const has = (lines: Line[]): boolean => lines.some((one) => one.values.some((value) => value !== null));
  return [
    ...(has(shares) ? [chart({
      title: "Worker threads", note: "Near 100% the generator is the limit. Off the CPU though ready, it answers late and calls that latency.", height: 150, ...frame,
      y: { kind: "linear", head: "share", mark: (value) => `${Math.round(value * 100)}%`, max: 1 }, lines: shares,
    })] : []),
    ...(has(late) ? [chart({
      title: "Sends later than due by the generator's own fault", note: "To be far below the latencies above: what is near them is the client's and not the server's.", height: 150, ...frame,
      y: { kind: "log", head: "lateness", mark: tick }, lines: late,
    })] : []),
  ];
}

/** The worst of a row's intervals. */
function worst(row: Row, key: Key): number | null {
  const known = row.intervals.map((interval) => interval.client?.[key] ?? null).filter((value): value is number => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

function ofRun({ record }: Run): Node[] {
  const { client } = record;
  if (client.workers.length === 0) return [h("p", { class: "note" }, "What the generator needed in all is known at a run's end: another tool's result, or a run without an end, does not tell.")];
  const requests = record.phases.reduce((sum, phase) => sum + phase.traffic.requests, 0);
  const sum = (of: (worker: WorkerRecord) => number): number => client.workers.reduce((total, worker) => total + of(worker), 0);
  // Some systems count a process's time in ticks of 10 ms, a thread's in ns: a short run shows in the second alone.
  const cpuNs = Math.max(client.cpu_user_ns + client.cpu_system_ns, sum((worker) => worker.cpu_ns)) - sum((worker) => worker.spin_ns);
  const facts = pairs([
    ["CPU", `${duration(client.cpu_user_ns)} user, ${duration(client.cpu_system_ns)} system`],
    ["CPU per request", requests > 0 && cpuNs > 0 ? `${duration(Math.floor(cpuNs / requests))}, spinning before deadlines left out` : ""],
    ["taken by the hypervisor", client.steal_ratio === null ? "not known" : ratio(client.steal_ratio)],
    ["memory", client.rss_bytes_max > 0 ? `${size(client.rss_bytes_max)} resident at most` : ""],
  ]);
  const share = (value: number | null | undefined): string => (value === null || value === undefined ? "–" : ratio(Math.min(1, value)));
  const phaseColumns: Column<PhaseRecord>[] = [
    { head: "phase", cell: phaseTitle, isText: true },
    { head: "busiest worker", cell: (phase) => share(phase.busy_ratio_max) },
    { head: "kept off the CPU", cell: (phase) => share(phase.off_cpu_ratio_max) },
    { head: "late sends p50", cell: ({ lateness_ns: of }) => figure(of, of.p50, 0.5) },
    { head: "p99", cell: ({ lateness_ns: of }) => figure(of, of.p99, 0.99) },
    { head: "max", cell: ({ lateness_ns: of }) => figure(of, of.max) },
    { head: "response p99", cell: ({ response_ns: of }) => figure(of, of.p99, 0.99) },
  ];
  const workers = client.workers.map((worker, index) => ({ worker, index }));
  const workerColumns: Column<(typeof workers)[number]>[] = [
    { head: "worker", cell: ({ index }) => count(index + 1), isText: true },
    { head: "busy", cell: ({ worker }) => share(worker.elapsed_ns > 0 ? (worker.cpu_ns - worker.spin_ns) / worker.elapsed_ns : 0) },
    { head: "spinning", cell: ({ worker }) => share(worker.elapsed_ns > 0 ? worker.spin_ns / worker.elapsed_ns : 0) },
    { head: "kept off the CPU", cell: ({ worker }) => share(worker.off_cpu_ns === null || worker.elapsed_ns === 0 ? null : worker.off_cpu_ns / worker.elapsed_ns) },
    { head: "late sends p99", cell: ({ worker }) => figure(worker.lateness_ns, worker.lateness_ns.p99, 0.99) },
    { head: "max", cell: ({ worker }) => figure(worker.lateness_ns, worker.lateness_ns.max) },
  ];
  return [facts, table("The generator by phase", phaseColumns, record.phases), ...(workers.length > 0 ? [table("Worker threads", workerColumns, workers)] : [])];
}
