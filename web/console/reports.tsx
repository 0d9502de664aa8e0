// The reports of a result: to view, and as files.

import { base } from "./api";
import { query } from "./router";
import { lang, t } from "./text";

const formats: [string, () => string][] = [
  ["html", () => t("HTML page with charts", "带图表的 HTML 页面")],
  ["md", () => t("Markdown with pictures", "带图片的 Markdown")],
  ["xlsx", () => t("Excel workbook", "Excel 工作簿")],
  ["json", () => t("complete result", "完整结果")],
  ["csv", () => t("figures as tables", "数据表")],
  ["ycsb", () => t("as YCSB prints it", "YCSB 的输出格式")],
  ["hlog", () => t("HdrHistogram logs", "HdrHistogram 日志")],
  ["benchfmt", () => t("for benchstat", "用于 benchstat")],
  ["junit", () => t("for CI servers", "用于 CI 服务器")],
  ["github", () => t("summary of a GitHub job", "GitHub 任务摘要")],
];

/** reportAddress is the address of a report of the suite or run at a path of the API, in the language of the page. */
export function reportAddress(path: string, format: string, download = false): string {
  return query(`${base}${path}/report`, { format, lang, download: download ? "true" : undefined });
}

/** Reports links to the reports of a suite or run, whose path in the API is given. raw is set if its run has recorded every operation. */
export function Reports({ path, id, raw }: { path: string; id: string; raw?: boolean }) {
  const all = raw ? [...formats, ["raw", () => t("every operation", "每个操作")] as [string, () => string]] : formats;
  return (
    <section>
      <h2>{t("Reports", "报告")}</h2>
      <p class="buttons">
        <a class="button primary" href={reportAddress(path, "html")} target="_blank" rel="noopener">{t("View the report", "查看报告")}<span class="spoken"> {t("in a new tab", "（新标签页）")}</span></a>
      </p>
      <ul class="downloads" aria-label={t(`Files of ${id}`, `${id} 的文件`)}>
        {all.map(([format, text]) => (
          <li key={format}>
            <a href={reportAddress(path, format, true)} download>{format}</a> <span class="sub">{text()}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
