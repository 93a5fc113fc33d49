// Elements made without markup: every text from outside becomes a text node, so no name or label can turn into an element or a script.

type Attribute = string | number | boolean | undefined | ((event: Event) => void);
type Child = Node | string | null | undefined | false;

/** Marks that turn the direction of writing (Unicode, UAX #9): by them a name could read as another. They are shown as what can't be shown. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

export function legible(text: string): string {
  return text.replace(TURNS, "\ufffd");
}

function put(element: Element, attributes: Record<string, Attribute>, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : legible(String(value)));
  }
  for (const child of children) if (child || child === "") element.append(typeof child === "string" ? legible(child) : child);
}

/** An HTML element; attributes that begin with `on` are listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, Attribute> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  put(element, attributes, children);
  return element;
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Record<string, Attribute> = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  put(element, attributes, children);
  return element;
}

let made = 0;

/** An id that no other element has. */
export function freshId(stem: string): string {
  made += 1;
  return `${stem}-${made}`;
}

/** One column of a table: its head and how a row's cell reads. Numbers stand to the right. */
export interface Column<Row> {
  head: string;
  /** The head in full, where it is cut short. */
  title?: string;
  cell: (row: Row) => string | Node;
  /** Beside `cell`: what rows are sorted by. */
  key?: (row: Row) => number | string | null;
  isText?: boolean;
}

/** The head of a table with the columns' names; a caption for those who can't see what stands around it. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[], height: Height = "bounded"): HTMLElement {
  const head = columns.map((column) =>
    h("th", { scope: "col", class: column.isText ? "text" : undefined, title: column.title }, column.head));
  const body = rows.map((row) => tableRow(columns, row));
  return scrolled(caption, h("table", {}, h("caption", { class: "unseen" }, caption), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)), height);
}

/** A row: the first cell names it. */
export function tableRow<Row>(columns: readonly Column<Row>[], row: Row): HTMLTableRowElement {
  const cells = columns.map((column, index) => {
    const content = column.cell(row);
    const kind = column.isText ? "text" : undefined;
    return index === 0 ? h("th", { scope: "row", class: kind }, content) : h("td", { class: kind }, content);
  });
  return h("tr", {}, ...cells);
}

/** Whether what is long scrolls by itself, or makes the page longer. */
export type Height = "bounded" | "whole";

/** What is wider than the page scrolls by itself, by keyboard too. */
export function scrolled(label: string, content: HTMLElement, height: Height = "bounded"): HTMLElement {
  return h("div", { class: `scrolled ${height}`, tabindex: 0, role: "region", "aria-label": label }, content);
}

/** Disclosures that are open, by their keys: one that is drawn anew stays so. */
const opened = new Set<string>();

/** A disclosure whose content is made when it is first opened; `key` tells it from all others of the page. */
export function details(summary: string, key: string, content: () => Node): HTMLDetailsElement {
  const element = h("details", {}, h("summary", { "data-key": `details ${key}` }, summary));
  const fill = (): void => {
    if (element.childElementCount === 1) element.append(content());
  };
  if (opened.has(key)) {
    element.open = true;
    fill();
  }
  element.addEventListener("toggle", () => {
    if (element.open) {
      opened.add(key);
      fill();
    } else {
      opened.delete(key);
    }
  });
  return element;
}

/** Runs `draw`, which replaces elements, and gives the focus back to the one that now has the same `data-key`. */
export function keepingFocus(draw: () => void): void {
  const key = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
  draw();
  if (key === undefined || (document.activeElement instanceof HTMLElement && document.activeElement.dataset["key"] === key)) return;
  const heir = [...document.querySelectorAll<HTMLElement>("[data-key]")].find((element) => element.dataset["key"] === key);
  heir?.focus({ preventScroll: true });
}
