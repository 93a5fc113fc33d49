// Objectives on percentiles as the plan has them, for charts to draw.

import { PX } from "../charts/plot.ts";
import { at } from "../model.ts";
import type { RunRecord } from "../record.ts";
import { font, theme } from "../theme.ts";

/** `p99(response) < 50ms`, of all measured phases or of one. */
export interface LatencyObjective {
  measure: string;
  /** Above 0 and below 1. */
  quantile: number;
  boundNs: number;
  /** Name of the phase that it speaks of; undefined: of all measured ones. */
  phase: string | undefined;
}

/** Those that speak of whole phases; what names an action is left out. */
export function latencyObjectives(record: RunRecord): LatencyObjective[] {
  const slos = at(record.plan, "slos");
  if (!Array.isArray(slos)) return [];
  return slos.flatMap((slo): LatencyObjective[] => {
    const [measure, quantile] = [at(slo, "metric", "quantile", 0), at(slo, "metric", "quantile", 1)];
    const [boundNs, phase] = [at(slo, "bound", "duration_ns"), at(slo, "phase")];
    if (typeof measure !== "string" || typeof quantile !== "number" || typeof boundNs !== "number") return [];
    if (!(quantile > 0 && quantile < 1 && boundNs > 0) || typeof at(slo, "action") === "string") return [];
    return [{ measure, quantile, boundNs, phase: typeof phase === "string" ? phase : undefined }];
  });
}

/** `99.9` of 0.999. */
export function quantileName(quantile: number): string {
  return String(Number((quantile * 100).toPrecision(6)));
}

/** Text that stays readable where lines cross it; `x` and `y` are its upper end, in pixels of the canvas. */
export function outlined(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, align: CanvasTextAlign): void {
  const colors = theme();
  ctx.font = font(12 * PX());
  ctx.textAlign = align;
  ctx.textBaseline = "top";
  ctx.lineWidth = 5 * PX();
  ctx.lineJoin = "round";
  ctx.strokeStyle = colors.paper;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colors.ink;
  ctx.fillText(text, x, y);
}
