// The conclusions of a run in sentences, as its report begins.

import { useGet } from "./api";
import { lang, t } from "./text";

interface Answer {
  answer: string[] | null;
  lead: string[] | null;
}

/** AnswerOf shows the conclusions of a run or suite that has ended: kind is runs or suites. */
export function AnswerOf({ kind, id }: { kind: "runs" | "suites"; id: string }) {
  const { data } = useGet<Answer>(`/${kind}/${encodeURIComponent(id)}/answer?lang=${lang}`);
  if (!data) return null;
  const lead = data.lead ?? [];
  return (
    <>
      {(data.answer ?? []).length > 0 && (
        <div class="answer">
          <h2>{t("Answer", "结论")}</h2>
          <ul>{(data.answer ?? []).map((a, i) => <li key={i}>{a}</li>)}</ul>
        </div>
      )}
      {lead.length > 0 && <ul class="notes">{lead.map((l, i) => <li key={i}>{l.replace(/^- /, "")}</li>)}</ul>}
    </>
  );
}
