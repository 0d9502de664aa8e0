// The agents of a run, those that need attention first.

import { useState } from "preact/hooks";
import { count, micros, percent, rate } from "./format";
import { Table } from "./parts";
import { href, query } from "./router";
import type { Generator, Phase, Run } from "./runtypes";
import { t } from "./text";
import type { LiveAgent, Progress } from "./types";

const shown = 20;
const most = 200;

/** AgentsOfRun shows the agents now, or their health over the measurement. */
export function AgentsOfRun({ run, live, progress }: { run: Run; live: boolean; progress: Progress | undefined }) {
  if (live) return progress && progress.agents.length > 0 ? <Now progress={progress} /> : null;
  const phase = run.phases?.find((p) => p.name === "measure") ?? run.phases?.find((p) => p.name === "load");
  return phase && (phase.generators ?? []).length > 0 ? <Health run={run} phase={phase} /> : null;
}

function Now({ progress }: { progress: Progress }) {
  const label = t("Agents", "agent");
  const total = progress.agents_total ?? progress.agents.length;
  return (
    <section>
      <h2 id="agents">{label}</h2>
      {total > progress.agents.length && <p>{t(`${progress.agents.length} of ${count(total)} agents: those that need attention first.`, `${count(total)} 个 agent 中的 ${progress.agents.length} 个：最需要关注的排在前面。`)}</p>}
      <Table<LiveAgent> label={label} rows={progress.agents} id={(a) => a.name} columns={[
        { title: "agent", cell: (a) => <a href={query(href("agents"), { search: a.name })}>{a.name}</a> },
        { title: t("State", "状态"), cell: (a) => (a.connected ? a.state || t("connected", "已连接") : <span class="badge bad">{t("not connected", "未连接")}</span>) },
        { title: t("Throughput", "吞吐量"), figure: true, cell: (a) => rate(a.rate) },
        { title: "p99", figure: true, cell: (a) => micros(a.p99_us) },
        { title: t("Idle CPU", "CPU 空闲率"), figure: true, cell: (a) => (a.idle !== null && a.idle < 0.2 ? <span class="badge caution">{percent(a.idle)}</span> : percent(a.idle)) },
        { title: t("Clock", "时钟"), figure: true, narrow: true, cell: (a) => `${micros(a.clock.offset_ms * 1000)} ± ${micros(a.clock.uncertainty_ms * 1000)}` },
      ]} />
    </section>
  );
}

interface Row {
  g: Generator;
  ops: number;
  p99: [string, number | null] | undefined; // of the operation with the most samples
  late: number | undefined;
}

function Health({ run, phase }: { run: Run; phase: Phase }) {
  const [all, setAll] = useState(false);
  const rows = rowsOf(run, phase);
  const label = t("Agents", "agent");
  const part = rows.slice(0, all ? most : shown);
  const op = rows[0]?.p99?.[0];
  return (
    <section>
      <h2 id="agents">{label}</h2>
      <Table<Row> label={label} rows={part} id={(r) => r.g.name} columns={[
        { title: "agent", cell: (r) => r.g.name },
        { title: t("Throughput", "吞吐量"), figure: true, cell: (r) => (r.g.seconds > 0 ? rate(r.ops / r.g.seconds) : "–") },
        { title: op ? `${op} p99` : "p99", figure: true, cell: (r) => micros(r.p99?.[1]) },
        { title: t("Idle CPU, lowest", "CPU 空闲率，最低"), figure: true, cell: (r) => idle(r.g.idle_min_percent) },
        { title: t("mean", "平均"), figure: true, narrow: true, cell: (r) => idle(r.g.idle_mean_percent) },
        { title: t("Own CPU", "自身 CPU"), figure: true, narrow: true, cell: (r) => t(`${r.g.own_cpu_cores.toFixed(2)} cores`, `${r.g.own_cpu_cores.toFixed(2)} 核`) },
        { title: t("Sent late", "延迟发送"), figure: true, cell: (r) => count(r.g.late_sends) },
        { title: t("by at most", "最多延迟"), figure: true, narrow: true, cell: (r) => micros(r.g.late_max_ms * 1000) },
        { title: t("Backlog, most", "最大积压"), figure: true, narrow: true, cell: (r) => count(r.g.backlog_max) },
        { title: t("Scheduler lag p99", "调度延迟 p99"), figure: true, narrow: true, cell: (r) => micros(r.g.sched_lag_p99_ms * 1000) },
        { title: t("Began late by", "开始延迟"), figure: true, narrow: true, cell: (r) => (r.late === undefined ? "–" : micros(r.late * 1000)) },
      ]} />
      {rows.length > shown && <p class="buttons"><button type="button" onClick={() => setAll(!all)} aria-expanded={all}>{all ? t("Show fewer", "收起") : t(`Show ${count(Math.min(rows.length, most))} of ${count(rows.length)}`, `显示 ${count(rows.length)} 个中的 ${count(Math.min(rows.length, most))} 个`)}</button></p>}
      {run.start && <p class="how">{t(`The agents began within ${micros(run.start.skew_ms * 1000)} ± ${micros(run.start.uncertainty_ms * 1000)} of each other.`, `各 agent 的开始时间相差 ${micros(run.start.skew_ms * 1000)} ± ${micros(run.start.uncertainty_ms * 1000)}。`)}</p>}
    </section>
  );
}

function idle(v: number | null): preact.ComponentChildren {
  if (v === null) return "–";
  return v < 20 ? <span class="badge caution">{percent(v / 100)}</span> : percent(v / 100);
}

function rowsOf(run: Run, phase: Phase): Row[] {
  const ops = new Map<string, number>();
  const whole = (phase.operations ?? []).filter((o) => !o.part_of);
  for (const o of whole) for (const a of o.agents ?? []) ops.set(a.name, (ops.get(a.name) ?? 0) + a.count);
  const main = [...whole].sort((a, b) => b.count - a.count)[0];
  const p99 = new Map((main?.agents ?? []).map((a) => [a.name, a.p99_us]));
  const late = new Map((run.start?.agents ?? []).map((a) => [a.name, a.late_ms]));
  return (phase.generators ?? [])
    .map((g): Row => ({ g, ops: ops.get(g.name) ?? 0, p99: main && [main.op, p99.get(g.name) ?? null], late: late.get(g.name) }))
    .sort((a, b) => (a.g.idle_min_percent ?? 101) - (b.g.idle_min_percent ?? 101) || b.g.late_sends - a.g.late_sends || (a.g.name < b.g.name ? -1 : 1));
}
