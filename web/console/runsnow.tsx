// What a suite does at this moment, for the first page.

import { useEvents } from "./events";
import { href } from "./router";
import { LiveCards } from "./runlive";
import { t } from "./text";
import type { Suite } from "./types";

/** RunsNow shows the figures of the run that a suite executes. */
export function RunsNow({ suite }: { suite: Suite }) {
  const stream = useEvents(`/suites/${encodeURIComponent(suite.id)}/events`);
  const p = stream.progress;
  const name = suite.name || suite.id;
  return (
    <section>
      <div class="chart-head">
        <h2>{t("Now:", "当前：")} <a href={href("suites", suite.id)}>{name}</a></h2>
        {p?.run && p.runs > 1 && <a href={href("runs", p.run)}>{t("live charts of", "实时图表：")} {p.case || p.run}</a>}
      </div>
      <LiveCards stream={stream} />
    </section>
  );
}
