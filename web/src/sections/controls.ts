// What governs all that is below it: phase, action, latency, axis. Its elements have keys, by which the page keeps the focus.

import { freshId, h } from "../dom.ts";
import { type View, actionNames, hasActionsOverTime, phaseTitles } from "../model.ts";
import { type Measure, MEASURES } from "../record.ts";

export function controls(bar: HTMLElement, view: View): void {
  const phases = phaseTitles(view.runs);
  const actions = hasActionsOverTime(view.runs) ? actionNames(view, view.selection.phase) : [];
  const { selection, choose } = view;
  const parts: (Node | null)[] = [
    phases.length > 1 ? list("Phase", phases.map((name) => [name, name]), selection.phase, (phase) => choose({ phase })) : null,
    actions.length > 1
      ? list("Action", [["", "all"], ...actions.map((name): [string, string] => [`=${name}`, name])], selection.action === null ? "" : `=${selection.action}`,
        (value) => choose({ action: value === "" ? null : value.slice(1) }))
      : null,
    choice("Latency", MEASURES, selection.measure, (measure: Measure) => choose({ measure })),
    choice("Axis", ["log", "linear"] as const, selection.scale, (scale) => choose({ scale })),
    themeButton(),
  ];
  bar.replaceChildren(h("div", { class: "wide", role: "group", "aria-label": "What the charts show" }, ...parts));
}

function list(name: string, options: [string, string][], value: string, changed: (value: string) => void): HTMLElement {
  const id = freshId("list");
  const select = h("select", { id, "data-key": name, onchange: () => changed(select.value) },
    ...options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return h("div", { class: "control" }, h("label", { for: id }, name), select);
}

function choice<T extends string>(name: string, options: readonly T[], value: T, changed: (value: T) => void): HTMLElement {
  const group = freshId("choice");
  const inputs = options.map((option) => h("label", {},
    h("input", { type: "radio", name: group, value: option, checked: option === value, "data-key": `${name} ${option}`, onchange: () => changed(option) }), option));
  return h("fieldset", { class: "control" }, h("legend", {}, name), h("div", { class: "choice" }, ...inputs));
}

function themeButton(): HTMLElement {
  const root = document.documentElement;
  const isDark = root.dataset["theme"] === "dark";
  return h("button", { type: "button", "data-key": "theme", "aria-pressed": isDark ? "true" : "false", onclick: () => { root.dataset["theme"] = isDark ? "light" : "dark"; } }, "Dark");
}
