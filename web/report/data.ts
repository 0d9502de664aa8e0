// The charts as Go's package report/html writes them (data.go), and their decoding.

export interface Axis {
  title: string;
  unit?: string;
  scale?: "" | "log" | "percentile";
  max?: number;
}

export interface Series {
  name: string;
  axis?: number;
  style?: "" | "dashed" | "points" | "steps";
  published?: boolean;
  hidden?: boolean;
  x: number; // index among the page's positions
  y: string;
  low?: string;
  high?: string;
}

export type MarkKind = "action" | "event" | "dip" | "phase" | "chosen";

export interface Mark {
  from: number;
  to?: number;
  kind: MarkKind;
  label: string;
  text?: string;
}

export interface Limit {
  value: number;
  axis?: number;
  label: string;
}

export interface Heat {
  x: string;
  y: string;
  counts: string;
}

export interface Chart {
  title: string;
  kind: "time" | "density";
  group?: string;
  x: Axis;
  y: Axis[];
  series?: Series[];
  marks?: Mark[];
  limits?: Limit[];
  heat?: Heat;
}

export interface Position {
  from: number;
  step?: number;
  n?: number;
  data?: string;
}

/** Values of a series; null is a gap. */
export type Values = (number | null | undefined)[];

/** Columns for uPlot: the x values, and a list of y values for each series and each bound of a band. */
export interface Columns {
  x: number[];
  ys: Values[];
  // The columns of the bounds of series i, if it has a band.
  bands: Map<number, { low: number; high: number }>;
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

/** floats decodes base64 of little-endian 32-bit floats. */
export function floats(text: string | undefined): Float32Array {
  return text ? new Float32Array(bytes(text).buffer) : new Float32Array(0);
}

/** xs are the x values of a position. */
export function xs(p: Position): number[] {
  if (p.data) return Array.from(floats(p.data), (d) => p.from + d);
  return Array.from({ length: p.n ?? 0 }, (_, i) => p.from + i * (p.step ?? 0));
}

/** ends are the first and last x value of a position. */
export function ends(p: Position): [number, number] | undefined {
  if (p.data) {
    const d = floats(p.data);
    return [p.from, p.from + (d[d.length - 1] ?? 0)];
  }
  return p.n ? [p.from, p.from + (p.n - 1) * (p.step ?? 0)] : undefined;
}

function values(text: string | undefined): Values {
  const raw = floats(text);
  const out: Values = new Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    const v = raw[i] as number;
    out[i] = v === v ? v : null; // NaN differs from itself
  }
  return out;
}

/** columns decodes the series of a chart. Series with other x values than the first are joined to all x values in order. */
export function columns(chart: Chart, positions: Position[]): Columns {
  const series = chart.series ?? [];
  const out: Columns = { x: [], ys: series.map((s) => values(s.y)), bands: new Map() };
  const owner = series.map((s) => s.x);
  series.forEach((s, i) => {
    if (!s.low || !s.high) return;
    out.bands.set(i, { low: out.ys.length, high: out.ys.length + 1 });
    out.ys.push(values(s.low), values(s.high));
    owner.push(s.x, s.x);
  });
  const used = [...new Set(owner)];
  const lists = new Map(used.map((i) => [i, xs(positions[i] ?? { from: 0 })]));
  if (used.length === 1) {
    out.x = lists.get(used[0] as number) as number[];
    return out;
  }
  out.x = Float64Array.from(new Set([...lists.values()].flat())).sort() as unknown as number[];
  out.x = Array.from(out.x);
  const place = new Map(out.x.map((x, i) => [x, i]));
  out.ys = out.ys.map((ys, k) => {
    const spread: Values = new Array(out.x.length); // undefined where the series has no point: the line goes on
    const own = lists.get(owner[k] as number) as number[];
    own.forEach((x, i) => (spread[place.get(x) as number] = ys[i]));
    return spread;
  });
  return out;
}

/** Grid is a decoded heat map. Counts are column by column. */
export interface Grid {
  x: Float32Array;
  y: Float32Array;
  counts: Float32Array;
}

export function grid(heat: Heat): Grid {
  const x = floats(heat.x);
  const y = floats(heat.y);
  const counts = new Float32Array(Math.max(x.length - 1, 0) * Math.max(y.length - 1, 0));
  const raw = bytes(heat.counts);
  let at = 0;
  const next = (): number => {
    let v = 0;
    for (let factor = 1; ; factor *= 128) {
      const b = raw[at++] ?? 0;
      v += (b & 127) * factor;
      if (b < 128) return v;
    }
  };
  for (let cell = 0; at < raw.length; ) {
    const v = next();
    if (v === 0) cell += next() + 1;
    else counts[cell++] = v;
  }
  return { x, y, counts };
}
