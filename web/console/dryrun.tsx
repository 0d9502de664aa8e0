// What a new run would do: its cases and their time, and the agents that it needs.

import { type Checked } from "./check";
import { AgentCommand } from "./coordinator";
import { count, duration, percent, several } from "./format";
import { Facts, Table, type Column } from "./parts";
import { href } from "./router";
import { lang, t } from "./text";
import type { AdvisedCase, Agent, Plan, PlannedCase, Submission } from "./types";

interface Row {
  planned: PlannedCase;
  advised: AdvisedCase | undefined;
}

const columns: Column<Row>[] = [
  { title: t("Case", "用例"), cell: ({ planned: c }) => <>{c.case}<span class="sub">{[c.target, c.db !== c.target ? c.db : "", c.phase !== "run" ? c.phase : ""].filter(Boolean).join(", ")}</span></> },
  { title: t("Work", "工作量"), cell: ({ planned: c }) => <>{work(c)}<span class="sub">{mix(c)}</span></> },
  { title: t("Threads", "线程"), cell: ({ planned: c }) => threads(c) },
  { title: t("Runs", "运行数"), figure: true, cell: ({ planned: c }) => (c.search ? t(`about ${c.repeats}`, `约 ${c.repeats}`) : c.repeats) },
  { title: t("A run takes", "单次时长"), figure: true, cell: ({ planned: c, advised: a }) => time(c, a) },
];

function work(c: PlannedCase): string {
  if (c.operations > 0) return t(`${count(c.operations)} operations`, `${count(c.operations)} 次操作`);
  if (c.rows_written > 0) return t(several(c.rows_written, "row"), `${count(c.rows_written)} 行`);
  return t("for a time", "按时长");
}

function mix(c: PlannedCase): string {
  return Object.entries(c.mix ?? {}).sort(([, a], [, b]) => b - a).map(([name, share]) => `${name} ${percent(share)}`).join(", ");
}

function threads(c: PlannedCase): string {
  if (c.threads > 0 && c.agents > 0) return t(`${c.threads} × ${several(c.agents, "agent")}`, `${c.threads} × ${c.agents} 个 agent`);
  if (c.threads > 0) return t(`${c.threads} per agent`, `每个 agent ${c.threads}`);
  return t(`${c.threads_total} in total`, `共 ${c.threads_total}`);
}

function time(c: PlannedCase, a: AdvisedCase | undefined): string {
  if (a?.time) return duration(a.time.seconds);
  return c.seconds > 0 ? duration(c.seconds) : t("unknown", "未知");
}

/** DryRun shows the plan of a valid submission. */
export function DryRun({ checked, submission, agents }: { checked: Checked; submission: Submission | undefined; agents: Agent[] | undefined }) {
  const { plan } = checked;
  if (!plan) {
    return <p class="empty">{checked.state === "invalid" || checked.state === "failed"
      ? t("The dry run is shown when the mistakes are corrected.", "修正错误后显示试运行结果。")
      : checked.state === "empty" ? t("The dry run is shown here: cases, runs and their time.", "此处显示试运行结果：用例、运行和时长。") : t("Planning …", "正在规划……")}</p>;
  }
  const rows = plan.cases.map((planned, i) => ({ planned, advised: plan.advice?.cases[i] }));
  return (
    <div class={checked.planning || checked.state === "checking" ? "stale" : ""}>
      <Facts of={[
        [t("Cases", "用例"), count(plan.cases.length)],
        [t("Runs", "运行"), plan.runs_at_most ? t(`about ${count(plan.runs)}, at most ${count(plan.runs_at_most)}`, `约 ${count(plan.runs)}，最多 ${count(plan.runs_at_most)}`) : count(plan.runs)],
        [t("Time", "时长"), total(plan)],
        [t("Rows written", "写入行数"), plan.rows_written > 0 ? count(plan.rows_written) : ""],
      ]} />
      <NeededAgents plan={plan} submission={submission} agents={agents} />
      <Table label={t("Cases of the dry run", "试运行的用例")} rows={rows} id={(r) => r.planned.case} columns={columns} />
      <Earlier plan={plan} />
    </div>
  );
}

function total(plan: Plan): string {
  const seconds = plan.advice?.seconds ?? plan.seconds;
  const unknown = plan.advice?.runs_of_unknown_length ?? plan.runs_of_unknown_length;
  if (unknown === 0) return t(`about ${duration(seconds)}`, `约 ${duration(seconds)}`);
  if (seconds === 0) return t("unknown: the runs end by operations", "未知：运行按操作数结束");
  return t(`about ${duration(seconds)}, and ${unknown === 1 ? "1 run" : `${count(unknown)} runs`} of unknown length`, `约 ${duration(seconds)}，另有 ${count(unknown)} 次运行时长未知`);
}

/** matches reports whether an agent has the labels. */
function matches(a: Agent, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([k, v]) => a.labels?.[k] === v);
}

function NeededAgents({ plan, submission, agents }: { plan: Plan; submission: Submission | undefined; agents: Agent[] | undefined }) {
  if (!agents) return null;
  const connected = agents.filter((a) => a.connected && matches(a, submission?.select ?? {}));
  const drained = connected.filter((a) => a.draining).length;
  const free = connected.length - drained;
  const most = Math.max(submission?.agents ?? 0, ...plan.cases.map((c) => c.agents));
  const selected = Object.keys(submission?.select ?? {}).length > 0 ? t(" with these labels", "（符合所选标签）") : "";
  if (free === 0 || most > free) {
    return (
      <p class="notice caution">
        {most > 0
          ? t(`The suite needs ${several(most, "agent")}: ${free} connected${drained > 0 ? ` and ${drained} drained` : ""}${selected}.`,
            `套件需要 ${most} 个 agent，已连接 ${free} 个${drained > 0 ? `，已排空 ${drained} 个` : ""}${selected}。`)
          : drained > 0
            ? t(`All connected agents are drained${selected}: ${drained}.`, `已连接的 agent 均已排空${selected}：${drained} 个。`)
            : t(`No agent is connected${selected}.`, `没有已连接的 agent${selected}。`)}{" "}
        {drained > 0 && <>{t("Resume drained ones on the page ", "请恢复已排空的 agent：")}<a href={href("agents")}>{t("Agents", "Agent")}</a>{t(", or start more on client machines:", "，或在客户端机器上启动更多：")}</>}
        {drained === 0 && t("Start more on client machines:", "请在客户端机器上启动：")} <AgentCommand />
      </p>
    );
  }
  const all = lang === "en" ? (free === 1 ? "The 1 connected agent" : `All ${free} connected agents`) : "";
  return <p class="notice">{most > 0
    ? t(`Agents: ${most} of ${free} connected${selected}.`, `Agent：使用已连接的 ${free} 个中的 ${most} 个${selected}。`)
    : t(`${all}${selected} take${free === 1 ? "s" : ""} part.`, `使用全部 ${free} 个已连接的 agent${selected}。`)}</p>;
}

function answer(c: AdvisedCase): string {
  switch (c.rate?.answer) {
    case "yes":
      return t("Yes, each has reached it.", "能，每个都达到过。");
    case "likely":
      return t("Likely, by the CPU that earlier runs took.", "很可能，依据以往运行的 CPU 用量。");
    default:
      return t("No, by the CPU that earlier runs took.", "不能，依据以往运行的 CPU 用量。");
  }
}

/** Earlier shows what earlier runs of the same cases show. */
function Earlier({ plan }: { plan: Plan }) {
  const a = plan.advice;
  if (!a) return plan.no_advice ? <p class="how">{t("No advice from earlier runs: ", "没有来自以往运行的建议：")}{plan.no_advice}</p> : null;
  const rates = a.cases.filter((c) => c.rate !== null && c.rate.answer !== "not known");
  const repeats = a.cases.filter((c) => c.repeats.length > 0);
  if (a.suites.length === 0 && rates.length === 0) return <p class="how">{t("There are no earlier runs of these cases: their time is that of the plan.", "这些用例没有以往的运行，时长按计划估算。")}</p>;
  return (
    <section class="earlier">
      <h3>{t("Earlier runs", "以往的运行")}</h3>
      <p class="how">{t("Times are medians of ", "时长取自以下套件的中位数：")}{a.suites.slice(0, 5).map((id, i) => <>{i > 0 && ", "}<a href={href("suites", id)}>{id}</a></>)}{a.suites.length > 5 && t(` and ${a.suites.length - 5} more`, ` 等 ${a.suites.length} 个`)}{t(".", "。")}</p>
      {repeats.length > 0 && (
        <ul class="how">
          {repeats.map((c) => {
            const worst = c.repeats.reduce((x, y) => (y.deviation > x.deviation ? y : x));
            const need = worst.repeats > 0 ? String(worst.repeats) : t("more than 100", "100 次以上");
            return <li key={c.case}>{t(`${c.case}: an effect of ${percent(a.effect)} needs ${need} repeats of each side (${worst.figure} varies by ${percent(worst.deviation)}).`, `${c.case}：要检出 ${percent(a.effect)} 的差异，每侧需要重复 ${need} 次（${worst.figure} 的波动为 ${percent(worst.deviation)}）。`)}</li>;
          })}
        </ul>
      )}
      {rates.map((c) => <p class="how" key={c.case}>{t(`${c.case}: can each agent offer ${count(c.rate?.rate_per_agent)} operations a second? ${answer(c)}`, `${c.case}：每个 agent 能否提供每秒 ${count(c.rate?.rate_per_agent)} 次操作？${answer(c)}`)}</p>)}
    </section>
  );
}
