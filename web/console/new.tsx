// A new run: its suite file or properties in an editor, the dry run beside it, and its submission.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Failure, get, send, useGet, type Problem } from "./api";
import { useCheck, type Checked } from "./check";
import { before, blank, keep, kept, opened, outline, setAside, submission, type Draft, type Fields } from "./draft";
import { DryRun } from "./dryrun";
import { Editor, type Handle } from "./editor";
import { Attachments, More } from "./fields";
import { download, read } from "./files";
import { Title, Trouble } from "./parts";
import { go, href } from "./router";
import { Schema, type Root } from "./schema";
import { named, Templates } from "./start";
import { t } from "./text";
import type { About, Agent, Submission, Template } from "./types";

export function NewPage({ query, about }: { query: URLSearchParams; about: About | undefined }) {
  const templates = useGet<Template[]>("/templates");
  const root = useGet<Root>("/schema");
  const agents = useGet<Agent[]>("/agents", 5000);
  const schema = useMemo(() => (root.data ? new Schema(root.data) : undefined), [root.data]);
  const [draft, setDraft] = useState<Draft>(() => kept() ?? blank);
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const handle = useRef<Handle | null>(null);
  const wanted = query.get("template") ? `template:${query.get("template")}` : query.get("from") ? `from:${query.get("from")}` : "";

  const [revision, setRevision] = useState(0);
  const replace = (by: Draft): void => {
    setRevision((n) => n + 1);
    setDraft((now) => {
      if (now.touched && now.text.trim() !== "") setAside(now);
      return by;
    });
    setFailure(undefined);
  };
  const change = (part: Partial<Draft>): void => {
    setDraft((d) => ({ ...d, ...part, touched: true }));
    setFailure(undefined);
  };
  const fields = (part: Partial<Fields>): void => change({ fields: { ...draft.fields, ...part } });

  // The address names what to start from, unless the draft started from there already.
  useEffect(() => {
    if (wanted === "" || draft.origin === wanted) return;
    if (wanted.startsWith("template:")) {
      const one = templates.data && named(templates.data, wanted.slice("template:".length));
      if (one) replace({ ...blank, file: one.name, text: one.content, attachments: one.attachments ?? {}, origin: wanted });
      else if (templates.data) setFailure(new Failure(404, t(`There is no template ${wanted.slice("template:".length)}.`, `没有模板 ${wanted.slice("template:".length)}。`)));
      return;
    }
    const abort = new AbortController();
    const id = wanted.slice("from:".length);
    get<Submission>(`/suites/${encodeURIComponent(id)}/submission`, abort.signal).then((s) => replace(opened(s, id)), (e: unknown) => { if (e instanceof Failure) setFailure(e); });
    return () => abort.abort();
  }, [wanted, templates.data]);

  const found = useMemo(() => outline(draft), [draft.text, draft.mode]);
  const sent = draft.text.trim() === "" ? undefined : submission(draft, found);
  const checked = useCheck(sent);
  useEffect(() => keep(draft.touched && draft.text.trim() !== "" ? draft : undefined), [draft]);

  const problems = failure?.problems.length ? failure.problems : checked.problems;
  const own = useMemo(() => problems.filter((p) => p.file === draft.file || (!p.file && p.line !== undefined)), [problems, draft.file]);
  const schedules = useGet<{ name: string }[]>(found.schedule ? "/schedules" : undefined);
  const replaces = found.schedule && (schedules.data ?? []).some((s) => s.name === (draft.fields.name.trim() || found.name));
  const why = refused(about, draft, checked);
  const submit = async (): Promise<void> => {
    if (why || busy || !sent) return;
    setBusy(true);
    setFailure(undefined);
    try {
      if (found.schedule) {
        await send("POST", replaces ? "/schedules?replace=true" : "/schedules", sent);
        keep(undefined);
        go(href("schedules"));
      } else {
        const { id } = await send<{ id: string }>("POST", "/suites", sent);
        keep(undefined);
        go(href("suites", id));
      }
    } catch (e) {
      setFailure(e instanceof Failure ? e : new Failure(0, String(e)));
      setBusy(false);
    }
  };
  const latest = useRef(submit);
  latest.current = submit;
  useEffect(() => {
    const press = (e: KeyboardEvent): void => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.defaultPrevented) void latest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const files = async (list: File[]): Promise<void> => {
    try {
      const next = await read(list, draft, problems);
      if (next.origin !== draft.origin) replace(next);
      else change(next);
    } catch (e) {
      setFailure(new Failure(400, String(e instanceof Error ? e.message : e)));
    }
  };
  const put = before();

  return (
    <div onDragOver={(e) => e.preventDefault()} onDrop={(e) => { const list = [...(e.dataTransfer?.files ?? [])]; if (list.length > 0) { e.preventDefault(); void files(list); } }}>
      <Title text={t("New run", "新建运行")}>
        <p class="buttons">
          <Pick label={t("Open a file", "打开文件")} accept=".yaml,.yml,.properties,.txt" onFiles={(l) => void files(l)} />
          <button type="button" disabled={draft.text === ""} onClick={() => download(draft.file, draft.text)}>{t("Save the file", "保存文件")}</button>
          {draft.text !== "" && <button type="button" onClick={() => { replace(blank); go(href("new"), true); }}>{t("Start over", "重新开始")}</button>}
          {put && put.text !== draft.text && <button type="button" onClick={() => { setAside(undefined); replace(put); go(href("new"), true); }}>{t("Back to the earlier draft", "回到之前的草稿")}</button>}
        </p>
      </Title>
      {draft.text === "" && templates.data && <p class="lead">{t("Start from a template, open a suite file, or type one below.", "从模板开始，打开套件文件，或在下面输入。")}</p>}
      {templates.data && (
        <details class="start" open={draft.text === ""} key={String(draft.text === "")}>
          <summary>{t("Templates", "模板")}</summary>
          <Templates of={templates.data} chosen={draft.file} />
        </details>
      )}
      {draft.withheld.length > 0 && <p class="notice caution">{t("Secrets of the earlier run are not shown. Add again: ", "不显示之前运行中的密钥。请重新填写：")}{draft.withheld.join(", ")}</p>}
      <div class="compose">
        <section class="writing" aria-label={t("Suite file or properties", "套件文件或属性")}>
          <p class="filters">
            <label class="field"><span>{t("File", "文件")}</span><input type="text" spellcheck={false} value={draft.file} onInput={(e) => change({ file: e.currentTarget.value })} /></label>
            <label class="field"><span>{t("Kind", "类型")}</span>
              <select value={draft.mode} onChange={(e) => change({ mode: e.currentTarget.value === "suite" ? "suite" : "properties", file: e.currentTarget.value === "suite" ? "suite.yaml" : "run.properties" })}>
                <option value="suite">{t("suite file (YAML)", "套件文件（YAML）")}</option>
                <option value="properties">{t("properties (one run)", "属性（一次运行）")}</option>
              </select>
            </label>
            {found.trial && <label class="check"><input type="checkbox" checked={draft.fields.trial} onChange={(e) => fields({ trial: e.currentTarget.checked })} /> {t("Trial: small sizes", "试跑：小规模")}</label>}
          </p>
          <Editor value={draft.text} revision={revision} mode={draft.mode} schema={schema} problems={own} handle={handle} onChange={(text) => { setFailure(undefined); setDraft((d) => (d.text === text ? d : { ...d, text, touched: true })); }} onSubmit={() => void latest.current()} onFiles={(l) => void files(l)} />
          <p class="help" id="editor-help">{t("Ctrl+Space completes, Ctrl+F searches, F8 goes to the next mistake, Ctrl+Enter submits. Tab indents: press Escape and then Tab to leave the editor.", "Ctrl+空格补全，Ctrl+F 查找，F8 跳到下一个错误，Ctrl+Enter 提交。Tab 用于缩进：先按 Escape 再按 Tab 可离开编辑器。")}</p>
          <State checked={checked} problems={problems} file={draft.file} jump={(l, c) => handle.current?.jump(l, c)} />
          <Trouble failure={failure && failure.problems.length === 0 ? failure : undefined} />
          <p class="buttons submit">
            <button type="button" class="primary" disabled={why !== undefined || busy} aria-describedby="why" onClick={() => void submit()}>{replaces ? t("Replace the schedule", "替换定期套件") : found.schedule ? t("Schedule", "定期运行") : t("Submit", "提交")}</button>
            <Pick label={t("Attach files", "附加文件")} multiple onFiles={(l) => void read(l, draft, problems, true).then(change)} />
            <span id="why" class="how">{why ?? (found.schedule ? t("The coordinator keeps the suite, and submits it when it is due.", "coordinator 保存该套件，到期时提交。") : "")}</span>
          </p>
          <Attachments of={draft.attachments} change={(attachments) => change({ attachments })} />
          <More draft={draft} outline={found} change={fields} />
        </section>
        <section class="planned" aria-label={t("Dry run", "试运行")}>
          <h2>{t("Dry run", "试运行")}</h2>
          <DryRun checked={checked} submission={sent} agents={agents.data} />
        </section>
      </div>
    </div>
  );
}

/** refused is why a draft cannot be submitted. */
function refused(about: About | undefined, draft: Draft, checked: Checked): string | undefined {
  if (!about) return t("Reading …", "读取中……");
  if (about.can?.submit === false) return t("Your role may read, but not submit. Ask for the role operator.", "您的角色只能查看，不能提交。请申请 operator 角色。");
  if (draft.text.trim() === "") return t("There is nothing to submit yet.", "还没有可提交的内容。");
  if (checked.state === "invalid") return t("Correct the mistakes first.", "请先修正错误。");
  return undefined;
}

/** State lists the mistakes and warnings of a draft. A mistake is a button that goes to its line. */
function State({ checked, problems, file, jump }: { checked: Checked; problems: Problem[]; file: string; jump: (line: number, column: number) => void }) {
  const text = {
    empty: "",
    checking: t("Checking …", "正在检查……"),
    valid: t("Valid.", "有效。"),
    invalid: problems.length === 1 ? t("1 mistake:", "1 处错误：") : t(`${problems.length} mistakes:`, `${problems.length} 处错误：`),
    failed: checked.failure?.message ?? "",
  }[checked.state];
  return (
    <div class={`state ${checked.state}`}>
      <p role="status">{text}</p>
      {problems.length > 0 && (
        <ul class="mistakes">
          {problems.map((p, i) => (
            <li key={i}>
              {p.line !== undefined && (p.file === file || !p.file)
                ? <button type="button" class="plain" onClick={() => jump(p.line ?? 1, p.column ?? 1)}><code>{t(`line ${p.line}`, `第 ${p.line} 行`)}</code> {p.key && `${p.key}: `}{p.message}</button>
                : <><code>{p.place ?? p.key}</code> {p.message}</>}
            </li>
          ))}
        </ul>
      )}
      {checked.warnings.length > 0 && <ul class="warnings">{checked.warnings.map((w, i) => <li key={i}>{w}</li>)}</ul>}
    </div>
  );
}

/** Pick is a button that opens files. */
function Pick({ label, accept, multiple, onFiles }: { label: string; accept?: string; multiple?: boolean; onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>{label}</button>
      <input ref={input} type="file" hidden accept={accept} multiple={multiple === true} aria-label={label}
        onChange={(e) => { const list = [...(e.currentTarget.files ?? [])]; e.currentTarget.value = ""; if (list.length > 0) onFiles(list); }} />
    </>
  );
}
