// The archive: all suites, with filters that are kept in the address.

import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, getPage, send, type Page } from "./api";
import { EditDialog } from "./edit";
import { Filters, parametersOf } from "./filters";
import { ago, count, moment, several } from "./format";
import { Action, StatusBadge, Table, Title, Trouble, Waiting, type Column } from "./parts";
import { go, href, query as address } from "./router";
import { t } from "./text";
import { ended, type About, type Suite } from "./types";

const pollEvery = 5000;

/** Listed is what the page has read of the archive. */
interface Listed {
  suites: Suite[] | undefined;
  next: string | undefined;
  failure: Failure | undefined;
  more: () => Promise<void>;
  again: () => void;
}

/** merged puts the newest first page before the pages that were read earlier. What the first page has no longer was removed. */
function merged(first: Page<Suite>, known: Suite[]): Suite[] {
  const ids = new Set(first.items.map((s) => s.id));
  const last = first.items[first.items.length - 1];
  const older = first.next !== undefined && last ? known.filter((s) => !ids.has(s.id) && s.created <= last.created) : [];
  return [...first.items, ...older];
}

/** useArchive reads the suites of a list, the first page again and again. */
function useArchive(path: string): Listed {
  const [suites, setSuites] = useState<Suite[]>();
  const [next, setNext] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const [turn, setTurn] = useState(0);
  const deeper = useRef(false); // pages behind the first have been read
  const shown = useRef(path);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    if (shown.current !== path) {
      shown.current = path;
      deeper.current = false;
    }
    let fresh = !deeper.current;
    const read = async (): Promise<void> => {
      try {
        if (!document.hidden || fresh) {
          const page = await getPage<Suite>(path, abort.signal);
          if (abort.signal.aborted) return;
          setSuites((known) => (fresh || !known ? page.items : merged(page, known)));
          if (!deeper.current) setNext(page.next);
          fresh = false;
          setFailure(undefined);
        }
      } catch (e) {
        if (abort.signal.aborted) return;
        setFailure(e instanceof Failure ? e : new Failure(0, String(e)));
      }
      timer = window.setTimeout(() => void read(), pollEvery);
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [path, turn]);
  const more = async (): Promise<void> => {
    if (next === undefined) return;
    const page = await getPage<Suite>(next);
    if (shown.current !== path) return;
    deeper.current = true;
    setSuites((known) => {
      const ids = new Set((known ?? []).map((s) => s.id));
      return [...(known ?? []), ...page.items.filter((s) => !ids.has(s.id))];
    });
    setNext(page.next);
  };
  return { suites, next, failure, more, again: () => setTurn((n) => n + 1) };
}

/** ArchivePage lists the suites of the archive, to compare, note, tag and remove them. */
export function ArchivePage({ query, about }: { query: URLSearchParams; about: About | undefined }) {
  const of = parametersOf(query);
  const list = useArchive(address("/suites", { ...of, limit: "50" }));
  const [chosen, setChosen] = useState<ReadonlyMap<string, Suite>>(new Map());
  const [editing, setEditing] = useState<Suite>();
  const may = about?.can?.submit === true;
  const toggle = (s: Suite): void => {
    const next = new Map(chosen);
    if (!next.delete(s.id)) next.set(s.id, s);
    setChosen(next);
  };
  const columns: Column<Suite>[] = [
    { title: <span class="spoken">{t("Choose", "选择")}</span>, cell: (s) => <input type="checkbox" aria-label={t(`Choose ${s.name || s.id}, ${s.id}`, `选择 ${s.name || s.id}，${s.id}`)} checked={chosen.has(s.id)} onChange={() => toggle(s)} /> },
    { title: t("Suite", "套件"), cell: (s) => <span class="wrapped"><a href={href("suites", s.id)}>{s.name || s.id}</a>{s.name && <span class="sub">{s.id}</span>}</span> },
    { title: t("Status", "状态"), cell: (s) => <StatusBadge status={s.status} /> },
    { title: t("Target", "目标"), cell: (s) => s.db },
    { title: t("Runs", "运行数"), figure: true, cell: runsOf },
    { title: t("Submitted", "提交时间"), cell: (s) => <>{moment(s.created)}<span class="sub">{ago(s.created)}</span></> },
    { title: t("By", "提交者"), narrow: true, cell: (s) => s.submitted_by },
    { title: t("Note and tags", "备注与标签"), cell: (s) => <Noted suite={s} query={query} /> },
  ];
  return (
    <>
      <Title text={t("Archive", "结果存储")}>
        {may && <a class="button primary" href={href("new")}>{t("New run", "新建运行")}</a>}
      </Title>
      <Filters query={query} />
      <Chosen of={[...chosen.values()]} may={may} onEdit={setEditing} onClear={() => setChosen(new Map())} onChanged={list.again} />
      {list.suites
        ? <Table label={t("Suites", "套件")} rows={list.suites} id={(s) => s.id} columns={columns}
            empty={query.size > 0 ? t("No suite matches these filters.", "没有符合条件的套件。") : t("No suites yet. Submit one with New run, or with benchctl submit.", "还没有套件。用“新建运行”或 benchctl submit 提交。")} />
        : <Waiting failure={list.failure} />}
      {list.suites && list.suites.length > 0 && (
        <p class="buttons">
          <span class="empty" role="status">{t(`${several(list.suites.length, "suite")}${list.next ? " so far" : ""}`, `${list.next ? "已显示 " : "共 "}${count(list.suites.length)} 个套件`)}</span>
          {list.next && <Action label={t("More", "更多")} run={list.more} />}
        </p>
      )}
      <Trouble failure={list.suites ? list.failure : undefined} />
      {editing && <EditDialog of={editing} onClose={() => setEditing(undefined)} onSaved={() => { setChosen(new Map()); list.again(); }} />}
    </>
  );
}

function runsOf(s: Suite): string {
  const all = s.runs_at_most ? `≤ ${count(s.runs_at_most)}` : count(s.runs);
  return ended(s.status) && s.runs_ended === s.runs ? count(s.runs) : `${count(s.runs_ended)} / ${all}`;
}

/** Noted is the note of a suite, and its tags, each a link to the suites that have it. */
function Noted({ suite, query }: { suite: Suite; query: URLSearchParams }) {
  const tags = Object.entries(suite.tags ?? {});
  return (
    <div class="noted">
      {suite.note && <span class="note">{suite.note}</span>}
      {tags.length > 0 && (
        <span class="tags">
          {tags.map(([k, v]) => {
            const of = parametersOf(query);
            return <a class="tag" key={k} href={address(href("suites"), { ...of, tag: [...new Set([...of.tag, `${k}=${v}`])] })} title={t("Show the suites with this tag", "显示带此标签的套件")}>{v ? `${k}=${v}` : k}</a>;
          })}
        </span>
      )}
    </div>
  );
}

/** Chosen has what can be done with the suites that are chosen. */
function Chosen({ of, may, onEdit, onClear, onChanged }: { of: Suite[]; may: boolean; onEdit: (s: Suite) => void; onClear: () => void; onChanged: () => void }) {
  const byTime = [...of].sort((a, b) => a.created.localeCompare(b.created)); // the oldest one is what the others are compared with
  const [first, ...others] = byTime;
  const one = of.length === 1 ? first : undefined;
  const remove = async (): Promise<void> => {
    for (const s of byTime) await send("DELETE", `/suites/${encodeURIComponent(s.id)}`);
    onClear();
    onChanged();
  };
  const names = byTime.map((s) => `${s.name || s.id} (${s.id})`).join(", ");
  return (
    <div class="buttons chosen">
      <span role="status" class="empty">{of.length === 0 ? t("Choose suites to compare them.", "选择套件后可以对比。") : t(`${of.length} chosen`, `已选 ${of.length} 个`)}</span>
      <button type="button" disabled={others.length === 0} title={t("Compare the oldest one with the others", "将最早的与其他的对比")} onClick={() => first && go(address(href("compare"), { a: first.id, b: others.map((s) => s.id) }))}>{t("Compare", "对比")}</button>
      <button type="button" disabled={!one?.name} title={t("All suites of the name over time", "同名套件随时间的变化")} onClick={() => one && go(address(href("trend"), { name: one.name }))}>{t("Trend", "趋势")}</button>
      {may && <button type="button" disabled={!one} onClick={() => one && onEdit(one)}>{t("Note and tags", "备注与标签")}</button>}
      {may && <Action label={t("Remove", "删除")} danger disabled={of.length === 0 || of.some((s) => !ended(s.status))} title={of.some((s) => !ended(s.status)) ? t("A suite that has not ended cannot be removed: cancel it first", "未结束的套件不能删除：请先取消") : ""}
        confirm={t(`Remove ${of.length === 1 ? "this suite" : `these ${of.length} suites`} with all results? This cannot be undone: ${names}`, `删除这 ${of.length} 个套件及其全部结果？此操作无法撤销：${names}`)} run={remove} />}
      {of.length > 0 && <button type="button" class="plain" onClick={onClear}>{t("Clear the choice", "清除选择")}</button>}
    </div>
  );
}
