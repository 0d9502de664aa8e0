// How the lines and axes of a chart over time are drawn.

import uPlot from "uplot";
import type { Series } from "./data";

/** Steps between the ticks of a time axis, in seconds. */
export const times = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 345600, 604800];
const patterns: number[][] = [[], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4]];

/** The paths of lines and of steps. */
export const linear = uPlot.paths.linear?.() as uPlot.Series.PathBuilder;
export const stepped = uPlot.paths.stepped?.({ align: 1 }) as uPlot.Series.PathBuilder;

/** dash is the pattern of a line: those that are not measured differ from the others. */
export function dash(s: Series, i: number): number[] {
  if (s.published) return [2, 4];
  return s.style === "dashed" ? [5, 4] : (patterns[Math.floor(i / 8) % patterns.length] as number[]);
}

/** decades leaves the powers of ten of a logarithmic axis. */
export function decades(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((s) => (Math.abs(Math.log10(s) - Math.round(Math.log10(s))) < 1e-9 ? s : null));
}

/** tinted is a colour of the page as the fill of a band. */
export function tinted(hex: string): string {
  return `${hex}2e`;
}
