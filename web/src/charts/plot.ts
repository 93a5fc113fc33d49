// One chart: title, a line on what it shows, legend with the values under the cursor, the plot, and the same numbers as a table.
//
// uPlot draws lines, axes and cursor; all words stand outside its canvas as text. Charts with the same `group` share cursor and zoom.

import uPlot from "uplot";
import { details, freshId, h, svg, table } from "../dom.ts";
import { font, theme } from "../theme.ts";
import { clock, short } from "../units.ts";
import { clockMarks, linearMarks, linearTop, logMarks, logRange, percentileMarks } from "./axis.ts";

/** `null`: not known, and lines break there; `undefined`: not looked for, and lines go on. */
export type Values = (number | null | undefined)[];

export interface Line {
  name: string;
  values: Values;
  color: string;
  dash?: number[];
  /** In px; 0 draws nothing, for edges of bands and lines that `over` draws. */
  width?: number;
  fill?: string;
  /** Holds its value until the next one. */
  stepped?: boolean;
  /** Drawn as dots. */
  dots?: boolean;
  /** Left out of legend and table. */
  isSilent?: boolean;
  format: (value: number) => string;
}

/** An area between two lines, by their places in `lines`. */
export interface Band {
  upper: number;
  lower: number;
  color: string;
}

export interface Spec {
  title: string;
  /** What is to be seen, in words; also what a screen reader hears. */
  note: string;
  height: number;
  x: { kind: "time" | "percentile" | "rate"; values: number[]; min: number; max: number; head: string; format: (value: number, index: number) => string };
  y: { kind: "log" | "linear"; head: string; mark: (value: number) => string; min?: number; max?: number };
  lines: Line[];
  bands?: Band[];
  behind?: (plot: uPlot) => void;
  over?: (plot: uPlot) => void;
  /** What the legend says besides the lines' values, at the cursor. */
  extra?: (plot: uPlot, index: number | null) => string;
  group?: string;
  /** More in the legend, such as a scale of colours. */
  key?: Node;
  /** In place of a table of the lines' values. */
  numbers?: () => HTMLElement;
}

interface Shown {
  element: HTMLElement;
  plot: uPlot | undefined;
  observer: ResizeObserver;
}

const shown = new Set<Shown>();
/** What part of the common axis is looked at, by group. */
const zooms = new Map<string, [number, number]>();

/** Ends the charts in an element that is about to go. */
export function endCharts(inside: Element): void {
  for (const chart of shown) {
    if (!inside.contains(chart.element)) continue;
    chart.observer.disconnect();
    chart.plot?.destroy();
    // What is removed with the focus in it is told that it lost it.
    chart.plot = undefined;
    shown.delete(chart);
  }
}

/** Ratio of a canvas's pixels to those of the style sheet. */
export const PX = (): number => window.devicePixelRatio || 1;

export function chart(spec: Spec): HTMLElement {
  const titleId = freshId("chart");
  const noteId = freshId("note");
  const legend = new Legend(spec);
  const stage = h("div", {
    class: "stage", tabindex: 0, "data-key": `chart ${spec.title}`, role: "img", "aria-labelledby": titleId, "aria-describedby": noteId,
  });
  stage.style.height = `${spec.height}px`;
  const figure = h("figure", { class: "chart" },
    h("figcaption", {}, h("h3", { id: titleId }, spec.title), h("p", { id: noteId, class: "note" }, spec.note)),
    legend.element, stage, details("Show as a table", spec.title, spec.numbers ?? (() => numbers(spec))));
  const state: Shown = {
    element: figure,
    plot: undefined,
    observer: new ResizeObserver(() => {
      const width = Math.floor(stage.clientWidth);
      if (width < 40) return;
      if (!state.plot) state.plot = make(spec, stage, width, legend);
      else if (state.plot.width !== width) state.plot.setSize({ width, height: spec.height });
    }),
  };
  state.observer.observe(stage);
  stage.addEventListener("keydown", (event) => walk(event, state.plot, spec));
  stage.addEventListener("blur", () => state.plot?.setCursor({ left: -10, top: -10 }));
  shown.add(state);
  return figure;
}

/** The cursor by keys: a step, ten with Shift, the ends; Escape shows all again. */
function walk(event: KeyboardEvent, plot: uPlot | undefined, spec: Spec): void {
  if (!plot) return;
  const last = spec.x.values.length - 1;
  const here = plot.cursor.idx;
  const step = event.shiftKey ? 10 : 1;
  const to: Record<string, number> = {
    ArrowRight: here == null ? 0 : here + step, ArrowLeft: here == null ? last : here - step, Home: 0, End: last,
  };
  const index = to[event.key];
  if (event.key === "Escape") reset(spec, plot);
  if (index === undefined) return;
  event.preventDefault();
  const at = spec.x.values[Math.max(0, Math.min(last, index))];
  if (at !== undefined) plot.setCursor({ left: plot.valToPos(at, "x"), top: plot.over.clientHeight / 2 });
}

function reset(spec: Spec, plot: uPlot): void {
  zooms.delete(spec.group ?? "");
  const group = spec.group ? uPlot.sync(spec.group).plots : [plot];
  for (const one of group) one.setScale("x", { min: spec.x.min, max: spec.x.max });
}

/** A sample of each line with its name and its value under the cursor. */
class Legend {
  readonly element: HTMLElement;
  private readonly place = h("span", { class: "place" });
  private readonly values: [Line, HTMLElement][];
  private readonly spec: Spec;

  constructor(spec: Spec) {
    this.spec = spec;
    const lines = spec.lines.filter((line) => !line.isSilent);
    this.values = lines.map((line) => [line, h("b", {})]);
    const items = this.values.map(([line, value]) => h("span", { class: "item" }, sample(line), line.name, " ", value));
    this.element = h("div", { class: "legend", "aria-live": "polite" }, ...items, spec.key ?? null, this.place);
  }

  at(plot: uPlot, index: number | null): void {
    const { x } = this.spec;
    const value = index === null ? undefined : x.values[index];
    const extra = this.spec.extra?.(plot, index) ?? "";
    this.place.textContent = value === undefined || index === null ? "" : `${x.format(value, index)}${extra && `: ${extra}`}`;
    for (const [line, element] of this.values) {
      const here = index === null ? null : nearest(line.values, index);
      element.textContent = here == null ? "" : line.format(here);
    }
  }
}

/** A line's value at a point, or where the point is another line's at its own last one before. */
function nearest(values: Values, index: number): number | null {
  let at = index;
  while (at > 0 && values[at] === undefined) at--;
  return values[at] ?? null;
}

/** A short piece of the line as it is drawn. */
export function sample(line: Pick<Line, "color" | "dash" | "width" | "fill" | "dots">): SVGSVGElement {
  const stroke = { stroke: line.color, "stroke-width": line.width ?? 2, "stroke-dasharray": line.dash?.join(" ") };
  return svg("svg", { class: "sample", width: 22, height: 10, "aria-hidden": "true" },
    line.fill ? svg("rect", { width: 22, height: 10, fill: line.fill }) : null,
    line.dots ? svg("circle", { cx: 11, cy: 5, r: 3, fill: line.color }) : svg("line", { x1: 0, y1: 5, x2: 22, y2: 5, ...stroke }));
}

/** The same as the lines, for those who read rather than look. */
function numbers(spec: Spec): HTMLElement {
  const lines = spec.lines.filter((line) => !line.isSilent);
  const rows = spec.x.values.map((_, index) => index).filter((index) => lines.some((line) => line.values[index] != null));
  return table(spec.title, [
    { head: spec.x.head, cell: (index: number) => spec.x.format(spec.x.values[index]!, index) },
    ...lines.map((line) => ({
      head: line.name,
      cell: (index: number) => {
        const value = line.values[index];
        return value == null ? "–" : line.format(value);
      },
    })),
  ], rows);
}

function make(spec: Spec, stage: HTMLElement, width: number, legend: Legend): uPlot {
  const colors = theme();
  const zoom = zooms.get(spec.group ?? "");
  const options: uPlot.Options = {
    width,
    height: spec.height,
    // The last mark's text reaches to the right of its place: of an hour, `1:00:00`, further than of less.
    padding: [spec.x.kind === "percentile" ? 8 : 20, spec.x.kind === "time" && spec.x.max >= 3600 ? 28 : 14, 0, 0],
    legend: { show: false },
    scales: { x: { time: false, ...(spec.x.kind === "percentile" ? { distr: 3 as const } : {}), range: (_, low, high) => [low, high] }, y: yScale(spec) },
    axes: axes(spec),
    series: [{}, ...spec.lines.map(series)],
    bands: (spec.bands ?? []).map(({ upper, lower, color }) => ({ series: [upper + 1, lower + 1] as [number, number], fill: color })),
    cursor: {
      ...(spec.group ? { sync: { key: spec.group, scales: ["x", null] as [string, null] } } : {}),
      y: false,
      points: { size: 7, width: 2, stroke: (_, index) => spec.lines[index - 1]?.color ?? colors.ink, fill: colors.paper, show: (_, index) => pointAt(spec.lines[index - 1]) as HTMLElement },
      drag: { x: spec.x.kind === "time", y: false, dist: 6 },
      bind: { dblclick: (plot) => () => (reset(spec, plot), null) },
    },
    hooks: {
      drawClear: spec.behind ? [spec.behind] : [],
      draw: spec.over ? [spec.over] : [],
      setCursor: [(plot) => legend.at(plot, plot.cursor.idx ?? null)],
      setScale: [(plot, key) => {
        const { min, max } = plot.scales["x"]!;
        if (key !== "x" || spec.x.kind !== "time" || min == null || max == null) return;
        if (min <= spec.x.min && max >= spec.x.max) zooms.delete(spec.group ?? "");
        else zooms.set(spec.group ?? "", [min, max]);
      }],
    },
  };
  const data: uPlot.AlignedData = [spec.x.values, ...spec.lines.map((line) => line.values)];
  const plot = new uPlot(options, data, stage);
  const [min, max] = zoom ?? [spec.x.min, spec.x.max];
  plot.setScale("x", { min, max });
  return plot;
}

/** Dots at the cursor only where something is drawn. (uPlot makes none for `false`, which its types don't say.) */
function pointAt(line: Line | undefined): HTMLElement | false {
  return line && (line.width ?? 2) > 0 ? h("div") : false;
}

function series(line: Line): uPlot.Series {
  const paths = line.stepped ? uPlot.paths.stepped?.({ align: 1 }) : uPlot.paths.linear?.();
  return {
    scale: "y",
    stroke: line.color,
    width: line.dots ? 0 : (line.width ?? 2),
    ...(line.dash && line.dash.length > 0 ? { dash: line.dash } : {}),
    ...(line.fill ? { fill: line.fill } : {}),
    ...(paths ? { paths } : {}),
    spanGaps: false,
    gaps: (_plot, _series, _from, _to, gaps) => widened(gaps as [number, number][]),
    points: { show: true, size: line.dots ? 5 : 4, fill: line.color, width: 0, filter: () => (line.dots ? null : alone(line)) },
  };
}

/** Values with none beside them, which no line would show. */
function alone(line: Line): number[] {
  if ((line.width ?? 2) === 0) return [];
  const own = line.values.flatMap((value, index) => (value === undefined ? [] : [index]));
  return own.filter((index, place) => line.values[index] != null && [own[place - 1], own[place + 1]].every((other) => other === undefined || line.values[other] === null));
}

/** Gaps a little wider: the line across a gap is drawn and cut out, and where it is steep a rest of it would stand at either end. */
function widened(gaps: readonly [number, number][]): [number, number][] {
  const wide: [number, number][] = [];
  for (const [from, to] of gaps) {
    const [left, right] = [from - PX(), to + PX()];
    const last = wide.at(-1);
    if (last && left <= last[1]) last[1] = Math.max(last[1], right);
    else wide.push([left, right]);
  }
  return wide;
}

function yScale(spec: Spec): uPlot.Scale {
  const values = spec.lines.flatMap((line) => line.values.filter((value): value is number => value != null));
  if (spec.y.kind === "log") {
    const positive = values.filter((value) => value > 0);
    const least = spec.y.min ?? Math.min(...positive);
    const greatest = spec.y.max ?? Math.max(...positive);
    const [low, high] = Number.isFinite(least) && Number.isFinite(greatest) ? logRange(least, greatest) : [1, 10];
    return { distr: 3, range: () => [low, high] };
  }
  const top = spec.y.max ?? linearTop(values.reduce((most, value) => Math.max(most, value), 0), 5);
  return { range: () => [spec.y.min ?? 0, top] };
}

function axes(spec: Spec): uPlot.Axis[] {
  const colors = theme();
  const look = {
    stroke: colors.muted, font: font(12), ticks: { show: false },
    grid: { stroke: colors.grid, width: 1 },
  };
  const marks = (plot: uPlot): { at: number; text: string }[] => {
    const { min, max } = plot.scales["x"]!;
    const [low, high] = [min ?? 0, max ?? 1];
    const width = plot.bbox.width / PX();
    if (spec.x.kind === "percentile") return percentileMarks(low, high, width);
    if (spec.x.kind === "rate") return linearMarks(low, high, width / 70).map((at) => ({ at, text: short(at) }));
    return clockMarks(low, high, width / 70).map((at) => ({ at, text: clock(at) }));
  };
  const yMarks = (plot: uPlot): number[] => {
    const { min, max } = plot.scales["y"]!;
    const room = plot.bbox.height / PX() / 26;
    return spec.y.kind === "log" ? logMarks(min ?? 1, max ?? 10, room) : linearMarks(min ?? 0, max ?? 1, Math.min(5, room));
  };
  return [
    { ...look, space: 1, size: 28, gap: 6, splits: (plot) => marks(plot).map(({ at }) => at), filter: (_, splits) => splits, values: (plot) => marks(plot).map(({ text }) => text) },
    { ...look, space: 1, size: 58, gap: 8, splits: yMarks, filter: (_, splits) => splits, values: (_, splits) => splits.map(spec.y.mark) },
  ];
}
