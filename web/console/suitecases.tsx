// The cases and runs of a suite as tables.

import { raised, wrong, type CaseFigure, type RunHead, type SuiteCase, type SuiteDocument } from "./documents";
import { amount, figureTitle } from "./figures";
import { count, duration, moment, percent, rate } from "./format";
import { StatusBadge, Table } from "./parts";
import { href } from "./router";
import { verdictText } from "./runwords";
import { t } from "./text";
import { ended, type Progress } from "./types";

interface Row {
  name: string;
  of: SuiteCase | undefined;
  repeats: number;
  fills: boolean;
  runs: RunHead[];
}

/** rowsOf are the cases as planned. Those without a result yet are among them. */
function rowsOf(suite: SuiteDocument): Row[] {
  const known = new Map((suite.cases ?? []).map((c) => [c.name, c]));
  const planned = suite.plan?.cases ?? (suite.cases ?? []).map((c) => ({ name: c.name, repeats: c.repeats, fills: c.fills === true }));
  return planned.map((p) => ({
    name: p.name,
    of: known.get(p.name),
    repeats: p.repeats,
    fills: p.fills === true,
    runs: suite.runs.filter((r) => r.case === p.name && !r.replaced_by),
  }));
}

/** operationsOf are the operations of a case that have response times. */
function operationsOf(c: SuiteCase | undefined): string[] {
  return [...new Set((c?.figures ?? []).flatMap((f) => /^(.+)_avg_us$/.exec(f.name)?.[1] ?? []))].filter((op) => !op.endsWith("_service"));
}

function figureOf(c: SuiteCase | undefined, name: string): CaseFigure | undefined {
  return c?.figures?.find((f) => f.name === name);
}

function value(f: CaseFigure | undefined): number | undefined {
  return f?.mean ?? f?.median;
}

/** spread is how far the runs of a case lie apart, for a tooltip and the line below a figure. */
function spread(f: CaseFigure | undefined): string {
  if (!f || f.n < 2) return "";
  return `${amount(f.min, f.unit)} ${t("to", "至")} ${amount(f.max, f.unit)}`;
}

function errorsOf(c: SuiteCase | undefined): string {
  const failed = value(figureOf(c, "failed_ops"));
  const ops = value(figureOf(c, "ops"));
  if (failed === undefined || !ops) return "–";
  return failed === 0 ? "0" : `${count(failed)} (${percent(failed / ops)})`;
}

/** CaseTable has the cases of a suite with their figures. It fills while the suite runs. */
export function CaseTable({ of, current }: { of: SuiteDocument; current: Progress | undefined }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("Cases", "用例")}>
      <table class="cases">
        <thead>
          <tr>
            <th scope="col">{t("Case", "用例")}</th>
            <th scope="col" class="figure">{t("Runs", "运行数")}</th>
            <th scope="col" class="figure">{t("Throughput", "吞吐量")}</th>
            <th scope="col">{t("Operation", "操作")}</th>
            <th scope="col" class="figure">p50</th>
            <th scope="col" class="figure">p99</th>
            <th scope="col" class="figure">p99.9</th>
            <th scope="col" class="figure">{t("Errors", "错误")}</th>
            <th scope="col">{t("Verdicts", "判定")}</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(of).map((row) => <CaseRows key={row.name} row={row} running={current !== undefined && !current.ended && current.status !== "queued" && current.case === row.name} />)}
        </tbody>
      </table>
    </div>
  );
}

function CaseRows({ row, running }: { row: Row; running: boolean }) {
  const { of } = row;
  const operations = operationsOf(of);
  const throughput = figureOf(of, "throughput_ops");
  const counted = of?.runs?.length ?? 0;
  const height = Math.max(operations.length, 1);
  const latency = (op: string | undefined, stat: string) => {
    const f = op === undefined ? undefined : figureOf(of, `${op}_${stat}_us`);
    return <td class="figure" title={spread(f)}>{amount(value(f), "µs")}</td>;
  };
  const first = operations[0];
  return (
    <>
      <tr class={running ? "running" : ""}>
        <td rowSpan={height}>
          <CaseName row={row} />
          {row.fills && <span class="sub">{t("fills the dataset", "写入数据集")}</span>}
          {of?.loop && !row.fills && <span class="sub">{of.loop === "open" ? t("open loop", "开环") : of.loop === "closed" ? t("closed loop", "闭环") : of.loop === "mixed" ? t("open and closed loop", "混合模型") : of.loop}</span>}
        </td>
        <td class="figure" rowSpan={height}>
          {of?.capacity || row.repeats === 0 ? count(row.runs.length) : `${count(counted)} / ${count(Math.max(row.repeats, counted))}`}
          {running && <span class="sub">{t("now", "进行中")}</span>}
        </td>
        <td class="figure" rowSpan={height}>
          {rate(value(throughput))}
          {throughput && throughput.n > 1 && <span class="sub">{spread(throughput)}</span>}
        </td>
        <td>{first ? figureTitle(`${first}_p50_us`).replace(/ p50$/, "") : "–"}</td>
        {latency(first, "p50")}
        {latency(first, "p99")}
        {latency(first, "p999")}
        <td class="figure" rowSpan={height}>{errorsOf(of)}</td>
        <td rowSpan={height} class="prose"><CaseState row={row} running={running} /></td>
      </tr>
      {operations.slice(1).map((op) => (
        <tr key={op} class={running ? "running more" : "more"}>
          <td>{figureTitle(`${op}_p50_us`).replace(/ p50$/, "")}</td>
          {latency(op, "p50")}
          {latency(op, "p99")}
          {latency(op, "p999")}
        </tr>
      ))}
    </>
  );
}

/** CaseName links to the only run of a case; several are in the table of runs. */
function CaseName({ row }: { row: Row }) {
  const only = row.runs.length === 1 ? row.runs[0] : undefined;
  return only ? <a href={href("runs", only.id)}>{row.name}</a> : <>{row.name}</>;
}

/** CaseState has the verdicts that speak against the runs of a case, and the runs that its figures exclude. */
function CaseState({ row, running }: { row: Row; running: boolean }) {
  const over = row.runs.filter((r) => ended(r.status)).length;
  const named = new Map<string, number>();
  for (const run of row.runs) for (const v of run.verdicts ?? []) if (raised(v)) named.set(v.name, (named.get(v.name) ?? 0) + 1);
  const left = row.of?.capacity ? [] : (row.of?.left_out ?? []).filter((l) => l.status === "failed" || l.status === "cancelled" || l.status === "partial");
  if (left.length > 0 && row.of?.runs?.length === 0) {
    return <><StatusBadge status={left[0]?.status ?? "failed"} /> <span class="sub">{left[0]?.because}</span></>;
  }
  if (named.size > 0 || left.length > 0) {
    return (
      <>
        {[...named].map(([name, n]) => <span class="badge caution" key={name} title={name}>{verdictText(name, wrong(name))}{over > 1 ? t(` in ${n} of ${over} runs`, `（${over} 次运行中 ${n} 次）`) : ""}</span>)}
        {left.map((l) => <span class="sub" key={l.run}>{t(`${l.run} is left out: ${l.because}`, `${l.run} 不计入：${l.because}`)}</span>)}
      </>
    );
  }
  if (running) return <span class="badge busy">{t("running", "运行中")}</span>;
  if ((row.of?.runs?.length ?? 0) === 0) return <span class="empty">{t("waits", "等待中")}</span>;
  return <span class="badge good">{t("none raised", "均无异常")}</span>;
}

/** RunTable has the runs of a suite in the order in which they began. */
export function RunTable({ of, current }: { of: SuiteDocument; current: Progress | undefined }) {
  const at = new Map((of.ran ?? []).map((r, i) => [r.run, i]));
  const runs = [...of.runs].sort((a, b) => (at.get(a.id) ?? Infinity) - (at.get(b.id) ?? Infinity) || 0);
  const subject = (r: RunHead) => r.phases?.find((p) => p.name === "measure") ?? r.phases?.find((p) => p.name === "load");
  return (
    <Table
      label={t("Runs", "运行")}
      rows={runs}
      id={(r) => r.id}
      empty={t("No run yet.", "还没有运行。")}
      columns={[
        { title: t("Run", "运行"), cell: (r) => <a href={href("runs", r.id)}>{r.id}</a> },
        { title: t("Case", "用例"), cell: (r) => <span class="wrapped">{r.case}</span> },
        { title: t("Repeat", "重复"), figure: true, cell: (r) => count(Math.max(r.repeat ?? 1, 1)) },
        { title: t("Status", "状态"), cell: (r) => <><StatusBadge status={current?.run === r.id && !ended(r.status) ? current.status : r.status} />{r.replaced_by && <span class="sub">{t(`replaced by ${r.replaced_by}`, `由 ${r.replaced_by} 替代`)}</span>}{r.reason && <span class="sub reason">{r.reason}</span>}</> },
        { title: t("Began", "开始时间"), cell: (r) => moment(r.start?.planned) },
        { title: t("Took", "用时"), figure: true, cell: (r) => (r.phases?.length ? duration(r.phases.reduce((sum, p) => sum + p.seconds, 0)) : "–") },
        { title: t("Operations", "操作数"), figure: true, cell: (r) => (subject(r) ? count(subject(r)?.ops) : "–") },
        { title: t("Throughput", "吞吐量"), figure: true, cell: (r) => rate(subject(r)?.throughput) },
        { title: t("Verdicts raised", "异常判定"), cell: (r) => <span class="wrapped">{(r.verdicts ?? []).filter(raised).map((v) => verdictText(v.name, v.value)).join(t("; ", "；")) || "–"}</span> },
      ]}
    />
  );
}
