// Points of several runs on one axis: nothing is made up between them, and a line is parted where it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { together } from "../../src/charts/time.ts";
import { type Run, type Selection, rowsOf } from "../../src/model.ts";
import type { RunRecord } from "../../src/record.ts";

test("each run keeps its own values at its own times", () => {
  const lines = [{ x: [0.5, 1.5, 1.6, 2.5], rows: [] }, { x: [0.7, 1.7, 2], rows: [] }];
  const { x, spread } = together(lines);
  assert.deepEqual(x, [0.5, 0.7, 1.5, 1.6, 1.7, 2, 2.5]);
  assert.deepEqual(spread(0, [1, 2, null, 4]), [1, undefined, 2, null, null, null, 4]);
  assert.deepEqual(spread(1, [5, 6, 7]), [undefined, 5, undefined, undefined, 6, 7, undefined]);
});

test("charts share their rows, and a run that goes on has new ones", () => {
  const counts = { due: 1, started: 1, completed: 1, failed: 0, dropped: 0, unstarted: 0, unfinished: 0, censored: 0 };
  const interval = (second: number): object => ({ start_ns: second * 1e9, duration_ns: 1e9, counts });
  const intervals = [interval(0), interval(1)];
  const phase = { name: "steady", kind: "measure", repeat_index: 0, start_ns: 0, duration_ns: 10e9, intervals };
  const run = { record: { phases: [phase] } as unknown as RunRecord } as Run;
  const selection = { phase: "steady", action: null, measure: "response", scale: "log" } as Selection;
  const rows = rowsOf(run, selection);
  assert.equal(rows.length, 2);
  assert.equal(rowsOf(run, { ...selection, measure: "wait", scale: "linear" }), rows);
  intervals.push(interval(2));
  assert.equal(rowsOf(run, selection).length, 3);
});
