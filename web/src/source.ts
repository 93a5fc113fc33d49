// Where runs come from. The report carries them in the page; a server hands them out and goes on handing out newer states of them. The page
// knows only this interface, so that both are the same page.

import type { RunRecord } from "./record.ts";

export interface Source {
  /**
   * Calls `show` with the runs to show, once or again whenever they have changed: what did not change must be the same objects as
   * before, since decoded histograms are kept by them. `fail` gets the words for people when there is nothing to show.
   */
  start(show: (runs: readonly RunRecord[]) => void, fail: (why: string) => void): void;
}

/** The runs that the page carries. */
export class EmbeddedSource implements Source {
  start(show: (runs: readonly RunRecord[]) => void, fail: (why: string) => void): void {
    const text = document.getElementById("weir-runs")?.textContent ?? "";
    let runs: unknown;
    try {
      runs = JSON.parse(text);
    } catch (error) {
      fail(`The runs in this file can't be read: ${String(error)}. Make the report again with \`weir report\`.`);
      return;
    }
    if (Array.isArray(runs) && runs.length > 0) show(runs as RunRecord[]);
    else fail("This file carries no runs. Make a report with `weir report RUN -o report.html`.");
  }
}
