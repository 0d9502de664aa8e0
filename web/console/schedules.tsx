// The schedules: when suites are due, what became of due times, and which changes were found.

import { send, useGet } from "./api";
import { VerdictBadge } from "./comparefigures";
import type { Alert, Outcome, Schedule, ScheduleDocument } from "./trenddocuments";
import { change, figureTitle } from "./figures";
import { ago, count, duration, moment } from "./format";
import { Action, statusName, Table, Title, Trouble, Waiting, type Column } from "./parts";
import { go, href, query as address } from "./router";
import { t } from "./text";
import type { About } from "./types";

const outcomes: Record<Outcome["outcome"], [string, string]> = {
  submitted: [t("submitted", "已提交"), "good"],
  skipped: [t("skipped", "已跳过"), "caution"],
  failed: [t("refused", "被拒绝"), "bad"],
};

const pollEvery = 5000;

/** SchedulesPage lists the schedules, and shows one whose name is in the address. */
export function SchedulesPage({ query, about }: { query: URLSearchParams; about: About | undefined }) {
  const list = useGet<Schedule[]>("/schedules", pollEvery);
  const name = query.get("name") ?? "";
  const may = about?.can?.submit === true;
  const columns: Column<Schedule>[] = [
    { title: t("Schedule", "定时计划"), cell: (s) => <a href={address(href("schedules"), { name: s.name })} aria-current={s.name === name ? "true" : undefined}>{s.name}</a> },
    { title: t("Recurs", "周期"), cell: (s) => <code>{s.recurs}</code> },
    { title: t("Next", "下次"), cell: (s) => (s.paused ? <span class="badge caution">{t("paused", "已暂停")}</span> : <>{moment(s.next)}{s.next && <span class="sub">{inFuture(s.next)}</span>}</>) },
    { title: t("Last due time", "上次到期"), cell: (s) => <Newest of={s} /> },
    { title: t("Last alert", "最近告警"), cell: (s) => (s.last_alert ? <><VerdictBadge verdict={s.last_alert.verdict} /> {s.last_alert.case}, {figureTitle(s.last_alert.figure)} {change(s.last_alert.ratio)}</> : "–") },
    { title: t("Owner", "所有者"), narrow: true, cell: (s) => s.owner },
    ...(may ? [{ title: t("Actions", "操作"), cell: (s: Schedule) => <Actions of={s} onChanged={list.again} /> }] : []),
  ];
  return (
    <>
      <Title text={t("Schedules", "定时")}>
        {may && <a class="button primary" href={href("new")}>{t("New schedule", "新建定时")}</a>}
      </Title>
      {list.data ? <Table label={t("Schedules", "定时")} rows={list.data} id={(s) => s.name} columns={columns} empty={t("No schedules yet.", "还没有定时计划。")} /> : <Waiting failure={list.failure} />}
      <Trouble failure={list.data ? list.failure : undefined} />
      {name && <One key={name} name={name} />}
      <HowTo />
    </>
  );
}

function inFuture(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  return seconds < 1 ? t("now", "现在") : t(`in ${duration(seconds)}`, `${duration(seconds)}后`);
}

/** Actions changes a schedule. */
function Actions({ of, onChanged }: { of: Schedule; onChanged: () => void }) {
  const path = `/schedules/${encodeURIComponent(of.name)}`;
  const act = (what: string) => async (): Promise<void> => {
    await send("POST", `${path}/${what}`);
    onChanged();
  };
  return (
    <span class="buttons tight">
      <Action label={t("Run now", "立即运行")} run={act("run")} />
      {of.paused ? <Action label={t("Resume", "恢复")} run={act("resume")} /> : <Action label={t("Pause", "暂停")} run={act("pause")} />}
      <Action label={t("Remove", "删除")} danger confirm={t(`Remove the schedule ${of.name} with its alerts? Its suites stay.`, `删除定时计划 ${of.name} 及其告警？已有套件会保留。`)} run={async () => { await send("DELETE", path); go(href("schedules"), true); onChanged(); }} />
    </span>
  );
}

/** Newest is what became of the newest due time, and the newest suite. */
function Newest({ of }: { of: Schedule }) {
  return (
    <>
      {of.last ? <OutcomeOf of={of.last} /> : "–"}
      {of.suite && <span class="sub"><a href={href("suites", of.suite)}>{of.suite}</a> {of.status ? statusName(of.status) : t("removed", "已删除")}</span>}
    </>
  );
}

function OutcomeOf({ of }: { of: Outcome }) {
  const [text, look] = outcomes[of.outcome] ?? [of.outcome, ""];
  return (
    <>
      <span class={`badge ${look}`}>{text}</span> <span title={moment(of.due)}>{ago(of.due)}</span>
      {of.reason && <span class="sub reason">{of.outcome === "skipped" && of.suite ? t(of.reason, `套件 ${of.suite} 尚未结束`) : of.reason}</span>}
    </>
  );
}

/** One shows what became of the due times of a schedule, and its alerts. */
function One({ name }: { name: string }) {
  const read = useGet<ScheduleDocument>(`/schedules/${encodeURIComponent(name)}`, pollEvery);
  const of = read.data;
  if (!of) return <Waiting failure={read.failure} />;
  return (
    <section>
      <h2>{of.name}</h2>
      <p><a href={address(href("trend"), { tag: `schedule=${of.name}` })}>{t("Trend of its suites", "其套件的趋势")}</a> · <a href={address(href("suites"), { tag: `schedule=${of.name}` })}>{t("Its suites in the archive", "结果存储中的套件")}</a></p>
      <h3>{t("Alerts", "告警")}</h3>
      <Table
        label={t("Alerts", "告警")}
        rows={of.alerts ?? []}
        id={(a: Alert) => `${a.at} ${a.case} ${a.figure}`}
        empty={t("No change has been found.", "没有发现变化。")}
        columns={[
          { title: t("At", "时间"), cell: (a) => moment(a.at) },
          { title: t("Case", "用例"), cell: (a) => a.case },
          { title: t("Figure", "指标"), cell: (a) => <a href={address(href("trend"), { tag: `schedule=${of.name}`, case: a.case, figure: a.figure })}>{figureTitle(a.figure)}</a> },
          { title: t("Change", "变化"), figure: true, cell: (a) => <>{change(a.ratio)}{a.ci95_low !== null && a.ci95_high !== null && <span class="sub">{change(a.ci95_low)} {t("to", "至")} {change(a.ci95_high)}</span>}</> },
          { title: t("Verdict", "判定"), cell: (a) => <VerdictBadge verdict={a.verdict} /> },
          { title: t("Since", "自"), cell: (a) => <a href={href("suites", a.suite)}>{a.suite}</a> },
          { title: t("Found with", "发现于"), cell: (a) => <a href={href("suites", a.found_in)}>{a.found_in}</a> },
        ]}
      />
      <h3>{t("Due times", "到期时间")}</h3>
      <Table
        label={t("Due times", "到期时间")}
        rows={of.outcomes ?? []}
        id={(o: Outcome) => `${o.due} ${o.at}`}
        empty={t("It has not been due yet.", "尚未到期。")}
        columns={[
          { title: t("Due", "到期"), cell: (o) => moment(o.due) },
          { title: t("Outcome", "结果"), cell: (o) => <OutcomeOf of={o} /> },
          { title: t("Suite", "套件"), cell: (o) => (o.suite ? <a href={href("suites", o.suite)}>{o.suite}</a> : "–") },
          { title: t("Missed before", "此前错过"), figure: true, cell: (o) => (o.missed ? count(o.missed) : "–") },
          { title: t("Asked for by", "请求者"), cell: (o) => o.by || "–" },
        ]}
      />
    </section>
  );
}

const example = `schedule: {cron: "0 2 * * *", timezone: Asia/Shanghai}
# or: schedule: {every: 24h}
`;

/** HowTo explains how a schedule is added. */
function HowTo() {
  return (
    <section>
      <h2>{t("Adding a schedule", "添加定时计划")}</h2>
      <p>{t("A suite file with a schedule is kept by the coordinator and submitted each time it is due. Add this line to a file on the page New run, or submit the file with benchctl:", "带 schedule 的套件文件由 coordinator 保存，每次到期时提交。在“新建运行”页面的文件里加上这一行，或用 benchctl 提交该文件：")}</p>
      <pre tabIndex={0}><code>{example}</code></pre>
      <p>{t("When a suite of a schedule has ended, its trend is evaluated. A change is an alert.", "定时套件结束后会评估其趋势，发现变化即告警。")}</p>
    </section>
  );
}
