// Numbers with their units, as a reader expects them: µs become ms and s, large numbers k, M and G.

const micros: [number, string][] = [[1e6, "s"], [1e3, "ms"], [1, "µs"], [1e-3, "ns"]];
const large: [number, string][] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

function steps(unit: string): [number, string][] {
  if (unit === "µs" || unit === "us") return micros;
  if (unit === "B" || unit === "B/s") return large.map(([n, prefix]) => [n, prefix + unit]);
  return large;
}

/** carried reports whether the numbers themselves show the unit, so that the axis' title need not. */
export function carried(unit: string | undefined): boolean {
  return unit === undefined || unit === "" || ["µs", "us", "B", "B/s", "%", "s"].includes(unit);
}

function trimmed(x: number, decimals: number): string {
  const text = x.toFixed(Math.min(Math.max(decimals, 0), 6));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** ticks formats the values of an axis, all in one unit. */
export function ticks(values: number[], unit = ""): string[] {
  const top = Math.max(...values.map(Math.abs), 0);
  if (unit === "%" || unit === "s") return values.map((v) => `${trimmed(v, 3)} ${unit}`);
  const [factor, name] = steps(unit).find(([n]) => top >= n) ?? [1, ""];
  const texts = (digits: number): string[] => values.map((v) => (v === 0 ? "0" : `${trimmed(v / factor, digits)}${name && (factor === 1 || steps(unit) !== large) ? " " : ""}${name}`));
  // Values that lie close together need more digits to differ.
  let digits = 3;
  while (digits < 9 && new Set(texts(digits)).size < new Set(values).size) digits++;
  return texts(digits);
}

/** logTick formats a value of a logarithmic axis in a unit of its own. */
export function logTick(value: number, unit = ""): string {
  return ticks([value], unit)[0] as string;
}

/** figure formats one value with three digits, or whole if it is large. */
export function figure(v: number, unit = ""): string {
  let name = unit;
  if (unit === "µs" || unit === "us" || unit === "B" || unit === "B/s") {
    const [factor, n] = steps(unit).find(([n]) => Math.abs(v) >= n) ?? [1, unit];
    v /= factor;
    name = n;
  }
  const size = Math.abs(v);
  const decimals = size === 0 || size >= 100 || (Number.isInteger(v) && size >= 10) ? 0 : size >= 10 ? 1 : 2;
  const text = size >= 1e15 ? v.toExponential(2) : v.toFixed(size > 0 && size < 0.01 ? 5 : decimals).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");
  return name ? `${text} ${name}` : text;
}

/** instant formats seconds: 12.5 s, 2:05 or 1:02:05. */
export function instant(s: number, range: number, step = 1): string {
  const sign = s < 0 ? "−" : "";
  s = Math.abs(s);
  const decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 3;
  if (range < 120) return `${sign}${trimmed(s, decimals)} s`;
  const whole = Number(s.toFixed(decimals));
  const h = Math.floor(whole / 3600);
  const m = Math.floor(whole / 60) % 60;
  const rest = (whole % 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  return h > 0 ? `${sign}${h}:${String(m).padStart(2, "0")}:${rest}` : `${sign}${m}:${rest}`;
}
