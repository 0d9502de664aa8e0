// Results compared: one with one or several others.

import { useGet } from "./api";
import { Sides } from "./comparesides";
import { FigureTable } from "./comparefigures";
import type { ComparedCase, Comparison, Difference } from "./documents";
import { count } from "./format";
import { inLanguage } from "./inlanguage";
import { Table, Title, Waiting } from "./parts";
import { href, query as address } from "./router";
import { Notes } from "./suiteresults";
import { t } from "./text";

const outcomes: Record<ComparedCase["outcome"], [string, string]> = {
  worse: [t("worse", "更差"), "bad"],
  mixed: [t("better and worse", "有好有坏"), "caution"],
  better: [t("better", "更好"), "good"],
  "no difference shown": [t("no difference shown", "无明显差异"), ""],
  "not enough runs": [t("not enough runs", "运行次数不足"), "caution"],
  refused: [t("not compared", "不作比较"), "caution"],
};

const order = Object.keys(outcomes);

function inOrder(cases: ComparedCase[]): ComparedCase[] {
  return [...cases].sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
}

/** ComparePage compares results: those of the parameters a and b. */
export function ComparePage({ query }: { query: URLSearchParams }) {
  const a = query.get("a") ?? "";
  const b = query.getAll("b").filter(Boolean);
  const smallest = query.get("smallest") ?? "";
  const ready = a !== "" && b.length > 0;
  const read = useGet<Comparison | Comparison[]>(ready ? inLanguage(address("/compare", { a, b, smallest })) : undefined);
  const all = read.data === undefined ? [] : Array.isArray(read.data) ? read.data : [read.data];
  const names = useGet<{ id: string; name: string }[]>("/suites?limit=200");
  const nameOf = (reference: string): string => reference.split(",").map((part) => {
    const [id, rest] = /^([^:@]+)(.*)$/.exec(part)?.slice(1) ?? [part, ""];
    const name = names.data?.find((s) => s.id === id)?.name;
    return name ? `${name} (${id})${rest}` : part;
  }).join(", ");
  return (
    <>
      <Title text={t("Compare", "对比")} />
      {ready && (read.data ? all.map((c) => <ComparisonOf key={c.b} of={c} nameOf={nameOf} several={all.length > 1} />) : <Waiting failure={read.failure} />)}
      <Sides key={`${a} ${b.join(" ")} ${smallest}`} a={a} b={b} smallest={smallest} known={names.data ?? []} open={!ready || read.failure !== undefined} />
    </>
  );
}

/** ComparisonOf shows one comparison: the answer, the figures, what differs besides, and how the figures were computed. */
function ComparisonOf({ of, nameOf, several }: { of: Comparison; nameOf: (id: string) => string; several: boolean }) {
  const cases = inOrder(of.cases);
  const notes = [...new Set(cases.flatMap((c) => c.notes ?? []))];
  const only = [...of.only_a.map((c) => t(`only in A: ${c}`, `仅 A 有：${c}`)), ...of.only_b.map((c) => t(`only in B: ${c}`, `仅 B 有：${c}`))];
  return (
    <article aria-label={nameOf(of.b)}>
      {several && <h2>{nameOf(of.b)}</h2>}
      <p class="sides">
        <span><strong>A</strong> <Linked reference={of.a} text={nameOf(of.a)} /></span>
        <span><strong>B</strong> <Linked reference={of.b} text={nameOf(of.b)} /></span>
      </p>
      <Conclusion cases={cases} />
      {cases.some((c) => c.figures.length > 0) && (
        <section>
          <h2>{t("Figures", "指标")}</h2>
          <FigureTable cases={cases} smallest={of.smallest_effect} of={several ? nameOf(of.b) : ""} />
        </section>
      )}
      {(notes.length > 0 || only.length > 0) && (
        <section>
          <h2>{t("Warnings", "注意事项")}</h2>
          <ul>{[...notes, ...only].map((n) => <li key={n}>{n}</li>)}</ul>
        </section>
      )}
      <section>
        <h2>{t("What else differs", "其他差异")}</h2>
        <Differences of={of.differences} side={several ? nameOf(of.b) : ""} />
      </section>
      <Notes of={[t(`Method: ${of.method}.`, `方法：${of.method}。`)]} />
    </article>
  );
}

function Linked({ reference, text }: { reference: string; text: string }) {
  const id = /^[^:@,]+/.exec(reference)?.[0] ?? reference;
  return <a href={/\.\d+$/.test(id) ? href("runs", id) : href("suites", id)}>{text}</a>;
}

/** Conclusion is what the comparison comes to, a sentence for each case, the worse ones first. */
function Conclusion({ cases }: { cases: ComparedCase[] }) {
  const some = cases.slice(0, 10);
  return (
    <div class="answer">
      <h2>{t("Answer", "结论")}</h2>
      {cases.length === 0
        ? <p>{t("Nothing to compare: A and B have no case in common.", "没有可比的内容：A 和 B 没有相同的用例。")}</p>
        : (
          <ul>
            {some.map((c) => {
              const [text, look] = outcomes[c.outcome] ?? [c.outcome, ""];
              return <li key={c.case}><span class={`badge ${look}`}>{text}</span> {cases.length > 1 || c.case ? `${c.case}: ` : ""}{c.sentence}</li>;
            })}
          </ul>
        )}
      {cases.length > some.length && <p>{t(`${count(cases.length - some.length)} more cases are in the table.`, `另有 ${count(cases.length - some.length)} 个用例，见下表。`)}</p>}
    </div>
  );
}

/** Differences lists what differs between two sides besides what was measured. */
export function Differences({ of, side }: { of: Difference[]; side: string }) {
  return (
    <Table
      label={`${t("What else differs", "其他差异")} ${side}`.trim()}
      rows={of}
      id={(d) => `${d.what} ${d.a} ${d.b} ${d.cases.join(" ")}`}
      empty={t("Nothing differs besides what was measured.", "除测量值外没有差异。")}
      columns={[
        { title: t("What", "内容"), cell: (d) => d.what },
        { title: "A", cell: (d) => <span class="wrapped">{d.a || "–"}</span> },
        { title: "B", cell: (d) => <span class="wrapped">{d.b || "–"}</span> },
        { title: t("Cases", "用例"), cell: (d) => <span class="wrapped">{d.cases.length > 0 ? d.cases.join(", ") : t("all", "全部")}</span> },
      ]}
    />
  );
}
