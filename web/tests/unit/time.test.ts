// Points of several runs on one axis: nothing is made up between them, and a line is parted where it was.

import assert from "node:assert/strict";
import { test } from "node:test";
import { together } from "../../src/charts/time.ts";

test("each run keeps its own values at its own times", () => {
  const lines = [{ x: [0.5, 1.5, 1.6, 2.5], rows: [] }, { x: [0.7, 1.7, 2], rows: [] }];
  const { x, spread } = together(lines);
  assert.deepEqual(x, [0.5, 0.7, 1.5, 1.6, 1.7, 2, 2.5]);
  assert.deepEqual(spread(0, [1, 2, null, 4]), [1, undefined, 2, null, null, null, 4]);
  assert.deepEqual(spread(1, [5, 6, 7]), [undefined, 5, undefined, undefined, 6, 7, undefined]);
});
