// Charts over time that grow while a run goes on: uPlot on a canvas, with the zoom, marks and keyboard of the reports.

import uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Axis, Limit, Mark, Values } from "../report/data";
import * as dense from "../report/dense";
import { Group, type Member } from "../report/group";
import { lines, rowHeight, rows, spans } from "../report/marks";
import { decades, linear, stepped, times } from "../report/style";
import { palette } from "../report/theme";
import { carried, figure, instant, logTick, ticks } from "../report/units";
import { onTheme } from "./theme";
import { t } from "./text";

export { Group };

/** Line is a series of a chart. Its values are those at the chart's x. */
export interface Line {
  name: string;
  values: Values;
  axis?: number;
  dashed?: boolean;
  steps?: boolean;
  hidden?: boolean;
}

export interface ChartProps {
  title: string;
  how?: string; // a line below the title
  x: number[]; // seconds
  lines: Line[];
  y: Axis[];
  marks?: Mark[];
  limits?: Limit[];
  /** group joins charts over the same time. Without one a chart stands alone. */
  group?: Group;
  small?: boolean;
}

const patterns: number[][] = [[], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4]];

/** Chart draws series over time. */
export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const own = useMemo(() => props.group ?? new Group(), [props.group]);
  const view = useRef<View | null>(null);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map()); // lines that the reader has hidden or shown
  const hidden = new Set(props.lines.filter((l) => chosen.get(l.name) ?? l.hidden).map((l) => l.name));
  const [at, setAt] = useState<number | null>(null);
  const shape = JSON.stringify([props.lines.map((l) => [l.name, l.axis, l.dashed, l.steps]), props.y, props.small, markRows(props)]);
  useEffect(() => {
    const v = new View(box.current as HTMLDivElement, own, props, setAt);
    view.current = v;
    return () => v.close();
  }, [shape, own]);
  useEffect(() => view.current?.update(props, hidden));
  const index = at === null ? -1 : nearest(props.x, at);
  const colour = (i: number): string => `var(--series-${(i % 8) + 1})`;
  return (
    <figure class={props.small ? "chart small" : "chart over-time"}>
      <figcaption>
        <h3>{props.title}</h3>
        {props.how && <p class="how">{props.how}</p>}
      </figcaption>
      <div class="legend">
        {props.lines.map((l, i) => (
          <button
            type="button"
            key={l.name}
            aria-pressed={!hidden.has(l.name)}
            onClick={() => setChosen(new Map(chosen).set(l.name, !hidden.has(l.name)))}
          >
            <svg viewBox="0 0 22 12" aria-hidden="true">
              <line x1="1" x2="21" y1="6" y2="6" stroke={colour(i)} stroke-width="2" stroke-dasharray={pattern(l, i).join(" ")} />
            </svg>
            <span class="name" title={l.name}>{l.name}</span>
            <span class="value">{value(valueAt(l.values, index), props.y[l.axis ?? 0])}</span>
          </button>
        ))}
        {props.lines.length > 0 && <span class="mark">{index < 0 ? "" : instant(props.x[index] as number, 3600)}</span>}
      </div>
      <div class="axes">
        {props.y.map((y) => <span key={y.title}>{carried(y.unit) || !y.title ? y.title : `${y.title} (${y.unit ?? ""})`}</span>)}
      </div>
      <div class="plot" style={{ minHeight: `${height(props)}px` }}>
        <div ref={box} class="canvas" tabIndex={0} role="application" aria-label={`${props.title}. ${t("The arrow keys move, + and - zoom, 0 resets.", "方向键移动，+ 和 - 缩放，0 重置。")}`} />
        {props.x.length === 0 && <p class="empty">{t("No figures yet.", "尚无数据。")}</p>}
      </div>
    </figure>
  );
}

// valueAt is the value at an index, or the last one. Where a series has no point of its own, its line comes from the one before.
function valueAt(values: Values, index: number): number | null | undefined {
  if (index >= 0 && values[index] !== undefined) return values[index];
  let i = index < 0 ? values.length - 1 : index;
  while (i > 0 && (values[i] === undefined || (index < 0 && values[i] === null))) i--;
  return values[i];
}

function value(v: number | null | undefined, y: Axis | undefined): string {
  return v === null || v === undefined ? "–" : figure(v, y?.unit ?? "");
}

function pattern(l: Line, i: number): number[] {
  return l.dashed ? [5, 4] : (patterns[Math.floor(i / 8) % patterns.length] as number[]);
}

function nearest(xs: number[], x: number): number {
  let low = 0;
  let high = xs.length - 1;
  if (high < 0) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((xs[middle] as number) <= x) low = middle;
    else high = middle;
  }
  return Math.abs((xs[low] as number) - x) <= Math.abs((xs[high] as number) - x) ? low : high;
}

function height(p: ChartProps): number {
  return (p.small ? 180 : innerWidth < 600 ? 200 : 240) + markRows(p) * rowHeight;
}

function markRows(p: ChartProps): number {
  return rows({ title: "", kind: "time", x: { title: "" }, y: p.y, marks: p.marks ?? [] });
}

/** View is the canvas of a chart. */
class View implements Member {
  private plot: uPlot | undefined;
  private colours = palette();
  private visible = false;
  private shown: boolean[] = [];
  private readonly seen: IntersectionObserver;
  private readonly sized: ResizeObserver;
  private readonly untheme: () => void;

  constructor(
    private readonly box: HTMLDivElement,
    private readonly group: Group,
    private props: ChartProps,
    private readonly pointed: (x: number | null) => void,
  ) {
    group.add(this, range(props.x), step(props.x), props.y.length > 1, (props.marks?.length ?? 0) > 0);
    this.seen = new IntersectionObserver((entries) => {
      this.visible = entries.some((e) => e.isIntersecting);
      if (!this.visible) return;
      this.plot ??= this.build();
      this.group.update(this);
    }, { rootMargin: "200px" });
    this.seen.observe(box);
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(box);
    this.untheme = onTheme(() => {
      this.colours = palette();
      this.plot?.redraw(false, true);
    });
    box.addEventListener("keydown", this.key);
  }

  close(): void {
    this.seen.disconnect();
    this.sized.disconnect();
    this.untheme();
    this.group.remove(this);
    this.box.removeEventListener("keydown", this.key);
    this.plot?.destroy();
  }

  inView(): boolean {
    return this.visible && this.plot !== undefined;
  }

  show(from: number, to: number): void {
    this.plot?.setScale("x", { min: from, max: to });
  }

  point(x: number | null, from: Member | null): void {
    if (from !== this && this.plot) {
      const left = x === null ? -10 : this.plot.valToPos(x, "x");
      this.plot.setCursor({ left, top: x === null ? -10 : 10 }, false);
    }
    this.pointed(x);
  }

  /** update draws other values. */
  update(props: ChartProps, hidden: ReadonlySet<string>): void {
    const other = props.x !== this.props.x || props.lines.some((l, i) => l.values !== this.props.lines[i]?.values) || props.marks !== this.props.marks || props.limits !== this.props.limits;
    this.props = props;
    const ends = range(props.x);
    if (ends && other) this.group.grow(...ends, least(props.x));
    const plot = this.plot;
    this.shown = props.lines.map((l) => !hidden.has(l.name));
    if (!plot) return;
    plot.batch(() => {
      this.shown.forEach((on, i) => {
        if (plot.series[i + 1]?.show !== on) plot.setSeries(i + 1, { show: on });
      });
      if (other) {
        plot.setData(this.table(), false);
        plot.setScale("x", { min: this.group.from, max: this.group.to });
      }
    });
  }

  private table(): uPlot.AlignedData {
    return [this.props.x, ...this.props.lines.map((l) => l.values)] as uPlot.AlignedData;
  }

  private fit(): void {
    const width = this.box.clientWidth;
    if (width > 0 && this.plot && width !== this.plot.width) this.plot.setSize({ width, height: height(this.props) });
  }

  private readonly key = (e: KeyboardEvent): void => {
    const act: Record<string, () => void> = {
      ArrowLeft: () => this.group.pan(-0.2),
      ArrowRight: () => this.group.pan(0.2),
      "+": () => this.group.scale(0.5),
      "=": () => this.group.scale(0.5),
      "-": () => this.group.scale(2),
      "0": () => this.group.reset(),
      Escape: () => this.group.reset(),
    };
    const known = act[e.key];
    if (!known || e.ctrlKey || e.metaKey || e.altKey) return;
    known();
    e.preventDefault();
  };

  private build(): uPlot {
    const { props } = this;
    const font = `11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans CJK SC", sans-serif`;
    const chart = (): { title: string; kind: "time"; x: Axis; y: Axis[]; marks: Mark[]; limits: Limit[] } => ({ title: "", kind: "time", x: { title: "" }, y: this.props.y, marks: this.props.marks ?? [], limits: this.props.limits ?? [] });
    const series: uPlot.Series[] = [{}];
    props.lines.forEach((l, i) => {
      const stroke = (): string => this.colours.series[i % 8] as string;
      series.push({
        label: l.name,
        stroke,
        show: this.shown[i] !== false,
        scale: `y${l.axis ?? 0}`,
        width: 1.5,
        dash: pattern(l, i),
        paths: (u, at, from, to) => (dense.isDense(u) ? null : (l.steps ? stepped : linear)(u, at, from, to)),
        points: { size: 4, stroke, fill: stroke },
      });
    });
    const scales: uPlot.Scales = { x: { time: false, auto: false, min: this.group.from, max: this.group.to } };
    const axis = { stroke: () => this.colours.muted, font, ticks: { stroke: () => this.colours.line, size: 4, width: 1 }, gap: 4 };
    const axes: uPlot.Axis[] = [{
      ...axis, scale: "x", size: 30, space: 70, incrs: times, grid: { show: false },
      values: (u, splits) => {
        const width = (u.scales["x"]?.max ?? 0) - (u.scales["x"]?.min ?? 0);
        const by = splits.length > 1 ? (splits[1] as number) - (splits[0] as number) : 1;
        return splits.map((s) => instant(s, Math.max(width, u.scales["x"]?.max ?? 0), by));
      },
    }];
    props.y.forEach((y, i) => {
      const log = y.scale === "log";
      scales[`y${i}`] = log
        ? { distr: 3, range: (_, min, max) => (min > 0 && max > 0 ? uPlot.rangeLog(min, max, 10, false) : [1, 10]) }
        : { range: (_, min, max) => ends(min, max, y, (this.props.limits ?? []).filter((l) => (l.axis ?? 0) === i)) };
      axes.push({
        ...axis, scale: `y${i}`, side: i === 0 ? 3 : 1, size: i === 0 ? 60 : 56, space: 36,
        grid: { show: i === 0, stroke: () => this.colours.grid, width: 1, ...(log ? { filter: decades } : {}) },
        ...(log
          ? { filter: decades, values: (_: uPlot, splits: (number | null)[]) => splits.map((s) => (s === null ? "" : logTick(s, y.unit))) }
          : { values: (_: uPlot, splits: number[]) => ticks(splits, y.unit) }),
      });
    });
    return new uPlot({
      width: this.box.clientWidth, height: height(props), series, scales, axes,
      padding: [8 + rows(chart()) * rowHeight, props.y.length > 1 ? 0 : this.group.right && innerWidth >= 600 ? 56 : 14, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 7, width: 1.5, stroke: (_, i) => this.colours.series[(i - 1) % 8] as string, fill: () => this.colours.paper },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        bind: { dblclick: () => () => { this.group.reset(); return null; } },
      },
      hooks: {
        drawAxes: [(u) => spans(u, chart(), this.colours)],
        drawSeries: [(u, i) => {
          const l = this.props.lines[i - 1];
          if (l && dense.isDense(u)) dense.line(u, this.props.x, l.values, `y${l.axis ?? 0}`, this.colours.series[(i - 1) % 8] as string, 1.5 * devicePixelRatio, pattern(l, i - 1).map((d) => d * devicePixelRatio));
        }],
        draw: [(u) => lines(u, chart(), this.colours, devicePixelRatio)],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          const from = u.posToVal(u.select.left, "x");
          const to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.group.zoom(from, to);
        }],
        setCursor: [(u) => {
          const { left } = u.cursor;
          this.group.point(left === undefined || left < 0 ? null : u.posToVal(left, "x"), this);
        }],
      },
    }, this.table(), this.box);
  }
}

function range(x: number[]): [number, number] | undefined {
  return x.length > 0 ? [x[0] as number, x[x.length - 1] as number] : undefined;
}

// least is the length of the shortest interval: where a reader looks closely they are finer than elsewhere.
function least(x: number[]): number {
  let d = Infinity;
  for (let i = 1; i < x.length; i++) d = Math.min(d, (x[i] as number) - (x[i - 1] as number));
  return d < Infinity ? d : 0;
}

function step(x: number[]): number {
  return x.length > 1 ? ((x[x.length - 1] as number) - (x[0] as number)) / (x.length - 1) : 0;
}

function ends(min: number | null, max: number | null, y: Axis, limits: Limit[]): [number, number] {
  if (y.max) return [0, y.max];
  let top = Math.max(max ?? 1, 0);
  for (const l of limits) if (l.value <= top * 4 || top <= 0) top = Math.max(top, l.value);
  const low = Math.min(min ?? 0, 0);
  const high = top > low ? top + (top - low) * 0.06 : low + 1;
  return [low < 0 ? low - (top - low) * 0.06 : 0, high];
}
