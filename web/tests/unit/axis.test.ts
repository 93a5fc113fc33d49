// Marks stand within their axis, in order, and not too many.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clockMarks, linearMarks, linearTop, logMarks, logRange, percentileMarks } from "../../src/charts/axis.ts";
import { percentile } from "../../src/sections/percentiles.ts";

const isAscending = (marks: number[]): boolean => marks.every((mark, index) => index === 0 || mark > marks[index - 1]!);

test("a logarithmic range holds its values and ends on round ones", () => {
  assert.deepEqual(logRange(23_000, 201e6), [20_000, 500e6]);
  assert.deepEqual(logRange(1_000, 1_000), [500, 2_000]);
  for (let power = 0; power < 12; power++) {
    for (const step of [1, 1.3, 2, 4.9, 5, 9.99]) {
      const value = step * 10 ** power;
      const [low, high] = logRange(value, value * 37);
      assert.ok(low <= value * 1.0001 && high >= value * 36.99, `${value}: ${low} to ${high}`);
    }
  }
});

test("marks of time and value", () => {
  assert.deepEqual(logMarks(20_000, 500e6, 8), [1e5, 1e6, 1e7, 1e8]);
  assert.deepEqual(logMarks(1e6, 5e6, 8), [1e6, 2e6, 5e6]);
  assert.deepEqual(clockMarks(0, 24, 8), [0, 5, 10, 15, 20]);
  assert.deepEqual(clockMarks(0, 600, 10), [0, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600]);
  assert.deepEqual(linearMarks(0, 1200, 6), [0, 200, 400, 600, 800, 1000, 1200]);
  assert.equal(linearTop(1000, 5), 1200);
  assert.equal(linearTop(0, 5), 1);
  for (const [low, high] of [[0.1, 0.2], [3, 3.0001], [0, 86_400]] as const) {
    const marks = clockMarks(low, high, 8);
    assert.ok(isAscending(marks) && marks.length <= 10, `${low} to ${high}: ${marks.join(" ")}`);
  }
});

test("percentiles have as many nines as they need", () => {
  assert.deepEqual(percentileMarks(1, 1e4, 1000).map(({ text }) => text), ["min", "50%", "75%", "90%", "95%", "99%", "99.9%", "99.99%"]);
  assert.deepEqual(percentileMarks(1, 1e6, 280).map(({ text }) => text), ["min", "90%", "99%", "99.99%", "99.9999%"]);
  // On a phone: min and 50% would stand on each other.
  assert.deepEqual(percentileMarks(1, 3e3, 240).map(({ text }) => text), ["min", "90%", "99%", "99.9%"]);
  assert.deepEqual([0, 0.5, 0.9, 0.99, 0.999, 0.99931, 0.9999].map(percentile), ["0%", "50%", "90%", "99%", "99.9%", "99.93%", "99.99%"]);
});
