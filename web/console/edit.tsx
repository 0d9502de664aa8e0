// The note and the tags of a suite, in a dialog.

import { useState } from "preact/hooks";
import { Failure, send } from "./api";
import { Dialog, Field, Trouble } from "./parts";
import { t } from "./text";

/** Annotated is what has a note and tags: a suite in a list, or its document. */
export interface Annotated {
  id: string;
  note?: string;
  tags?: Record<string, string> | null;
}

interface Row {
  id: number;
  key: string;
  value: string;
}

/** changesOf is the body of a request that changes the tags of a suite: those that are gone are null. */
function changesOf(before: Record<string, string>, rows: Row[]): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const key of Object.keys(before)) changes[key] = null;
  for (const r of rows) if (r.key.trim()) changes[r.key.trim()] = r.value.trim();
  for (const [key, value] of Object.entries(before)) if (changes[key] === value) delete changes[key];
  return changes;
}

/** EditDialog changes the note and the tags of a suite. */
export function EditDialog({ of, onClose, onSaved }: { of: Annotated; onClose: () => void; onSaved: () => void }) {
  const before = of.tags ?? {};
  const [note, setNote] = useState(of.note ?? "");
  const [rows, setRows] = useState<Row[]>(() => Object.entries(before).map(([key, value], id) => ({ id, key, value })));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const change = (id: number, to: Partial<Row>): void => setRows(rows.map((r) => (r.id === id ? { ...r, ...to } : r)));
  const add = (): void => setRows([...rows, { id: Math.max(-1, ...rows.map((r) => r.id)) + 1, key: "", value: "" }]);
  const save = async (e: Event): Promise<void> => {
    e.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      await send("PATCH", `/suites/${encodeURIComponent(of.id)}`, { ...(note === (of.note ?? "") ? {} : { note }), tags: changesOf(before, rows) });
      onSaved();
      onClose();
    } catch (e) {
      setFailure(e instanceof Failure ? e : new Failure(0, String(e)));
      setBusy(false);
    }
  };
  return (
    <Dialog title={t("Note and tags", "备注与标签")} onClose={onClose}>
      <form class="edit" onSubmit={(e) => void save(e)}>
        <Field label={t("Note", "备注")}>
          <textarea rows={3} cols={50} value={note} onInput={(e) => setNote(e.currentTarget.value)} />
        </Field>
        <fieldset>
          <legend>{t("Tags", "标签")}</legend>
          {rows.map((r) => (
            <div class="tag-row" key={r.id}>
              <input aria-label={t("name of the tag", "标签名称")} placeholder={t("name", "名称")} value={r.key} onInput={(e) => change(r.id, { key: e.currentTarget.value })} size={14} />
              <span aria-hidden="true">=</span>
              <input aria-label={t("value of the tag", "标签值")} placeholder={t("value", "值")} value={r.value} onInput={(e) => change(r.id, { value: e.currentTarget.value })} size={20} />
              <button type="button" class="plain" aria-label={t(`Remove the tag ${r.key}`, `删除标签 ${r.key}`)} onClick={() => setRows(rows.filter((o) => o.id !== r.id))}>✕</button>
            </div>
          ))}
          <button type="button" onClick={add}>{t("Add a tag", "添加标签")}</button>
        </fieldset>
        {failure?.status === 0 ? <p class="trouble" role="alert">{failure.message}</p> : <Trouble failure={failure} />}
        <p class="buttons">
          <button type="submit" class="primary" disabled={busy}>{t("Save", "保存")}</button>
          <button type="button" onClick={onClose}>{t("Back", "返回")}</button>
        </p>
      </form>
    </Dialog>
  );
}
