// What happened, and limits: lines, spans and labels over a chart.

import type uPlot from "uplot";
import { ticks } from "./units";
import type { Chart, Mark, MarkKind } from "./data";
import type { Palette } from "./theme";

export const dashes: Record<MarkKind, number[]> = { action: [], event: [4, 3], dip: [], phase: [1, 3], chosen: [] };

/** rows is the number of lines that the labels of a chart need at most. */
export function rows(chart: Chart): number {
  const n = chart.marks?.length ?? 0;
  return n === 0 ? 0 : n < 3 ? 1 : n < 8 ? 2 : 3;
}

export const rowHeight = 14;

function isSpan(m: Mark): boolean {
  return m.to !== undefined && m.to > m.from;
}

function within(u: uPlot, draw: (ctx: CanvasRenderingContext2D) => void): void {
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  draw(u.ctx);
  u.ctx.restore();
}

/** spans fills what lasted, beneath the series. */
export function spans(u: uPlot, chart: Chart, colours: Palette): void {
  within(u, (ctx) => {
    for (const m of chart.marks ?? []) {
      if (!isSpan(m)) continue;
      const x0 = u.valToPos(m.from, "x", true);
      const x1 = u.valToPos(m.to as number, "x", true);
      ctx.globalAlpha = m.kind === "phase" ? 0.06 : 0.14;
      ctx.fillStyle = colours.mark[m.kind];
      ctx.fillRect(x0, u.bbox.top, Math.max(x1 - x0, 1), u.bbox.height);
    }
  });
}

/** lines draws lines and labels, above the series. k is the number of pixels of the canvas for one of the page. */
export function lines(u: uPlot, chart: Chart, colours: Palette, k: number): void {
  const { ctx, bbox } = u;
  within(u, () => {
    ctx.lineWidth = Math.max(1, Math.round(k));
    for (const m of chart.marks ?? []) {
      ctx.strokeStyle = colours.mark[m.kind];
      ctx.setLineDash(dashes[m.kind].map((d) => d * k));
      ctx.globalAlpha = m.kind === "phase" ? 0.7 : 0.9;
      for (const at of isSpan(m) && m.kind !== "phase" ? [m.from, m.to as number] : [m.from]) {
        const x = Math.round(u.valToPos(at, "x", true)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
    for (const l of chart.limits ?? []) {
      const y = Math.round(u.valToPos(l.value, `y${l.axis ?? 0}`, true)) + 0.5;
      ctx.strokeStyle = colours.limit;
      ctx.setLineDash([8 * k, 4 * k]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.fillStyle = colours.limit;
      ctx.font = `${11 * k}px system-ui, sans-serif`;
      ctx.textAlign = "right";
      ctx.textBaseline = y < bbox.top + 16 * k ? "top" : "bottom";
      const value = ticks([l.value], chart.y[l.axis ?? 0]?.unit)[0];
      const label = short(ctx, l.label || (value as string), bbox.width * 0.6);
      const at: [number, number] = [bbox.left + bbox.width - 4 * k, y + (y < bbox.top + 16 * k ? 3 : -2) * k];
      ctx.strokeStyle = colours.paper; // the label is readable over lines
      ctx.setLineDash([]);
      ctx.lineWidth = 4 * k;
      ctx.lineJoin = "round";
      ctx.strokeText(label, ...at);
      ctx.fillText(label, ...at);
      ctx.lineWidth = Math.max(1, Math.round(k));
    }
  });
  labels(u, chart, colours, k);
}

// labels writes what the marks are, in the rows above the plot, as far as there is room.
function labels(u: uPlot, chart: Chart, colours: Palette, k: number): void {
  const { ctx, bbox } = u;
  const free: number[] = new Array(rows(chart)).fill(-Infinity);
  ctx.save();
  ctx.setLineDash([]);
  ctx.font = `${11 * k}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const end = bbox.left + bbox.width;
  for (const m of [...(chart.marks ?? [])].sort((a, b) => a.from - b.from)) {
    let x = u.valToPos(m.from, "x", true);
    const stops = isSpan(m) ? u.valToPos(m.to as number, "x", true) : x;
    if (x > end || stops < bbox.left || !m.label) continue;
    x = Math.max(x, bbox.left);
    const text = short(ctx, m.label, 190 * k);
    const width = ctx.measureText(text).width;
    const row = free.findIndex((until) => x >= until);
    const at = Math.min(x, end - width);
    if (row < 0 || at < (free[row] as number)) continue;
    free[row] = at + width + 8 * k;
    const y = bbox.top - (free.length - row - 0.5) * rowHeight * k;
    ctx.fillStyle = colours.mark[m.kind];
    ctx.fillText(text, at, y);
    ctx.fillRect(Math.round(x), y + 6 * k, Math.max(1, Math.round(k)), bbox.top - y - 6 * k);
  }
  ctx.restore();
}

function short(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text;
  const letters = [...text];
  let n = Math.min(letters.length, 60);
  while (n > 1 && ctx.measureText(letters.slice(0, n).join("") + "…").width > room) n--;
  return letters.slice(0, n).join("") + "…";
}
