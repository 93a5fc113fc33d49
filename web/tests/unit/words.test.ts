// What the page says in words, and which phase it shows first, follows from the record.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Run, phaseToShow } from "../../src/model.ts";
import type { PhaseRecord, RunRecord } from "../../src/record.ts";
import { hasRate } from "../../src/sections/rate.ts";
import { omissionWords } from "../../src/sections/verdict.ts";

/** A phase whose response times are those of its service times with so much on top at p90. */
function phase(factor: number): PhaseRecord {
  const times = { count: 1000, p50: 100_000, p75: null, p90: 200_000, p95: null, p99: 400_000, p99_9: null, p99_99: null };
  return { load_model: "open", service_ns: times, response_ns: { ...times, p90: 200_000 * factor } } as unknown as PhaseRecord;
}

test("response and service time are said to agree only where they do", () => {
  assert.match(omissionWords(phase(1.04)), /agree at every percentile/);
  assert.match(omissionWords(phase(1.21)), /at most 21% apart, at p90: 242 µs and 200 µs/);
  assert.match(omissionWords(phase(3)), /p90 would read 200 µs; who was due on time waited 600 µs, 3\.0 times as long/);
});

test("the phase that missed an objective is shown first", () => {
  const record = (missed: string | null): RunRecord => ({
    phases: ["steady", "rise"].map((name) => ({ name, kind: "measure", repeat_index: 0 })),
    slos: ["steady", "rise"].map((name) => ({ phase: name, ok: name !== missed })),
  }) as unknown as RunRecord;
  const first = (missed: string | null): string => phaseToShow([{ record: record(missed) } as Run]);
  assert.deepEqual([first(null), first("steady"), first("rise")], ["steady", "steady", "rise"]);
});

test("the piece that a run leaves when it is cut short has no rate", () => {
  const of = { intervals: [{ duration_ns: 1e9 }, { duration_ns: 11e6 }] } as unknown as PhaseRecord;
  assert.deepEqual([1e9, 4e8, 11e6, 0].map((durationNs) => hasRate({ phase: of, durationNs })), [true, true, false, false]);
  const short = { intervals: [{ duration_ns: 50e6 }] } as unknown as PhaseRecord;
  assert.ok(hasRate({ phase: short, durationNs: 50e6 }));
});
