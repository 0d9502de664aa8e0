// A run: live while it runs, and its result.

import { useEffect, useMemo, useState } from "preact/hooks";
import { send, useGet } from "./api";
import { Group } from "./chart";
import { useEvents } from "./events";
import { duration, moment } from "./format";
import { Action, Facts, StatusBadge, Tags, Title, Trouble, Waiting } from "./parts";
import { Reports } from "./reports";
import { href, query } from "./router";
import { AnswerOf } from "./runanswer";
import { AgentsOfRun } from "./runagents";
import { RunCharts } from "./runcharts";
import { useCourse } from "./runcourse";
import { Findings } from "./runfindings";
import { LiveCards } from "./runlive";
import { Errors, Operations } from "./runoperations";
import { Timeline } from "./runtimeline";
import type { Run } from "./runtypes";
import { lang, t } from "./text";
import { ended, type About } from "./types";

/** suiteOf is the id of the suite that a run belongs to. */
export function suiteOf(run: string): string {
  const dot = run.lastIndexOf(".");
  return dot > 0 ? run.slice(0, dot) : run;
}

/** RunPage is the page of a run. */
export function RunPage({ id, about }: { id: string; about: About | undefined }) {
  return <RunView id={id} about={about} />;
}

/** RunView shows a run with its title. A suite of one run is shown by it, too: id is then that of the run or of the suite. */
export function RunView({ id, about }: { id: string; about: About | undefined }) {
  const [over, setOver] = useState(false); // of the document before
  const doc = useGet<Run>(`/runs/${encodeURIComponent(id)}?series=false&lang=${lang}`, over ? 0 : 10_000);
  const run = doc.data;
  const done = run !== undefined && ended(run.status);
  useEffect(() => setOver(done), [done]);
  if (!run) {
    return (
      <>
        <Title text={id} />
        <Waiting failure={doc.failure} />
      </>
    );
  }
  return (
    <>
      <Head run={run} about={about} />
      <Body key={run.id} run={run} live={!done} again={doc.again} />
      <Trouble failure={doc.failure} />
    </>
  );
}

/** Head is the title of a run, with what it is and what can be done with it. */
function Head({ run, about }: { run: Run; about: About | undefined }) {
  const live = !ended(run.status);
  const suite = suiteOf(run.id);
  const title = run.case && run.case !== run.name ? `${run.name || suite}: ${run.case}` : run.name || run.case || run.id;
  const cancel = async (): Promise<void> => {
    await send("POST", `/runs/${encodeURIComponent(run.id)}/cancel`);
  };
  return (
    <>
      <Title text={title}>
        <span class="buttons">
          {live
            ? about?.can?.cancel && run.status !== "stopping" && <Action danger label={t("Cancel run", "取消运行")} confirm={t("The run ends now. What it has measured is kept.", "运行将立即结束，已测得的数据会保留。")} run={cancel} />
            : <a class="button" href={query(href("compare"), { a: run.id })}>{t("Compare with another", "与其他结果比较")}</a>}
          {about?.can?.submit && <a class="button" href={query(href("new"), { from: suite })}>{live ? t("Use as a template", "用作模板") : t("Run again", "再次运行")}</a>}
        </span>
      </Title>
      <p class="lead">
        <StatusBadge status={run.status} />{" "}
        {run.reason && <span>{run.reason}</span>}
        {run.limit_violated && !run.reason && <span> {t("A limit was violated.", "超出了限制。")}</span>}
      </p>
      <Facts of={[
        [t("Run", "运行"), <code>{run.id}</code>],
        [t("Suite", "套件"), <a href={href("suites", suite)}>{run.name || suite}</a>],
        [t("Repeat", "重复"), run.repeat && run.repeat > 1 ? String(run.repeat) : ""],
        [t("Target", "目标"), run.resolved?.["db"] ?? run.provenance.target?.["target"] ?? run.provenance.foreign?.program],
        [t("Workers", "线程"), workers(run)],
        [t("Rate", "速率"), rateOf(run)],
        [t("Started", "开始时间"), run.start ? moment(run.start.planned) : ""],
        [t("Measured", "测量时长"), live ? "" : measured(run)],
        [t("By", "提交者"), run.provenance.submitted_by],
        [t("Replaced by", "替代者"), run.replaced_by ? <a href={href("runs", run.replaced_by)}>{run.replaced_by}</a> : ""],
        [t("Tags", "标签"), Object.keys(run.tags ?? {}).length > 0 ? <Tags of={run.tags} /> : ""],
        [t("Note", "备注"), live ? run.note : ""], // the conclusions have it after the end
      ]} />
    </>
  );
}

function workers(run: Run): string {
  const agents = run.provenance.agents ?? [];
  const n = agents.reduce((sum, a) => sum + a.workers, 0);
  return n > 0 ? t(`${n} on ${agents.length} ${agents.length === 1 ? "agent" : "agents"}`, `${agents.length} 个 agent 上共 ${n} 个`) : "";
}

function rateOf(run: Run): string {
  const rate = run.resolved?.["rate"];
  if (!rate || rate === "0") return t("closed loop", "闭环");
  return `${rate} ops/s, ${t(run.resolved?.["arrival"] ?? "", run.resolved?.["arrival"] === "poisson" ? "poisson" : "固定间隔")}`;
}

function measured(run: Run): string {
  const p = run.phases?.find((q) => q.name === "measure") ?? run.phases?.find((q) => q.name === "load");
  return p && p.seconds > 0 ? duration(p.seconds) : "";
}

/** Body is everything below the head: the answer first, then the course, then the details. */
function Body({ run, live, again }: { run: Run; live: boolean; again: () => void }) {
  const group = useMemo(() => new Group(), []);
  const stream = useEvents(live ? `/runs/${encodeURIComponent(run.id)}/events` : undefined);
  const { course, failure } = useCourse(run.provenance.foreign ? undefined : run.id, live, stream.snapshots, group);
  // The end, and each phase, change the document: it is read again at once.
  const state = stream.progress ? `${stream.ended} ${stream.progress.phase} ${stream.progress.status}` : "";
  useEffect(() => {
    if (live && state !== "") again();
  }, [live, state]);
  const charts = useMemo(
    () => <RunCharts run={run} live={live} course={course} group={group} timeline={stream.timeline} failure={failure} />,
    [run, live, course, group, stream.timeline, failure],
  );
  const timeline = useMemo(() => <Timeline run={run} course={course} timeline={stream.timeline} />, [run, course?.started, stream.timeline]);
  const figures = useMemo(() => <><Operations run={run} /><Errors run={run} /></>, [run]);
  const findings = useMemo(() => <Findings run={run} live={live} />, [run, live]);
  return (
    <>
      {live && <LiveCards stream={stream} />}
      {!live && <AnswerOf kind="runs" id={run.id} />}
      {findings}
      {!live && figures}
      {charts}
      {live && figures}
      <AgentsOfRun run={run} live={live} progress={stream.progress} />
      {timeline}
      {!live && <Reports path={`/runs/${encodeURIComponent(run.id)}`} id={run.id} raw={run.resolved?.["measurementtype"] === "raw"} />}
    </>
  );
}
