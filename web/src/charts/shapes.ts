// Distributions above each other on one logarithmic axis of time, so that the eye sees which one lies further to the right and by how much.

import { h, svg } from "../dom.ts";
import { type Histogram, binned, histogramOf } from "../histogram.ts";
import type { Latencies, Measure } from "../record.ts";
import { duration, tick } from "../units.ts";
import { logMarks, logRange } from "./axis.ts";
import { span } from "./heat.ts";

export interface Shape {
  name: string;
  measure: Measure;
  of: Latencies;
}

const ROW_HEIGHT = 74;
const BARS_HEIGHT = 46;
const NAME_WIDTH = 74;
const RIGHT = 16;
const BAR_PX = 5;

/** Bars for each distribution, with its median, p90 and p99 marked. It draws itself anew when its width changes. */
export function shapes(all: readonly Shape[]): HTMLElement {
  const place = h("div", {});
  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === width || place.clientWidth < 40) return;
    width = place.clientWidth;
    place.replaceChildren(draw(all, width));
  }).observe(place);
  return place;
}

function draw(all: readonly Shape[], width: number): Element {
  const range = span(all.map(({ of }) => of));
  if (!range) return h("p", { class: "note" }, "The record keeps no distributions of this.");
  const [low, high] = logRange(range[0], Math.max(range[1], range[0] * 1.5));
  const left = width < 520 ? 0 : NAME_WIDTH;
  const plotWidth = width - left - RIGHT;
  const x = (ns: number): number => left + (Math.log10(Math.max(ns, low) / low) / Math.log10(high / low)) * plotWidth;
  const height = all.length * ROW_HEIGHT + 26;
  const marks = logMarks(low, high, plotWidth / 70);
  const grid = marks.flatMap((mark) => [
    svg("line", { class: "grid", x1: x(mark), x2: x(mark), y1: 0, y2: height - 22 }),
    svg("text", { x: x(mark), y: height - 6, "text-anchor": "middle" }, tick(mark)),
  ]);
  const rows = all.flatMap((shape, index) => row(shape, index * ROW_HEIGHT, { low, high, left, plotWidth, x }));
  return svg("svg", { class: "shapes", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words(all) }, ...grid, ...rows);
}

interface Axis {
  low: number;
  high: number;
  left: number;
  plotWidth: number;
  x: (ns: number) => number;
}

function row({ name, measure, of }: Shape, top: number, axis: Axis): SVGElement[] {
  const histogram = histogramOf(of);
  const base = top + 16 + BARS_HEIGHT;
  const parts: SVGElement[] = [
    svg("line", { class: "base", x1: axis.left, x2: axis.left + axis.plotWidth, y1: base, y2: base }),
    axis.left > 0 ? svg("text", { class: "name", x: 0, y: base - 4 }, name) : svg("text", { class: "name", x: 0, y: top + 12 }, name),
  ];
  if (histogram.count === 0) return [...parts, svg("text", { x: axis.left + 4, y: base - 6 }, "nothing measured")];
  parts.push(...bars(histogram, measure, base, axis));
  // From the right, so that the tail keeps its label where there is no room for all.
  let free = axis.left + axis.plotWidth + RIGHT;
  for (const [label, value] of [["p99", of.p99], ["p90", of.p90], ["p50", of.p50]] as const) {
    if (value === null) continue;
    const at = axis.x(value);
    parts.push(svg("line", { class: "mark", x1: at, x2: at, y1: top + 15, y2: base + 3 }));
    const text = `${label} ${duration(value)}`;
    const half = text.length * 3.4;
    const centre = Math.min(free - half, at);
    if (centre - half < (axis.left > 0 ? axis.left : 76) || at - centre > 2 * half) continue;
    free = centre - half - 8;
    parts.push(svg("text", { class: "marked", x: centre, y: top + 11, "text-anchor": "middle" }, text));
  }
  return parts;
}

/** A bar's height is the square root of its share, so that a tail of a thousandth is still seen beside the bulk. */
function bars(histogram: Histogram, measure: Measure, base: number, axis: Axis): SVGElement[] {
  const barCount = Math.max(10, Math.floor(axis.plotWidth / BAR_PX));
  const perDecade = barCount / Math.log10(axis.high / axis.low);
  const counts = binned(histogram, axis.low, barCount, perDecade);
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const width = axis.plotWidth / barCount;
  return [...counts].flatMap((count, bar) => {
    if (count === 0) return [];
    const height = Math.max(1.5, Math.sqrt(count / most) * BARS_HEIGHT);
    return [svg("rect", { class: `fill-${measure}`, x: axis.left + bar * width, y: base - height, width: Math.max(1, width - 1), height })];
  });
}

function words(all: readonly Shape[]): string {
  const one = ({ name, of }: Shape): string =>
    `${name}: median ${of.p50 === null ? "not known" : duration(of.p50)}, p90 ${of.p90 === null ? "not known" : duration(of.p90)}, p99 ${of.p99 === null ? "not known" : duration(of.p99)}, longest ${of.max === null ? "not known" : duration(of.max)}`;
  return `Distributions on a logarithmic axis of time. ${all.map(one).join("; ")}.`;
}
