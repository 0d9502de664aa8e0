// Series with many points. If there are more than pixels, each column of pixels shows the range of its values, which costs the same
// however many points there are. uPlot draws series with few.

import type uPlot from "uplot";
import type { Values } from "./data";

function inView(u: uPlot): number {
  const x = u.scales["x"];
  return x?.min === undefined || x.max === undefined ? 0 : u.valToIdx(x.max) - u.valToIdx(x.min);
}

/** isDense reports whether a plot has so many points in view that uPlot, which strokes with round joins, would be slow. */
export function isDense(u: uPlot): boolean {
  return inView(u) > u.bbox.width / 8;
}

interface Extents {
  low: Float64Array; // pixels, downwards; NaN where there is no value
  high: Float64Array;
  travel: number; // the sum of the heights
}

// extents are the values of each column of pixels, with the way from the column before.
function extents(u: uPlot, xs: ArrayLike<number>, ys: Values, upper: Values, key: string): Extents {
  const x = u.scales["x"];
  const y = u.scales[key];
  const [from, to] = [x?.min ?? 0, x?.max ?? 1];
  const width = Math.max(1, Math.round(u.bbox.width));
  const low = new Float64Array(width).fill(NaN);
  const high = new Float64Array(width).fill(NaN);
  const first = Math.max(u.valToIdx(from), 0);
  const last = Math.min(u.valToIdx(to), xs.length - 1);
  const perPixel = width / (to - from);
  let before = NaN;
  let at = -1;
  for (let i = first; i <= last; i++) {
    const v = ys[i];
    const w = upper[i];
    if (v === null || w === null) before = NaN;
    if (typeof v !== "number" || typeof w !== "number") continue;
    const c = Math.min(Math.max(Math.floor(((xs[i] as number) - from) * perPixel), 0), width - 1);
    if (c !== at) {
      at = c;
      const joined = before === before && ys === upper;
      low[c] = joined ? Math.min(v, before) : v;
      high[c] = joined ? Math.max(w, before) : w;
    } else {
      if (v < (low[c] as number)) low[c] = v;
      if (w > (high[c] as number)) high[c] = w;
    }
    before = v;
  }
  // From values to pixels: the highest value has the least distance from the top.
  const log = y?.distr === 3;
  const [min, max] = [y?.min ?? 0, y?.max ?? 1];
  const base = log ? Math.log(min) : min;
  const scale = u.bbox.height / ((log ? Math.log(max) : max) - base);
  const bottom = u.bbox.top + u.bbox.height;
  const pixel = (v: number): number => bottom - ((log ? Math.log(Math.max(v, min * 1e-3)) : v) - base) * scale;
  let travel = 0;
  for (let c = 0; c < width; c++) {
    const bottomOf = pixel(low[c] as number);
    const topOf = pixel(high[c] as number);
    low[c] = topOf;
    high[c] = bottomOf;
    if (topOf === topOf) travel += bottomOf - topOf;
  }
  return { low, high, travel };
}

/** line draws a series. Dashes are measured along x, because the way up and down has no end. */
export function line(u: uPlot, xs: ArrayLike<number>, ys: Values, key: string, colour: string, thick: number, dash: number[]): void {
  if (inView(u) <= u.bbox.width) {
    polyline(u, xs, ys, key, colour, thick, dash);
    return;
  }
  const { low, high, travel } = extents(u, xs, ys, ys, key);
  const { ctx } = u;
  const left = Math.round(u.bbox.left);
  clipped(u, () => {
    if (travel < 3 * low.length) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = thick;
      ctx.lineJoin = "bevel";
      ctx.setLineDash(dash);
      ctx.beginPath();
      let open = false;
      for (let c = 0; c < low.length; c++) {
        const y = ((low[c] as number) + (high[c] as number)) / 2;
        if (y !== y) continue;
        if (open) ctx.lineTo(left + c + 0.5, y);
        else ctx.moveTo(left + c + 0.5, y);
        open = c + 1 >= low.length || low[c + 1] === low[c + 1] || !gap(low, c);
      }
      ctx.stroke();
      return;
    }
    const period = dash.reduce((a, b) => a + b, 0);
    const on = dash[0] ?? 0;
    ctx.fillStyle = colour;
    for (let c = 0; c < low.length; c++) {
      const y = low[c] as number;
      if (y !== y || (period > 0 && c % period >= on)) continue;
      const top = Math.round(y - thick / 2);
      ctx.fillRect(left + c, top, 1, Math.max(Math.round((high[c] as number) + thick / 2) - top, 1));
    }
  });
}

// polyline strokes a series. A line that goes up and down a lot is one pixel wide, which is much faster than a wider one.
function polyline(u: uPlot, xs: ArrayLike<number>, ys: Values, key: string, colour: string, thick: number, dash: number[]): void {
  const { ctx } = u;
  const first = Math.max(u.valToIdx(u.scales["x"]?.min ?? 0) - 1, 0);
  const last = Math.min(u.valToIdx(u.scales["x"]?.max ?? 1) + 1, xs.length - 1);
  clipped(u, () => {
    ctx.strokeStyle = colour;
    ctx.lineJoin = "bevel";
    ctx.beginPath();
    let open = false;
    let before = 0;
    let travel = 0;
    for (let i = first; i <= last; i++) {
      const v = ys[i];
      if (v === null) open = false;
      if (typeof v !== "number") continue;
      const y = u.valToPos(v, key, true);
      if (open) {
        ctx.lineTo(u.valToPos(xs[i] as number, "x", true), y);
        travel += Math.abs(y - before);
      } else {
        ctx.moveTo(u.valToPos(xs[i] as number, "x", true), y);
      }
      open = true;
      before = y;
    }
    const noisy = travel > 3 * u.bbox.width;
    ctx.lineWidth = noisy ? Math.max(1, thick / 1.5) : thick;
    ctx.setLineDash(noisy ? [] : dash);
    ctx.stroke();
  });
}

// gap reports whether no value follows column c for some pixels.
function gap(low: Float64Array, c: number): boolean {
  for (let k = c + 1; k < Math.min(c + 4, low.length); k++) if (low[k] === low[k]) return false;
  return true;
}

/** band fills the range between two series. */
export function band(u: uPlot, xs: ArrayLike<number>, lows: Values, highs: Values, key: string, colour: string): void {
  if (inView(u) <= u.bbox.width) {
    polygon(u, xs, lows, highs, key, colour);
    return;
  }
  const { low, high } = extents(u, xs, lows, highs, key);
  const left = Math.round(u.bbox.left);
  clipped(u, () => {
    u.ctx.fillStyle = colour;
    for (let c = 0; c < low.length; c++) {
      if (low[c] === low[c]) u.ctx.fillRect(left + c, low[c] as number, 1, (high[c] as number) - (low[c] as number));
    }
  });
}

function polygon(u: uPlot, xs: ArrayLike<number>, lows: Values, highs: Values, key: string, colour: string): void {
  const first = Math.max(u.valToIdx(u.scales["x"]?.min ?? 0) - 1, 0);
  const last = Math.min(u.valToIdx(u.scales["x"]?.max ?? 1) + 1, xs.length - 1);
  const { ctx } = u;
  clipped(u, () => {
    ctx.fillStyle = colour;
    let back: [number, number][] = [];
    const close = (): void => {
      for (const [x, y] of back.reverse()) ctx.lineTo(x, y);
      if (back.length > 0) ctx.fill();
      back = [];
    };
    for (let i = first; i <= last; i++) {
      const [low, high] = [lows[i], highs[i]];
      if (low === null || high === null) close();
      if (typeof low !== "number" || typeof high !== "number") continue;
      const x = u.valToPos(xs[i] as number, "x", true);
      const y = u.valToPos(high, key, true);
      if (back.length === 0) {
        ctx.beginPath();
        ctx.moveTo(x, y);
      } else {
        ctx.lineTo(x, y);
      }
      back.push([x, u.valToPos(low, key, true)]);
    }
    close();
  });
}

/** points draws a series without a line as squares. */
export function points(u: uPlot, xs: ArrayLike<number>, ys: Values, key: string, colour: string, size: number): void {
  const x = u.scales["x"];
  const first = u.valToIdx(x?.min ?? 0);
  const last = u.valToIdx(x?.max ?? 1);
  clipped(u, () => {
    u.ctx.fillStyle = colour;
    for (let i = first; i <= last; i++) {
      const v = ys[i];
      if (typeof v === "number") u.ctx.fillRect(u.valToPos(xs[i] as number, "x", true) - size / 2, u.valToPos(v, key, true) - size / 2, size, size);
    }
  });
}

function clipped(u: uPlot, draw: () => void): void {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  draw();
  u.ctx.restore();
}
