// The progress of a suite that has not ended.

import type { SuiteDocument } from "./documents";
import type { Live as Events } from "./events";
import { count, duration, micros, rate } from "./format";
import { Bar, Facts, StatusBadge } from "./parts";
import { href } from "./router";
import { phaseName } from "./runwords";
import { t } from "./text";
import { ended } from "./types";

/** Live shows the progress of a suite: its runs, the one that is active, and what remains. */
export function Live({ of, live }: { of: SuiteDocument; live: Events }) {
  const p = live.progress;
  const done = p?.runs_ended ?? of.runs.filter((r) => ended(r.status)).length;
  const most = p?.runs_at_most ?? 0;
  const all = most || p?.runs || of.runs.length;
  const share = p && p.planned_seconds > 0 ? p.elapsed_seconds / p.planned_seconds : p && p.planned_ops > 0 ? p.ops / p.planned_ops : undefined;
  const good = p?.operations.filter((o) => (o.outcome === "OK" || o.outcome === "BATCHED_OK") && !o.part_of) ?? [];
  return (
    <section class="live" aria-label={t("Progress", "进度")}>
      <p class="progress">
        <Bar share={all > 0 ? done / all : 0} label={t("runs that have ended", "已结束的运行")} />
        <strong>{t(`${count(done)} of ${most ? "at most " : ""}${count(all)} runs`, `${count(done)} / ${most ? "最多 " : ""}${count(all)} 次运行`)}</strong>
        <span>{p?.left_seconds !== null && p?.left_seconds !== undefined ? t(`about ${duration(p.left_seconds)} left`, `剩余约 ${duration(p.left_seconds)}`) : t("remaining time not known yet", "剩余时间尚不明确")}</span>
      </p>
      {p && p.run && (
        <div class="card now">
          <p class="buttons">
            <a href={href("runs", p.run)}>{p.case || p.run}</a>
            <StatusBadge status={p.status} />
            <span class="id sub">{p.run}</span>
          </p>
          {p.waiting_for && <p>{t("Waits:", "等待：")} {p.waiting_for}</p>}
          <Facts of={[
            [t("Phase", "阶段"), p.phase && phaseName(p.phase)],
            [t("Time", "时间"), p.phase && (p.planned_seconds > 0 ? `${duration(p.elapsed_seconds)} / ${duration(p.planned_seconds)}` : duration(p.elapsed_seconds))],
            [t("Progress", "进度"), share !== undefined && p.phase ? <Bar share={share} label={t("part of the phase", "阶段进度")} /> : undefined],
            [t("Operations", "操作数"), p.phase && count(p.ops)],
            [t("Throughput", "吞吐量"), p.phase && rate(p.rate)],
            [t("Offered", "提供的负载"), p.offered > 0 ? rate(p.offered) : undefined],
            ...good.map((o): [string, string] => [`${o.op} p50 / p99`, `${micros(o.p50_us)} / ${micros(o.p99_us)}`]),
          ]} />
        </div>
      )}
      {live.failure && <p class="trouble" role="alert">{live.failure}</p>}
    </section>
  );
}
