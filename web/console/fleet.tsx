// A map of many agents: a tile for each, drawn on one canvas, with the details of the tile that the reader points at.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { stateNames, stateOf, troubled, type AgentState } from "./fleetstate";
import { ago, bytes, micros, signed } from "./format";
import { Facts, Field, Tags } from "./parts";
import { href } from "./router";
import { t } from "./text";
import { onTheme } from "./theme";
import type { Agent } from "./types";

type By = "state" | "clock";

const size = 18; // of a tile with its gap
const gap = 3;
const order = new Intl.Collator("en", { numeric: true });

/** Fleet draws the map of some agents. */
export function Fleet({ agents, common }: { agents: Agent[]; common: string }) {
  const [by, setBy] = useState<By>("state");
  const [chosen, setChosen] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [theme, setTheme] = useState(0);
  const sorted = useMemo(() => [...agents].sort((a, b) => order.compare(a.name, b.name)), [agents]);
  const columns = Math.max(Math.floor(width / size), 1);
  const lines = Math.ceil(sorted.length / columns);
  const at = chosen === undefined ? -1 : sorted.findIndex((a) => a.name === chosen);
  useEffect(() => onTheme(() => setTheme((n) => n + 1)), []);
  useEffect(() => {
    const b = box.current;
    if (!b) return;
    const sized = new ResizeObserver(() => setWidth(b.clientWidth));
    sized.observe(b);
    return () => sized.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, sorted, columns, lines, by, at, common);
  }, [sorted, columns, lines, by, at, width, theme, common]);
  const tile = (e: MouseEvent): number => {
    const r = (e.currentTarget as HTMLElement).getBoundingClientRect();
    const column = Math.floor((e.clientX - r.left) / size);
    const i = Math.floor((e.clientY - r.top) / size) * columns + column;
    return column < columns && i >= 0 && i < sorted.length ? i : -1;
  };
  const choose = (i: number): void => setChosen(sorted[Math.min(Math.max(i, 0), sorted.length - 1)]?.name);
  const key = (e: KeyboardEvent): void => {
    const move: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = move[e.key];
    if (step === undefined && e.key !== "Home" && e.key !== "End") return;
    e.preventDefault();
    if (e.key === "Home") choose(0);
    else if (e.key === "End") choose(sorted.length - 1);
    else choose(at < 0 ? 0 : at + (step ?? 0));
  };
  const one = sorted[at];
  return (
    <section>
      <div class="chart-head">
        <h2 id="map">{t("Map", "分布")}</h2>
        <Field label={t("Colour", "颜色")}>
          <select value={by} onChange={(e) => setBy(e.currentTarget.value as By)}>
            <option value="state">{t("state", "状态")}</option>
            <option value="clock">{t("clock uncertainty", "时钟不确定度")}</option>
          </select>
        </Field>
      </div>
      <Legend by={by} agents={sorted} />
      <div class="fleet">
        <div ref={box} class="tiles" style={{ height: `${lines * size}px` }}>
          <canvas ref={canvas} tabIndex={0} role="application" aria-label={t(`Map of ${sorted.length} agents. The arrow keys move between them.`, `${sorted.length} 个 agent 的分布。方向键在它们之间移动。`)}
            onMouseMove={(e) => { const i = tile(e); if (i >= 0) choose(i); }} onKeyDown={key} onFocus={() => at < 0 && choose(0)} />
        </div>
        <div class="tile-details" aria-live="polite">{one ? <Details of={one} common={common} /> : <p class="how">{t("Point at a tile, or move to the map and use the arrow keys.", "指向一个方块，或将焦点移到图上后用方向键。")}</p>}</div>
      </div>
    </section>
  );
}

function Details({ of: a, common }: { of: Agent; common: string }) {
  const state = stateNames().find(([s]) => s === stateOf(a))?.[1];
  return (
    <>
      <h3>{a.name}</h3>
      <Facts of={[
        [t("State", "状态"), state],
        [t("Attention", "关注"), troubled(a, common)],
        [t("Runs", "正在运行"), a.run ? <a href={href("runs", a.run)}>{a.run}</a> : ""],
        [t("Clock", "时钟"), a.connected ? `${signed(a.clock.offset_ms * 1000, "µs")} ± ${micros(a.clock.uncertainty_ms * 1000)}, ${signed(a.clock.drift_ppm)} ppm` : ""],
        ["CPU", `${a.host.cpu}, ${t(`${a.host.cores} cores`, `${a.host.cores} 核`)}, ${bytes(a.host.memory_bytes)}`],
        [t("Version", "版本"), a.version],
        [t("Host", "主机"), a.host.hostname],
        [t("Labels", "标签"), Object.keys(a.labels ?? {}).length > 0 ? <Tags of={a.labels} /> : ""],
        [t("Last heard", "最近联系"), a.connected ? "" : ago(a.last_heard)],
      ]} />
    </>
  );
}

function Legend({ by, agents }: { by: By; agents: Agent[] }) {
  if (by === "clock") {
    const worst = Math.max(...agents.filter((a) => a.connected).map((a) => a.clock.uncertainty_ms), 0);
    return <p class="how">0 <span class="ramp" aria-hidden="true" /> {micros(worst * 1000)}</p>;
  }
  return <p class="how tile-legend">{stateNames().map(([s, name]) => <span key={s}><span class={`tile ${s}`} aria-hidden="true" /> {name}</span>)}</p>;
}

// The look of the states differs in more than colour: those that need attention have a mark.
function draw(canvas: HTMLCanvasElement, agents: Agent[], columns: number, lines: number, by: By, chosen: number, common: string): void {
  const k = devicePixelRatio;
  const [w, h] = [columns * size, Math.max(lines * size, 1)];
  canvas.width = Math.round(w * k);
  canvas.height = Math.round(h * k);
  canvas.style.width = `${w}px`;
  canvas.style.height = `${h}px`;
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const heat = [0, 1, 2, 3, 4].map((i) => colour(`heat${i}`));
  const states: Record<AgentState, string> = { idle: colour("series-7"), busy: colour("series-1"), draining: colour("series-5"), gone: colour("series-2") };
  const worst = Math.max(...agents.filter((a) => a.connected).map((a) => a.clock.uncertainty_ms), 1e-9);
  const [paper, ink] = [colour("paper"), colour("ink")];
  const tile = size - gap;
  ctx.setTransform(k, 0, 0, k, 0, 0);
  agents.forEach((a, i) => {
    const x = (i % columns) * size + 1;
    const y = Math.floor(i / columns) * size + 1;
    const state = stateOf(a);
    ctx.fillStyle = by === "state" || !a.connected ? states[state] : (heat[Math.round((a.clock.uncertainty_ms / worst) * 4)] as string);
    ctx.fillRect(x, y, tile, tile);
    if (by === "state" && state === "idle") {
      ctx.fillStyle = paper;
      ctx.fillRect(x + 2, y + 2, tile - 4, tile - 4);
    }
    ctx.strokeStyle = paper;
    ctx.lineWidth = 2;
    if (state === "gone") {
      ctx.beginPath();
      ctx.moveTo(x + 3, y + 3);
      ctx.lineTo(x + tile - 3, y + tile - 3);
      ctx.moveTo(x + tile - 3, y + 3);
      ctx.lineTo(x + 3, y + tile - 3);
      ctx.stroke();
    } else if (by === "state" && state === "draining") {
      ctx.strokeRect(x + 4, y + 4, tile - 8, tile - 8);
    } else if (by === "state" && troubled(a, common)) {
      ctx.fillStyle = state === "idle" ? ink : paper;
      ctx.fillRect(x + tile / 2 - 2, y + tile / 2 - 2, 4, 4);
    }
    if (i === chosen) {
      ctx.strokeStyle = ink;
      ctx.strokeRect(x, y, tile, tile);
    }
  });
}
