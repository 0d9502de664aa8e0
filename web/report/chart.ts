// A chart over time: uPlot on a canvas, with the legend and the keyboard of the page.

import uPlot from "uplot";
import * as dense from "./dense";
import { isDense } from "./dense";
import { columns, ends, floats, grid, type Chart, type Columns, type Grid, type Mark, type Position, type Series } from "./data";
import { element, shortened } from "./elements";
import type { Group, Member } from "./group";
import { column, least, most, paint } from "./heat";
import { dashes, lines, rowHeight, rows, spans } from "./marks";
import { dash, decades, linear, stepped, times, tinted } from "./style";
import { palette, type Palette } from "./theme";
import { carried, figure, instant, logTick, ticks } from "./units";

const sides = { left: 60, right: 56 };
const printed = { width: 690, height: 180, scale: 2 };
const printedSmall = { width: 335, height: 130, scale: 2 };

export class TimeChart implements Member {
  private plot: uPlot | undefined;
  private table: Columns | undefined;
  private heat: Grid | undefined;
  private top = 0;
  private readonly isSmall: boolean;
  private readonly shown: boolean[];
  private colours: Palette;
  private visible = false;
  private readonly canvas = element("div", "canvas");
  private readonly legend = element("div", "legend");
  private readonly tools = element("div", "tools");
  private readonly at = element("span", "at");
  private readonly resetButton: HTMLButtonElement;
  private readonly spoken: HTMLOutputElement;
  private values: HTMLElement[] = [];
  private swatches: (() => void)[] = [];
  private paper: HTMLCanvasElement | undefined;
  private prepared = false;
  private labelled = false;
  private saying = 0;

  constructor(
    private readonly box: HTMLElement,
    private readonly chart: Chart,
    private readonly positions: Position[],
    private readonly group: Group,
    private readonly text: (english: string) => string,
  ) {
    this.isSmall = box.closest(".small") !== null;
    this.shown = this.series.map((s) => !s.hidden);
    this.colours = palette();
    this.resetButton = element("button", "reset", text("Reset zoom"));
    this.resetButton.type = "button";
    this.resetButton.hidden = true;
    this.spoken = element("output", "spoken");
    let range: [number, number] | undefined;
    let step = 0;
    for (const s of this.series) {
      const p = positions[s.x];
      const e = p && ends(p);
      if (!p || !e) continue;
      range = range ? [Math.min(range[0], e[0]), Math.max(range[1], e[1])] : e;
      step = p.step ?? step;
    }
    if (chart.heat) {
      const x = floats(chart.heat.x);
      if (x.length > 1) range = [x[0] as number, x[x.length - 1] as number];
    }
    group.add(this, range, step, chart.y.length > 1 && !this.isSmall, (chart.marks?.length ?? 0) > 0);
    // The keyboard stops at charts that are not drawn yet: that brings them into view.
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", chart.title);
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    box.append(this.canvas);
  }

  private get series(): Series[] {
    return this.chart.series ?? [];
  }

  /** appear draws the chart if that has not been done, and brings it up to date. */
  appear(visible: boolean): void {
    this.visible = visible;
    if (!visible) return;
    this.prepare();
    if (!this.plot) {
      this.plot = this.build(this.canvas, this.canvas.clientWidth, this.height(), 1);
      new ResizeObserver(() => this.fit()).observe(this.canvas);
    }
    this.group.update(this);
  }

  inView(): boolean {
    return this.visible && this.plot !== undefined;
  }

  show(from: number, to: number): void {
    this.plot?.setScale("x", { min: from, max: to });
    this.resetButton.hidden = this.group.whole();
  }

  /** restyle draws the chart again in the colours of the present theme. */
  restyle(): void {
    this.colours = palette();
    for (const paint of this.swatches) paint();
    this.plot?.redraw(false, true);
  }

  private height(): number {
    return (this.isSmall ? 180 : window.innerWidth < 600 ? 220 : 250) + rows(this.chart) * rowHeight;
  }

  private fit(): void {
    const width = this.canvas.clientWidth;
    if (width > 0 && this.plot && width !== this.plot.width) this.plot.setSize({ width, height: this.height() });
  }

  // prepare decodes the figures and makes the parts around the canvas.
  private prepare(): void {
    if (this.prepared) return;
    this.prepared = true;
    if (this.chart.heat) {
      this.heat = grid(this.chart.heat);
      this.top = most(this.heat);
    }
    this.table = columns(this.chart, this.positions);
    if (this.heat) this.table.x = Array.from(this.heat.x);
    this.label();
    this.box.append(this.spoken);
  }

  /** label makes the legend. That of a heat map needs its figures: it waits until the chart is drawn. */
  label(): void {
    if (this.labelled || (this.chart.heat && !this.heat)) return;
    this.labelled = true;
    this.fillLegend();
    const axes = element("div", "axes");
    this.chart.y.forEach((y) => axes.append(element("span", "", carried(y.unit) || !y.title ? y.title : `${y.title} (${y.unit})`)));
    this.box.prepend(this.tools, this.legend, axes);
  }

  // build makes a plot with k pixels of its canvas for each of the page.
  private build(target: HTMLElement, width: number, height: number, k: number): uPlot {
    const { chart, heat } = this;
    const table = this.table as Columns;
    const onScreen = k === 1;
    const font = `${11 * k}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans CJK SC", sans-serif`;
    const colour = (get: () => string) => ({ stroke: get });
    const series: uPlot.Series[] = [{}];
    this.series.forEach((s, i) => {
      const stroke = (): string => this.colours.series[i % 8] as string;
      const published = s.published === true;
      series.push({
        ...colour(stroke),
        label: s.name,
        show: this.shown[i] === true,
        scale: `y${s.axis ?? 0}`,
        width: (published ? 1 : 1.5) * k,
        dash: dash(s, i).map((d) => d * k),
        paths: (u, at, from, to) => (s.style === "points" || isDense(u) ? null : (s.style === "steps" ? stepped : linear)(u, at, from, to)),
        points: published || s.style === "points"
          ? { show: (u) => !isDense(u), size: (published ? 8 : 5) * k, width: (published ? 1.5 : 1) * k, stroke, fill: published ? () => this.colours.paper : stroke }
          : { size: 4 * k, stroke, fill: stroke },
      });
    });
    const bands: uPlot.Band[] = [];
    table.bands.forEach((b, i) => {
      for (const at of [b.low, b.high]) {
        series[at + 1] = { show: this.shown[i] === true, scale: `y${this.series[i]?.axis ?? 0}`, width: 0, points: { show: false }, pxAlign: 0, paths: (u, k, from, to) => (isDense(u) ? null : linear(u, k, from, to)) };
      }
      bands.push({ series: [b.high + 1, b.low + 1], fill: () => tinted(this.colours.series[i % 8] as string) });
    });
    const scales: uPlot.Scales = { x: { time: false, auto: false, min: this.group.from, max: this.group.to } };
    chart.y.forEach((_, i) => (scales[`y${i}`] = this.scale(i)));
    if (heat) {
      series.push({ scale: "y0", show: false });
      table.ys = [new Array(table.x.length).fill(null)];
    }
    const axis = { ...colour(() => this.colours.muted), font, ticks: { stroke: () => this.colours.line, size: 4 * k, width: k }, gap: 4 * k };
    const axes: uPlot.Axis[] = [{
      ...axis,
      scale: "x",
      size: 30 * k,
      space: 70 * k,
      incrs: times,
      grid: { show: false },
      values: (u, splits) => {
        const range = (u.scales["x"]?.max ?? 0) - (u.scales["x"]?.min ?? 0);
        const step = splits.length > 1 ? (splits[1] as number) - (splits[0] as number) : 1;
        return splits.map((s) => instant(s, Math.max(range, u.scales["x"]?.max ?? 0), step));
      },
    }];
    chart.y.forEach((y, i) => {
      const log = y.scale === "log" || heat !== undefined;
      axes.push({
        ...axis,
        scale: `y${i}`,
        ticks: { ...axis.ticks, ...(log ? { filter: decades } : {}) },
        side: i === 0 ? 3 : 1,
        size: (i === 0 ? sides.left : sides.right) * k,
        space: 36 * k,
        grid: { show: i === 0, stroke: () => this.colours.grid, width: k, ...(log ? { filter: decades } : {}) },
        ...(log ? { filter: decades, values: (_: uPlot, splits: number[]) => splits.map((s) => (s === null ? "" : logTick(s, y.unit))) } : { values: (_: uPlot, splits: number[]) => ticks(splits, y.unit) }),
      });
    });
    return new uPlot({
      width, height,
      series, bands, scales, axes,
      padding: [(8 + rows(chart) * rowHeight) * k, chart.y.length > 1 ? 0 : (this.group.right && !this.isSmall && (!onScreen || window.innerWidth >= 600) ? sides.right : 14) * k, 0, 0],
      legend: { show: false },
      cursor: {
        show: onScreen,
        y: false,
        points: { size: (_, i) => (i > this.series.length ? 0 : 7), width: 1.5, stroke: (_, i) => this.colours.series[(i - 1) % 8] as string, fill: () => this.colours.paper },
        drag: { x: true, y: false, setScale: false, dist: 4 },
        bind: {
          dblclick: () => () => {
            this.group.reset();
            return null;
          },
        },
      },
      hooks: {
        drawAxes: [(u) => {
          spans(u, chart, this.colours);
          if (heat) paint(u, heat, this.top, this.colours);
        }],
        drawSeries: [(u, at) => {
          const s = this.series[at - 1];
          if (s && isDense(u)) this.drawDense(u, s, at - 1, k);
        }],
        draw: [(u) => lines(u, chart, this.colours, k)],
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          const from = u.posToVal(u.select.left, "x");
          const to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.group.zoom(from, to);
        }],
        setCursor: [(u) => {
          if (!onScreen) return;
          const { left } = u.cursor;
          this.group.point(left === undefined || left < 0 ? null : u.posToVal(left, "x"), this);
        }],
      },
    }, [table.x, ...table.ys] as uPlot.AlignedData, target);
  }

  private drawDense(u: uPlot, s: Series, i: number, k: number): void {
    const table = this.table as Columns;
    const key = `y${s.axis ?? 0}`;
    const colour = this.colours.series[i % 8] as string;
    const ys = table.ys[i] ?? [];
    const bounds = table.bands.get(i);
    if (bounds) dense.band(u, table.x, table.ys[bounds.low] ?? [], table.ys[bounds.high] ?? [], key, tinted(colour));
    if (s.style === "points") dense.points(u, table.x, ys, key, colour, 4 * k);
    else dense.line(u, table.x, ys, key, colour, (s.published ? 1 : 1.5) * devicePixelRatio * k, dash(s, i).map((d) => d * devicePixelRatio * k));
  }

  private scale(i: number): uPlot.Scale {
    const y = this.chart.y[i];
    const { heat } = this;
    if (heat) {
      const ends: uPlot.Range.MinMax = [least(heat), heat.y[heat.y.length - 1] as number];
      return { auto: false, distr: 3, range: () => ends };
    }
    const limits = (this.chart.limits ?? []).filter((l) => (l.axis ?? 0) === i).map((l) => l.value);
    if (y?.scale === "log") {
      return { distr: 3, range: (_, min, max) => (min > 0 && max > 0 ? uPlot.rangeLog(min, max, 10, false) : [1, 10]) };
    }
    return {
      range: (_, min, max) => {
        if (y?.max) return [0, y.max];
        if (min === null || max === null) [min, max] = [0, 1];
        for (const l of limits) if (l <= Math.max(max, 0) * 4 || max <= 0) max = Math.max(max, l);
        const low = Math.min(min, 0);
        const high = max > low ? max + (max - low) * 0.06 : low + 1;
        return [low < 0 ? low - (max - low) * 0.06 : 0, high];
      },
    };
  }

  private fillLegend(): void {
    const { chart, text } = this;
    this.series.forEach((s, i) => {
      const b = element("button", "");
      b.type = "button";
      b.setAttribute("aria-pressed", String(this.shown[i]));
      const name = element("span", "name");
      shortened(s.published ? `${s.name} (${text("published")})` : s.name, name);
      const value = element("span", s.low ? "value long" : "value");
      this.values.push(value);
      b.append(this.swatch(s, i), name, value);
      b.addEventListener("click", () => {
        const on = !this.shown[i];
        this.shown[i] = on;
        b.setAttribute("aria-pressed", String(on));
        const band = this.table?.bands.get(i);
        this.plot?.batch(() => {
          this.plot?.setSeries(i + 1, { show: on });
          if (band) for (const at of [band.low, band.high]) this.plot?.setSeries(at + 1, { show: on });
        });
      });
      this.legend.append(b);
    });
    if (this.heat) {
      const e = element("span", "mark");
      e.append(`${text("operations")}: ${text("few")}`, element("span", "ramp"), `${text("many")} (${figure(this.top)})`);
      const value = element("span", "value");
      this.values.push(value);
      this.legend.append(e, value);
    }
    const names: Record<Mark["kind"], string> = { action: "action or fault", event: "event", dip: "dip until recovery", phase: "phase", chosen: "answer" };
    for (const kind of this.group.first === this ? new Set((chart.marks ?? []).map((m) => m.kind)) : []) {
      if (!(kind in names)) continue;
      const e = element("span", "mark");
      const isSpan = (chart.marks ?? []).some((m) => m.kind === kind && m.to !== undefined && m.to > m.from);
      e.append(this.picture(() => this.colours.mark[kind], isSpan ? "span" : "upright", dashes[kind]), element("span", "", text(names[kind])));
      this.legend.append(e);
    }
    this.resetButton.addEventListener("click", () => {
      this.group.reset();
      this.canvas.focus();
    });
    this.tools.append(this.at, this.resetButton);
  }

  private swatch(s: Series, i: number): SVGElement {
    return this.picture(() => this.colours.series[i % 8] as string, s.published ? "hollow" : s.style === "points" ? "point" : "line", dash(s, i));
  }

  private picture(colour: () => string, shape: "line" | "point" | "hollow" | "upright" | "span", pattern: number[]): SVGElement {
    const make = (name: string, of: Record<string, string | number>): SVGElement => {
      const e = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(of)) e.setAttribute(key, String(value));
      return e;
    };
    const picture = make("svg", { viewBox: "0 0 22 12", "aria-hidden": "true" });
    const line = { "stroke-width": 2, "stroke-dasharray": pattern.join(" ") };
    if (shape === "span") picture.append(make("rect", { x: 2, y: 0, width: 18, height: 12, "fill-opacity": 0.25, class: "fill" }));
    if (shape === "upright" || shape === "span") picture.append(make("line", { x1: shape === "span" ? 2 : 11, x2: shape === "span" ? 2 : 11, y1: 0, y2: 12, ...line }));
    if (shape === "line" || shape === "hollow") picture.append(make("line", { x1: 0, x2: 22, y1: 6, y2: 6, ...line }));
    if (shape === "point" || shape === "hollow") picture.append(make("circle", { cx: 11, cy: 6, r: shape === "hollow" ? 4 : 3, "stroke-width": 1.5, class: shape }));
    const paintIt = (): void => {
      for (const e of picture.children) {
        e.setAttribute("stroke", e.getAttribute("class") === "fill" ? "none" : colour());
        e.setAttribute("fill", e.getAttribute("class") === "hollow" ? this.colours.paper : colour());
      }
    };
    paintIt();
    this.swatches.push(paintIt);
    return picture;
  }

  point(x: number | null, from: Member | null): void {
    const u = this.plot;
    if (!u) return;
    const inside = x !== null && x >= this.group.from && x <= this.group.to;
    if (from !== this) u.setCursor({ left: inside ? u.valToPos(x, "x") : -10, top: inside ? 10 : -10 }, false);
    const readings = inside ? this.readings(x) : [];
    this.values.forEach((e, i) => {
      const text = readings[i] ?? "";
      if (e.textContent !== text) e.textContent = text;
    });
    this.at.textContent = inside ? this.moment(x) : "";
  }

  // moment names an instant, and the marks that are near it.
  private moment(x: number): string {
    const width = this.group.to - this.group.from;
    const near = (this.chart.marks ?? []).filter((m) => m.kind !== "phase" && Math.abs(m.from - x) < width / 150);
    return [instant(x, Math.max(width, this.group.to), width < 120 ? 0.1 : 1), ...near.map((m) => [...m.label].slice(0, 50).join(""))].join(" · ");
  }

  // readings are the values at x: of each series, or of the cell of the heat map.
  private readings(x: number): string[] {
    const table = this.table as Columns;
    if (this.heat) return [this.cell(x)];
    const u = this.plot as uPlot;
    const middle = u.valToIdx(x);
    const reach = ((this.group.to - this.group.from) / Math.max(u.bbox.width, 1)) * 12;
    return this.series.map((s, i) => {
      if (!this.shown[i]) return "";
      const ys = table.ys[i] ?? [];
      for (let d = 0; d < 200; d++) {
        for (const at of d === 0 ? [middle] : [middle - d, middle + d]) {
          const y = ys[at];
          if (y === null && d === 0) return "–";
          if (typeof y !== "number" || (d > 0 && Math.abs((table.x[at] as number) - x) > reach)) continue;
          const unit = this.chart.y[s.axis ?? 0]?.unit;
          const band = table.bands.get(i);
          const low = band && table.ys[band.low]?.[at];
          const high = band && table.ys[band.high]?.[at];
          return figure(y, unit) + (typeof low === "number" && typeof high === "number" ? ` (${figure(low, unit)} – ${figure(high, unit)})` : "");
        }
      }
      return "";
    });
  }

  private cell(x: number): string {
    const heat = this.heat as Grid;
    const c = column(heat.x, x);
    const rowsOf = heat.y.length - 1;
    if (c < 0) return "";
    const { top } = (this.plot as uPlot).cursor;
    const y = top !== undefined && top >= 0 ? (this.plot as uPlot).posToVal(top, "y0") : NaN;
    let r = -1;
    if (this.canvas.matches(":hover")) for (let i = 0; i < rowsOf; i++) if (y >= (heat.y[i] as number) && y < (heat.y[i + 1] as number)) r = i;
    const unit = this.chart.y[0]?.unit ?? "µs";
    if (r >= 0) return `${figure(heat.y[r] as number, unit)} – ${figure(heat.y[r + 1] as number, unit)}: ${figure(heat.counts[c * rowsOf + r] as number)}`;
    let sum = 0;
    for (let i = 0; i < rowsOf; i++) sum += heat.counts[c * rowsOf + i] as number;
    return figure(sum);
  }

  private key(e: KeyboardEvent): void {
    if (!this.plot || e.ctrlKey || e.altKey || e.metaKey) return;
    const { group } = this;
    const side = e.key === "ArrowLeft" ? -1 : e.key === "ArrowRight" ? 1 : 0;
    switch (true) {
      case side !== 0 && (e.shiftKey || group.whole()):
        this.step(side);
        break;
      case side !== 0:
        group.pan(side * 0.1);
        break;
      case e.key === "+" || e.key === "=" || e.key === "ArrowUp":
        group.scale(0.7);
        break;
      case e.key === "-" || e.key === "_" || e.key === "ArrowDown":
        group.scale(1 / 0.7);
        break;
      case e.key === "0" || e.key === "Escape":
        group.reset();
        group.point(null, null);
        break;
      default:
        return;
    }
    e.preventDefault();
    this.speak();
  }

  // step moves the pointer by a point, or by the hundredth part of what is shown if points are closer.
  private step(side: number): void {
    const { group } = this;
    const x = this.table?.x ?? [];
    const u = this.plot as uPlot;
    const width = group.to - group.from;
    const now = group.pointer === null || group.pointer < group.from || group.pointer > group.to ? (side > 0 ? group.from : group.to) : group.pointer + side * (width / 100);
    let at = u.valToIdx(now);
    if (group.pointer !== null && x[at] === group.pointer) at += side;
    const next = x[Math.min(Math.max(at, 0), x.length - 1)];
    group.point(next === undefined ? now : Math.min(Math.max(next, group.from), group.to), null);
  }

  // speak describes what is shown for those who cannot see it, after the last of several keys.
  private speak(): void {
    clearTimeout(this.saying);
    this.saying = window.setTimeout(() => {
      const { group, text } = this;
      const x = group.pointer;
      const range = Math.max(group.to - group.from, group.to);
      const part = `${text("from")} ${instant(group.from, range)} ${text("to")} ${instant(group.to, range)}`;
      if (x === null) {
        this.spoken.textContent = part;
        return;
      }
      const readings = this.readings(x);
      const named = this.heat ? readings.map((r) => `${text("operations")} ${r}`) : this.series.map((s, i) => (this.shown[i] ? `${s.name} ${readings[i] || text("no value")}` : ""));
      this.spoken.textContent = `${this.moment(x)}: ${named.filter(Boolean).slice(0, 12).join("; ")} (${part})`;
    }, 150);
  }

  /** toPaper draws the chart for paper, where it is whole, light and sharp. */
  toPaper(): void {
    this.prepare();
    this.colours = palette();
    for (const paint of this.swatches) paint();
    const stage = element("div", "");
    const { width, height, scale } = this.isSmall ? printedSmall : printed;
    const u = this.build(stage, width * scale, (height + rows(this.chart) * rowHeight) * scale, scale);
    this.paper = u.ctx.canvas;
    this.paper.className = "on-paper";
    this.box.append(this.paper);
  }

  fromPaper(): void {
    this.paper?.remove();
    this.paper = undefined;
    this.restyle();
  }
}
