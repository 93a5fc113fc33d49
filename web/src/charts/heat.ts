// A heat map: how many ended in each stretch of time and each stretch of latency. Where lines of percentiles say that there is a tail, this
// says what it is made of: two modes, a stall, a drift.

import type uPlot from "uplot";
import { h, table } from "../dom.ts";
import { type Histogram, binned, histogramOf } from "../histogram.ts";
import { type Row, type Run, type View, rowHistogram, rowsOf, sideless } from "../model.ts";
import type { Latencies } from "../record.ts";
import { theme } from "../theme.ts";
import { clock, count, duration, ratio, tick } from "../units.ts";
import { logRange } from "./axis.ts";
import { chart } from "./plot.ts";
import { TIME_GROUP, type Timeline, phaseShades, timeAxis, timeline } from "./time.ts";

/** Stretches of latency to a power of ten: each is an eighth wider than the last. */
const PER_DECADE = 20;

interface Heat {
  line: Timeline;
  histograms: (Histogram | null)[];
  /** Counts by row and stretch of latency. */
  cells: (Float64Array | null)[];
  lowNs: number;
  highNs: number;
  binCount: number;
  most: number;
}

/** A map for each run, all to the same scales; words where a record has no histograms per interval. */
export function heatCharts(view: View): HTMLElement[] {
  const { measure } = view.selection;
  const lines = view.runs.map((run) => timeline(rowsOf(run, view.selection)));
  const filled = lines.map((line) => line.rows.map((row) => (row ? rowHistogram(row, measure) : null)));
  const scale = scaleOf(filled.flat());
  return view.runs.map((run, index) => heatChart(view, run, scale && heatOf(lines[index]!, filled[index]!, scale)));
}

function heatChart(view: View, run: Run, heat: Heat | undefined): HTMLElement {
  const { measure, phase, action } = view.selection;
  const title = `Distribution of ${measure} times${action === null ? "" : ` of ${action}`}${run.letter ? `: ${run.title}` : ""}`;
  if (!heat) return h("p", { class: "note" }, `${title}: the record keeps no histograms of its intervals.`);
  const edge = (value: number): (number | null)[] => heat.line.x.map(() => value);
  const silent = { color: "transparent", width: 0, isSilent: true, format: duration };
  return chart({
    title, note: "Each column is an interval. The darker or stronger the colour, the more ended with that latency; a single slow one is seen, too.",
    height: 280, x: timeAxis(heat.line, view.runs), group: TIME_GROUP,
    y: { kind: "log", head: "latency", mark: tick, min: heat.lowNs, max: heat.highNs },
    lines: [{ name: "", values: edge(heat.lowNs), ...silent }, { name: "", values: edge(heat.highNs), ...silent }],
    behind: phaseShades(sideless(run.record, phase), phase),
    over: (plot) => paint(plot, heat),
    extra: (plot, index) => under(plot, heat, index),
    key: ramp(heat.most),
    numbers: () => numbers(title, heat),
  });
}

type Scale = Pick<Heat, "lowNs" | "highNs" | "binCount">;

/** The stretch of latency that holds all histograms; undefined where there are none. */
function scaleOf(all: readonly (Histogram | null)[]): Scale | undefined {
  const filled = all.filter((histogram): histogram is Histogram => histogram !== null && histogram.count > 0);
  if (filled.length === 0) return undefined;
  const least = filled.reduce((min, histogram) => Math.min(min, histogram.lowNs[0]!), Infinity);
  const greatest = filled.reduce((max, histogram) => Math.max(max, histogram.highNs.at(-1)!), 0);
  const [lowNs, highNs] = logRange(Math.max(1, least), Math.max(greatest, least * 1.5, 2));
  return { lowNs, highNs, binCount: Math.ceil(Math.log10(highNs / lowNs) * PER_DECADE) };
}

function heatOf(line: Timeline, histograms: (Histogram | null)[], scale: Scale): Heat | undefined {
  if (histograms.every((histogram) => histogram === null || histogram.count === 0)) return undefined;
  const cells = histograms.map((histogram) => (histogram ? binned(histogram, scale.lowNs, scale.binCount, PER_DECADE) : null));
  const most = cells.reduce((max, bins) => Math.max(max, bins ? bins.reduce((a, b) => Math.max(a, b), 0) : 0), 1);
  return { line, histograms, cells, ...scale, most };
}

function binLow(heat: Heat, bin: number): number {
  return heat.lowNs * 10 ** (bin / PER_DECADE);
}

/** Colours from one to the most, by the logarithm of the count: the rare ones are what one looks for. */
function palette(stops: readonly string[], steps: number): string[] {
  const rgb = stops.map((hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));
  return Array.from({ length: steps }, (_, step) => {
    const place = (step / (steps - 1)) * (rgb.length - 1);
    const [from, to] = [rgb[Math.floor(place)]!, rgb[Math.min(rgb.length - 1, Math.floor(place) + 1)]!];
    const mixed = from.map((value, channel) => Math.round(value + (to[channel]! - value) * (place % 1)));
    return `rgb(${mixed.join(",")})`;
  });
}

function paint(plot: uPlot, heat: Heat): void {
  const { ctx, bbox } = plot;
  const colors = palette(theme().heat, 32);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const edges = Array.from({ length: heat.binCount + 1 }, (_, bin) => Math.round(plot.valToPos(binLow(heat, bin), "y", true)));
  heat.cells.forEach((bins, index) => {
    const row = heat.line.rows[index];
    if (!bins || !row) return;
    const left = Math.round(plot.valToPos(row.startNs / 1e9, "x", true));
    const right = Math.max(left + 1, Math.round(plot.valToPos((row.startNs + row.durationNs) / 1e9, "x", true)));
    for (let bin = 0; bin < bins.length; bin++) {
      const here = bins[bin]!;
      if (here === 0) continue;
      ctx.fillStyle = colors[Math.round((Math.log1p(here) / Math.log1p(heat.most)) * (colors.length - 1))]!;
      const [bottom, top] = [edges[bin]!, edges[bin + 1]!];
      ctx.fillRect(left, top, right - left, Math.max(1, bottom - top));
    }
  });
  ctx.restore();
}

/** What is under the cursor. */
function under(plot: uPlot, heat: Heat, index: number | null): string {
  const top = plot.cursor.top ?? -1;
  const [bins, histogram] = index === null ? [null, null] : [heat.cells[index], heat.histograms[index]];
  if (!bins || !histogram || top < 0) return "";
  const bin = Math.floor(Math.log10(plot.posToVal(top, "y") / heat.lowNs) * PER_DECADE);
  const here = bins[bin];
  if (here === undefined) return `${count(histogram.count)} in all`;
  return `${tick(binLow(heat, bin))} to ${tick(binLow(heat, bin + 1))}: ${count(here)} of ${count(histogram.count)} (${ratio(here / Math.max(1, histogram.count))})`;
}

function ramp(most: number): HTMLElement {
  const steps = [0, 1, 2, 3, 4].map((step) => h("i", { class: `h-${step}` }));
  return h("span", { class: "ramp" }, "1", ...steps, `${count(most)} at a time`);
}

/** The map in half decades of latency. */
function numbers(title: string, heat: Heat): HTMLElement {
  const bounds: number[] = [];
  for (let power = Math.floor(Math.log10(heat.lowNs)); 10 ** power < heat.highNs; power++) bounds.push(10 ** power, 3 * 10 ** power);
  const limits = [...bounds.filter((bound) => bound > heat.lowNs && bound < heat.highNs), Infinity];
  const sum = (histogram: Histogram, from: number, to: number): number => {
    let total = 0;
    for (let at = 0; at < histogram.counts.length; at++) {
      const middle = (histogram.lowNs[at]! + histogram.highNs[at]!) / 2;
      if (middle >= from && middle < to) total += histogram.counts[at]!;
    }
    return total;
  };
  const rows = heat.line.rows.flatMap((row, index) => {
    const histogram = heat.histograms[index];
    return row && histogram && histogram.count > 0 ? [{ row, histogram }] : [];
  });
  type Entry = { row: Row; histogram: Histogram };
  return table(title, [
    { head: "from", cell: ({ row }: Entry) => clock(Math.round(row.startNs / 1e7) / 100) },
    ...limits.map((limit, index) => ({
      head: limit === Infinity ? `${tick(limits.at(-2) ?? heat.lowNs)} and more` : `below ${tick(limit)}`,
      cell: ({ histogram }: Entry) => count(sum(histogram, limits[index - 1] ?? 0, limit)),
    })),
  ], rows);
}

/** Least and greatest value of distributions, for an axis that they share. */
export function span(of: readonly Latencies[]): [number, number] | undefined {
  const histograms = of.map(histogramOf).filter((histogram) => histogram.count > 0);
  if (histograms.length === 0) return undefined;
  return [Math.max(1, Math.min(...histograms.map(({ lowNs }) => lowNs[0]!))), Math.max(...histograms.map(({ highNs }) => highNs.at(-1)!))];
}

