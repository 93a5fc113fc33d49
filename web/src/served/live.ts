// A run in progress: its record as far as it is known, growing with the server's events.

import type { PhaseRecord, RunRecord } from "../record.ts";
import type { Source } from "../source.ts";
import type { News } from "./server.ts";

export class LiveSource implements Source {
  private readonly id: string;
  private readonly ended: () => void;
  private events: EventSource | null = null;
  private run: RunRecord | null = null;

  /** `ended` is called when the run is over: then the whole record is there to be loaded. */
  constructor(id: string, ended: () => void) {
    this.id = id;
    this.ended = ended;
  }

  start(show: (runs: readonly RunRecord[]) => void, fail: (why: string) => void): void {
    const events = new EventSource(`/api/runs/${encodeURIComponent(this.id)}/live`);
    this.events = events;
    events.addEventListener("run", (event) => {
      // After a lost connection the stream begins anew.
      this.run = JSON.parse(event.data) as RunRecord;
    });
    events.addEventListener("news", (event) => {
      if (!this.run) return;
      this.run = grown(this.run, JSON.parse(event.data) as News);
      if (this.run.phases.length > 0) show([this.run]);
    });
    events.addEventListener("end", () => {
      this.stop();
      this.ended();
    });
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) fail("The run can't be watched any more: the server does not answer.");
    });
  }

  stop(): void {
    this.events?.close();
    this.events = null;
  }
}

/** The record with what is new. What did not change stays the same object: decoded histograms hang on it. */
export function grown(run: RunRecord, news: News): RunRecord {
  const phases = [...run.phases];
  for (const [index, phase] of news.phases) phases[index] = { ...phase, intervals: phases[index]?.intervals ?? [] };
  const fresh = new Map<number, PhaseRecord["intervals"]>();
  for (const [index, interval] of news.intervals) fresh.set(index, [...(fresh.get(index) ?? []), interval]);
  for (const [index, intervals] of fresh) {
    const phase = phases[index];
    if (phase) phases[index] = summed({ ...phase, intervals: [...phase.intervals, ...intervals] });
  }
  const known = phases.filter((phase) => phase !== undefined);
  const end = Math.max(0, ...known.map((phase) => phase.start_ns + phase.duration_ns));
  return { ...run, phases: known, duration_ns: Math.max(run.duration_ns, end) };
}

/** Counts, length and rates of a phase that goes on, from its intervals; one that has ended has its own already. */
function summed(phase: PhaseRecord): PhaseRecord {
  const [first] = phase.intervals;
  const last = phase.intervals.at(-1);
  if (!first || !last || phase.response_ns.count > 0) return phase;
  const counts = { ...first.counts };
  for (const interval of phase.intervals.slice(1)) {
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += interval.counts[key];
  }
  const duration_ns = last.start_ns + last.duration_ns - first.start_ns;
  const perSec = (count: number): number => (duration_ns > 0 ? (count * 1e9) / duration_ns : 0);
  return {
    ...phase, counts, start_ns: first.start_ns, duration_ns,
    offered_per_sec: phase.load_model === "open" ? perSec(counts.due) : null,
    achieved_per_sec: perSec(counts.completed),
  };
}
