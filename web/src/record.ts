// The record of a run as its JSON has it: times in ns, rates per second, shares 0 to 1. `null` where a figure is not known or where the
// samples don't carry it. Keys are only ever added, so what came later is optional here.

/** A distribution of times. A quantile is null where fewer than ten values lie beyond it. */
export interface Latencies {
  count: number;
  min: number | null;
  mean: number | null;
  stdev: number | null;
  p50: number | null;
  p75: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
  p99_9: number | null;
  p99_99: number | null;
  max: number | null;
  /** HdrHistogram V2 compressed, base64; absent when there are no values. */
  histogram?: string;
}

/** A distribution of which there are thousands: only the histogram and what is not in it. All figures are 0 when there are no values. */
export interface Distribution {
  count: number;
  min: number;
  mean: number;
  max: number;
  histogram?: string;
}

export interface Counts {
  due: number;
  started: number;
  completed: number;
  failed: number;
  dropped: number;
  unstarted: number;
  unfinished: number;
  censored: number;
}

export interface ActionRecord {
  name: string;
  counts: Counts;
  errors: Record<string, number>;
  service_ns: Latencies;
  response_ns: Latencies;
  wait_ns: Latencies;
}

/** One action in one interval; its waits are not kept. What is absent has no values. */
export interface IntervalActionRecord {
  name: string;
  counts: Counts;
  errors?: Record<string, number>;
  response_ns?: Distribution;
  service_ns?: Distribution;
}

export interface IntervalRecord {
  start_ns: number;
  duration_ns: number;
  counts: Counts;
  errors: Record<string, number>;
  bytes_received: number;
  response_ns: Latencies;
  service_ns: Latencies;
  wait_ns?: Latencies;
  in_flight_mean: number;
  in_flight_max: number;
  /** Those of which anything happened; absent where the scenario has one only. */
  actions?: IntervalActionRecord[];
  /** The generator in it. */
  client?: IntervalClientRecord;
}

/** The generator itself in one interval; null what is not known. */
export interface IntervalClientRecord {
  busy_ratio_max: number | null;
  off_cpu_ratio_max: number | null;
  lateness_ns_p99: number | null;
  lateness_ns_max: number | null;
}

export interface CheckRecord {
  name: string;
  passed: number;
  failed: number;
}

export interface TrafficRecord {
  requests: number;
  connections_opened: number;
  connections_lost: number;
  statuses: Record<string, number>;
  connect_ns: Latencies;
  tls_ns: Latencies;
  first_byte_ns: Latencies;
}

export interface PhaseRecord {
  name: string;
  kind: "warmup" | "measure";
  load_model: "open" | "closed";
  repeat_index: number;
  start_ns: number;
  duration_ns: number;
  drain_ns: number;
  offered_per_sec: number | null;
  achieved_per_sec: number;
  counts: Counts;
  errors: Record<string, number>;
  bytes_sent: number;
  bytes_received: number;
  traffic: TrafficRecord;
  in_flight_mean: number;
  in_flight_max: number;
  think_ns: number;
  service_ns: Latencies;
  response_ns: Latencies;
  wait_ns: Latencies;
  lateness_ns: Latencies;
  busy_ratio_max?: number;
  off_cpu_ratio_max?: number | null;
  actions: ActionRecord[];
  requests?: ActionRecord[];
  checks?: CheckRecord[];
  intervals: IntervalRecord[];
}

/** Records have the first three; a run that is watched while it goes on is not judged yet. */
export type VerdictState = "valid" | "suspect" | "invalid" | "running";

export interface Reason {
  code: string;
  state: VerdictState;
  message: string;
  hint: string;
}

export interface SloRecord {
  expression: string;
  ok: boolean;
  observed: number | null;
  observed_text: string;
  phase: string;
}

export interface WorkerRecord {
  cpu_ns: number;
  spin_ns: number;
  elapsed_ns: number;
  off_cpu_ns: number | null;
  lateness_ns: Latencies;
}

export interface RunRecord {
  schema_version: number;
  run_id: string;
  name: string;
  /** What made it: a command, or another program. */
  origin?: string;
  labels?: Record<string, string>;
  started_unix_ns: number;
  duration_ns: number;
  aborted: string | null;
  plan: unknown;
  environment: {
    os: string;
    kernel: string;
    cpu_model: string;
    cpu_count: number;
    memory_bytes: number;
    weir_version: string;
    driver: string;
    notes?: string[];
    addresses?: Record<string, string[]>;
  };
  verdict: { state: VerdictState; reasons: Reason[] };
  slos: SloRecord[];
  phases: PhaseRecord[];
  client: {
    cpu_user_ns: number;
    cpu_system_ns: number;
    rss_bytes_max: number;
    steal_ratio: number | null;
    workers: WorkerRecord[];
  };
}

/** Which of the three latencies. */
export type Measure = "response" | "service" | "wait";

/** All three, in the order in which they are shown. */
export const MEASURES: readonly Measure[] = ["response", "service", "wait"];

/** The quantiles of a record with their keys and names. */
export const QUANTILES = [
  { key: "p50", name: "p50", quantile: 0.5 },
  { key: "p75", name: "p75", quantile: 0.75 },
  { key: "p90", name: "p90", quantile: 0.9 },
  { key: "p95", name: "p95", quantile: 0.95 },
  { key: "p99", name: "p99", quantile: 0.99 },
  { key: "p99_9", name: "p99.9", quantile: 0.999 },
  { key: "p99_99", name: "p99.99", quantile: 0.9999 },
] as const;

/** No values at all. */
export const NONE: Latencies = {
  count: 0, min: null, mean: null, stdev: null, p50: null, p75: null, p90: null, p95: null, p99: null, p99_9: null, p99_99: null,
  max: null,
};

/** One of the three latencies of whatever has them. */
export function latencies(of: { [key in `${Measure}_ns`]?: Latencies | undefined }, measure: Measure): Latencies {
  return of[`${measure}_ns`] ?? NONE;
}

/** What did not end well: failed, given up, dropped or never begun. */
export function notCompleted(counts: Counts): number {
  return counts.failed + counts.unfinished + counts.dropped + counts.unstarted;
}
