// A heat map: how many operations took how long, over time.

import type uPlot from "uplot";
import type { Grid } from "./data";
import type { Palette } from "./theme";

/** least is the lower end of the y axis, which has to be positive where it is logarithmic. */
export function least(g: Grid): number {
  const first = g.y[0] ?? 1;
  return first > 0 ? first : (g.y[1] ?? 2) / 2;
}

/** most is the highest count of a cell. */
export function most(g: Grid): number {
  let top = 0;
  for (const n of g.counts) top = Math.max(top, n);
  return top;
}

/** column is the index of the column of an x value, or -1. */
export function column(bounds: Float32Array, x: number): number {
  let low = 0;
  let high = bounds.length - 1;
  if (!(x >= (bounds[0] ?? Infinity)) || x > (bounds[high] ?? -Infinity)) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x >= (bounds[middle] as number)) low = middle;
    else high = middle;
  }
  return low;
}

/** paint draws the part of a heat map that a chart shows. A pixel has the mean of the columns behind it. */
export function paint(u: uPlot, g: Grid, top: number, colours: Palette): void {
  const rows = g.y.length - 1;
  const from = u.scales["x"]?.min ?? 0;
  const to = u.scales["x"]?.max ?? 1;
  const { left, width } = u.bbox;
  if (rows < 1 || g.x.length < 2 || !(to > from) || width < 1) return;
  const a = Math.max(column(g.x, Math.max(from, g.x[0] as number)), 0);
  const last = column(g.x, Math.min(to, g.x[g.x.length - 1] as number));
  const b = last < 0 ? g.x.length - 2 : last;
  const start = g.x[a] as number;
  const end = g.x[b + 1] as number;
  // Columns of the picture are of one width; those of the map need not be.
  const wide = Math.max(1, Math.min(b - a + 1, Math.round(width)));
  const sums = new Float32Array(wide * rows);
  const parts = new Float32Array(wide);
  for (let c = a; c <= b; c++) {
    const at0 = (((g.x[c] as number) - start) / (end - start)) * wide;
    const at1 = (((g.x[c + 1] as number) - start) / (end - start)) * wide;
    const p0 = Math.min(Math.floor(at0 + 1e-3), wide - 1);
    const p1 = Math.max(Math.min(Math.ceil(at1 - 1e-3) - 1, wide - 1), p0);
    for (let p = p0; p <= p1; p++) {
      parts[p] = (parts[p] as number) + 1;
      for (let r = 0; r < rows; r++) {
        const n = g.counts[c * rows + r] as number;
        if (n > 0) sums[p * rows + r] = (sums[p * rows + r] as number) + n;
      }
    }
  }
  const image = new ImageData(wide, rows);
  const scale = 1 / Math.log1p(top || 1);
  for (let p = 0; p < wide; p++) {
    for (let r = 0; r < rows; r++) {
      const n = (sums[p * rows + r] as number) / (parts[p] || 1);
      if (!(n > 0)) continue;
      const [red, green, blue] = shade(Math.min(Math.log1p(n) * scale, 1), colours);
      image.data.set([red, green, blue, 255], ((rows - 1 - r) * wide + p) * 4);
    }
  }
  const sheet = document.createElement("canvas");
  sheet.width = wide;
  sheet.height = rows;
  sheet.getContext("2d")?.putImageData(image, 0, 0);
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, u.bbox.top, width, u.bbox.height);
  ctx.clip();
  ctx.imageSmoothingEnabled = false;
  const x0 = u.valToPos(start, "x", true);
  const x1 = u.valToPos(end, "x", true);
  for (let r = 0; r < rows; r++) {
    const y1 = Math.round(u.valToPos(Math.max(g.y[r] as number, least(g)), "y0", true));
    const y0 = Math.round(u.valToPos(g.y[r + 1] as number, "y0", true));
    ctx.drawImage(sheet, 0, rows - 1 - r, wide, 1, x0, y0, x1 - x0, y1 - y0);
  }
  ctx.restore();
}

function shade(t: number, colours: Palette): [number, number, number] {
  const stops = colours.heat;
  const at = (0.12 + 0.88 * t) * (stops.length - 1); // one operation differs from none
  const i = Math.min(Math.floor(at), stops.length - 2);
  const a = stops[i] as [number, number, number];
  const b = stops[i + 1] as [number, number, number];
  const mix = (k: 0 | 1 | 2): number => Math.round(a[k] + (b[k] - a[k]) * (at - i));
  return [mix(0), mix(1), mix(2)];
}
