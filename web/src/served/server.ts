// The server's answers: `crates/serve` says what they are.

import type { PhaseRecord, IntervalRecord, RunRecord } from "../record.ts";

/** A run in one line. */
export interface RunSummary {
  id: string;
  name: string;
  origin: string;
  started_unix_ns: number;
  duration_ns: number;
  state: "ended" | "aborted" | "running";
  verdict: "valid" | "suspect" | "invalid";
  aborted: string | null;
  load_model: "closed" | "open" | null;
  offered_per_sec: number | null;
  achieved_per_sec: number;
  completed: number;
  not_completed: number;
  p50_ns: number | null;
  p99_ns: number | null;
  slo_count: number;
  slo_missed_count: number;
  labels: Record<string, string>;
}

/** What is new of a run in progress. */
export interface News {
  state: RunSummary["state"];
  phases: [number, PhaseRecord][];
  intervals: [number, IntervalRecord][];
}

export interface Objection {
  message: string;
  hint: string;
}

export interface Interval {
  low: number;
  high: number;
  confidence: number;
}

export type Verdict = "slower" | "faster" | "same" | "undecided";

/** One figure on both sides. */
export interface Row {
  phase: string | null;
  action: string | null;
  metric: string;
  baseline: number;
  candidate: number;
  change: number;
  interval: Interval | null;
  verdict: Verdict;
  within_runs: { interval: Interval; verdict: Verdict } | null;
}

export interface Comparison {
  sides: { name: string; runs: { run_id: string; name: string; started_unix_ns: number; verdict: RunSummary["verdict"] }[] }[];
  candidates: { side_index: number; rows: Row[]; only_on_one_side: string[] }[];
  differences: { kind: string; path: string; baseline: string; candidate: string; run_id: string }[];
  objections: Objection[];
  cautions: Objection[];
}

/** A request that was not answered as asked, in words for people. */
export class ServerFault extends Error {
  readonly hint: string;
  readonly status: number;

  constructor(message: string, hint: string, status: number) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

/** The server's answer to a request below `/api`; `null` where it has no body. */
export async function ask<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const request: RequestInit = { method, headers: { "x-weir": "1" } };
  if (body !== undefined) {
    request.headers = { "x-weir": "1", "content-type": "application/json" };
    request.body = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch(`/api/${path}`, request);
  } catch {
    throw new ServerFault("the server does not answer", "is `weir serve` still running?", 0);
  }
  const text = await answer.text();
  if (!answer.ok) throw faultOf(text, answer.status);
  return (text === "" ? null : JSON.parse(text)) as T;
}

function faultOf(text: string, status: number): ServerFault {
  try {
    const { error, hint } = JSON.parse(text) as { error?: unknown; hint?: unknown };
    return new ServerFault(String(error ?? text), String(hint ?? ""), status);
  } catch {
    return new ServerFault(text || `status ${status}`, "", status);
  }
}

export const listRuns = (query: string): Promise<{ runs: RunSummary[]; count: number }> => ask(`runs?${query}`);
export const loadRun = (id: string): Promise<RunRecord> => ask(`runs/${encodeURIComponent(id)}`);
export const removeRun = (id: string): Promise<null> => ask(`runs/${encodeURIComponent(id)}`, "DELETE");
export const stopRun = (id: string): Promise<null> => ask(`runs/${encodeURIComponent(id)}/wishes`, "POST", { stop: true });
export const changeRate = (id: string, rate: string): Promise<null> => ask(`runs/${encodeURIComponent(id)}/wishes`, "POST", { rate });

export function compareRuns(ids: readonly string[], force: boolean): Promise<Comparison> {
  const [baseline = "", ...others] = ids.map(encodeURIComponent);
  const candidates = others.map((id) => `&candidate=${id}`).join("");
  return ask(`compare?baseline=${baseline}${candidates}${force ? "&force=1" : ""}`);
}
