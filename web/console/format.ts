// Figures and times as texts.

import { figure } from "../report/units";
import { lang, t } from "./text";

export { figure };

/** micros is a latency. */
export function micros(v: number | null | undefined): string {
  return v === null || v === undefined ? "–" : figure(v, "µs");
}

/** count is a number of things or operations. */
export function count(v: number | null | undefined): string {
  return v === null || v === undefined ? "–" : Math.round(v).toLocaleString("en-US");
}

/** several is a number of things in English, such as 1 agent or 1,000 agents. */
export function several(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
}

/** rate is a number of operations per second. */
export function rate(v: number | null | undefined): string {
  return v === null || v === undefined ? "–" : `${v >= 100 ? count(v) : figure(v)}/s`;
}

/** percent is a share. */
export function percent(v: number | null | undefined): string {
  return v === null || v === undefined ? "–" : `${(v * 100).toFixed(Math.abs(v) < 0.1 ? 1 : 0)} %`;
}

/** bytes is a size. */
export function bytes(v: number): string {
  return figure(v, "B");
}

/** duration is a length of time. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.round(seconds);
  if (s < 1) return "0 s";
  const d = Math.floor(s / 86400);
  const h = Math.floor(s / 3600) % 24;
  const m = Math.floor(s / 60) % 60;
  if (d > 0) return `${d} d ${h} h`;
  if (h > 0) return `${h} h ${m} min`;
  if (m > 0) return s % 60 && m < 10 ? `${m} min ${s % 60} s` : `${m} min`;
  return `${s} s`;
}

const moments = new Intl.DateTimeFormat(lang === "zh" ? "zh-CN" : "en-GB", { year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** moment is a time, in the time zone of the browser. */
export function moment(at: string | null | undefined): string {
  return at ? moments.format(new Date(at)) : "–";
}

/** ago is how long ago a time was. */
export function ago(at: string): string {
  const s = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  return s < 2 ? t("now", "刚刚") : t(`${duration(s)} ago`, `${duration(s)}前`);
}

/** signed is a figure with its sign. */
export function signed(v: number, unit = ""): string {
  return `${v > 0 ? "+" : v < 0 ? "−" : ""}${figure(Math.abs(v), unit)}`;
}
