// The charts of a run, over one axis of time.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Axis, Mark } from "../report/data";
import type { Group } from "../report/group";
import type { Failure } from "./api";
import { Chart } from "./chart";
import { duration } from "./format";
import { Trouble } from "./parts";
import { AgentCharts } from "./runagentcharts";
import type { Course } from "./runcourse";
import { linesOf, marksOf } from "./runlines";
import { TelemetryCharts } from "./runtelemetry";
import type { Run } from "./runtypes";
import { t } from "./text";
import type { TimelineEvent } from "./types";

const rateAxis: Axis[] = [{ title: t("Operations per second", "每秒操作数") }];
const responseAxis: Axis[] = [{ title: t("Response time", "响应时间"), unit: "µs", scale: "log" }];
const lateAxis: Axis[] = [{ title: t("Delay", "延迟"), unit: "µs" }];

/** RunCharts draws the course of a run. */
export function RunCharts({ run, live, course, group, timeline, failure }: {
  run: Run;
  live: boolean;
  course: Course | undefined;
  group: Group;
  timeline: TimelineEvent[];
  failure: Failure | undefined;
}) {
  const offered = useMemo(() => new Map((run.phases ?? []).flatMap((p) => (p.offered ? [[p.name, p.offered] as [string, number]] : []))), [run]);
  const lines = useMemo(() => linesOf(course?.phases ?? [], offered), [course, offered]);
  const marks = useMemo((): Mark[] => {
    const started = course?.started ?? run.start?.planned;
    return marksOf(run.phases ?? [], new Map((course?.phases ?? []).map((p) => [p.name, p.begin_seconds])), timeline, started ? Date.parse(started) : null);
  }, [course, run, timeline]);
  const kept = useSame(marks);
  if (run.provenance.foreign) return null; // it has no windows
  if (lines.x.length === 0) return <Trouble failure={failure} />; // nothing is measured yet
  const last = course?.phases[course.phases.length - 1];
  const each = last ? duration(Math.max(last.step_seconds, 0)) : "";
  return (
    <>
    <section>
      <div class="chart-head">
        <h2 id="course">{t("Course", "过程")}</h2>
        <Zoom group={group} />
      </div>
      <Trouble failure={failure} />
      <div class="charts">
        <Chart title={t("Throughput", "吞吐量")} group={group} x={lines.x} lines={lines.throughput} y={rateAxis} marks={kept}
          how={lines.throughput.length > 1 ? t("Operations done per second. Dashed: the rate that was offered.", "每秒完成的操作数。虚线：给定速率。") : t("Operations done per second.", "每秒完成的操作数。")} />
        <Chart title={t("Response time", "响应时间")} group={group} x={lines.x} lines={lines.latency} y={responseAxis} marks={kept}
          how={t(`Of operations that succeeded, over all agents, in intervals of ${each || "1 s"}. A percentile is left out where there are too few operations for it.`, `只含成功的操作，所有 agent 合计，时间区间 ${each || "1 s"}。操作太少处不给出分位数。`)} />
        {lines.late.length > 0 && (
          <Chart title={t("Lateness of sending", "发送延迟")} group={group} x={lines.x} lines={lines.late} y={lateAxis} marks={kept}
            how={t("From the instant at which an operation was due until it was sent, mean: response time minus service time.", "从操作应发出的时刻到实际发出，均值：响应时间减去服务时间。")} />
        )}
        {lines.errors.length > 0 && (
          <Chart title={t("Failed operations", "失败的操作")} group={group} x={lines.x} lines={lines.errors} y={rateAxis} marks={kept}
            how={t("Operations per second that ended with another outcome than OK.", "每秒以 OK 以外结果结束的操作数。")} />
        )}
        {lines.retries.length > 0 && (
          <Chart title={t("Repeated attempts", "重试")} group={group} x={lines.x} lines={lines.retries} y={rateAxis} marks={kept}
            how={t("Attempts per second that were followed by another one, by cause.", "每秒后来又重试的尝试，按原因统计。")} />
        )}
        <AgentCharts id={run.id} live={live} group={group} marks={kept} />
      </div>
      {lines.errors.length === 0 && <p class="how">{t("No operation failed.", "没有失败的操作。")}</p>}
    </section>
    <TelemetryCharts id={run.id} live={live} group={group} marks={kept} />
    </>
  );
}

/** useSame keeps a list of marks as long as nothing in it changes, so that charts are not drawn again. */
function useSame(marks: Mark[]): Mark[] {
  const text = JSON.stringify(marks);
  return useMemo(() => marks, [text]);
}

/** Zoom has the buttons for the part of the time that is shown; the keys do the same in a chart. */
function Zoom({ group }: { group: Group }) {
  const [whole, setWhole] = useState(true);
  useEffect(() => {
    const member = { inView: () => true, point: () => undefined, show: () => setWhole(group.whole()) };
    group.add(member, undefined, 0, false, false);
    return () => group.remove(member);
  }, [group]);
  return (
    <span class="buttons zoom" role="group" aria-label={t("Part of the time that is shown", "显示的时间范围")}>
      <span class="how">{t("Drag in a chart to zoom.", "在图中拖动可缩放。")}</span>
      <button type="button" disabled={whole} onClick={() => group.pan(-0.5)} aria-label={t("Earlier", "更早")}>←</button>
      <button type="button" disabled={whole} onClick={() => group.pan(0.5)} aria-label={t("Later", "更晚")}>→</button>
      <button type="button" onClick={() => group.scale(0.5)} aria-label={t("Zoom in", "放大")}>+</button>
      <button type="button" disabled={whole} onClick={() => group.scale(2)} aria-label={t("Zoom out", "缩小")}>−</button>
      <button type="button" disabled={whole} onClick={() => group.reset()}>{t("Whole run", "整个运行")}</button>
    </span>
  );
}
