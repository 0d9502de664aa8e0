// The results of a suite beside its cases: searches, sweeps, groups of workers, and the tables of its file.

import type { Capacity, Probe, ResultTable, SuiteCase, SuiteDocument } from "./documents";
import { amount, change, figureTitle } from "./figures";
import { count, duration, figure, micros, rate } from "./format";
import { Facts, Table } from "./parts";
import { href } from "./router";
import { t } from "./text";
import { XY, type XYPoint, type XYSeries } from "./xy";

const outcomes: Record<string, [string, string]> = {
  kept: [t("kept", "满足"), "good"],
  missed: [t("missed", "不满足"), "bad"],
  too_low: [t("throughput too low", "吞吐量过低"), "caution"],
  client_bound: [t("load generator was the limit", "负载生成器是瓶颈"), "caution"],
  too_few_samples: [t("too few samples", "样本过少"), "caution"],
  failed: [t("failed", "失败"), "bad"],
};

function outcomeName(outcome: string): string {
  return outcomes[outcome]?.[0] ?? outcome;
}

const purposes: Record<string, string> = { scan: t("scan", "扫描"), narrow: t("narrow down", "缩小范围"), repeat: t("repeat", "重复"), confirm: t("confirm", "确认") };

/** Capacities has the searches of a suite: the answer, and the probes that lead to it. */
export function Capacities({ of }: { of: SuiteDocument }) {
  const searched = (of.cases ?? []).filter((c): c is SuiteCase & { capacity: Capacity } => (c.capacity?.probes ?? []).length > 0);
  if (searched.length === 0) return null;
  return (
    <section>
      <h2>{t("Searches", "搜索")}</h2>
      {searched.map((c) => <CapacityOf key={c.name} name={c.name} of={c.capacity} />)}
    </section>
  );
}

function CapacityOf({ name, of }: { name: string; of: Capacity }) {
  const vary = of.search.vary;
  const probes = of.probes ?? [];
  const shown = (v: number): string => (vary === "rate" ? rate(v) : count(v));
  const points = (which: (p: Probe) => boolean): XYPoint[] => probes.filter((p) => which(p) && p.p99_us !== null).map((p) => ({ x: p.value, y: p.p99_us as number, title: `${p.run}: ${shown(p.value)}, p99 ${micros(p.p99_us)}` }));
  const series: XYSeries[] = [
    { name: outcomeName("kept"), points: points((p) => p.outcome === "kept"), colour: 1 },
    { name: outcomeName("missed"), points: points((p) => p.outcome === "missed"), colour: 2, shape: "cross" },
    { name: t("other", "其他"), points: points((p) => p.outcome !== "kept" && p.outcome !== "missed"), colour: 7, shape: "square" },
  ];
  return (
    <div class="table">
      <h3>{name}</h3>
      <Facts of={[
        [t("Answer", "结论"), <strong>{answerOf(of, shown)}</strong>],
        [t("Confirmed", "确认"), t(`${of.confirmed} of ${of.search.confirm} runs`, `${of.search.confirm} 次中 ${of.confirmed} 次`)],
        [t("Range", "范围"), `${shown(of.search.from)} ${t("to", "至")} ${shown(of.search.to)}`],
        [t("Probes", "探测次数"), count(probes.length)],
        [t("Took", "用时"), duration(of.seconds)],
      ]} />
      {probes.length > 1 && (
        <div class="charts"><XY
          title={t(`${name}: p99 by ${vary}`, `${name}：p99 随 ${vary} 变化`)}
          x={{ title: vary === "rate" ? t("offered rate (ops/s)", "提供的速率（ops/s）") : vary }}
          y={{ title: "p99", unit: "µs" }}
          series={series.filter((s) => s.points.length > 0)}
          marks={of.value !== null ? [{ x: of.value, label: t("answer", "结论") }] : []}
        /></div>
      )}
      <Table
        label={t(`Probes of ${name}`, `${name} 的探测`)}
        rows={probes}
        id={(p) => p.run}
        columns={[
          { title: t("Run", "运行"), cell: (p) => <a href={href("runs", p.run)}>{p.run}</a> },
          { title: t("Purpose", "目的"), cell: (p) => purposes[p.purpose] ?? p.purpose },
          { title: vary, figure: true, cell: (p) => shown(p.value) },
          { title: t("Throughput", "吞吐量"), figure: true, cell: (p) => (p.throughput > 0 ? rate(p.throughput) : "–") },
          { title: "p50", figure: true, cell: (p) => micros(p.p50_us) },
          { title: "p99", figure: true, cell: (p) => micros(p.p99_us) },
          { title: t("Outcome", "结果"), cell: (p) => <span class={`badge ${outcomes[p.outcome]?.[1] ?? ""}`}>{outcomeName(p.outcome)}</span> },
          { title: t("Because", "依据"), cell: (p) => <Because text={p.because} /> },
        ]}
      />
      <Notes of={of.notes ?? []} />
    </div>
  );
}

/** answerOf is the answer of a search: a value, at least that value, or the highest one so far. */
function answerOf(of: Capacity, shown: (v: number) => string): string {
  if (of.value === null) return of.status === "none" ? t("none", "无") : "–";
  switch (of.status) {
    case "at_least": return t(`at least ${shown(of.value)}`, `至少 ${shown(of.value)}`);
    case "unfinished": return t(`${shown(of.value)} so far`, `目前 ${shown(of.value)}`);
    default: return shown(of.value);
  }
}

/** Because is a reason. A long one is closed at first. */
function Because({ text }: { text: string }) {
  const end = text.search(/[(（:：]/);
  if (text.length <= 120) return <span class="wrapped">{text}</span>;
  return (
    <details class="wrapped">
      <summary>{end > 0 && end < 80 ? text.slice(0, end) : `${text.slice(0, 60)}…`}</summary>
      {text}
    </details>
  );
}

/** Sweeps has the course of throughput over the cases of a scenario. */
export function Sweeps({ of }: { of: SuiteDocument }) {
  const all = of.sweeps ?? [];
  if (all.length === 0) return null;
  return (
    <section>
      <h2>{t("Sweeps", "扫描")}</h2>
      {all.map((s) => {
        const name = [s.scenario, s.of].filter(Boolean).join(", ");
        const mean = (values: number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
        const measured = s.points.filter((p) => p.throughput?.length > 0);
        return (
          <div class="table" key={`${name} ${s.axis}`}>
            <h3>{t(`${name} by ${s.axis}`, `${name} 随 ${s.axis} 变化`)}</h3>
            <p class="finding">{s.text}</p>
            <div class="charts">
              <XY
                title={t("Throughput", "吞吐量")}
                x={{ title: s.axis }}
                y={{ title: t("throughput", "吞吐量"), unit: "ops/s" }}
                series={[{ name: t("throughput", "吞吐量"), colour: 1, line: true, points: measured.map((p) => ({ x: p.value, y: mean(p.throughput), low: Math.min(...p.throughput), high: Math.max(...p.throughput), title: `${p.case}: ${rate(mean(p.throughput))}` })) }]}
                marks={s.plateau ? [{ x: s.plateau.from, label: t("plateau", "平台") }] : []}
              />
              <XY
                title="p99"
                x={{ title: s.axis }}
                y={{ title: "p99", unit: "µs" }}
                series={[{ name: "p99", colour: 2, line: true, points: measured.filter((p) => p.p99_us !== null).map((p) => ({ x: p.value, y: p.p99_us as number, title: `${p.case}: ${micros(p.p99_us)}` })) }]}
                marks={[]}
              />
            </div>
            <Notes of={s.notes ?? []} />
          </div>
        );
      })}
    </section>
  );
}

/** InterferenceOf has what groups of workers cost each other. */
export function InterferenceOf({ of }: { of: SuiteDocument }) {
  const all = of.interference ?? [];
  if (all.length === 0) return null;
  return (
    <section>
      <h2>{t("Groups of workers", "worker 分组")}</h2>
      {all.map((i) => (
        <div class="table" key={i.case}>
          <h3>{i.case}</h3>
          <p class="finding">{i.text}</p>
          <Table
            label={i.case}
            rows={i.groups.flatMap((g) => (g.figures ?? []).map((f) => ({ g, f })))}
            id={({ g, f }) => `${g.group} ${f.name}`}
            columns={[
              { title: t("Group", "分组"), cell: ({ g }) => g.group },
              { title: t("Figure", "指标"), cell: ({ f }) => figureTitle(f.name) },
              { title: t("Alone", "单独"), figure: true, cell: ({ f }) => amount(f.alone, f.unit) },
              { title: t("Together", "一起"), figure: true, cell: ({ f }) => amount(f.together, f.unit) },
              { title: t("Change", "变化"), figure: true, cell: ({ f }) => (f.factor ? change(f.factor.ratio) : f.alone > 0 ? change(f.together / f.alone) : "–") },
              { title: t("Interval", "区间"), figure: true, cell: ({ f }) => (f.factor ? `${change(f.factor.low)} ${t("to", "至")} ${change(f.factor.high)}` : t("too few runs", "运行次数不足")) },
            ]}
          />
          <Notes of={[i.test, ...i.groups.flatMap((g) => (g.because ? [`${g.group}: ${g.because}`] : []))].filter(Boolean)} />
        </div>
      ))}
    </section>
  );
}

/** Tables are those that the file of the suite describes, with published figures marked. */
export function Tables({ of }: { of: SuiteDocument }) {
  const all = of.runs.some((r) => r.status === "complete") ? (of.tables ?? []) : [];
  if (all.length === 0) return null;
  return (
    <section>
      <h2>{t("Tables", "表格")}</h2>
      {all.some((table) => table.columns.some((c) => c.published)) && <p class="published-note">{t("Hatched columns are published figures of the authors' own cluster. None of them was measured here.", "带斜线的列是原作者在自己集群上的发表值，都不是本次测得的。")}</p>}
      {all.map((table) => <TableOf key={table.title} of={table} />)}
    </section>
  );
}

function TableOf({ of }: { of: ResultTable }) {
  const several = of.rows.some((r) => r.kind === "run") && of.rows.some((r) => r.kind !== "run");
  const text = (cell: number | string | null): string => (cell === null ? "–" : typeof cell === "string" ? cell : Number.isInteger(cell) || Math.abs(cell) >= 100 ? count(cell) : figure(cell));
  return (
    <div class="table">
      <h3>{of.title}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={of.title}>
        <table>
          <thead>
            <tr>
              {several && <th scope="col">{t("of", "范围")}</th>}
              {of.columns.map((c) => <th scope="col" key={c.name} class={`${c.figure ? "figure" : ""} ${c.published ? "published" : ""}`}>{c.name}{c.unit && !named(c.name, c.unit) ? ` (${c.unit})` : ""}</th>)}
            </tr>
          </thead>
          <tbody>
            {of.rows.map((r, i) => (
              <tr key={i}>
                {several && <td>{r.kind === "run" && r.run ? <a href={href("runs", r.run)}>{r.run}</a> : r.kind === "peak" ? t("highest", "最高") : t(`${r.runs} runs`, `${r.runs} 次运行`)}</td>}
                {r.cells.map((cell, k) => {
                  const c = of.columns[k];
                  return <td key={k} class={`${typeof cell === "number" || c?.figure ? "figure" : ""} ${c?.published ? "published" : ""}`}>{text(cell)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Notes of={of.notes ?? []} />
    </div>
  );
}

/** named reports whether the name of a column has its unit, such as read_avg_ms. */
function named(name: string, unit: string): boolean {
  return name.endsWith(`_${unit === "µs" ? "us" : unit === "ops/s" ? "ops" : unit}`);
}

/** Notes are sentences below a table. Many of them, and long ones, are closed at first. */
export function Notes({ of }: { of: string[] }) {
  if (of.length === 0) return null;
  const list = <ul class="notes">{[...new Set(of)].map((n) => <li key={n}>{n}</li>)}</ul>;
  if (of.length <= 4 && of.join("").length < 900) return list;
  return (
    <details class="notes">
      <summary>{t(`${of.length} notes`, `${of.length} 条说明`)}</summary>
      {list}
    </details>
  );
}
