// What the generator itself needed: whether it was the limit, was kept off the CPU, or sent late by its own fault.

import { type Column, h, table } from "../dom.ts";
import { type Run, type View, phaseTitle } from "../model.ts";
import type { PhaseRecord, WorkerRecord } from "../record.ts";
import { count, duration, ratio, size } from "../units.ts";
import { pairs } from "./actions.ts";
import { figure } from "./verdict.ts";

export function resourceSection(view: View): Node[] {
  return view.runs.flatMap((run) => [...(run.letter ? [h("h3", { class: "sub" }, run.title)] : []), ...ofRun(run)]);
}

function ofRun({ record }: Run): Node[] {
  const { client } = record;
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
