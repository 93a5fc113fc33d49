// The page: head, controls and sections over the runs. It draws itself anew whenever the runs or the reader's choice change.

import { endCharts } from "./charts/plot.ts";
import { h, keepingFocus } from "./dom.ts";
import { type Selection, type View, actionNames, hasActionsOverTime, phaseTitles, phaseToShow, runsOf } from "./model.ts";
import type { RunRecord } from "./record.ts";
import { actionSection } from "./sections/actions.ts";
import { againstSection } from "./sections/against.ts";
import { controls } from "./sections/controls.ts";
import { environmentSection } from "./sections/environment.ts";
import { latencySection } from "./sections/latency.ts";
import { percentileSection } from "./sections/percentiles.ts";
import { rateSection } from "./sections/rate.ts";
import { resourceSection } from "./sections/resources.ts";
import { verdictSection } from "./sections/verdict.ts";
import { onThemeChange } from "./theme.ts";
import { date, duration } from "./units.ts";

interface Section {
  id: string;
  title: string;
  lead: string;
  draw: (view: View) => Node[];
}

const SECTIONS: readonly Section[] = [
  { id: "verdict", title: "Verdict", lead: "", draw: verdictSection },
  { id: "rate", title: "Rate and errors", lead: "", draw: rateSection },
  { id: "latency", title: "Latency over time", lead: "", draw: latencySection },
  { id: "percentiles", title: "Percentiles", lead: "", draw: percentileSection },
  { id: "against", title: "Response against service against wait", lead: "Response: due to done, what users waited. Service: sent to done, what the server needed. Wait: due to sent, what stood between.", draw: againstSection },
  { id: "actions", title: "Actions", lead: "", draw: actionSection },
  { id: "resources", title: "The generator itself", lead: "Whether the client could have coloured the numbers.", draw: resourceSection },
  { id: "environment", title: "Environment and plan", lead: "", draw: environmentSection },
];

export class Page {
  private readonly root: HTMLElement;
  private records: readonly RunRecord[] = [];
  private selection: Selection = { phase: "", action: null, measure: "response", scale: "log" };
  private readonly places = new Map<string, HTMLElement>();
  private readonly bar = h("div", { class: "controls" });
  private readonly head = h("header", { class: "wide" });

  constructor(root: HTMLElement) {
    this.root = root;
    onThemeChange(() => this.draw());
  }

  /** Says why there is nothing to show. */
  fail(why: string): void {
    this.root.replaceChildren(h("main", { class: "wide" }, h("h1", {}, "Weir report"), h("p", { class: "failed", role: "alert" }, why)));
  }

  /** Shows runs, or newer states of those shown. */
  show(records: readonly RunRecord[]): void {
    const isFirst = this.records.length === 0;
    this.records = records;
    if (isFirst) this.build();
    this.draw();
  }

  private build(): void {
    const sections = SECTIONS.map(({ id, title, lead }) => {
      const place = h("div");
      this.places.set(id, place);
      return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), lead ? h("p", { class: "lead" }, lead) : null, place);
    });
    const [verdict, ...rest] = sections;
    this.root.replaceChildren(
      h("a", { class: "skip", href: "#main" }, "Skip to the verdict"), this.head,
      h("main", { id: "main" }, h("div", { class: "wide" }, verdict!), this.bar, h("div", { class: "wide" }, ...rest)));
  }

  private view(): View {
    const runs = runsOf(this.records);
    const phases = phaseTitles(runs);
    if (!phases.includes(this.selection.phase)) this.selection = { ...this.selection, phase: phaseToShow(runs) };
    const actions = actionNames({ runs }, this.selection.phase);
    if (this.selection.action !== null && !(actions.includes(this.selection.action) && hasActionsOverTime(runs))) {
      this.selection = { ...this.selection, action: null };
    }
    return { runs, selection: this.selection, choose: (change) => this.choose(change) };
  }

  private choose(change: Partial<Selection>): void {
    this.selection = { ...this.selection, ...change };
    this.draw();
  }

  private draw(): void {
    const view = this.view();
    keepingFocus(() => {
      this.drawHead(view);
      controls(this.bar, view);
      for (const { id, draw } of SECTIONS) {
        const place = this.places.get(id)!;
        endCharts(place);
        place.replaceChildren(...draw(view));
      }
    });
    // After layout and the observers that make the charts: when a reader sees them.
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("weir-drawn")));
  }

  private drawHead({ runs }: View): void {
    const title = runs.map((run) => run.title).join(", ");
    document.title = `${title} – Weir report`;
    const facts = runs.map(({ record, letter }) => h("p", { class: "facts" }, [
      letter, record.run_id, date(record.started_unix_ns), `${duration(record.duration_ns)} long`,
      Object.values(record.environment.addresses ?? {}).flat().join(", "),
    ].filter(Boolean).join(" · ")));
    this.head.replaceChildren(h("p", { class: "brand" }, "Weir report"), h("h1", {}, title), ...facts);
  }
}
