// What happened during a run, newest first.

import { useState } from "preact/hooks";
import { instant } from "../report/units";
import { count } from "./format";
import { Table } from "./parts";
import type { Course } from "./runcourse";
import type { Run } from "./runtypes";
import { kindName, phaseName } from "./runwords";
import { t } from "./text";
import type { TimelineEvent } from "./types";

interface Row {
  key: string;
  at: number; // seconds since the start of the run
  kind: string;
  text: string;
}

const shown = 15;
const most = 1000;

/** Timeline lists the actions, faults and events of a run. */
export function Timeline({ run, course, timeline }: { run: Run; course: Course | undefined; timeline: TimelineEvent[] }) {
  const [all, setAll] = useState(false);
  const rows = rowsOf(run, course, timeline);
  if (rows.length === 0) return null;
  const label = t("Timeline", "时间线");
  const part = rows.slice(0, all ? most : shown);
  return (
    <section>
      <h2 id="timeline">{label}</h2>
      <Table label={label} rows={part} id={(r) => r.key} columns={[
        { title: t("Time", "时间"), figure: true, cell: (r) => instant(Math.round(r.at) || 0, 3600) },
        { title: t("Kind", "类别"), cell: (r) => kindName(r.kind) },
        { title: t("Event", "事件"), cell: (r) => <span class="message" lang="en">{r.text}</span> },
      ]} />
      {rows.length > shown && (
        <p class="buttons">
          <button type="button" onClick={() => setAll(!all)} aria-expanded={all}>{all ? t("Show fewer", "收起") : t(`Show all ${count(rows.length)}`, `显示全部 ${count(rows.length)} 项`)}</button>
          {all && rows.length > most && <span>{t(`The newest ${count(most)} are shown; the report has all of them.`, `只显示最新的 ${count(most)} 项，完整内容见报告。`)}</span>}
        </p>
      )}
    </section>
  );
}

/** rowsOf takes the events of the stream while there is one, else those of the result. */
function rowsOf(run: Run, course: Course | undefined, timeline: TimelineEvent[]): Row[] {
  const started = course?.started ?? run.start?.planned;
  const rows: Row[] = [];
  if (timeline.length > 0) {
    const zero = Date.parse(started ?? timeline[0]?.at ?? "");
    timeline.forEach((e, i) => rows.push({ key: `${i}`, at: (Date.parse(e.at) - zero) / 1000, kind: e.kind, text: e.text }));
    return rows.reverse();
  }
  for (const p of course?.phases ?? []) {
    const phase = run.phases?.find((q) => q.name === p.name);
    rows.push({ key: `${p.name} starts`, at: p.begin_seconds, kind: "phase", text: t(`${phaseName(p.name)} starts`, `${phaseName(p.name)}开始`) });
    (phase?.events ?? []).forEach((e, i) => rows.push({ key: `${p.name} ${i}`, at: p.begin_seconds + e.t, kind: e.kind, text: e.text }));
  }
  return rows.sort((a, b) => b.at - a.at);
}
