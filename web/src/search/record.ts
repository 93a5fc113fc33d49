// What the page of a search carries: `Page` in crates/search/src/page.rs. Times in ns, rates per second; `null` where samples don't carry it.

export type Outcome = "sustained" | "not_sustained" | "client_limited";

/** One trial at a rate. */
export interface SearchPoint {
  number: number;
  kind: string;
  offered_per_sec: number;
  achieved_per_sec: number;
  duration_ns: number;
  p50_ns: number | null;
  p90_ns: number | null;
  p99_ns: number | null;
  p99_9_ns: number | null;
  /** What each objective looks at, in their order. */
  objectives_ns: (number | null)[];
  in_flight_mean: number;
  outcome: Outcome;
  reasons: string[];
}

export interface SearchData {
  kind: "search";
  name: string;
  search_id: string;
  started_unix_ns: number;
  /** Empty for a curve. */
  headline: string;
  lines: [string, string][];
  /** Those that bound a latency. */
  objectives: { expression: string; bound_ns: number }[];
  /** By rising rate. */
  points: SearchPoint[];
  is_curve: boolean;
  knee_per_sec: number | null;
  chosen_per_sec: number | null;
  bound_per_sec: [number, number] | null;
}

/** The search that a page's text carries, in the array where runs would stand. */
export function searchIn(text: string): SearchData | undefined {
  // Runs may be hundreds of megabytes: only what says of itself to be a search is read here.
  if (!/^\s*\[\s*\{\s*"kind"\s*:\s*"search"/.test(text)) return undefined;
  try {
    return (JSON.parse(text) as SearchData[])[0];
  } catch {
    return undefined;
  }
}
