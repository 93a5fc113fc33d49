// Quantities as people read them: the same texts as the command prints (`crates/units/src/print.rs`), held against it by a test.

/** `value` with so many decimals. Halves go to the even neighbour, as in the command's own output; `toFixed` alone rounds them up. */
function fixed(value: number, decimals: number): string {
  // A half of the last decimal is exact in binary only as an odd multiple of 2^-(decimals + 1).
  const halves = value * 2 ** (decimals + 1);
  if (Number.isInteger(halves) && halves % 2 !== 0) {
    const below = Math.floor(value * 10 ** decimals);
    return ((below % 2 === 0 ? below : below + 1) / 10 ** decimals).toFixed(decimals);
  }
  return value.toFixed(decimals);
}

/** Three significant digits; 1000 of a unit becomes 1.00 of the next. */
function three(value: number, unit: string, next: string): string {
  if (value < 9.995) return `${fixed(value, 2)} ${unit}`;
  if (value < 99.95) return `${fixed(value, 1)} ${unit}`;
  if (value < 999.5 || unit === next) return `${fixed(value, 0)} ${unit}`;
  return `${fixed(value / 1000, 2)} ${next}`;
}

/** `0`, `123 ns`, `58.9 µs`, `1.23 ms`, `60.0 s`, `2m05s`. */
export function duration(ns: number): string {
  if (ns === 0) return "0";
  if (ns < 1e3) return `${Math.trunc(ns)} ns`;
  if (ns < 1e6) return three(ns / 1e3, "µs", "ms");
  if (ns < 1e9) return three(ns / 1e6, "ms", "s");
  if (ns < 120e9) return three(ns / 1e9, "s", "s");
  return twoUnits(ns);
}

/** Long times as clocks show them: `45s`, `2m05s`, `3h12m`. */
export function twoUnits(ns: number): string {
  const secs = Math.floor((ns + 5e8) / 1e9);
  const two = (n: number): string => String(Math.trunc(n)).padStart(2, "0");
  if (secs < 60) return `${secs}s`;
  if (secs < 3600) return `${Math.floor(secs / 60)}m${two(secs % 60)}s`;
  return `${Math.floor(secs / 3600)}h${two((secs % 3600) / 60)}m`;
}

/** Thousands parted: `1,234,567`. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A rate's number without its `/s`. */
export function perSec(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value >= 100 || value === Math.trunc(value)) return count(value);
  if (value >= 10) return fixed(value, 1);
  if (value >= 1) return fixed(value, 2);
  return fixed(value, 3);
}

/** `99.9%`, `0.012%`, `100%`: never rounds what is below all to all, nor something to nothing. */
export function ratio(value: number): string {
  const percent = value * 100;
  if (!Number.isFinite(percent)) return "-";
  if (percent === 0 || percent === 100) return `${percent}%`;
  if (percent < 0.01) return `${fixed(percent, 4)}%`;
  if (percent < 1) return `${fixed(percent, 3)}%`;
  if (percent < 10) return `${fixed(percent, 2)}%`;
  if (percent > 99.9 && percent < 100) return `${fixed(Math.floor(percent * 1000) / 1000, 3)}%`;
  return `${fixed(percent, 1)}%`;
}

/** `512 B`, `8.00 KiB`, `1.50 GiB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return three(bytes / 1024, "KiB", "KiB");
  if (bytes < 1024 ** 3) return three(bytes / 1024 ** 2, "MiB", "MiB");
  return three(bytes / 1024 ** 3, "GiB", "GiB");
}

/** A time on an axis, without the digits that measured values have: `20 µs`, `1 ms`, `1.5 s`. */
export function tick(ns: number): string {
  const short = (value: number): string => String(Number(value.toPrecision(3)));
  if (ns === 0) return "0";
  if (ns < 999.5) return `${short(ns)} ns`;
  if (ns < 999.5e3) return `${short(ns / 1e3)} µs`;
  if (ns < 999.5e6) return `${short(ns / 1e6)} ms`;
  return `${short(ns / 1e9)} s`;
}

/** Seconds since the start on an axis: `0.5s`, `45s`, `2:05`, `1:02:05`. */
export function clock(secs: number): string {
  const whole = Math.abs(secs);
  if (whole < 60) return `${Number(secs.toFixed(3))}s`;
  const two = (n: number): string => String(Math.floor(n)).padStart(2, "0");
  const rest = `${two((whole % 3600) / 60)}:${two(whole % 60)}`;
  return whole < 3600 ? rest.replace(/^0/, "") : `${Math.floor(whole / 3600)}:${rest}`;
}

/** A count or rate on an axis: `0`, `500`, `20k`, `1.5M`. */
export function short(value: number): string {
  const number = (v: number): string => String(Number(v.toPrecision(4)));
  if (Math.abs(value) >= 1e6) return `${number(value / 1e6)}M`;
  if (Math.abs(value) >= 1e4) return `${number(value / 1e3)}k`;
  return number(value);
}

/** `1 user`, `64 users`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A moment in UTC: `2026-11-21 06:23:21 UTC`. */
export function date(unixNs: number): string {
  const moment = new Date(unixNs / 1e6);
  if (Number.isNaN(moment.getTime())) return "–";
  return `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
