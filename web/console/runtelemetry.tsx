// What the target and the hosts reported during a run: a small chart for each figure, with a line for each source.

import { useMemo, useState } from "preact/hooks";
import type { Axis, Mark } from "../report/data";
import type { Group } from "../report/group";
import { useGet } from "./api";
import { Chart, type Line } from "./chart";
import type { Telemetry } from "./runtypes";
import { figureTitle, isLeading, rankOf, unitOf } from "./telemetrytitles";
import { t } from "./text";

const order = new Intl.Collator("en", { numeric: true });
const sources = 8; // lines of a chart at most
const first = 8; // charts that are shown at once

interface Figure {
  name: string;
  x: number[];
  lines: Line[];
  y: Axis[];
  how: string;
}

type Source = NonNullable<Telemetry["sources"]>[number];

/** TelemetryCharts shows what was reported: first the figures that explain a throughput, the others when the reader asks. */
export function TelemetryCharts({ id, live, group, marks }: { id: string; live: boolean; group: Group; marks: Mark[] }) {
  const { data } = useGet<Telemetry>(`/runs/${encodeURIComponent(id)}/telemetry?points=180`, live ? 10_000 : 0);
  const [all, setAll] = useState(false);
  const figures = useMemo(() => figuresOf(data?.sources ?? []), [data]);
  const happened = useMemo(() => marks.filter((m) => m.kind !== "phase"), [marks]);
  if (figures.length === 0) return null;
  const shown = all ? figures : figures.filter((f) => isLeading(f.name)).slice(0, first);
  return (
    <section>
      <h2>{t("Telemetry", "监控数据")}</h2>
      <div class="charts">
        {shown.map((f) => <Chart key={f.name} small title={figureTitle(f.name)} how={f.how} x={f.x} lines={f.lines} y={f.y} group={group} marks={happened} />)}
      </div>
      {figures.length > shown.length || all
        ? <p class="buttons"><button type="button" aria-expanded={all} onClick={() => setAll(!all)}>{all ? t("Show fewer", "收起") : t(`Show all ${figures.length} figures`, `显示全部 ${figures.length} 项指标`)}</button></p>
        : null}
    </section>
  );
}

function figuresOf(all: Source[]): Figure[] {
  const byName = new Map<string, Source[]>();
  for (const s of all) {
    const list = byName.get(s.name);
    if (list) list.push(s);
    else byName.set(s.name, [s]);
  }
  const names = [...byName.keys()].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  return names.map((name) => {
    const list = (byName.get(name) ?? []).sort((a, b) => order.compare(a.source, b.source));
    const shown = extremes(list);
    const x = joined(shown);
    return {
      name, x,
      lines: shown.map((s) => ({ name: s.source, values: spread(x, s) })),
      y: [axisOf(shown[0]?.unit ?? "")],
      how: shown.length < list.length ? t(`${shown.length} of ${list.length} sources: those with the most extreme means.`, `${list.length} 个来源中的 ${shown.length} 个：均值最极端的那些。`) : "",
    };
  });
}

function axisOf(unit: string): Axis {
  const shown = unitOf(unit);
  return { title: "", unit: shown, ...(shown === "%" ? { max: 100 } : {}) };
}

function mean(s: Source): number {
  const values = s.values.filter((v): v is number => v !== null);
  return values.reduce((sum, v) => sum + v, 0) / (values.length || 1);
}

/** extremes are the sources of a chart: all, or those with the highest and lowest means. */
function extremes(list: Source[]): Source[] {
  if (list.length <= sources) return list;
  const sorted = [...list].sort((a, b) => mean(b) - mean(a));
  return [...sorted.slice(0, sources - 2), ...sorted.slice(-2)];
}

/** joined are all times of some sources, in order. */
function joined(list: Source[]): number[] {
  const first = list[0];
  if (!first) return [];
  const same = list.every((s) => s.times.length === first.times.length && s.times[0] === first.times[0] && s.times[s.times.length - 1] === first.times[first.times.length - 1]);
  return same ? first.times : [...new Set(list.flatMap((s) => s.times))].sort((a, b) => a - b);
}

/** spread puts the values of a source at the times of a chart. Where it has no time the line goes on. */
function spread(x: number[], s: Source): (number | null | undefined)[] {
  if (x === s.times || x.length === s.times.length) return s.values;
  const at = new Map(s.times.map((time, i) => [time, s.values[i]]));
  return x.map((time) => at.get(time));
}
