// Colours for canvases, taken from the style sheet, and the choice between light and dark.

export interface Theme {
  ink: string;
  muted: string;
  grid: string;
  paper: string;
  shade: string;
  bad: string;
  asked: string;
  /** One for each latency. */
  measure: { response: string; service: string; wait: string };
  /** One for each run, in turn; dashes tell them apart, too. */
  runs: string[];
  /** From few to many. */
  heat: string[];
}

/** Patterns of lines, so that no meaning is in colour alone. */
export const DASHES: readonly number[][] = [[], [7, 3], [2, 3], [10, 3, 2, 3], [5, 2]];

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const several = (stem: string, length: number): string[] => Array.from({ length }, (_, index) => color(`${stem}-${index}`));
  return {
    ink: color("ink"), muted: color("muted"), grid: color("grid"), paper: color("paper"), shade: color("shade"), bad: color("bad"),
    asked: color("asked"),
    measure: { response: color("response"), service: color("service"), wait: color("wait") },
    runs: several("run", 5),
    heat: several("heat", 5),
  };
}

/** The font of charts: `size` px of what the page is set in. */
export function font(size: number): string {
  return `${size}px ${getComputedStyle(document.body).fontFamily}`;
}

/** The colour of a run and how its lines are dashed. */
export function runLook(colors: Theme, index: number): { color: string; dash: number[] } {
  return { color: colors.runs[index % colors.runs.length]!, dash: DASHES[index % DASHES.length]! };
}

/** Calls back when the system's or the reader's choice of light or dark has changed. */
export function onThemeChange(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}
