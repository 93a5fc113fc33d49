// Where the marks of an axis stand and how they read.

/** A range for a logarithmic axis: from 1, 2 or 5 times a power of ten below the least value to one above the greatest. */
export function logRange(least: number, greatest: number): [number, number] {
  const low = Math.max(least, 1e-9);
  const high = Math.max(greatest, low);
  const down = [5, 2, 1].map((step) => step * 10 ** Math.floor(Math.log10(low))).find((value) => value <= low * 1.0001);
  const up = [1, 2, 5, 10].map((step) => step * 10 ** Math.floor(Math.log10(high))).find((value) => value >= high * 0.9999);
  const [from, to] = [down ?? low, up ?? high];
  return from < to ? [from, to] : [from / 2, to * 2];
}

/** Marks of a logarithmic axis with room for so many: powers of ten, and 2 and 5 times them where there is room. */
export function logMarks(low: number, high: number, room: number): number[] {
  const decades = Math.log10(high / low);
  const steps = decades * 3 <= room ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(decades / Math.max(1, room)));
  const marks: number[] = [];
  for (let power = Math.floor(Math.log10(low) + 1e-9); power <= Math.ceil(Math.log10(high)); power++) {
    if (steps.length === 1 && power % stride !== 0) continue;
    for (const step of steps) {
      const mark = step * 10 ** power;
      if (mark >= low * 0.999 && mark <= high * 1.001) marks.push(mark);
    }
  }
  return marks;
}

/** Marks of a linear axis from 0: steps of 1, 2 or 5 times a power of ten. */
export function linearMarks(low: number, high: number, room: number): number[] {
  return multiples(low, high, niceStep((high - low) / Math.max(1, room)));
}

/** The least of 1, 2 and 5 times a power of ten that is not below `least`. */
function niceStep(least: number): number {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((step) => step * power >= least * 0.9999) ?? 10) * power;
}

/** Steps of time in seconds, as clocks have them. */
const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];

/** Marks of an axis of time in seconds. */
export function clockMarks(low: number, high: number, room: number): number[] {
  const least = (high - low) / Math.max(1, room);
  const step = least < 0.5 ? niceStep(least) : (CLOCK_STEPS.find((one) => one >= least) ?? niceStep(least));
  return multiples(low, high, step);
}

function multiples(low: number, high: number, step: number): number[] {
  const marks: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let n = first; n * step <= high + step * 1e-9 && marks.length < 200; n++) marks.push(Number((n * step).toPrecision(12)));
  return marks;
}

/** A round value at or above the greatest, so that the axis ends on a mark. */
export function linearTop(greatest: number, room: number): number {
  if (!(greatest > 0)) return 1;
  const step = niceStep(greatest / Math.max(1, room));
  return Math.ceil((greatest / step) * 1.0001) * step;
}

/** Marks of the axis of percentiles, whose place is 1 / (1 − quantile): `50%`, `90%`, `99%` … */
export function percentileMarks(low: number, high: number, plotWidth: number): { at: number; text: string }[] {
  const perDecade = plotWidth / Math.max(0.1, Math.log10(high / low));
  const all: { at: number; text: string }[] = [{ at: 1, text: "min" }];
  if (perDecade > 130) all.push({ at: 2, text: "50%" });
  if (perDecade > 150) all.push({ at: 4, text: "75%" });
  for (let power = 1; power <= 12; power++) {
    const nines = power === 1 ? "90%" : power === 2 ? "99%" : `99.${"9".repeat(power - 2)}%`;
    all.push({ at: 10 ** power, text: nines });
    if (power === 1 && perDecade > 190) all.push({ at: 20, text: "95%" });
  }
  const narrow = perDecade < 60;
  return all
    .sort((a, b) => a.at - b.at)
    .filter(({ at }) => at >= low * 0.999 && at <= high * 1.001 && !(narrow && (at === 1000 || at === 1e5)));
}
