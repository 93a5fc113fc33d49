// Every action, request, check and kind of failure of the chosen phase. The table of actions sorts by any column.

import { type Column, h, scrolled, table, tableRow } from "../dom.ts";
import { type Run, type View, noun, phaseOf } from "../model.ts";
import { type ActionRecord, type CheckRecord, type Latencies, type PhaseRecord, QUANTILES, latencies, notCompleted } from "../record.ts";
import { count, duration, perSec, ratio, size } from "../units.ts";
import { figure } from "./verdict.ts";

interface Entry {
  run: Run;
  phase: PhaseRecord;
  action: ActionRecord;
  /** Of an action that has several requests. */
  isRequest: boolean;
}

/** By which column the table is sorted; kept while the page lives. */
let sortedBy = { column: -1, isDescending: true };

export function actionSection(view: View): Node[] {
  const entries = view.runs.flatMap((run): Entry[] => {
    const phase = phaseOf(run, view.selection.phase);
    if (!phase) return [];
    const entry = (isRequest: boolean) => (action: ActionRecord): Entry => ({ run, phase, action, isRequest });
    return [...phase.actions.map(entry(false)), ...(phase.requests ?? []).map(entry(true))];
  });
  if (entries.length === 0) return [h("p", { class: "note" }, "The record tells no actions apart."), ...view.runs.flatMap((run) => below(run, view))];
  return [
    h("p", { class: "note" }, `Phase ${view.selection.phase}, ${view.selection.measure} time. Choose a head to sort by it.`),
    sortable(`Actions of phase ${view.selection.phase}, ${view.selection.measure} time`, columns(view), entries),
    ...view.runs.flatMap((run) => below(run, view)),
  ];
}

function columns(view: View): Column<Entry>[] {
  const of = ({ action }: Entry): Latencies => latencies(action, view.selection.measure);
  const time = (head: string, key: "mean" | "max" | (typeof QUANTILES)[number]["key"], quantile?: number): Column<Entry> => ({
    head, cell: (entry) => figure(of(entry), of(entry)[key], quantile), key: (entry) => of(entry)[key],
  });
  const hasRequests = view.runs.some((run) => (phaseOf(run, view.selection.phase)?.requests?.length ?? 0) > 0);
  return [
    { head: "action", cell: ({ action }) => action.name, key: ({ action }) => action.name, isText: true },
    ...(hasRequests ? [{ head: "kind", cell: ({ isRequest }: Entry) => (isRequest ? "request" : "action"), key: ({ isRequest }: Entry) => (isRequest ? 1 : 0), isText: true }] : []),
    ...(view.runs.length > 1 ? [{ head: "run", cell: ({ run }: Entry) => run.letter, key: ({ run }: Entry) => run.index, isText: true }] : []),
    { head: "completed", cell: ({ action }) => count(action.counts.completed), key: ({ action }) => action.counts.completed },
    { head: "per second", cell: (entry) => perSec(rate(entry)), key: rate },
    { head: "failed", cell: ({ action }) => h("span", { class: notCompleted(action.counts) > 0 ? "bad" : "" }, count(notCompleted(action.counts))), key: ({ action }) => notCompleted(action.counts), title: "failed, dropped, never started or unfinished" },
    time("mean", "mean"),
    ...QUANTILES.filter(({ key }) => key !== "p75" && key !== "p95").map(({ key, name, quantile }) => time(name, key, quantile)),
    time("max", "max"),
  ];
}

function rate({ action, phase }: Entry): number {
  return phase.duration_ns > 0 ? (action.counts.completed * 1e9) / phase.duration_ns : 0;
}

/** A table whose heads are buttons: first the greatest first, then the least. */
function sortable(caption: string, columns: readonly Column<Entry>[], entries: readonly Entry[]): HTMLElement {
  const body = h("tbody");
  const heads = columns.map((column, index) => {
    const sign = h("span", { "aria-hidden": "true" });
    const button = h("button", { type: "button", title: column.title, "data-key": `sort ${column.head}`, onclick: () => {
      const isSame = sortedBy.column === index;
      sortedBy = { column: index, isDescending: isSame ? !sortedBy.isDescending : !column.isText };
      fill();
    } }, column.head, " ", sign);
    return { head: h("th", { scope: "col", class: column.isText ? "text" : undefined }, button), sign };
  });
  const fill = (): void => {
    heads.forEach(({ head, sign }, index) => {
      const isSorted = index === sortedBy.column;
      head.setAttribute("aria-sort", isSorted ? (sortedBy.isDescending ? "descending" : "ascending") : "none");
      sign.textContent = isSorted ? (sortedBy.isDescending ? "▼" : "▲") : "";
    });
    body.replaceChildren(...sorted(columns, entries).map((entry) => tableRow(columns, entry)));
  };
  fill();
  const head = h("thead", {}, h("tr", {}, ...heads.map((one) => one.head)));
  return scrolled(caption, h("table", { id: "actions-table" }, h("caption", { class: "unseen" }, caption), head, body));
}

function sorted(columns: readonly Column<Entry>[], entries: readonly Entry[]): Entry[] {
  const key = columns[sortedBy.column]?.key;
  if (!key) return [...entries];
  const direction = sortedBy.isDescending ? -1 : 1;
  return [...entries].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    // What is not known stands last either way.
    if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
    return direction * (typeof left === "string" || typeof right === "string" ? String(left).localeCompare(String(right)) : left - right);
  });
}

/** Failures by class, checks, and what went over the wire. */
function below(run: Run, view: View): Node[] {
  const phase = phaseOf(run, view.selection.phase);
  if (!phase) return [];
  const who = run.letter ? `Run ${run.letter}: ` : "";
  const parts: Node[] = [];
  const errors = Object.entries(phase.errors).sort(([, a], [, b]) => b - a);
  const all = Math.max(1, phase.counts.completed + notCompleted(phase.counts));
  if (errors.length > 0) {
    parts.push(h("h3", { class: "sub" }, `${who}Failures by class`), table(`${who}Failures by class`, [
      { head: "class", cell: ([name]) => name.replaceAll("_", " "), isText: true },
      { head: noun(phase), cell: ([, n]) => count(n) },
      { head: "of all", cell: ([, n]) => ratio(n / all) },
    ], errors));
  }
  if (phase.checks && phase.checks.length > 0) {
    const columns: Column<CheckRecord>[] = [
      { head: "check", cell: (check) => check.name, isText: true },
      { head: "outcome", cell: (check) => h("span", { class: check.failed > 0 ? "bad" : "good" }, check.failed > 0 ? "✗ failed" : "✓ held"), isText: true },
      { head: "held", cell: (check) => count(check.passed) },
      { head: "failed", cell: (check) => count(check.failed) },
    ];
    parts.push(h("h3", { class: "sub" }, `${who}Checks`), table(`${who}Checks`, columns, phase.checks));
  }
  const facts = wire(phase);
  return facts.length > 0 ? [...parts, h("h3", { class: "sub" }, `${who}On the wire`), pairs(facts)] : parts;
}

/** What went over the wire, as far as it was counted: another tool's result and a run without an end tell less. */
function wire(phase: PhaseRecord): [string, string][] {
  const { traffic } = phase;
  const secs = Math.max(1, phase.duration_ns + phase.drain_ns) / 1e9;
  const times = (of: Latencies): string => (of.max === null ? "" : `${of.p50 === null ? "" : `p50 ${duration(of.p50)}, `}max ${duration(of.max)}`);
  const volume = (bytes: number): string => (bytes > 0 ? `${size(Math.round(bytes / secs))}/s, ${size(bytes)} in all` : "");
  const hasConnections = traffic.connections_opened > 0 || traffic.connections_lost > 0 || traffic.first_byte_ns.max !== null;
  const facts: [string, string][] = [
    ["received", volume(phase.bytes_received)],
    ["sent", volume(phase.bytes_sent)],
    ["statuses", Object.entries(traffic.statuses).map(([status, n]) => `${status} ${count(n)}`).join(", ")],
    ["connections", hasConnections ? `${count(traffic.connections_opened)} opened, ${count(traffic.connections_lost)} lost` : ""],
    ["connecting", times(traffic.connect_ns)],
    ["TLS handshake", times(traffic.tls_ns)],
    ["first byte", times(traffic.first_byte_ns)],
  ];
  return facts.filter(([, text]) => text !== "");
}

/** Names and what is said of them; those of which nothing is said are left out. */
export function pairs(facts: readonly [string, string][]): HTMLElement {
  return h("dl", { class: "pairs" }, ...facts.filter(([, text]) => text !== "").flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}
