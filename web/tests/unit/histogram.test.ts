// Histograms against those that `crates/stats` wrote: the same counts, quantiles and refusals. `UPDATE_EXPECT=1 cargo test -p report` makes
// the file anew.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { binned, carries, complete, decode, merged, quantilesNs } from "../../src/histogram.ts";
import { NONE } from "../../src/record.ts";

interface Case {
  name: string;
  histogram: string;
  count: number;
  min: number;
  max: number;
  /** Middle of each bucket with its count. */
  values: [number, number][];
  /** Quantile, its value, and whether the sample carries it. */
  quantiles: [number, number, boolean][];
}

const cases = JSON.parse(readFileSync("../crates/report/tests/it/gold/histograms.json", "utf8")) as Case[];

test("buckets are read as they were written", () => {
  assert.ok(cases.length >= 5);
  for (const { name, histogram, count, values } of cases) {
    const read = decode(histogram);
    assert.equal(read.count, count, name);
    const middles = [...read.counts].map((n, index): [number, number] => {
      const width = read.highNs[index]! - read.lowNs[index]! + 1;
      return [read.lowNs[index]! + Math.floor(width / 2), n];
    });
    assert.deepEqual(middles, values, name);
  }
});

test("quantiles are the record's own", () => {
  for (const { name, histogram, min, max, quantiles } of cases) {
    const read = decode(histogram);
    const values = quantilesNs(read, { ...NONE, min, max }, quantiles.map(([quantile]) => quantile));
    assert.deepEqual(values, quantiles.map(([, value]) => value), name);
    for (const [quantile, , isCarried] of quantiles) assert.equal(carries(read.count, quantile), isCarried, `${name} ${quantile}`);
  }
});

test("figures left out of a distribution are worked out, and those that nothing carries are not", () => {
  for (const { name, histogram, count, min, max, quantiles } of cases) {
    const full = complete({ count, min, max, mean: 1, histogram });
    const p90 = quantiles.find(([quantile]) => quantile === 0.9)!;
    assert.equal(full.p90, p90[2] ? p90[1] : null, name);
  }
  assert.equal(complete(undefined), NONE);
});

test("merging and binning lose nothing", () => {
  const all = cases.map(({ histogram }) => decode(histogram));
  const total = all.reduce((sum, { count }) => sum + count, 0);
  const whole = merged(all);
  assert.equal(whole.count, total);
  assert.equal(whole.counts.reduce((a, b) => a + b, 0), total);
  assert.ok(whole.lowNs.every((low, index) => index === 0 || low > whole.lowNs[index - 1]!));
  assert.equal(binned(whole, 1, 100, 10).reduce((a, b) => a + b, 0), total);
});

test("what is no histogram is refused", () => {
  const [first] = cases;
  for (const text of ["", "AAAA", "HISTFAAAAAA=", first!.histogram.slice(0, 40), btoa("x".repeat(60))]) assert.throws(() => decode(text), Error);
});
