// What a run found: its verdicts, what is missing, and what limited it. Bad news first.

import { raised } from "./documents";
import { count } from "./format";
import { verdictText } from "./runwords";
import type { Run } from "./runtypes";
import { t } from "./text";

/** Findings shows the verdicts of a run with their evidence. */
export function Findings({ run, live }: { run: Run; live: boolean }) {
  const all = run.verdicts ?? [];
  const bad = all.filter(raised);
  // A run in progress has counted operations that have not been merged yet.
  const shown = live ? bad.filter((v) => v.name !== "reconcile") : bad;
  const fine = all.filter((v) => !raised(v));
  const missing = live ? [] : run.missing ?? [];
  const limit = run.phases?.find((p) => p.name === "measure")?.bottleneck;
  if (all.length === 0 && missing.length === 0 && !(run.warnings?.length)) return null;
  return (
    <section>
      <h2 id="findings">{live ? t("Findings so far", "目前的发现") : t("Findings", "发现")}</h2>
      {missing.length > 0 && <List title={t("Missing", "缺失")} of={missing} />}
      {shown.length === 0 && missing.length === 0 && <p>{live ? t("Nothing that speaks against the figures so far.", "目前没有发现影响结果的问题。") : t("Nothing speaks against the figures.", "没有发现影响结果的问题。")}</p>}
      {shown.length > 0 && (
        <ul class={live ? "findings compact" : "findings"}>
          {shown.map((v) => (
            <li key={v.name}>
              <span class="badge bad">{verdictText(v.name, v.value)}</span>
              {live ? <details><summary>{t("Evidence", "依据")}</summary><Because text={v.because} /></details> : <Because text={v.because} />}
              <details><summary>{t("How it was tested", "检验方法")}</summary><p>{v.test}</p></details>
            </li>
          ))}
        </ul>
      )}
      {limit && limit.name !== "unknown" && <p><strong>{t("Limit of the throughput:", "吞吐量的瓶颈：")}</strong> <span>{limit.sentence}</span></p>}
      {fine.length > 0 && (
        <details>
          <summary>{t(`${count(fine.length)} ${fine.length === 1 ? "test" : "tests"} without a finding`, `${count(fine.length)} 项检验没有发现问题`)}</summary>
          <ul>{fine.map((v) => <li key={v.name}>{verdictText(v.name, v.value)}: <span>{v.because}</span></li>)}</ul>
        </details>
      )}
      {run.warnings && run.warnings.length > 0 && <List title={t("Warnings", "警告")} of={run.warnings} />}
    </section>
  );
}

/** Because is the evidence of a verdict: a list if it has several parts. */
function Because({ text }: { text: string }) {
  const parts = text.split(/; |；/);
  if (parts.length === 1) return <p>{text}</p>;
  return (
    <>
      <ul>{parts.slice(0, shownLines).map((p, i) => <li key={i}>{p}</li>)}</ul>
      {parts.length > shownLines && <p>{t(`and ${count(parts.length - shownLines)} more`, `另有 ${count(parts.length - shownLines)} 项`)}</p>}
    </>
  );
}

const shownLines = 8;

function List({ title, of }: { title: string; of: string[] }) {
  const line = (m: string, i: number) => <li key={i}>{m}</li>;
  return (
    <div class="trouble">
      <p>{title}</p>
      <ul>{of.slice(0, shownLines).map(line)}</ul>
      {of.length > shownLines && <details><summary>{t(`${count(of.length - shownLines)} more`, `另有 ${count(of.length - shownLines)} 项`)}</summary><ul>{of.slice(shownLines, 500).map(line)}</ul></details>}
    </div>
  );
}
