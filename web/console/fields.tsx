// What a submission has besides its file.

import type { Draft, Fields, Outline } from "./draft";
import { Field } from "./parts";
import { t } from "./text";

/** More is the folded part of the form. */
export function More({ draft, outline, change }: { draft: Draft; outline: Outline; change: (f: Partial<Fields>) => void }) {
  const f = draft.fields;
  const input = (name: "name" | "note" | "wait", label: string, placeholder: string) => (
    <Field label={label}>
      <input type="text" value={f[name]} placeholder={placeholder} onInput={(e) => change({ [name]: e.currentTarget.value })} />
    </Field>
  );
  const area = (name: "tags" | "select" | "properties", label: string, placeholder: string) => (
    <Field label={label}>
      <textarea rows={2} spellcheck={false} value={f[name]} placeholder={placeholder} onInput={(e) => change({ [name]: e.currentTarget.value })} />
    </Field>
  );
  return (
    <details class="further">
      <summary>{t("More: name, note, tags, agents, properties", "更多：名称、备注、标签、agent、属性")}{outline.variables.length > 0 && t(", variables", "、变量")}</summary>
      <div class="filters">
        {input("name", t("Name", "名称"), outline.name)}
        {input("note", t("Note", "备注"), outline.note)}
        {area("tags", t("Tags, one NAME=VALUE a line", "标签，每行一个 NAME=VALUE"), "build=2.6.4")}
        <Field label={t("Number of agents", "agent 数量")}>
          <input type="number" min={1} step={1} value={f.agents} placeholder={t("all", "全部")} onInput={(e) => change({ agents: e.currentTarget.value })} />
        </Field>
        {area("select", t("Agents with these labels, one NAME=VALUE a line", "只用带这些标签的 agent，每行一个 NAME=VALUE"), "rack=r1")}
        <Field label={t("If an agent is lost", "agent 丢失时")}>
          <select value={f.loss} onChange={(e) => change({ loss: e.currentTarget.value })}>
            <option value="">{t("fail the run (default)", "运行失败（默认）")}</option>
            <option value="continue">{t("continue without it", "不带它继续")}</option>
          </select>
        </Field>
        {draft.mode === "suite" && area("properties", t("Properties that win over the file's, one NAME=VALUE a line", "覆盖文件中的属性，每行一个 NAME=VALUE"), "db=sandbox")}
        {input("wait", t("Wait for agents, at most 1m", "等待 agent，最多 1m"), "30s")}
      </div>
      {outline.variables.length > 0 && (
        <fieldset>
          <legend>{t("Variables of the file", "文件中的变量")}</legend>
          <div class="filters">
            {outline.variables.map((v) => (
              <Field key={v.key} label={v.key}>
                <input type="text" spellcheck={false} value={f.variables[v.key] ?? ""} placeholder={v.value} onInput={(e) => change({ variables: { ...f.variables, [v.key]: e.currentTarget.value } })} />
              </Field>
            ))}
          </div>
        </fieldset>
      )}
    </details>
  );
}

/** Attachments lists the files that the draft brings with it. */
export function Attachments({ of, change }: { of: Record<string, string>; change: (to: Record<string, string>) => void }) {
  const all = Object.keys(of);
  if (all.length === 0) return null;
  const without = (name: string): Record<string, string> => Object.fromEntries(Object.entries(of).filter(([n]) => n !== name));
  return (
    <ul class="attachments" aria-label={t("Attached files", "附加文件")}>
      {all.map((name) => (
        <li key={name}>
          <input type="text" spellcheck={false} value={name} aria-label={t("Name of the file, as the suite has it", "文件名，与套件中的写法一致")}
            onChange={(e) => { const to = e.currentTarget.value.trim(); if (to && to !== name) change({ ...without(name), [to]: of[name] ?? "" }); }} />
          <button type="button" class="plain" onClick={() => change(without(name))}>{t("Remove", "移除")}<span class="hidden"> {name}</span></button>
        </li>
      ))}
    </ul>
  );
}
