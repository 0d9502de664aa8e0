// What a new run can start from.

import { href, query } from "./router";
import { t } from "./text";
import type { Template } from "./types";

/** first is the template for somebody who tries the console. */
export const first = "first.yaml";

/** Templates offers the suite files that come with the coordinator. */
export function Templates({ of, chosen }: { of: Template[]; chosen: string }) {
  return (
    <ul class="templates">
      {of.map((one) => (
        <li key={one.name}>
          <a class={`card${one.name === first ? " first" : ""}`} href={query(href("new"), { template: one.name })} aria-current={one.name === chosen ? "true" : undefined}>
            <strong>{one.title}</strong>
            <span class="more">{one.name}</span>
            {one.name === first && <span class="more">{t("Start here: it needs no database.", "从这里开始：不需要数据库。")}</span>}
            {one.name === "smoke.yaml" && <span class="more">{t("Runs on the sandbox of benchd dev.", "在 benchd dev 的沙箱上运行。")}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** named finds a template by its name, with or without the ending. */
export function named(of: Template[], name: string): Template | undefined {
  return of.find((one) => one.name === name || one.name === `${name}.yaml`);
}
