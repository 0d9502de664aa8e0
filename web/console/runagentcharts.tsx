// The lines of each agent of a run; of many agents a heat map.

import { useMemo } from "preact/hooks";
import type { Axis, Mark } from "../report/data";
import type { Group } from "../report/group";
import { useGet } from "./api";
import { Chart, type Line } from "./chart";
import { micros, rate, several } from "./format";
import { HeatMap, type HeatRow } from "./heatmap";
import type { AgentSeries } from "./runtypes";
import { t } from "./text";

const fewAgents = 8;
const rateAxis: Axis[] = [{ title: t("Operations per second", "每秒操作数") }];
const responseAxis: Axis[] = [{ title: t("Response time", "响应时间"), unit: "µs", scale: "log" }];

/** AgentCharts shows the throughput and p99 of each agent. */
export function AgentCharts({ id, live, group, marks }: { id: string; live: boolean; group: Group; marks: Mark[] }) {
  const { data } = useGet<AgentSeries>(`/runs/${encodeURIComponent(id)}/agents?points=120`, live ? 10_000 : 0);
  const agents = data?.agents ?? [];
  const many = agents.length > fewAgents;
  const lines = useMemo((): [Line[], Line[]] => (many ? [[], []] : [agents.map((a) => ({ name: a.name, values: a.rate ?? [] })), agents.map((a) => ({ name: a.name, values: a.p99_us ?? [] }))]), [data]);
  const rows = useMemo((): [HeatRow[], HeatRow[]] => (many ? [agents.map((a) => ({ name: a.name, values: a.rate ?? [] })), agents.map((a) => ({ name: a.name, values: a.p99_us ?? [] }))] : [[], []]), [data]);
  if (!data?.times?.length || agents.length < 2) return null; // no window has arrived yet
  const titles: [string, string] = [t("Throughput by agent", "各 agent 的吞吐量"), t("p99 response time by agent", "各 agent 的 p99 响应时间")];
  const shared = { x: data.times, marks, group };
  if (!many) {
    return (
      <>
        <Chart {...shared} title={titles[0]} lines={lines[0]} y={rateAxis} />
        {some(lines[1]) && <Chart {...shared} title={titles[1]} lines={lines[1]} y={responseAxis} how={t("Of all operations that succeeded.", "所有成功的操作。")} />}
      </>
    );
  }
  return (
    <>
      <HeatMap {...shared} title={titles[0]} rows={rows[0]} step={data.step_seconds} worst="low" format={rate}
        how={t(`${several(agents.length, "agent")}, a row each; those with the lowest mean are at the top. An empty cell: the agent sent nothing.`, `${agents.length} 个 agent，每个一行；均值最低的在最上面。空单元格：该 agent 没有数据。`)} />
      {some(rows[1]) && <HeatMap {...shared} title={titles[1]} rows={rows[1]} step={data.step_seconds} worst="high" log format={micros}
        how={t("Of all operations that succeeded; the agents with the highest mean are at the top.", "所有成功的操作；均值最高的 agent 在最上面。")} />}
    </>
  );
}

/** some reports whether there is any value: agents with few operations have no p99. */
function some(all: { values: (number | null | undefined)[] }[]): boolean {
  return all.some((a) => a.values.some((v) => v !== null && v !== undefined));
}
