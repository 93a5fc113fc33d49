// What several views of the server say alike.

import { h } from "../dom.ts";
import { ServerFault } from "./server.ts";

/** A fault for people: what, and how to mend it. */
export function said(error: unknown): HTMLElement {
  const hint = error instanceof ServerFault ? error.hint : "";
  const what = error instanceof Error ? error.message : String(error);
  return h("p", { class: "fault", role: "alert" }, h("strong", {}, what), hint ? ` — ${hint}` : "");
}

export function runLink(id: string, text: string): HTMLElement {
  return h("a", { href: `#/runs/${encodeURIComponent(id)}` }, text);
}

/** The way back to the list. */
export function home(): HTMLElement {
  return h("nav", { class: "wide home", "aria-label": "Runs" }, h("a", { href: "#/" }, "← All runs"));
}
