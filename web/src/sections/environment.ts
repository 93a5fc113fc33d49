// Where and what was run: all that a repetition needs.

import { details, h, table } from "../dom.ts";
import { type Run, type View, loadWords, phaseTitle } from "../model.ts";
import { date, duration, size } from "../units.ts";
import { pairs } from "./actions.ts";

export function environmentSection(view: View): Node[] {
  return view.runs.flatMap((run) => [...(run.letter ? [h("h3", { class: "sub" }, run.title)] : []), ...ofRun(run)]);
}

function ofRun(run: Run): Node[] {
  const { record } = run;
  const { environment } = record;
  const facts = pairs([
    ["run", record.run_id],
    ["started", date(record.started_unix_ns)],
    ["made by", record.origin ?? ""],
    ["labels", Object.entries(record.labels ?? {}).map(([key, value]) => `${key}=${value}`).join(", ")],
    ["weir", environment.weir_version],
    ["system", [environment.os, environment.kernel].filter(Boolean).join(" ")],
    ["CPU", environment.cpu_model ? `${environment.cpu_model}, ${environment.cpu_count} usable` : ""],
    ["memory", environment.memory_bytes > 0 ? size(environment.memory_bytes) : ""],
    ["driver", environment.driver],
    ["addresses", Object.entries(environment.addresses ?? {}).map(([name, all]) => `${name}: ${all.join(", ")}`).join("; ")],
    ["not as asked", (environment.notes ?? []).join("; ")],
    ["ended early", record.aborted ?? ""],
  ]);
  const phases = table("Phases as they ran", [
    { head: "phase", cell: phaseTitle, isText: true },
    { head: "kind", cell: (phase) => (phase.kind === "warmup" ? "warm-up" : "measured"), isText: true },
    { head: "load", cell: (phase) => loadWords(record, phase), isText: true },
    { head: "start", cell: (phase) => duration(phase.start_ns) },
    { head: "length", cell: (phase) => duration(phase.duration_ns) },
    { head: "drain", cell: (phase) => duration(phase.drain_ns) },
  ], record.phases);
  return [facts, phases, details("The plan as it was run, credentials hidden", `plan ${run.index}`, () => h("pre", { tabindex: 0 }, JSON.stringify(record.plan, null, 2)))];
}
