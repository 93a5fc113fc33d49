// A run in progress: its record as far as it is known, growing with the server's events.

import { combined } from "../histogram.ts";
import { type IntervalRecord, type PhaseRecord, type RunRecord, latencies } from "../record.ts";
import type { Source } from "../source.ts";
import type { News } from "./server.ts";

export class LiveSource implements Source {
  private readonly id: string;
  private readonly ended: (record: RunRecord) => void;
  private readonly told: (words: string) => void;
  private events: EventSource | null = null;
  private run: RunRecord | null = null;

  /** `ended` gets the whole record when the run is over; `told` what became of the connection, in words, empty when it is well. */
  constructor(id: string, ended: (record: RunRecord) => void, told: (words: string) => void) {
    this.id = id;
    this.ended = ended;
    this.told = told;
  }

  start(show: (runs: readonly RunRecord[]) => void, fail: (why: string) => void): void {
    const events = new EventSource(`/api/runs/${encodeURIComponent(this.id)}/live`);
    this.events = events;
    events.addEventListener("run", (event) => {
      // After a lost connection the stream begins anew.
      this.run = { ...(JSON.parse(event.data) as RunRecord), verdict: { state: "running", reasons: [] } };
      this.told("");
    });
    events.addEventListener("news", (event) => {
      if (!this.run) return;
      this.run = grown(this.run, JSON.parse(event.data) as News);
      if (this.run.phases.length > 0) show([this.run]);
    });
    events.addEventListener("end", (event) => {
      this.stop();
      this.ended(JSON.parse(event.data) as RunRecord);
    });
    events.addEventListener("error", () => {
      // The browser tries again by itself, unless the server has refused: then the run was deleted, or too many watch it.
      const isOver = events.readyState === EventSource.CLOSED;
      if (isOver && !this.run) fail("The run can't be watched: reload the page, or see whether `weir serve` still runs.");
      else this.told(isOver ? "The run can't be watched any more: reload the page." : "Connection lost; trying again …");
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
  for (const [index, phase] of news.phases) {
    const known = phases[index];
    // One that goes on comes without figures: what was summed up so far says more.
    if (!known || phase.response_ns.count > 0) phases[index] = { ...phase, intervals: known?.intervals ?? [] };
  }
  const fresh = new Map<number, IntervalRecord[]>();
  for (const [index, interval] of news.intervals) fresh.set(index, [...(fresh.get(index) ?? []), interval]);
  const whole = new Set(news.phases.filter(([, phase]) => phase.response_ns.count > 0).map(([index]) => index));
  for (const [index, intervals] of fresh) {
    const phase = phases[index];
    if (phase) phases[index] = whole.has(index) ? { ...phase, intervals: [...phase.intervals, ...intervals] } : summed(phase, intervals);
  }
  const known = phases.filter((phase) => phase !== undefined);
  const end = Math.max(0, ...known.map((phase) => phase.start_ns + phase.duration_ns));
  return { ...run, phases: known, duration_ns: end };
}

/** A phase that goes on, with more intervals: its figures follow from them. */
function summed(phase: PhaseRecord, fresh: readonly IntervalRecord[]): PhaseRecord {
  const intervals = [...phase.intervals, ...fresh];
  const [first] = intervals;
  const last = intervals.at(-1);
  if (!first || !last) return phase;
  const counts = { ...phase.counts };
  const errors = { ...phase.errors };
  for (const interval of fresh) {
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += interval.counts[key];
    for (const [name, count] of Object.entries(interval.errors)) errors[name] = (errors[name] ?? 0) + count;
  }
  const duration_ns = last.start_ns + last.duration_ns - first.start_ns;
  const perSec = (count: number): number => (duration_ns > 0 ? (count * 1e9) / duration_ns : 0);
  return {
    ...phase, intervals, counts, errors, duration_ns, start_ns: first.start_ns,
    offered_per_sec: phase.load_model === "open" ? perSec(counts.due) : null,
    achieved_per_sec: perSec(counts.completed),
    response_ns: combined([phase.response_ns, ...fresh.map((interval) => interval.response_ns)]),
    service_ns: combined([phase.service_ns, ...fresh.map((interval) => interval.service_ns)]),
    wait_ns: combined([phase.wait_ns, ...fresh.map((interval) => latencies(interval, "wait"))]),
  };
}
