// What a run does at this moment.

import type { Live } from "./events";
import { count, duration, figure, micros, rate } from "./format";
import { Bar } from "./parts";
import { good } from "./runtypes";
import { phaseName } from "./runwords";
import { t } from "./text";
import type { LiveOperation, Progress } from "./types";

/** Card is a figure with its name. */
export function Card({ name, value, more, bad }: { name: string; value: string; more?: string; bad?: boolean }) {
  return (
    <div class={bad ? "card bad" : "card"}>
      <div class="name">{name}</div>
      <div class="value">{value}</div>
      {more && <div class="more">{more}</div>}
    </div>
  );
}

/** LiveCards are the figures of the last interval of a run. */
export function LiveCards({ stream }: { stream: Live }) {
  const p = stream.progress;
  if (stream.failure) return <p class="trouble" role="alert">{stream.failure}</p>;
  if (!p) return <p class="empty" role="status">{t("Waiting for the first figures …", "等待第一批数据……")}</p>;
  if (p.status === "queued" || p.status === "preparing" || !p.phase) {
    return <p class="empty" role="status">{p.waiting_for ? t(`Waits for: ${p.waiting_for}`, `等待：${p.waiting_for}`) : (p.status === "queued" ? t("The run waits for its turn.", "运行正在排队。") : t("The agents prepare the run.", "agent 正在准备运行。"))}</p>;
  }
  const operations = p.operations.filter((o) => !o.part_of);
  const failed = operations.filter((o) => !good(o.outcome)).reduce((sum, o) => sum + o.count, 0);
  const all = operations.reduce((sum, o) => sum + o.count, 0);
  const main = operations.filter((o) => good(o.outcome)).sort((a, b) => b.count - a.count).slice(0, 3);
  const short = p.offered > 0 && p.rate < 0.9 * p.offered && p.elapsed_seconds > 5;
  return (
    <div class="cards of-run" aria-label={t("Now", "当前")} role="group">
      <Card name={t("Throughput", "吞吐量")} value={rate(p.rate)} bad={short} more={p.offered > 0 ? t(`${rate(p.offered)} offered`, `给定 ${rate(p.offered)}`) : t("closed loop", "闭环")} />
      {main.map((o) => <Latency key={`${o.op} ${o.outcome}`} of={o} />)}
      <Card name={t("Errors", "错误")} value={failed > 0 ? t(`${count(failed)} of ${count(all)}`, `${count(all)} 中 ${count(failed)}`) : t("none", "无")} bad={failed > 0} more={t("in the last interval", "最近一个时间区间")} />
      <Phase p={p} />
      <Card name={t("Left", "剩余")} value={p.left_seconds === null ? left(p) : duration(p.left_seconds)} more={p.status === "stopping" ? t("stopping", "停止中") : t("estimate", "估计")} />
      <Card name={t("Agents", "agent")} value={`${p.agents_connected ?? p.agents.filter((a) => a.connected).length} / ${p.agents_total ?? p.agents.length}`} more={t("connected", "已连接")}
        bad={(p.agents_connected ?? p.agents.filter((a) => a.connected).length) < (p.agents_total ?? p.agents.length)} />
    </div>
  );
}

function left(p: Progress): string {
  return p.planned_seconds > 0 ? duration(Math.max(p.planned_seconds - p.elapsed_seconds, 0)) : "–";
}

function Latency({ of }: { of: LiveOperation }) {
  return <Card name={`${of.op} p99`} value={micros(of.p99_us)} more={`p50 ${micros(of.p50_us)}, ${t("max", "最大")} ${micros(of.max_us)}`} />;
}

/** Phase shows how far the phase is. */
function Phase({ p }: { p: Progress }) {
  const name = phaseName(p.phase);
  const byTime = p.planned_seconds > 0 ? p.elapsed_seconds / p.planned_seconds : 0;
  const byOps = p.planned_ops > 0 ? p.ops / p.planned_ops : 0;
  const share = Math.max(byTime, byOps);
  const more = p.steady || (byOps > byTime ? t(`${count(p.ops)} of ${figure(p.planned_ops)} operations`, `${count(p.ops)} / ${figure(p.planned_ops)} 次操作`)
    : p.planned_seconds > 0 ? t(`${duration(p.elapsed_seconds)} of ${duration(p.planned_seconds)}`, `${duration(p.elapsed_seconds)} / ${duration(p.planned_seconds)}`) : duration(p.elapsed_seconds));
  return (
    <div class="card">
      <div class="name">{name}</div>
      <div class="value">{share > 0 ? `${Math.min(Math.floor(share * 100), 100)} %` : "–"}</div>
      <div class="more">{share > 0 && <Bar share={share} label={name} />} {more}</div>
    </div>
  );
}
