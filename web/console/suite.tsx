// A suite: its progress while it runs, and its results.

import { useEffect, useRef, useState } from "preact/hooks";
import { send, useGet } from "./api";
import type { Answer, RunHead, SuiteDocument } from "./documents";
import { EditDialog } from "./edit";
import { useEvents } from "./events";
import { ago, moment } from "./format";
import { inLanguage } from "./inlanguage";
import { Action, Facts, StatusBadge, Tags, Title, Trouble, Waiting } from "./parts";
import { go, href, query } from "./router";
import { RunView } from "./run";
import { reportAddress, Reports } from "./reports";
import { CaseTable, RunTable } from "./suitecases";
import { Live } from "./suitelive";
import { Capacities, InterferenceOf, Sweeps, Tables } from "./suiteresults";
import { t } from "./text";
import { ended, type About } from "./types";

type Result = SuiteDocument | RunHead;

const pollEvery = 10_000; // besides, each run that begins or ends is news

/** SuitePage shows a suite. Of a suite of one run it shows that run. */
export function SuitePage({ id, about }: { id: string; about: About | undefined }) {
  const path = `/suites/${encodeURIComponent(id)}`;
  const [every, setEvery] = useState(pollEvery);
  const result = useGet<Result>(inLanguage(`${path}?series=false`), every);
  const of = result.data;
  const active = of !== undefined && !ended(of.status);
  useEffect(() => setEvery(of && !active ? 0 : pollEvery), [of, active]);
  if (!of) return <><Title text={id} /><Waiting failure={result.failure} /></>;
  if (of.kind === "run") {
    return (
      <>
        <RunView id={id} about={about} />
        <section aria-label={t("Suite", "套件")}><Tools of={of} id={id} about={about} onChanged={result.again} /></section>
      </>
    );
  }
  return (
    <>
      <Head of={of} id={id} about={about} onChanged={result.again} />
      <Trouble failure={result.failure} />
      <SuiteView of={of} onNews={result.again} />
      {!active && <Reports path={path} id={id} raw={of.runs.some((r) => r.resolved?.["measurementtype"] === "raw")} />}
    </>
  );
}

/** Tools are what can be done with a suite, whether it has one run or several. */
function Tools({ of, id, about, onChanged }: { of: Result; id: string; about: About | undefined; onChanged: () => void }) {
  const [editing, setEditing] = useState(false);
  const path = `/suites/${encodeURIComponent(id)}`;
  const over = ended(of.status);
  const may = about?.can?.submit === true;
  return (
    <>
      {of.name && <a class="button" href={query(href("trend"), { name: of.name })}>{t("Trend", "趋势")}</a>}{" "}
      {may && <button type="button" onClick={() => setEditing(true)}>{t("Note and tags", "备注与标签")}</button>}{" "}
      {may && over && <Action label={t("Remove", "删除")} danger confirm={t("Remove this suite with all results? This cannot be undone.", "删除该套件及其全部结果？此操作无法撤销。")} run={async () => { await send("DELETE", path); go(href("suites")); }} />}
      {editing && <EditDialog of={{ id, note: of.note ?? "", tags: of.tags ?? {} }} onClose={() => setEditing(false)} onSaved={onChanged} />}
    </>
  );
}

/** Head is the name and the state of a suite, and what can be done with it. */
function Head({ of, id, about, onChanged }: { of: SuiteDocument; id: string; about: About | undefined; onChanged: () => void }) {
  const path = `/suites/${encodeURIComponent(id)}`;
  const over = ended(of.status);
  const may = about?.can?.submit === true;
  const provenance = of.runs[0]?.provenance;
  return (
    <>
      <Title text={of.name || id}>
        <p class="buttons">
          <StatusBadge status={of.status} />
          {!over && about?.can?.cancel && <Action label={t("Cancel", "取消套件")} danger confirm={t("Cancel this suite? What it has measured is kept.", "取消该套件？已测得的数据会保留。")} run={async () => { await send("POST", `${path}/cancel`); onChanged(); }} />}
          {over && <a class="button primary" href={reportAddress(path, "html")} target="_blank" rel="noopener">{t("Report", "报告")}<span class="spoken"> {t("in a new tab", "（新标签页）")}</span></a>}
          {over && <a class="button" href={query(href("compare"), { a: id })}>{t("Compare …", "对比……")}</a>}
          {may && <a class="button" href={query(href("new"), { from: id })}>{t("Run again with changes", "修改后重新运行")}</a>}
          <Tools of={of} id={id} about={about} onChanged={onChanged} />
        </p>
      </Title>
      <Facts of={[
        ["ID", <span class="id">{id}</span>],
        [t("Submitted", "提交时间"), provenance && <span title={moment(provenance.created)}>{moment(provenance.created)} ({ago(provenance.created)})</span>],
        [t("By", "提交者"), provenance?.submitted_by],
        [t("Measured by", "测量程序"), provenance?.foreign?.program],
        [t("Note", "备注"), of.note],
        [t("Tags", "标签"), Object.keys(of.tags ?? {}).length > 0 ? <Tags of={of.tags} /> : undefined],
      ]} />
    </>
  );
}

/** SuiteView shows a suite of several runs. */
function SuiteView({ of, onNews }: { of: SuiteDocument; onNews: () => void }) {
  const path = `/suites/${encodeURIComponent(of.id)}`;
  const active = !ended(of.status);
  const live = useEvents(active ? `${path}/events` : undefined);
  const finished = of.runs.filter((r) => ended(r.status)).length;
  const answer = useGet<Answer>(finished > 0 ? inLanguage(`${path}/answer`) : undefined);
  const news = `${live.progress?.runs_ended ?? ""} ${live.progress?.run ?? ""} ${live.ended}`;
  const seen = useRef(news);
  useEffect(() => {
    if (seen.current !== news) onNews();
    seen.current = news;
  }, [news]);
  const before = useRef(finished);
  useEffect(() => {
    if (before.current !== finished) answer.again(); // another run has ended
    before.current = finished;
  }, [finished]);
  return (
    <>
      {active && <Live of={of} live={live} />}
      {answer.data && <AnswerOf of={answer.data} active={active} waiting={new Set(of.runs.filter((r) => !ended(r.status)).map((r) => r.id))} />}
      <section>
        <h2>{t("Cases", "用例")}</h2>
        <CaseTable of={of} current={live.progress} />
      </section>
      <Capacities of={of} />
      <Sweeps of={of} />
      <InterferenceOf of={of} />
      <Tables of={of} />
      <section>
        <h2>{t("Runs", "运行")}</h2>
        <RunTable of={of} current={live.progress} />
      </section>
    </>
  );
}

/** AnswerOf is what a suite has found, before all details. */
function AnswerOf({ of, active, waiting }: { of: Answer; active: boolean; waiting: ReadonlySet<string> }) {
  const [all, setAll] = useState(false);
  const some = all ? of.answer : of.answer.slice(0, 8);
  return (
    <>
      <div class="answer">
        <h2>{active ? t("Answer so far", "目前的结论") : t("Answer", "结论")}: {of.question}</h2>
        <p class="state"><span class={`badge ${of.state}`}>{of.status}</span></p>
        {of.answer.length > 0 ? <ul>{some.map((s) => <li key={s} class={s.length > 250 ? "long" : ""}>{s}</li>)}</ul> : <p>{t("No run has figures yet.", "尚无运行有数据。")}</p>}
        {of.answer.length > some.length && <button type="button" onClick={() => setAll(true)}>{t(`${of.answer.length - some.length} more`, `另有 ${of.answer.length - some.length} 条`)}</button>}
      </div>
      <Lead of={withoutWaiting(of.lead, waiting)} />
    </>
  );
}

/** withoutWaiting leaves out the items about runs that have not ended, which the table of cases shows, and a paragraph that only leads to them. */
function withoutWaiting(lead: string[], waiting: ReadonlySet<string>): string[] {
  const about = (s: string | undefined): boolean => waiting.has(/^- (\S+)/.exec(s ?? "")?.[1] ?? "");
  const kept = lead.filter((s) => !about(s));
  return kept.filter((s, i) => !(about(lead[lead.indexOf(s) + 1]) && !kept[i + 1]?.startsWith("- ")));
}

/** Lead is what a reader must know before any figure. */
function Lead({ of }: { of: string[] }) {
  const texts = of.filter((s) => !s.startsWith("- ") && !/^(Note: |备注：)/.test(s)); // the note is above
  const items = of.filter((s) => s.startsWith("- "));
  if (texts.length + items.length === 0) return null;
  const list = <ul>{items.map((s) => <li key={s}>{s.slice(2)}</li>)}</ul>;
  return (
    <div class="lead">
      {texts.map((s) => <p key={s}>{s}</p>)}
      {items.length > 4
        ? <details><summary>{t(`${items.length} items`, `${items.length} 项`)}</summary>{list}</details>
        : items.length > 0 && list}
    </div>
  );
}
