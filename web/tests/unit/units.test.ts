// Quantities against what the command prints. `UPDATE_EXPECT=1 cargo test -p report` makes the file anew.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as units from "../../src/units.ts";

type Printed = Record<"duration" | "count" | "perSec" | "ratio" | "size", [number, string][]>;
const printed = JSON.parse(readFileSync("../crates/report/tests/it/gold/quantities.json", "utf8")) as Printed;

test("quantities read as the command prints them", () => {
  for (const kind of ["duration", "count", "perSec", "ratio", "size"] as const) {
    assert.ok(printed[kind].length > 20, kind);
    for (const [value, text] of printed[kind]) assert.equal(units[kind](value), text, `${kind} of ${value}`);
  }
});

test("marks of axes are short", () => {
  assert.deepEqual([0, 500, 20e3, 1e6, 1.5e9].map(units.tick), ["0", "500 ns", "20 µs", "1 ms", "1.5 s"]);
  assert.deepEqual([0, 0.5, 45, 125, 3725].map(units.clock), ["0s", "0.5s", "45s", "2:05", "1:02:05"]);
  assert.deepEqual([0, 999, 20_000, 1_500_000].map(units.short), ["0", "999", "20k", "1.5M"]);
});
