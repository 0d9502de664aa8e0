// The first page: what runs, what waits, who works, and what ended last.

import { useGet } from "./api";
import { AgentCommand, Coordinator } from "./coordinator";
import { ago, count, duration, moment } from "./format";
import { Bar, StatusBadge, Table, Tags, Title, Trouble, Waiting, type Column } from "./parts";
import { href, query } from "./router";
import { RunsNow } from "./runsnow";
import { t } from "./text";
import { ended, type About, type Agent, type Suite } from "./types";

/** suiteColumns are those of lists of suites. */
export const suiteColumns: Column<Suite>[] = [
  { title: t("Suite", "套件"), cell: (s) => <><a href={href("suites", s.id)}>{s.name || s.id}</a>{s.name && <span class="sub">{s.id}</span>}</> },
  { title: t("Status", "状态"), cell: (s) => <StatusBadge status={s.status} /> },
  { title: t("Target", "目标"), cell: (s) => s.db },
  { title: t("Runs", "运行数"), figure: true, cell: (s) => (s.runs > 1 || s.runs_at_most ? `${count(s.runs_ended)} / ${s.runs_at_most ? "≤ " : ""}${count(s.runs_at_most || s.runs)}` : count(s.runs)) },
  { title: t("Submitted", "提交时间"), cell: (s) => <span title={moment(s.created)}>{ago(s.created)}</span> },
  { title: t("By", "提交者"), narrow: true, cell: (s) => s.submitted_by },
  { title: t("Note and tags", "备注与标签"), narrow: true, cell: (s) => <>{s.note} <Tags of={s.tags} /></> },
];

/** Queue lists the suites that have not ended. */
export function Queue({ suites }: { suites: Suite[] }) {
  return (
    <Table
      label={t("Queue", "队列")}
      rows={suites}
      id={(s) => s.id}
      empty={t("Nothing runs or waits.", "没有正在运行或等待的套件。")}
      columns={[
        ...suiteColumns.slice(0, 3),
        { title: t("Progress", "进度"), cell: (s) => <><Bar share={s.runs > 0 ? s.runs_ended / (s.runs_at_most || s.runs) : 0} label={t("runs that have ended", "已结束的运行")} /> {s.runs_ended} / {s.runs_at_most ? "≤ " : ""}{s.runs_at_most || s.runs}</> },
        { title: t("Left", "剩余"), figure: true, cell: (s) => (s.left_seconds === null ? "–" : duration(s.left_seconds)) },
        ...suiteColumns.slice(4, 6),
      ]}
    />
  );
}

/** FirstSteps is what somebody sees who has no result yet. */
function FirstSteps({ connected, running }: { connected: number; running: Suite | undefined }) {
  return (
    <section class="steps" aria-label={t("First steps", "第一步")}>
      <h2>{t("First result in three steps", "三步得到第一个结果")}</h2>
      <ol>
        <li class={connected > 0 ? "done" : ""}>
          <h3>{t("Connect agents", "连接 agent")}</h3>
          <p>{connected > 0
            ? t(`${connected} connected: they generate the load.`, `已连接 ${connected} 个：负载由它们产生。`)
            : <>{t("An agent generates load on a client machine:", "agent 在客户端机器上产生负载：")} <AgentCommand /></>}</p>
          <a class="button" href={href("agents")}>{t("Agents", "Agent")}</a>
        </li>
        <li class={running ? "done" : ""}>
          <h3>{t("Submit a suite", "提交套件")}</h3>
          <p>{t("The first template needs no database and takes half a minute. Look at it, and press Submit.", "第一个模板不需要数据库，半分钟即可完成。查看后点“提交”。")}</p>
          <a class={`button${running ? "" : " primary"}`} href={query(href("new"), { template: "first" })}>{t("Open the first run", "打开第一个运行")}</a>
        </li>
        <li>
          <h3>{t("Read the result", "查看结果")}</h3>
          <p>{t("The page of the suite shows it live, and its tables and charts when it has ended.", "套件页面实时显示进度，结束后显示表格和图表。")}</p>
          {running && <a class="button primary" href={href("suites", running.id)}>{running.name || running.id}</a>}
        </li>
      </ol>
    </section>
  );
}

const shownRunning = 3; // suites with their figures; a coordinator seldom has more at a time

/** OverviewPage is the first page. */
export function OverviewPage({ about }: { about: About | undefined }) {
  const queue = useGet<Suite[]>("/queue", 3000);
  const agents = useGet<Agent[]>("/agents", 5000);
  const last = useGet<Suite[]>(query("/suites", { limit: "12" }), 5000);
  const all = agents.data ?? [];
  const connected = all.filter((a) => a.connected).length;
  const away = all.length - connected;
  const idle = all.filter((a) => a.connected && !a.run && !a.draining).length;
  const running = (queue.data ?? []).filter((s) => s.status !== "queued").slice(0, shownRunning);
  return (
    <>
      <Title text={t("Overview", "概览")}>
        {about?.can?.submit && <a class="button primary" href={href("new")}>{t("New run", "新建运行")}</a>}
      </Title>
      {agents.data && (
        <p class="lead">
          <a href={href("agents")}>{t(`${connected} of ${all.length} agents connected`, `${all.length} 个 agent 中 ${connected} 个已连接`)}</a>
          {connected > 0 && `, ${t(`${idle} idle`, `${idle} 个空闲`)}`}
          {". "}
          {connected > 0 && away > 0 && <a class="badge caution" href={query(href("agents"), { state: "gone" })}>{t(`${away} not connected`, `${away} 个未连接`)}</a>}
          {connected === 0 && <>{t("Start one on a client machine:", "在客户端机器上启动一个：")} <AgentCommand /></>}
        </p>
      )}
      {last.data && agents.data && last.data.every((s) => !ended(s.status)) && <FirstSteps connected={connected} running={last.data[0]} />}
      {running.map((s) => <RunsNow key={s.id} suite={s} />)}
      <section>
        <h2>{t("Queue", "队列")}</h2>
        {queue.data ? <Queue suites={queue.data} /> : <Waiting failure={queue.failure} />}
      </section>
      <section>
        <h2>{t("Latest results", "最新结果")}</h2>
        {last.data
          ? <Table label={t("Latest results", "最新结果")} rows={last.data.filter((s) => ended(s.status))} id={(s) => s.id} columns={suiteColumns}
              empty={t("No results yet. A new run is submitted with the button above, or with benchctl submit.", "还没有结果。用上面的按钮或 benchctl submit 提交新的运行。")} />
          : <Waiting failure={last.failure} />}
        <p><a href={href("suites")}>{t("All results", "全部结果")}</a></p>
      </section>
      <Coordinator about={about} />
      <Trouble failure={last.data ? last.failure : undefined} />
    </>
  );
}
