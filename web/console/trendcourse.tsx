// The course of a figure over suites as a picture: points with intervals, levels, and marks of changes.

import { useEffect, useRef, useState } from "preact/hooks";
import { ticks } from "../report/units";
import type { Trend, TrendFigure } from "./trenddocuments";
import { amount, change, figureTitle } from "./figures";
import { moment, several } from "./format";
import { go, href } from "./router";
import { lang, t } from "./text";
import { steps } from "./xy";

const height = 280;
const left = 62;
const right = 16;
const top = 30;
const bottom = 30;

const minute = 60e3;
const hour = 60 * minute;
const day = 24 * hour;
const lengths = [1e3, 2e3, 5e3, 10e3, 30e3, minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 30 * day, 60 * day, 91 * day, 182 * day, 365 * day];

const locale = lang === "zh" ? "zh-CN" : "en-GB";

/** instants are round times between two others, with their texts. */
function instants(from: number, to: number, about: number): { at: number; text: string }[] {
  const step = lengths.find((l) => (to - from) / l <= about) ?? 365 * day;
  const format = new Intl.DateTimeFormat(locale, step >= 28 * day ? { year: "numeric", month: "short", day: "numeric" } : step >= day ? { month: "short", day: "numeric" } : step >= minute ? { month: to - from > day ? "short" : undefined, day: to - from > day ? "numeric" : undefined, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const offset = new Date(from).getTimezoneOffset() * minute; // whole days of the browser's time zone
  const out = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) out.push({ at, text: format.format(at) });
  return out;
}

interface Placed {
  x: number;
  suite: string;
  value: number;
  low: number | null;
  high: number | null;
}

/** levels are the means between changes, from point to point. */
function levels(points: Placed[], starts: number[]): { from: number; to: number; mean: number }[] {
  const bounds = [0, ...starts, points.length];
  return bounds.slice(1).flatMap((end, i) => {
    const part = points.slice(bounds[i], end);
    return part.length === 0 ? [] : [{ from: bounds[i] as number, to: end - 1, mean: part.reduce((sum, p) => sum + p.value, 0) / part.length }];
  });
}

/** Course draws a figure over time. The arrow keys move from suite to suite, and Enter opens one. */
export function Course({ of, trend, byOrder }: { of: TrendFigure; trend: Trend; byOrder: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [at, setAt] = useState(-1);
  useEffect(() => {
    const sized = new ResizeObserver((entries) => setWidth(Math.max(entries[0]?.contentRect.width ?? 800, 260)));
    if (box.current) sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  useEffect(() => setAt(-1), [of]);
  const submitted = new Map(trend.suites.map((s) => [s.id, Date.parse(s.submitted)]));
  const points: Placed[] = of.points.map((p, i) => ({ x: byOrder ? i + 1 : (submitted.get(p.suite) ?? 0), suite: p.suite, value: p.value, low: p.ci95_low, high: p.ci95_high }));
  if (points.length === 0) return <p class="empty">{t("No suite has this figure.", "没有套件包含该指标。")}</p>;
  const xs = points.map((p) => p.x);
  const spread = Math.max(...xs) - Math.min(...xs) || 1;
  const [x0, x1] = [Math.min(...xs) - spread * 0.02, Math.max(...xs) + spread * 0.02];
  const [y0, y1] = bounds(points);
  const px = (v: number): number => left + ((v - x0) / (x1 - x0)) * (width - left - right);
  const py = (v: number): number => top + ((y1 - Math.min(Math.max(v, y0), y1)) / (y1 - y0)) * (height - top - bottom);
  const ys = steps(y0, y1, 5);
  const texts = ticks(ys, of.unit === "ops/s" ? "" : of.unit);
  const across = byOrder ? steps(Math.max(x0, 1), x1, Math.max(width / 90, 2)).filter(Number.isInteger).map((v) => ({ at: v, text: String(v) })) : instants(x0, x1, Math.max(width / 110, 2));
  const starts = of.changes.map((c) => points.findIndex((p) => p.suite === c.suite)).filter((i) => i >= 0);
  const nearest = (e: MouseEvent): number => {
    const x = e.clientX - (box.current?.getBoundingClientRect().left ?? 0);
    return points.reduce((best, p, i) => (Math.abs(px(p.x) - x) < Math.abs(px((points[best] as Placed).x) - x) ? i : best), 0);
  };
  const open = (i: number): void => {
    const p = points[i];
    if (p) go(href("suites", p.suite));
  };
  const key = (e: KeyboardEvent): void => {
    const last = points.length - 1;
    const to = { ArrowLeft: at < 0 ? last : Math.max(at - 1, 0), ArrowRight: at < 0 ? 0 : Math.min(at + 1, last), Home: 0, End: last }[e.key];
    if (to !== undefined) setAt(to);
    else if (e.key === "Enter") open(at);
    else return;
    e.preventDefault();
  };
  const pointed = points[at];
  return (
    <figure class="chart over-time">
      <figcaption>
        <h3>{figureTitle(of.name)}</h3>
        <p class="how">{of.higher_is_better ? t("Higher is better.", "越高越好。") : t("Lower is better.", "越低越好。")} {t("Each point is a suite, with its 95 % interval if it has one. The dashed lines are the levels between changes. The vertical axis covers the values and may start above 0.", "每个点是一个套件，有 95 % 区间时一并画出。虚线是变化之间的水平。纵轴按数值范围显示，可能不从 0 开始。")}</p>
      </figcaption>
      <div class="course" ref={box}>
        <div class="plane" tabIndex={0} role="application" aria-label={t(`${figureTitle(of.name)} over ${several(points.length, "suite")}. The arrow keys move, Enter opens a suite.`, `${figureTitle(of.name)}，${points.length} 个套件。方向键移动，回车打开套件。`)} onKeyDown={key} onMouseMove={(e) => setAt(nearest(e))} onClick={(e) => open(nearest(e))}>
          <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
            {ys.map((v, i) => (
              <g key={v}>
                <line x1={left} x2={width - right} y1={py(v)} y2={py(v)} class="grid" />
                <text x={left - 7} y={py(v) + 4} text-anchor="end">{texts[i]}</text>
              </g>
            ))}
            {of.unit === "ops/s" && <text x={4} y={12}>{of.unit}</text>}
            {across.map((x) => <text key={x.at} x={px(x.at)} y={height - 8} text-anchor="middle">{x.text}</text>)}
            {levels(points, starts).map((l) => <line key={l.from} x1={px((points[l.from] as Placed).x)} x2={px((points[l.to] as Placed).x)} y1={py(l.mean)} y2={py(l.mean)} class="level" />)}
            {of.changes.map((c) => {
              const p = points.find((p) => p.suite === c.suite);
              if (!p) return null;
              const x = px(p.x);
              return (
                <g key={c.suite}>
                  <line x1={x} x2={x} y1={top - 8} y2={height - bottom} class={`mark ${c.verdict}`} />
                  <text x={x} y={top - 13} text-anchor={x > width - 120 ? "end" : x < left + 40 ? "start" : "middle"} class={`mark-text ${c.verdict}`}>{c.verdict === "worse" ? "✕ " : "✓ "}{change(c.ratio)}</text>
                </g>
              );
            })}
            {points.map((p) => (
              <g key={p.suite}>
                {p.low !== null && p.high !== null && <line x1={px(p.x)} x2={px(p.x)} y1={py(p.low)} y2={py(p.high)} class="interval-line" />}
                <circle cx={px(p.x)} cy={py(p.value)} r={points.length > 120 ? 2.5 : 4} class="point" />
              </g>
            ))}
            {pointed && <circle cx={px(pointed.x)} cy={py(pointed.value)} r="7" class="at" />}
          </svg>
        </div>
      </div>
      <p class="pointed" aria-live="polite">
        {pointed
          ? <><a href={href("suites", pointed.suite)}>{pointed.suite}</a>, {moment(trend.suites.find((s) => s.id === pointed.suite)?.submitted)}: <strong>{amount(pointed.value, of.unit)}</strong>{pointed.low !== null && pointed.high !== null && ` (${amount(pointed.low, of.unit)} ${t("to", "至")} ${amount(pointed.high, of.unit)})`}</>
          : <span class="empty">{t("Point at a suite, or use the arrow keys.", "指向一个套件，或使用方向键。")}</span>}
      </p>
    </figure>
  );
}

/** bounds are those of the vertical axis: all values, and their intervals as far as these leave the values readable. */
function bounds(points: Placed[]): [number, number] {
  const values = points.map((p) => p.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) * 0.1 || 1;
  const low = Math.max(Math.min(...points.map((p) => p.low ?? p.value)), least - 1.5 * span);
  const high = Math.min(Math.max(...points.map((p) => p.high ?? p.value)), most + 1.5 * span);
  const pad = (high - low || span) * 0.08; // all can be the same
  return [least >= 0 ? Math.max(low - pad, 0) : low - pad, high + pad];
}
