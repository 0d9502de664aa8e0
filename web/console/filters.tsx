// The filters of the archive. They are in the address, so that a link shows the same suites.

import { useEffect, useRef, useState } from "preact/hooks";
import { Field, statusName } from "./parts";
import { go, href, query as address } from "./router";
import { t } from "./text";
import type { Status } from "./types";

/** Parameters are the filters of a list, by the names that the address and the API have for them. */
export interface Parameters {
  search: string;
  name: string;
  tag: string[];
  target: string;
  status: string[];
  since: string;
  until: string;
  [name: string]: string | string[];
}

/** parametersOf reads the filters in an address. */
export function parametersOf(q: URLSearchParams): Parameters {
  const one = (name: string): string => q.get(name) ?? "";
  return { search: one("search"), name: one("name"), tag: q.getAll("tag"), target: one("target"), status: q.getAll("status"), since: one("since"), until: one("until") };
}

const active: Status[] = ["queued", "preparing", "running", "stopping"];
const groups: [string, () => string, Status[]][] = [
  ["active", () => t("active", "进行中"), active],
  ...(["complete", "partial", "failed", "cancelled"] as Status[]).map((s): [string, () => string, Status[]] => [s, () => statusName(s), [s]]),
];

function show(of: Parameters, replace = true): void {
  go(address(href("suites"), of), replace);
}

/** Typed is a text field whose text counts shortly after the last key. */
function Typed({ label, value, size, placeholder, onText }: { label: string; value: string; size: number; placeholder?: string; onText: (text: string) => void }) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setText(value); // another address is shown
    sent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const put = (text: string, after: number): void => {
    setText(text);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      sent.current = text.trim();
      onText(text.trim());
    }, after);
  };
  return (
    <Field label={label}>
      <input type="search" value={text} size={size} placeholder={placeholder} onInput={(e) => put(e.currentTarget.value, 300)} onKeyDown={(e) => e.key === "Enter" && put(e.currentTarget.value, 0)} />
    </Field>
  );
}

/** Filters shows the filters of the archive. */
export function Filters({ query }: { query: URLSearchParams }) {
  const of = parametersOf(query);
  const latest = useRef(of);
  latest.current = of;
  const set = (to: Partial<Parameters>): void => show({ ...latest.current, ...to } as Parameters);
  const [tag, setTag] = useState("");
  const addTag = (): void => {
    const text = tag.trim();
    if (!text) return;
    set({ tag: [...new Set([...of.tag, text.includes("=") ? text : `${text}=`])] });
    setTag("");
  };
  const on = (statuses: Status[]): boolean => statuses.every((s) => of.status.includes(s));
  return (
    <form class="filters" role="search" aria-label={t("Filters", "筛选")} onSubmit={(e) => e.preventDefault()}>
      <Typed label={t("Search", "搜索")} size={32} value={of.search} placeholder={t("name, id, note, submitter, tag", "名称、ID、备注、提交者、标签")} onText={(search) => set({ search })} />
      <Typed label={t("Target", "目标")} size={10} value={of.target} placeholder="hbase" onText={(target) => set({ target })} />
      <Field label={t("Tag", "标签")}>
        <input value={tag} size={18} placeholder={t("name=value, Enter", "名称=值，回车")} onInput={(e) => setTag(e.currentTarget.value)} onBlur={addTag} onKeyDown={(e) => e.key === "Enter" && addTag()} />
      </Field>
      <Field label={t("From", "自")}>
        <input type="date" value={of.since.slice(0, 10)} onChange={(e) => set({ since: e.currentTarget.value })} />
      </Field>
      <Field label={t("Before", "早于")}>
        <input type="date" value={of.until.slice(0, 10)} onChange={(e) => set({ until: e.currentTarget.value })} />
      </Field>
      <div class="field" role="group" aria-label={t("Status", "状态")}>
        <span>{t("Status", "状态")}</span>
        <span class="toggles">
          {groups.map(([id, name, statuses]) => (
            <button type="button" key={id} aria-pressed={on(statuses)} onClick={() => set({ status: on(statuses) ? of.status.filter((s) => !statuses.includes(s as Status)) : [...of.status, ...statuses] })}>{name()}</button>
          ))}
        </span>
      </div>
      {(of.tag.length > 0 || of.name) && (
        <span class="tags">
          {of.name && <button type="button" class="tag" onClick={() => set({ name: "" })} aria-label={t(`Remove the filter ${of.name}`, `移除筛选 ${of.name}`)}>{of.name} ✕</button>}
          {of.tag.map((text) => <button type="button" class="tag" key={text} onClick={() => set({ tag: of.tag.filter((o) => o !== text) })} aria-label={t(`Remove the filter ${text}`, `移除筛选 ${text}`)}>{text} ✕</button>)}
        </span>
      )}
      {query.size > 0 && <button type="button" class="plain" onClick={() => go(href("suites"))}>{t("Clear all filters", "清除全部筛选")}</button>}
    </form>
  );
}
