// A small chart of points over a number, as a picture in SVG.

import { ticks } from "../report/units";

/** XYPoint is a point of a chart, with the interval of its value if there is one. */
export interface XYPoint {
  x: number;
  y: number;
  low?: number;
  high?: number;
  title: string;
}

/** XYSeries is a series of points. Series differ in shape as well as in colour. */
export interface XYSeries {
  name: string;
  points: XYPoint[];
  colour: number; // 1 to 8
  line?: boolean;
  shape?: "circle" | "cross" | "square";
}

const width = 460;
const height = 220;
const left = 58;
const right = 14;
const top = 18;
const bottom = 38;

/** steps are round values between two bounds. */
export function steps(from: number, to: number, about: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(span / about));
  const step = ([1, 2, 5, 10].find((n) => span / (n * power) <= about) ?? 10) * power;
  const out: number[] = [];
  for (let v = Math.ceil(from / step) * step; v <= to + step * 1e-6; v += step) out.push(Math.abs(v) < step * 1e-6 ? 0 : v);
  return out;
}

/** XY draws series over a number. */
export function XY({ title, x, y, series, marks }: { title: string; x: { title: string }; y: { title: string; unit: string }; series: XYSeries[]; marks: { x: number; label: string }[] }) {
  const all = series.flatMap((s) => s.points);
  if (all.length === 0) return null;
  const xs = [...all.map((p) => p.x), ...marks.map((m) => m.x)];
  const least = Math.min(...xs);
  const most = Math.max(...xs);
  const pad = (most - least || 1) * 0.05;
  const [x0, x1] = [Math.max(least - pad, least >= 0 ? 0 : least - pad), most + pad];
  const y1 = Math.max(...all.map((p) => p.high ?? p.y)) * 1.08 || 1;
  const px = (v: number): number => left + ((v - x0) / (x1 - x0)) * (width - left - right);
  const py = (v: number): number => height - bottom - (v / y1) * (height - top - bottom);
  const ys = steps(0, y1, 5);
  const yTexts = ticks(ys, y.unit === "ops/s" ? "" : y.unit);
  const xTicks = steps(x0, x1, 6);
  const xTexts = ticks(xTicks, "");
  return (
    <figure class="chart small">
      <figcaption><h3>{title}</h3></figcaption>
      {series.length > 1 && (
        <p class="keys">
          {series.map((s) => (
            <span key={s.name}>
              <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><Mark shape={s.shape} x={6} y={6} colour={s.colour} /></svg> {s.name}
            </span>
          ))}
        </p>
      )}
      <div class="picture">
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: ${y.title} / ${x.title}`}>
          {ys.map((v, i) => (
            <g key={v}>
              <line x1={left} x2={width - right} y1={py(v)} y2={py(v)} class="grid" />
              <text x={left - 6} y={py(v) + 4} text-anchor="end">{yTexts[i]}</text>
            </g>
          ))}
          {xTicks.map((v, i) => <text key={v} x={px(v)} y={height - bottom + 16} text-anchor="middle">{xTexts[i]}</text>)}
          <text x={(left + width - right) / 2} y={height - 5} text-anchor="middle">{x.title}</text>
          {y.unit === "ops/s" && <text x={4} y={11}>{y.unit}</text>}
          {marks.map((m) => (
            <g key={m.label}>
              <line x1={px(m.x)} x2={px(m.x)} y1={top - 4} y2={height - bottom} class="chosen" />
              <text x={px(m.x)} y={top - 7} text-anchor={px(m.x) > width - 80 ? "end" : "middle"}>{m.label}</text>
            </g>
          ))}
          {series.map((s) => (
            <g key={s.name} class={`series-${s.colour}`}>
              {s.line && <polyline points={[...s.points].sort((a, b) => a.x - b.x).map((p) => `${px(p.x)},${py(p.y)}`).join(" ")} fill="none" stroke={`var(--series-${s.colour})`} stroke-width="1.75" />}
              {s.points.map((p, i) => (
                <g key={i}>
                  <title>{p.title}</title>
                  {p.low !== undefined && p.high !== undefined && p.high > p.low && <line x1={px(p.x)} x2={px(p.x)} y1={py(p.low)} y2={py(p.high)} stroke={`var(--series-${s.colour})`} stroke-width="1.5" />}
                  <Mark shape={s.shape} x={px(p.x)} y={py(p.y)} colour={s.colour} />
                </g>
              ))}
            </g>
          ))}
        </svg>
      </div>
    </figure>
  );
}

function Mark({ shape, x, y, colour }: { shape: XYSeries["shape"]; x: number; y: number; colour: number }) {
  const paint = `var(--series-${colour})`;
  if (shape === "cross") return <path d={`M${x - 4} ${y - 4}l8 8m0 -8l-8 8`} stroke={paint} stroke-width="2" fill="none" />;
  if (shape === "square") return <rect x={x - 3.5} y={y - 3.5} width="7" height="7" fill={paint} />;
  return <circle cx={x} cy={y} r="4" fill={paint} />;
}
