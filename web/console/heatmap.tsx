// A heat map of many agents over time: a row for each agent, in the place of a thousand lines.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Mark } from "../report/data";
import type { Group, Member } from "../report/group";
import { times as steps } from "../report/style";
import { palette } from "../report/theme";
import { instant } from "../report/units";
import { onTheme } from "./theme";
import { t } from "./text";

/** HeatRow is a row of a heat map: the values of an agent at the columns' times. */
export interface HeatRow {
  name: string;
  values: (number | null)[];
}

export interface HeatProps {
  title: string;
  how: string;
  x: number[]; // the starts of the columns, seconds
  step: number; // length of a column
  rows: HeatRow[];
  format: (v: number | null) => string;
  /** worst is which value matters where several agents share a line of pixels. */
  worst: "low" | "high";
  log?: boolean;
  marks: Mark[];
  group: Group;
}

const left = 60; // as the charts have it
const right = 14;
const axis = 22;
const lines = 400; // of pixels, at most

/** Sheet is the picture of all cells, a pixel each. */
interface Sheet {
  picture: HTMLCanvasElement;
  of: number[][]; // the rows of each line
  low: number; // value of the lightest colour
  high: number; // of the darkest
}

/** HeatMap draws the rows sorted by their mean, the worst at the top. */
export function HeatMap(props: HeatProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [cell, setCell] = useState<{ line: number; column: number }>();
  const [theme, setTheme] = useState(0);
  const rows = useMemo(() => sorted(props.rows, props.worst), [props.rows, props.worst]);
  const sheet = useMemo(() => paint(rows, props), [rows, props.x, props.log, props.worst, theme]);
  const shown = Math.min(rows.length, lines);
  const height = Math.max(Math.min(shown * 14, 420), shown, 90);
  useEffect(() => onTheme(() => setTheme((n) => n + 1)), []);
  useEffect(() => {
    const draw = (): void => {
      if (canvas.current && box.current) drawMap(canvas.current, box.current.clientWidth, height, sheet, props, cell);
    };
    const member: Member = { inView: () => true, show: draw, point: () => undefined };
    props.group.add(member, undefined, 0, false, false);
    const sized = new ResizeObserver(draw);
    if (box.current) sized.observe(box.current);
    draw();
    return () => {
      props.group.remove(member);
      sized.disconnect();
    };
  }, [sheet, props.marks, props.group, height, cell]);

  const at = (e: MouseEvent): void => {
    const r = (e.currentTarget as HTMLElement).getBoundingClientRect();
    const share = (e.clientX - r.left - left) / (r.width - left - right);
    const x = props.group.from + share * (props.group.to - props.group.from);
    const column = columnAt(props.x, props.step, x);
    const line = Math.floor(((e.clientY - r.top) / height) * sheet.of.length);
    setCell(column < 0 || line < 0 || line >= sheet.of.length ? undefined : { line, column });
  };
  const key = (e: KeyboardEvent): void => {
    const move: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const by = move[e.key];
    if (!by || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    const c = cell ?? { line: 0, column: clamp(columnAt(props.x, props.step, props.group.to) < 0 ? props.x.length - 1 : columnAt(props.x, props.step, props.group.to), props.x.length) };
    setCell(cell ? { line: clamp(c.line + by[0], sheet.of.length), column: clamp(c.column + by[1], props.x.length) } : c);
  };
  return (
    <figure class="chart over-time">
      <figcaption>
        <h3>{props.title}</h3>
        <p class="how">{props.how}{sheet.of.length < rows.length ? ` ${t("A line of pixels shows the worst of the agents that share it.", "多个 agent 共用一行像素时显示其中最差的。")}` : ""}</p>
      </figcaption>
      <p class="heat-cell" aria-live="polite">{cell ? describe(rows, sheet, cell, props) : <>{props.format(sheet.low)} <span class="ramp" aria-hidden="true" /> {props.format(sheet.high)}</>}</p>
      <div ref={box} class="heat" style={{ height: `${height + axis}px` }}>
        <canvas ref={canvas} tabIndex={0} role="application" aria-label={`${props.title}. ${t("The arrow keys move between cells.", "方向键在单元格之间移动。")}`}
          onMouseMove={at} onMouseLeave={() => setCell(undefined)} onKeyDown={key} onBlur={() => setCell(undefined)} />
      </div>
    </figure>
  );
}

function clamp(i: number, n: number): number {
  return Math.min(Math.max(i, 0), n - 1);
}

function mean(values: (number | null)[]): number {
  let sum = 0;
  let n = 0;
  for (const v of values) {
    if (v === null) continue;
    sum += v;
    n++;
  }
  return n > 0 ? sum / n : 0;
}

function sorted(rows: HeatRow[], worst: "low" | "high"): HeatRow[] {
  const means = new Map(rows.map((r) => [r, mean(r.values)]));
  const sign = worst === "low" ? 1 : -1;
  return [...rows].sort((a, b) => sign * ((means.get(a) ?? 0) - (means.get(b) ?? 0)) || (a.name < b.name ? -1 : 1));
}

/** columnAt is the column of a time, or -1. */
function columnAt(x: number[], step: number, at: number): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at <= (x[low - 1] as number) + step * 1.01 ? low - 1 : -1;
}

/** worstOf is the value of a cell, over the agents of its line. */
function worstOf(rows: HeatRow[], of: number[], column: number, worst: "low" | "high"): number | null {
  let out: number | null = null;
  for (const i of of) {
    const v = rows[i]?.values[column] ?? null;
    if (v !== null && (out === null || (worst === "low" ? v < out : v > out))) out = v;
  }
  return out;
}

function paint(rows: HeatRow[], props: HeatProps): Sheet {
  const n = Math.min(rows.length, lines);
  const of: number[][] = Array.from({ length: n }, () => []);
  rows.forEach((_, i) => of[Math.floor((i * n) / rows.length)]?.push(i));
  const colours = palette().heat;
  const picture = document.createElement("canvas");
  picture.width = Math.max(props.x.length, 1);
  picture.height = Math.max(n, 1);
  const image = new ImageData(picture.width, picture.height);
  let top = 0;
  let least = Infinity;
  for (const r of rows) {
    for (const v of r.values) {
      if (v === null || v <= 0) continue;
      top = Math.max(top, v);
      least = Math.min(least, v);
    }
  }
  const share = (v: number): number => (props.log ? (v <= 0 || top <= least ? 0.5 : Math.log(v / least) / Math.log(top / least)) : v / (top || 1));
  of.forEach((members, line) => {
    for (let c = 0; c < props.x.length; c++) {
      const v = worstOf(rows, members, c, props.worst);
      if (v === null) continue;
      const at = Math.min(Math.max(share(v), 0), 1) * (colours.length - 1);
      const i = Math.min(Math.floor(at), colours.length - 2);
      const a = colours[i] as [number, number, number];
      const b = colours[i + 1] as [number, number, number];
      const k = at - i;
      image.data.set([a[0] + (b[0] - a[0]) * k, a[1] + (b[1] - a[1]) * k, a[2] + (b[2] - a[2]) * k, 255], (line * picture.width + c) * 4);
    }
  });
  picture.getContext("2d")?.putImageData(image, 0, 0);
  return { picture, of, low: props.log && least < Infinity ? least : 0, high: top };
}

function drawMap(canvas: HTMLCanvasElement, width: number, height: number, sheet: Sheet, props: HeatProps, cell: { line: number; column: number } | undefined): void {
  const k = devicePixelRatio;
  if (width <= left + right) return;
  if (canvas.width !== Math.round(width * k) || canvas.height !== Math.round((height + axis) * k)) {
    canvas.width = Math.round(width * k);
    canvas.height = Math.round((height + axis) * k);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height + axis}px`;
  }
  const ctx = canvas.getContext("2d");
  const { from, to } = props.group;
  if (!ctx) return;
  const colours = palette();
  ctx.setTransform(k, 0, 0, k, 0, 0);
  ctx.clearRect(0, 0, width, height + axis);
  if (!(to > from)) return;
  const px = (x: number): number => left + ((x - from) / (to - from)) * (width - left - right);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, 0, width - left - right, height);
  ctx.clip();
  ctx.imageSmoothingEnabled = false;
  const tall = height / Math.max(sheet.of.length, 1);
  // Columns without a gap between them are drawn at once.
  for (let c = 0; c < props.x.length; ) {
    let end = c + 1;
    while (end < props.x.length && Math.abs((props.x[end] as number) - (props.x[end - 1] as number) - props.step) < props.step * 0.01) end++;
    const x0 = px(props.x[c] as number);
    const x1 = px((props.x[end - 1] as number) + props.step);
    ctx.drawImage(sheet.picture, c, 0, end - c, sheet.picture.height, x0, 0, x1 - x0, height);
    c = end;
  }
  ctx.lineWidth = 1;
  for (const m of props.marks) {
    if (m.kind === "dip") continue;
    ctx.strokeStyle = colours.mark[m.kind];
    const x = Math.round(px(m.from)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, 0);
    ctx.lineTo(x, height);
    ctx.stroke();
  }
  if (cell) {
    const x0 = px(props.x[cell.column] as number);
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 2;
    ctx.strokeRect(x0, cell.line * tall, Math.max(px((props.x[cell.column] as number) + props.step) - x0, 3), Math.max(tall, 3));
  }
  ctx.restore();
  ticksBelow(ctx, px, from, to, height, width, colours.muted);
}

function ticksBelow(ctx: CanvasRenderingContext2D, px: (x: number) => number, from: number, to: number, height: number, width: number, colour: string): void {
  const by = steps.find((s) => (s / (to - from)) * (width - left - right) >= 70) ?? to - from;
  ctx.font = `11px system-ui, sans-serif`;
  ctx.fillStyle = colour;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (let x = Math.ceil(from / by) * by; x <= to; x += by) ctx.fillText(instant(x, to, by), px(x), height + 6);
}

function describe(rows: HeatRow[], sheet: Sheet, cell: { line: number; column: number }, props: HeatProps): string {
  const of = sheet.of[cell.line] ?? [];
  let worst = of[0] ?? 0;
  const value = worstOf(rows, of, cell.column, props.worst);
  for (const i of of) if (rows[i]?.values[cell.column] === value) worst = i;
  return `${rows[worst]?.name ?? ""} · ${instant(props.x[cell.column] ?? 0, 3600, props.step)} · ${value === null ? t("nothing", "无数据") : props.format(value)}`;
}
