// The figures of a comparison: both sides, the change with its interval as text and as a bar, and the verdict.

import type { ComparedCase, ComparedFigure, FigureVerdict } from "./documents";
import { amount, change, figureTitle } from "./figures";
import { percent, several } from "./format";
import { t } from "./text";
import { steps } from "./xy";

const verdicts: Record<FigureVerdict, [string, string]> = {
  better: [t("better", "更好"), "good"],
  worse: [t("worse", "更差"), "bad"],
  "no difference shown": [t("no difference shown", "无明显差异"), ""],
  "not enough runs": [t("not enough runs", "运行次数不足"), "caution"],
};

/** VerdictBadge shows a verdict as a word with a sign and a colour. */
export function VerdictBadge({ verdict, holds = true }: { verdict: FigureVerdict; holds?: boolean }) {
  const [text, look] = verdicts[verdict] ?? [verdict, ""];
  return <span class={`badge ${look}`}>{text}{!holds && (verdict === "better" || verdict === "worse") ? " *" : ""}</span>;
}

const width = 220;
const height = 22;

/** Scale is the common axis of all bars, in percent. */
interface Scale {
  from: number;
  to: number;
  x: (percent: number) => number;
}

/** scaleOf covers all estimates, and their intervals as far as these do not make the estimates unreadable. */
function scaleOf(figures: ComparedFigure[], smallest: number): Scale {
  let [least, most] = [-150 * smallest, 150 * smallest];
  let [low, high] = [least, most];
  for (const { factor } of figures) {
    if (!factor) continue;
    const percent = (ratio: number): number => (ratio - 1) * 100;
    [least, most] = [Math.min(least, percent(factor.ratio)), Math.max(most, percent(factor.ratio))];
    [low, high] = [Math.min(low, percent(factor.low)), Math.max(high, percent(factor.high))];
  }
  const room = most - least;
  const [from, to] = [Math.max(low, least - room), Math.min(high, most + room)];
  return { from, to, x: (percent) => 12 + ((Math.min(Math.max(percent, from), to) - from) / (to - from)) * (width - 24) };
}

/** FigureTable has a row for each figure of each case. of is the side B if there are several. */
export function FigureTable({ cases, smallest, of }: { cases: ComparedCase[]; smallest: number; of: string }) {
  const all = cases.flatMap((c) => c.figures);
  const scale = scaleOf(all, smallest);
  const starred = all.some((f) => !f.holds && (f.verdict === "better" || f.verdict === "worse"));
  const tested = all.some((f) => f.factor);
  const odd = cases.flatMap((c) => c.figures.flatMap((f) => f.odd_values.map((o) => t(`${c.case}, ${figureTitle(f.name)}: run ${o.run} of ${o.side.toUpperCase()} has ${amount(o.value, f.unit)}, far from the others.`, `${c.case}，${figureTitle(f.name)}：${o.side.toUpperCase()} 的运行 ${o.run} 为 ${amount(o.value, f.unit)}，与其他运行相差较大。`))));
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={`${t("Figures of both sides", "双方的指标")} ${of}`.trim()}>
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">{t("Case", "用例")}</th>
              <th scope="col">{t("Figure", "指标")}</th>
              <th scope="col" class="figure">A</th>
              <th scope="col" class="figure">B</th>
              <th scope="col" class="figure">{t("Change", "变化")}</th>
              {tested && <th scope="col" class="interval"><AxisOf scale={scale} smallest={smallest} /></th>}
              <th scope="col">{t("Verdict", "判定")}</th>
            </tr>
          </thead>
          <tbody>
            {cases.filter((c) => c.figures.length > 0).flatMap((c) => c.figures.map((f, i) => (
              <tr key={`${c.case} ${f.name}`}>
                {i === 0 && <td rowSpan={c.figures.length} class="case">{c.case}<span class="sub">{t(`${several(c.runs_a.length, "run")} of A, ${c.runs_b.length} of B`, `A ${c.runs_a.length} 次，B ${c.runs_b.length} 次运行`)}</span></td>}
                <td>{figureTitle(f.name)}</td>
                <td class="figure" title={range(f, "a")}>{amount(f.a.median, f.unit)}</td>
                <td class="figure" title={range(f, "b")}>{amount(f.b.median, f.unit)}</td>
                <td class="figure">
                  {f.factor
                    ? <>{change(f.factor.ratio)}<span class="sub">{change(f.factor.low)} {t("to", "至")} {change(f.factor.high)}</span></>
                    : <span class="empty">{f.a.median > 0 ? change(f.b.median / f.a.median) : "–"}<span class="sub">{t("no interval", "无区间")}</span></span>}
                </td>
                {tested && <td class="interval"><IntervalOf of={f} scale={scale} smallest={smallest} /></td>}
                <td><VerdictBadge verdict={f.verdict} holds={f.holds} /></td>
              </tr>
            )))}
          </tbody>
        </table>
      </div>
      <ul class="notes">
        <li>{t("A and B are medians over the runs. The change is of B against A, with its 95 % interval.", "A 和 B 是多次运行的中位数。变化是 B 相对 A，带 95 % 区间。")}{tested && t(` The shaded band is the smallest effect that is named: ${percent(smallest)}.`, `阴影带是会被指出的最小效应：${percent(smallest)}。`)}</li>
        {starred && <li>{t("* does not hold after the correction for the number of figures.", "* 按指标个数校正后不成立。")}</li>}
        {odd.map((o) => <li key={o}>{o}</li>)}
      </ul>
    </>
  );
}

function range(f: ComparedFigure, side: "a" | "b"): string {
  const s = f[side];
  return s.values.length > 1 ? `${amount(s.min, f.unit)} ${t("to", "至")} ${amount(s.max, f.unit)}` : "";
}

/** AxisOf is the head of the column of bars. */
function AxisOf({ scale, smallest }: { scale: Scale; smallest: number }) {
  const all = steps(scale.from, scale.to, 4).filter((v) => scale.x(v) > 16 && scale.x(v) < width - 20);
  return (
    <svg viewBox={`0 0 ${width} 26`} width={width} height="26" role="img" aria-label={t("Change of B against A, in percent", "B 相对 A 的变化（百分比）")}>
      <rect x={scale.x(-100 * smallest)} width={scale.x(100 * smallest) - scale.x(-100 * smallest)} y="18" height="8" class="band" />
      {all.map((v) => (
        <g key={v}>
          <line x1={scale.x(v)} x2={scale.x(v)} y1="18" y2="26" class={v === 0 ? "zero" : "grid"} />
          <text x={scale.x(v)} y="13" text-anchor="middle">{v > 0 ? "+" : v < 0 ? "−" : ""}{Math.abs(v)}{v === 0 ? "" : " %"}</text>
        </g>
      ))}
    </svg>
  );
}

/** IntervalOf is the change of a figure as a point with its interval. What lies outside of the axis ends with an arrow. */
function IntervalOf({ of, scale, smallest }: { of: ComparedFigure; scale: Scale; smallest: number }) {
  const { factor } = of;
  const middle = height / 2;
  const [low, high, at] = factor ? [(factor.low - 1) * 100, (factor.high - 1) * 100, (factor.ratio - 1) * 100] : [0, 0, 0];
  const look = of.verdict === "better" ? "better" : of.verdict === "worse" ? "worse" : "same";
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={factor ? `${change(factor.ratio)} (${change(factor.low)} ${t("to", "至")} ${change(factor.high)})` : t("no interval", "无区间")}>
      <rect x={scale.x(-100 * smallest)} width={scale.x(100 * smallest) - scale.x(-100 * smallest)} y="0" height={height} class="band" />
      <line x1={scale.x(0)} x2={scale.x(0)} y1="0" y2={height} class="zero" />
      {factor && (
        <g class={look}>
          <line x1={scale.x(low)} x2={scale.x(high)} y1={middle} y2={middle} class="whisker" />
          {low < scale.from ? <path d={`M${scale.x(low) - 6} ${middle}l7 -5v10z`} /> : <line x1={scale.x(low)} x2={scale.x(low)} y1={middle - 4} y2={middle + 4} class="whisker" />}
          {high > scale.to ? <path d={`M${scale.x(high) + 6} ${middle}l-7 -5v10z`} /> : <line x1={scale.x(high)} x2={scale.x(high)} y1={middle - 4} y2={middle + 4} class="whisker" />}
          {look === "same" ? <circle cx={scale.x(at)} cy={middle} r="4" /> : <rect x={scale.x(at) - 4.5} y={middle - 4.5} width="9" height="9" />}
        </g>
      )}
    </svg>
  );
}
