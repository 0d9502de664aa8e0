// Parts that several pages have.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Failure, type Problem } from "./api";
import { t } from "./text";
import type { Status } from "./types";

const statuses: Record<Status, [string, string, string]> = {
  queued: ["queued", "排队中", ""],
  preparing: ["preparing", "准备中", "busy"],
  running: ["running", "运行中", "busy"],
  stopping: ["stopping", "停止中", "busy"],
  complete: ["complete", "完成", "good"],
  partial: ["partial", "不完整", "caution"],
  failed: ["failed", "失败", "bad"],
  cancelled: ["cancelled", "已取消", "caution"],
};

/** StatusBadge shows the status of a suite or run. */
export function StatusBadge({ status }: { status: Status }) {
  const [english, chinese, look] = statuses[status] ?? [status, status, ""];
  return <span class={`badge ${look}`}>{t(english, chinese)}</span>;
}

/** statusName is the name of a status for people. */
export function statusName(status: Status): string {
  const [english, chinese] = statuses[status] ?? [status, status];
  return t(english, chinese);
}

/** Column is a column of a Table. */
export interface Column<T> {
  title: ComponentChildren;
  cell: (row: T) => ComponentChildren;
  figure?: boolean; // numbers: aligned to the right
  narrow?: boolean; // left out on narrow screens
}

/** Table is a table that scrolls within its box. */
export function Table<T>({ rows, columns, id, label, empty }: { rows: T[]; columns: Column<T>[]; id: (row: T) => string; label: string; empty?: string }) {
  if (rows.length === 0) return <p class="empty">{empty ?? t("None.", "无。")}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>{columns.map((c, i) => <th key={i} scope="col" class={look(c)}>{c.title}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((r) => <tr key={id(r)}>{columns.map((c, i) => <td key={i} class={look(c)}>{c.cell(r)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

function look<T>(c: Column<T>): string {
  return [c.figure ? "figure" : "", c.narrow ? "narrow" : ""].filter(Boolean).join(" ");
}

/** Facts is a list of names with their values. Those without a value are left out. */
export function Facts({ of }: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {of.filter(([, v]) => v !== undefined && v !== null && v !== "").map(([name, v]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{v}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Tags shows the tags of a suite. */
export function Tags({ of }: { of: Record<string, string> | null | undefined }) {
  const all = Object.entries(of ?? {});
  if (all.length === 0) return null;
  return <span class="tags">{all.map(([k, v]) => <span class="tag" key={k}>{v ? `${k}=${v}` : k}</span>)}</span>;
}

/** Bar shows a share of something as a bar, with its text beside it. */
export function Bar({ share, label }: { share: number; label: string }) {
  return <progress class="bar-of" max={1} value={Math.min(Math.max(share, 0), 1)} aria-label={label} />;
}

/** Problems lists the mistakes of a request. */
export function Problems({ of }: { of: Problem[] }) {
  return (
    <ul class="problems">
      {of.map((p, i) => <li key={i}>{p.place && <code>{p.place}</code>} {p.message}</li>)}
    </ul>
  );
}

/** Trouble shows why a request failed. */
export function Trouble({ failure }: { failure: Failure | undefined }) {
  if (!failure || failure.status === 0) return null; // the banner of the page shows that nothing answers
  return (
    <div class="trouble" role="alert">
      {failure.problems.length > 0 ? <Problems of={failure.problems} /> : <p>{failure.message}</p>}
      {failure.status === 401 && <p>{t("Run", "运行")} <code>benchctl console</code> {t("and open the link that it prints.", "并打开它输出的链接。")}</p>}
    </div>
  );
}

/** Waiting is shown until a document has been read. */
export function Waiting({ failure }: { failure?: Failure | undefined }) {
  return failure && failure.status !== 0 ? <Trouble failure={failure} /> : <p class="empty" role="status">{t("Reading …", "读取中……")}</p>;
}

/** Action is a button of a request: it shows that the request is made, and what is wrong with it. */
export function Action({ label, title, confirm, danger, primary, disabled, run }: {
  label: string;
  title?: string;
  confirm?: string; // a question that is asked before
  danger?: boolean;
  primary?: boolean;
  disabled?: boolean;
  run: () => Promise<unknown>;
}) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const act = async (): Promise<void> => {
    setAsking(false);
    setBusy(true);
    setFailure(undefined);
    try {
      await run();
    } catch (e) {
      setFailure(e instanceof Failure ? e : new Failure(0, String(e)));
    }
    setBusy(false);
  };
  return (
    <span class="action">
      <button type="button" class={danger ? "danger" : primary ? "primary" : ""} title={title} disabled={disabled === true || busy} onClick={() => (confirm ? setAsking(true) : void act())}>{label}</button>
      {asking && (
        <Dialog title={label} onClose={() => setAsking(false)}>
          <p>{confirm}</p>
          <p class="buttons">
            <button type="button" class={danger ? "danger" : "primary"} onClick={() => void act()}>{label}</button>
            <button type="button" onClick={() => setAsking(false)}>{t("Back", "返回")}</button>
          </p>
        </Dialog>
      )}
      {failure && <span class="failed" role="alert">{failure.status === 0 ? failure.message : failure.problems.map((p) => p.message).join("; ") || failure.message}</span>}
    </span>
  );
}

/** Dialog is a window over the page, which Esc closes. */
export function Dialog({ title, children, onClose }: { title: string; children: ComponentChildren; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const d = box.current;
    d?.showModal();
    return () => d?.close();
  }, []);
  return (
    <dialog ref={box} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

/** Field is an input with its label. */
export function Field({ label, children }: { label: string; children: JSX.Element }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}

/** Title sets the title of the window, and is the heading of a page. */
export function Title({ text, children }: { text: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${text} · benchd`;
  }, [text]);
  return (
    <div class="title">
      <h1>{text}</h1>
      {children}
    </div>
  );
}
