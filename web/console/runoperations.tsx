// The figures of a run by operation, and its errors.

import { count, micros, rate } from "./format";
import { Table, type Column } from "./parts";
import { good, type Operation, type Phase, type Run } from "./runtypes";
import { phaseName } from "./runwords";
import { t } from "./text";

interface Row {
  key: string;
  phase: Phase;
  of: Operation;
}

function columns(phases: number): Column<Row>[] {
  return [
    ...(phases > 1 ? [{ title: t("Phase", "阶段"), cell: (r: Row) => phaseName(r.phase.name) }] : []),
    { title: t("Operation", "操作"), cell: (r) => <>{r.of.op}{r.of.part_of && <span class="sub">{t(`part of ${r.of.part_of}`, `${r.of.part_of} 的一部分`)}</span>}</> },
    { title: t("Outcome", "结果"), cell: (r) => (good(r.of.outcome) ? r.of.outcome : <span class="badge bad">{r.of.outcome}</span>) },
    { title: t("Count", "次数"), figure: true, cell: (r) => count(r.of.count) },
    { title: t("Rate", "速率"), figure: true, cell: (r) => (r.phase.seconds > 0 ? rate(r.of.count / r.phase.seconds) : "–") },
    { title: t("mean", "均值"), figure: true, narrow: true, cell: (r) => micros(r.of.mean_us) },
    { title: "p50", figure: true, cell: (r) => micros(r.of.p50_us) },
    { title: "p95", figure: true, cell: (r) => micros(r.of.p95_us) },
    { title: "p99", figure: true, cell: (r) => micros(r.of.p99_us) },
    { title: "p99.9", figure: true, cell: (r) => micros(r.of.p999_us) },
    { title: t("max", "最大"), figure: true, cell: (r) => micros(r.of.max_us) },
    { title: t("service p99", "服务时间 p99"), figure: true, narrow: true, cell: (r) => micros(r.of.service.p99_us) },
  ];
}

/** Operations is the table of operations: first those of the measurement. */
export function Operations({ run }: { run: Run }) {
  const order = ["measure", "load", "warmup"];
  const phases = [...(run.phases ?? [])].filter((p) => (p.operations ?? []).length > 0).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  if (phases.length === 0) return null;
  const parts = (o: Operation): number => (o.part_of ? 1 : 0);
  const rows = phases.flatMap((phase) => [...(phase.operations ?? [])].sort((a, b) => parts(a) - parts(b) || b.count - a.count).map((of) => ({ key: `${phase.name} ${of.part_of ?? ""} ${of.op} ${of.outcome}`, phase, of })));
  const label = t("Operations", "操作");
  return (
    <section>
      <h2 id="operations">{label}</h2>
      <ul class="plain">
        {phases.map((p) => <li key={p.name}><strong>{phaseName(p.name)}:</strong> {throughput(p)}</li>)}
      </ul>
      <Table label={label} rows={rows} id={(r) => r.key} columns={columns(phases.length)} />
      <p class="how">{t("Response times: from the instant at which an operation was due until its end. – means too few operations for the percentile.", "响应时间：从操作应发出的时刻到结束。– 表示操作太少，没有该分位数。")}</p>
    </section>
  );
}

function throughput(p: Phase): string {
  const parts = [t(`${rate(p.throughput)} over all operations`, `全部操作 ${rate(p.throughput)}`)];
  const { low, high } = p.throughput_interval ?? {};
  if (typeof low === "number" && typeof high === "number") parts[0] += t(` (95 % interval ${rate(low)} to ${rate(high)})`, `（95 % 区间 ${rate(low)} 至 ${rate(high)}）`);
  if (p.offered) parts.push(t(`${rate(p.offered)} offered`, `给定速率 ${rate(p.offered)}`));
  if (p.lateness && p.lateness.p99_ms !== null) parts.push(t(`sent late by ${micros(p.lateness.p99_ms * 1000)} at p99, ${micros(p.lateness.max_ms * 1000)} at most`, `发送延迟 p99 ${micros(p.lateness.p99_ms * 1000)}，最多 ${micros(p.lateness.max_ms * 1000)}`));
  return parts.join(t(", ", "，"));
}

/** Errors lists the first message of each kind of error. */
export function Errors({ run }: { run: Run }) {
  const rows = (run.phases ?? []).flatMap((p) => (p.errors ?? []).map((e, i) => ({ ...e, phase: p.name, key: `${p.name} ${i}` })));
  if (rows.length === 0) return null;
  const label = t("Errors", "错误");
  return (
    <section>
      <h2 id="errors">{label}</h2>
      <Table label={label} rows={rows} id={(r) => r.key} columns={[
        { title: t("Operation", "操作"), cell: (r) => r.op },
        { title: t("Outcome", "结果"), cell: (r) => r.outcome },
        { title: t("First message", "第一条消息"), cell: (r) => <span class="message">{r.message}</span> },
        { title: "agent", cell: (r) => r.agent },
        { title: t("Phase", "阶段"), narrow: true, cell: (r) => phaseName(r.phase) },
      ]} />
    </section>
  );
}
