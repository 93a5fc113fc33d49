// Histograms of times in ns, read from HdrHistogram's V2 compressed form (base64) as `crates/stats/src/histogram.rs` writes it.
//
// Only the buckets that hold something are kept. Quantiles follow the same rule as the record's own: rank ⌈quantile × count⌉, the
// greatest value of that bucket, within the exact minimum and maximum.

import { inflate } from "./inflate.ts";
import { type Distribution, type Latencies, NONE, QUANTILES } from "./record.ts";

/** A quantile is carried by a sample only when at least so many values lie beyond it. */
export const SAMPLES_BEYOND_MIN = 10;

/** HdrHistogram's marks of the two layers of the V2 form; the 0x10 says that counts are packed. */
const COOKIE_COMPRESSED = 0x1c849314;
const COOKIE = 0x1c849313;
const HEADER_BYTES = 40;
/** Greatest number of buckets: an hour in ns with three digits has 67,000. */
const BUCKETS_MAX = 1 << 22;

export interface Histogram {
  /** Least value of each bucket that holds something, ascending, ns. */
  lowNs: Float64Array;
  /** Greatest value of each. */
  highNs: Float64Array;
  /** How many values are in each. */
  counts: Float64Array;
  /** How many there are in all. */
  count: number;
}

export const EMPTY: Histogram = {
  lowNs: new Float64Array(), highNs: new Float64Array(), counts: new Float64Array(), count: 0,
};

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Reads the serialised form; throws where it is none. */
export function decode(base64: string): Histogram {
  const outer = bytesOf(base64);
  const head = new DataView(outer.buffer);
  if (outer.length < 8 || head.getUint32(0) !== COOKIE_COMPRESSED) throw new Error("no compressed V2 histogram");
  const inner = inflate(outer.subarray(8, 8 + head.getUint32(4)));
  const view = new DataView(inner.buffer, inner.byteOffset, inner.byteLength);
  if (inner.length < HEADER_BYTES || view.getUint32(0) !== COOKIE) throw new Error("no V2 histogram");
  const end = HEADER_BYTES + view.getUint32(4);
  const digits = view.getUint32(12);
  const lowest = Number(view.getBigUint64(16));
  if (end > inner.length || digits > 5 || lowest < 1) throw new Error("a V2 histogram with a broken head");
  return unpack(inner.subarray(HEADER_BYTES, end), new Layout(digits, lowest));
}

/** Which values a bucket stands for: sub-buckets of equal width within powers of two (HdrHistogram's own layout). */
class Layout {
  private readonly unit: number;
  private readonly half: number;

  constructor(digits: number, lowest: number) {
    this.unit = 2 ** Math.floor(Math.log2(lowest));
    this.half = 2 ** Math.ceil(Math.log2(2 * 10 ** digits)) / 2;
  }

  /** Least value and width of the bucket at `index`. */
  at(index: number): [number, number] {
    const bucket = Math.floor(index / this.half) - 1;
    if (bucket < 0) return [index * this.unit, this.unit];
    const width = this.unit * 2 ** bucket;
    return [((index % this.half) + this.half) * width, width];
  }
}

/** Counts are ZigZag numbers in LEB128 of at most nine bytes; a negative one is a run of empty buckets. */
function unpack(packed: Uint8Array, layout: Layout): Histogram {
  const [lowNs, highNs, counts]: [number[], number[], number[]] = [[], [], []];
  let [index, count, at] = [0, 0, 0];
  while (at < packed.length) {
    let [value, scale] = [0, 1];
    for (let place = 0; ; place++) {
      const byte = packed[at++];
      if (byte === undefined) throw new Error("a histogram whose counts end too early");
      // The ninth byte has no mark of its own: all its bits count.
      value += (place === 8 ? byte : byte & 127) * scale;
      scale *= 128;
      if (place === 8 || byte < 128) break;
    }
    if (value % 2 === 1) {
      index += (value + 1) / 2;
    } else {
      if (value > 0) {
        const [low, width] = layout.at(index);
        lowNs.push(low);
        highNs.push(low + width - 1);
        counts.push(value / 2);
        count += value / 2;
      }
      index += 1;
    }
    if (index > BUCKETS_MAX) throw new Error("a histogram of too many buckets");
  }
  return { lowNs: Float64Array.from(lowNs), highNs: Float64Array.from(highNs), counts: Float64Array.from(counts), count };
}

const decoded = new WeakMap<Latencies, Histogram>();

/** The histogram of a record's latencies, decoded once; an empty one where there is none or it can't be read. */
export function histogramOf(of: Latencies): Histogram {
  const known = decoded.get(of);
  if (known) return known;
  let histogram = EMPTY;
  if (of.histogram) {
    try {
      histogram = decode(of.histogram);
    } catch (error) {
      console.warn("a histogram of this record can't be read:", error);
    }
  }
  decoded.set(of, histogram);
  return histogram;
}

/** Whether at least ten values lie beyond the quantile. */
export function carries(count: number, quantile: number): boolean {
  // A billionth of slack: 10 000 × (1 − 0.999) is 9.999… in binary.
  return count * (1 - quantile) >= SAMPLES_BEYOND_MIN - 1e-6;
}

/** The values at ascending quantiles (0 to 1), ns; null where the histogram is empty. */
export function quantilesNs(histogram: Histogram, of: Latencies, quantiles: ArrayLike<number>): (number | null)[] {
  const values: (number | null)[] = [];
  let [bucket, below] = [0, 0];
  for (let index = 0; index < quantiles.length; index++) {
    if (histogram.count === 0) {
      values.push(null);
      continue;
    }
    const rank = Math.max(1, Math.ceil(quantiles[index]! * histogram.count));
    while (bucket < histogram.counts.length - 1 && below + histogram.counts[bucket]! < rank) below += histogram.counts[bucket++]!;
    // The least of all is the least value of its bucket.
    const value = quantiles[index] === 0 ? histogram.lowNs[bucket]! : histogram.highNs[bucket]!;
    values.push(Math.max(of.min ?? 0, Math.min(of.max ?? Infinity, value)));
  }
  return values;
}

const completed = new WeakMap<Distribution, Latencies>();

/** The figures that follow from a histogram, as a record's own latencies have them. */
export function complete(of: Distribution | undefined): Latencies {
  if (!of || of.count === 0) return NONE;
  const known = completed.get(of);
  if (known) return known;
  const latencies: Latencies = { ...NONE, ...of };
  const histogram = histogramOf(latencies);
  const values = quantilesNs(histogram, latencies, QUANTILES.map(({ quantile }) => quantile));
  QUANTILES.forEach(({ key, quantile }, index) => {
    latencies[key] = carries(of.count, quantile) ? values[index]! : null;
  });
  completed.set(of, latencies);
  return latencies;
}

/** The latencies of several stretches together, as a record's own would have them. */
export function combined(parts: readonly Latencies[]): Latencies {
  const filled = parts.filter((part) => part.count > 0);
  if (filled.length === 0) return NONE;
  const count = filled.reduce((sum, part) => sum + part.count, 0);
  const share = (value: (part: Latencies) => number): number => filled.reduce((sum, part) => sum + (value(part) * part.count) / count, 0);
  const mean = share((part) => part.mean ?? 0);
  // The mean of squares is that of the parts: E[x²] = σ² + μ².
  const squares = share((part) => (part.stdev ?? 0) ** 2 + (part.mean ?? 0) ** 2);
  const latencies: Latencies = {
    ...NONE, count, mean: Math.round(mean), stdev: Math.round(Math.sqrt(Math.max(0, squares - mean ** 2))),
    min: Math.min(...filled.map((part) => part.min ?? Infinity)), max: Math.max(...filled.map((part) => part.max ?? 0)),
  };
  const histogram = merged(filled.map(histogramOf));
  decoded.set(latencies, histogram);
  const values = quantilesNs(histogram, latencies, QUANTILES.map(({ quantile }) => quantile));
  QUANTILES.forEach(({ key, quantile }, index) => { latencies[key] = carries(count, quantile) ? values[index]! : null; });
  return latencies;
}

/** Several histograms together. */
export function merged(histograms: readonly Histogram[]): Histogram {
  const filled = histograms.filter((histogram) => histogram.count > 0);
  const [only] = filled;
  if (only && filled.length === 1) return only;
  const sums = new Map<number, [number, number]>();
  for (const { lowNs, highNs, counts } of filled) {
    for (let index = 0; index < counts.length; index++) {
      const sum = sums.get(lowNs[index]!);
      if (sum) sum[1] += counts[index]!;
      else sums.set(lowNs[index]!, [highNs[index]!, counts[index]!]);
    }
  }
  const rows = [...sums].sort(([a], [b]) => a - b);
  return {
    lowNs: Float64Array.from(rows, ([low]) => low),
    highNs: Float64Array.from(rows, ([, [high]]) => high),
    counts: Float64Array.from(rows, ([, [, count]]) => count),
    count: filled.reduce((sum, histogram) => sum + histogram.count, 0),
  };
}

/** Sums of counts in bins with a constant ratio of width, from `lowNs` on, `perDecade` bins to a power of ten. */
export function binned(histogram: Histogram, lowNs: number, binCount: number, perDecade: number): Float64Array {
  const bins = new Float64Array(binCount);
  const start = Math.log10(lowNs);
  for (let index = 0; index < histogram.counts.length; index++) {
    const middle = (histogram.lowNs[index]! + histogram.highNs[index]!) / 2;
    const bin = Math.floor((Math.log10(Math.max(middle, 1)) - start) * perDecade);
    bins[Math.max(0, Math.min(binCount - 1, bin))]! += histogram.counts[index]!;
  }
  return bins;
}
