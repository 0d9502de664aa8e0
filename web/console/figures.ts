// Names and values of figures, such as throughput_ops and read_p99_us.

import { count, figure, rate } from "./format";
import { t } from "./text";

const stats: Record<string, string> = { avg: t("mean", "均值"), min: t("min", "最小"), max: t("max", "最大"), p50: "p50", p90: "p90", p95: "p95", p99: "p99", p999: "p99.9", p9999: "p99.99" };

/** figureTitle is the name of a figure for people: READ p99. */
export function figureTitle(name: string): string {
  const dot = name.lastIndexOf(".");
  const group = dot >= 0 ? `${name.slice(0, dot)}.` : "";
  const own = name.slice(dot + 1);
  if (own === "throughput_ops") return group + t("throughput", "吞吐量");
  if (own === "throughput_rows") return group + t("throughput in rows", "行吞吐量");
  const [, op, stat] = /^(.+?)_(avg|min|max|p\d+)_(?:us|ms|s)$/.exec(own) ?? [];
  if (op !== undefined && stat !== undefined) return `${group}${op.toUpperCase().replaceAll("_", "-")} ${stats[stat] ?? stat}`;
  return group + own.replaceAll("_", " ");
}

/** amount is a value of a figure with its unit. */
export function amount(v: number | null | undefined, unit: string): string {
  if (v === null || v === undefined) return "–";
  if (unit === "ops/s") return rate(v);
  if (unit === "") return Number.isInteger(v) ? count(v) : figure(v);
  return figure(v, unit);
}

/** change is a factor as a change in percent, such as +4.2 %. */
export function change(factor: number): string {
  const percent = (factor - 1) * 100;
  const size = Math.abs(percent);
  const text = size >= 1000 ? Math.round(size).toLocaleString("en-US") : size.toFixed(size >= 100 ? 0 : 1);
  return `${Number(text.replaceAll(",", "")) === 0 ? "±" : percent > 0 ? "+" : "−"}${text} %`;
}
