// The results of a recurring suite over time, and from when on a figure has changed.

import { useState } from "preact/hooks";
import { useGet } from "./api";
import { VerdictBadge } from "./comparefigures";
import type { Trend, TrendChange, TrendFigure } from "./trenddocuments";
import { amount, change, figureTitle } from "./figures";
import { count, moment, several } from "./format";
import { inLanguage } from "./inlanguage";
import { Field, StatusBadge, Table, Title, Waiting } from "./parts";
import { go, href, query as address } from "./router";
import { Notes } from "./suiteresults";
import { t } from "./text";
import { Course } from "./trendcourse";
import type { Suite } from "./types";

/** least is how many suites the test of changes needs. */
const least = 12;

interface Found {
  case: string;
  figure: TrendFigure;
  of: TrendChange;
}

function foundIn(trend: Trend): Found[] {
  return trend.cases.flatMap((c) => c.figures.flatMap((figure) => figure.changes.map((of) => ({ case: c.case, figure, of }))));
}

/** furtherOf are figures that are not tested unless asked for, of the operations that have a p99. */
function furtherOf(figures: TrendFigure[], asked: string): string[] {
  const operations = figures.flatMap((f) => /^(.+)_p99_us$/.exec(f.name)?.[1] ?? []);
  return operations.flatMap((op) => ["avg", "p50", "p95", "p999"].map((stat) => `${op}_${stat}_us`)).concat(asked).filter((name, i, all) => name && all.indexOf(name) === i && !figures.some((f) => f.name === name));
}

/** TrendPage shows the trend of the suites of a name, or of those with a tag. */
export function TrendPage({ query }: { query: URLSearchParams }) {
  const name = query.get("name") ?? "";
  const tag = query.getAll("tag").filter(Boolean);
  const asked = { name, tag, case: query.get("case") ?? "", figure: query.get("figure") ?? "", axis: query.get("axis") ?? "" };
  const set = (to: Partial<typeof asked>): void => go(address(href("trend"), { ...asked, ...to }), true);
  const known = useGet<Suite[]>("/suites?limit=500");
  const ready = name !== "" || tag.length > 0;
  const all = useGet<Trend>(ready ? inLanguage(address("/trend", { name, tag })) : undefined);
  const ofCase = all.data?.cases.find((c) => c.case === asked.case) ?? all.data?.cases.find((c) => c.figures.some((f) => f.changes.length > 0)) ?? all.data?.cases[0];
  const tested = ofCase?.figures.find((f) => f.name === asked.figure);
  const further = useGet<Trend>(all.data && ofCase && asked.figure && !tested ? inLanguage(address("/trend", { name, tag, case: ofCase.case, figure: asked.figure })) : undefined);
  const shown = tested ?? further.data?.cases[0]?.figures[0] ?? (asked.figure ? undefined : ofCase?.figures.find((f) => f.changes.length > 0) ?? ofCase?.figures[0]);
  return (
    <>
      <Title text={t("Trend", "趋势")} />
      <Choice key={`${name} ${tag.join(" ")}`} name={name} tag={tag} known={known.data ?? []} />
      {!ready && <Names known={known.data} />}
      {ready && !all.data && <Waiting failure={all.failure} />}
      {all.data && <Changes of={all.data} />}
      {all.data && ofCase && (
        <section>
          <h2>{ofCase.case}{shown ? `: ${figureTitle(shown.name)}` : ""}</h2>
          <div class="filters">
            <Field label={t("Case", "用例")}>
              <select value={ofCase.case} onChange={(e) => set({ case: e.currentTarget.value })}>
                {[...new Set(all.data.cases.map((c) => c.case))].map((c) => <option key={c} value={c}>{c}</option>)}
              </select>
            </Field>
            <Field label={t("Figure", "指标")}>
              <select value={shown?.name ?? asked.figure} onChange={(e) => set({ case: ofCase.case, figure: e.currentTarget.value })}>
                <optgroup label={t("Tested for changes", "检验变化")}>
                  {ofCase.figures.map((f) => <option key={f.name} value={f.name}>{figureTitle(f.name)}</option>)}
                </optgroup>
                <optgroup label={t("Further figures", "其他指标")}>
                  {furtherOf(ofCase.figures, asked.figure).map((f) => <option key={f} value={f}>{figureTitle(f)}</option>)}
                </optgroup>
              </select>
            </Field>
            <Field label={t("Horizontal axis", "横轴")}>
              <select value={asked.axis} onChange={(e) => set({ axis: e.currentTarget.value })}>
                <option value="">{t("time", "时间")}</option>
                <option value="order">{t("one suite after the other", "按套件顺序")}</option>
              </select>
            </Field>
          </div>
          {shown ? <Course of={shown} trend={all.data} byOrder={asked.axis === "order"} /> : <Waiting failure={further.failure} />}
          {shown && <Points of={shown} trend={all.data} />}
        </section>
      )}
      {all.data && <Notes of={[t(`Test: ${all.data.test}.`, `检验：${all.data.test}。`), t(`Changes of at least ${(all.data.smallest_effect * 100).toFixed(0)} % are named.`, `只指出不小于 ${(all.data.smallest_effect * 100).toFixed(0)} % 的变化。`)]} />}
    </>
  );
}

/** Choice has the fields for the name and the tags of the suites. */
function Choice({ name, tag, known }: { name: string; tag: string[]; known: Suite[] }) {
  const [of, setOf] = useState(name);
  const [tags, setTags] = useState(tag.join(" "));
  const names = [...new Set(known.map((s) => s.name).filter(Boolean))];
  const show = (e: Event): void => {
    e.preventDefault();
    go(address(href("trend"), { name: of.trim(), tag: tags.trim().split(/\s+(?=[^\s=]+=)/) }));
  };
  return (
    <form class="filters" onSubmit={show}>
      <datalist id="names-of-suites">{names.map((n) => <option key={n} value={n} />)}</datalist>
      <Field label={t("Name of the suites", "套件名称")}>
        <input list="names-of-suites" size={24} value={of} onInput={(e) => setOf(e.currentTarget.value)} />
      </Field>
      <Field label={t("Tags", "标签")}>
        <input size={24} value={tags} placeholder="branch=main" onInput={(e) => setTags(e.currentTarget.value)} />
      </Field>
      <button type="submit" class="primary" disabled={!of.trim() && !tags.trim()}>{t("Show", "显示")}</button>
    </form>
  );
}

/** Names lists the names in the archive, those with the most suites first. */
function Names({ known }: { known: Suite[] | undefined }) {
  if (!known) return null;
  const of = new Map<string, Suite[]>();
  for (const s of known) if (s.name) of.set(s.name, [...(of.get(s.name) ?? []), s]);
  const rows = [...of].sort((a, b) => b[1].length - a[1].length);
  return (
    <section>
      <h2>{t("Names in the archive", "结果存储中的名称")}</h2>
      <Table
        label={t("Names in the archive", "结果存储中的名称")}
        rows={rows}
        id={([name]) => name}
        empty={t("The archive has no suites with a name yet.", "结果存储中还没有带名称的套件。")}
        columns={[
          { title: t("Name", "名称"), cell: ([name]) => <a href={address(href("trend"), { name })}>{name}</a> },
          { title: t("Suites", "套件数"), figure: true, cell: ([, suites]) => count(suites.length) },
          { title: t("Newest", "最新"), cell: ([, suites]) => moment(suites[0]?.created) },
        ]}
      />
      <p class="how">{t(`A change can be found from ${least} suites on. A schedule submits a suite again and again.`, `至少 ${least} 个套件才能发现变化。定时计划会反复提交同一套件。`)} <a href={href("schedules")}>{t("Schedules", "定时")}</a></p>
    </section>
  );
}

/** Changes is the answer: what has changed, since when, and by how much. */
function Changes({ of }: { of: Trend }) {
  const changes = foundIn(of);
  const submitted = new Map(of.suites.map((s) => [s.id, s.submitted]));
  const most = Math.max(0, ...of.cases.flatMap((c) => c.figures.map((f) => f.points.length)));
  const sinceThen = (c: Found): string => moment(submitted.get(c.of.suite));
  return (
    <>
      <div class="answer">
        <h2>{t(`Answer: ${of.of}, ${several(of.suites.length, "suite")}`, `结论：${of.of}，${count(of.suites.length)} 个套件`)}</h2>
        {changes.length === 0
          ? <p>{most < least ? t(`${several(most, "suite")} ${most === 1 ? "has" : "have"} figures: a change can be found from ${least} suites on.`, `${count(most)} 个套件有数据：至少 ${least} 个套件才能发现变化。`) : t("No change found.", "没有发现变化。")}</p>
          : (
            <ul>
              {changes.slice(0, 8).map((c) => (
                <li key={`${c.case} ${c.figure.name} ${c.of.suite}`}>
                  <VerdictBadge verdict={c.of.verdict} /> {t(`${c.case}: ${figureTitle(c.figure.name)} ${change(c.of.ratio)} since ${sinceThen(c)}.`, `${c.case}：${figureTitle(c.figure.name)}自 ${sinceThen(c)} 起 ${change(c.of.ratio)}。`)}
                </li>
              ))}
            </ul>
          )}
      </div>
      {changes.length > 0 && (
        <Table
          label={t("Changes", "变化")}
          rows={changes}
          id={(c) => `${c.case} ${c.figure.name} ${c.of.suite}`}
          columns={[
            { title: t("Case", "用例"), cell: (c) => c.case },
            { title: t("Figure", "指标"), cell: (c) => figureTitle(c.figure.name) },
            { title: t("Since", "自"), cell: (c) => <><a href={href("suites", c.of.suite)}>{c.of.suite}</a><span class="sub">{sinceThen(c)}</span></> },
            { title: t("Change", "变化"), figure: true, cell: (c) => <>{change(c.of.ratio)}{c.of.ci95_low !== null && c.of.ci95_high !== null && <span class="sub">{change(c.of.ci95_low)} {t("to", "至")} {change(c.of.ci95_high)}</span>}</> },
            { title: t("Verdict", "判定"), cell: (c) => <VerdictBadge verdict={c.of.verdict} /> },
            { title: t("Found with", "发现于"), cell: (c) => <a href={href("suites", c.of.found_in)}>{c.of.found_in}</a> },
            { title: t("What else differs", "其他差异"), cell: (c) => <span class="wrapped">{c.of.differences && c.of.differences.length > 0 ? c.of.differences.map((d) => `${d.what}: ${d.a || "–"} → ${d.b || "–"}`).join("; ") : "–"}</span> },
          ]}
        />
      )}
    </>
  );
}

/** Points are the values of a figure as a table. */
function Points({ of, trend }: { of: TrendFigure; trend: Trend }) {
  const suites = new Map(trend.suites.map((s) => [s.id, s]));
  return (
    <details class="chapter">
      <summary><h2>{t("All values", "全部数值")}</h2></summary>
      <Table
        label={t("All values", "全部数值")}
        rows={[...of.points].reverse()}
        id={(p) => p.suite}
        columns={[
          { title: t("Suite", "套件"), cell: (p) => <a href={href("suites", p.suite)}>{p.suite}</a> },
          { title: t("Submitted", "提交时间"), cell: (p) => moment(suites.get(p.suite)?.submitted) },
          { title: t("Status", "状态"), cell: (p) => { const s = suites.get(p.suite)?.status; return s ? <StatusBadge status={s} /> : null; } },
          { title: figureTitle(of.name), figure: true, cell: (p) => amount(p.value, of.unit) },
          { title: t("95 % interval", "95 % 区间"), figure: true, cell: (p) => (p.ci95_low !== null && p.ci95_high !== null ? `${amount(p.ci95_low, of.unit)} ${t("to", "至")} ${amount(p.ci95_high, of.unit)}` : "–") },
          { title: t("Runs", "运行数"), figure: true, cell: (p) => count(p.runs) },
        ]}
      />
    </details>
  );
}
