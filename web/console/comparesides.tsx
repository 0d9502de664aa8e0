// The fields with which a user chooses the results to compare.

import { useState } from "preact/hooks";
import { Field } from "./parts";
import { go, href, query as address } from "./router";
import { t } from "./text";

/** Sides has the fields for the results that are compared. */
export function Sides({ a, b, smallest, known, open }: { a: string; b: string[]; smallest: string; known: { id: string; name: string }[]; open: boolean }) {
  const [first, setFirst] = useState(a);
  const [others, setOthers] = useState(b.length > 0 ? b : [""]);
  const [least, setLeast] = useState(smallest);
  const show = (to: string, of: string[]): void => go(address(href("compare"), { a: to.trim(), b: of.map((s) => s.trim()), smallest: least.trim() }));
  const change = (i: number, to: string): void => setOthers(others.map((o, k) => (k === i ? to : o)));
  const what = t("id, run, id:case or id@target", "ID、运行、ID:用例 或 ID@目标");
  return (
    <details class="chapter sides-form" open={open}>
      <summary><h2>{t("Choose the results", "选择结果")}</h2></summary>
      <form class="filters" onSubmit={(e) => { e.preventDefault(); if (first.trim() && others.some((o) => o.trim())) show(first, others); }}>
        <datalist id="known-suites">{known.map((s) => <option key={s.id} value={s.id}>{s.name}</option>)}</datalist>
        <Field label="A">
          <input list="known-suites" required value={first} placeholder={what} size={30} onInput={(e) => setFirst(e.currentTarget.value)} />
        </Field>
        {others.map((o, i) => (
          <span class="side" key={i}>
            <Field label={others.length > 1 ? `B ${i + 1}` : "B"}>
              <input list="known-suites" required={i === 0} value={o} placeholder={what} size={30} onInput={(e) => change(i, e.currentTarget.value)} />
            </Field>
            {others.length > 1 && <button type="button" class="plain" aria-label={t(`Remove B ${i + 1}`, `移除 B ${i + 1}`)} onClick={() => setOthers(others.filter((_, k) => k !== i))}>✕</button>}
          </span>
        ))}
        <button type="button" onClick={() => setOthers([...others, ""])}>{t("Add another", "再加一个")}</button>
        <Field label={t("Smallest effect", "最小效应")}>
          <input value={least} placeholder="5%" size={6} onInput={(e) => setLeast(e.currentTarget.value)} />
        </Field>
        <button type="submit" class="primary">{t("Compare", "对比")}</button>
        <button type="button" disabled={!first.trim() || !others[0]?.trim()} onClick={() => show(others[0] ?? "", [first, ...others.slice(1)])}>{t("Swap A and B", "交换 A 和 B")}</button>
      </form>
      <p class="how">{t("The archive has a list with checkboxes to choose from. Several results with commas between them are put together.", "也可以在结果存储列表中勾选。用逗号分隔的多个结果会合并为一方。")} <a href={href("suites")}>{t("Archive", "结果存储")}</a></p>
    </details>
  );
}
