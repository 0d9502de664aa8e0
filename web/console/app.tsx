// The frame of all pages: navigation, who is logged in, and whether the coordinator answers.

import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { AgentsPage } from "./agents";
import { useGet, useReached } from "./api";
import { ArchivePage } from "./archive";
import { ComparePage } from "./compare";
import { NewPage } from "./new";
import { OverviewPage } from "./overview";
import { href, root, usePlace, type Place } from "./router";
import { RunPage } from "./run";
import { SchedulesPage } from "./schedules";
import { SuitePage } from "./suite";
import { lang, setLang, t } from "./text";
import { startThemes } from "./theme";
import { TrendPage } from "./trend";
import { Title } from "./parts";
import type { About } from "./types";

/** Guard shows a mistake of a page instead of the page. Without it the rest would be drawn again and again. */
class Guard extends Component<{ children: ComponentChildren }, { error: string }> {
  override state = { error: "" };

  override componentDidCatch(e: unknown): void {
    console.error(e);
    this.setState({ error: String(e) });
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div class="trouble" role="alert">
        <p>{t("This page has a mistake:", "本页出错：")} {this.state.error}</p>
        <p><button type="button" onClick={() => location.reload()}>{t("Load it again", "重新加载")}</button></p>
      </div>
    );
  }
}

function Page({ place, about }: { place: Place; about: About | undefined }) {
  const [page, id] = place.parts;
  switch (page) {
    case undefined:
      return <OverviewPage about={about} />;
    case "agents":
      return <AgentsPage about={about} />;
    case "suites":
      return id ? <SuitePage key={id} id={id} about={about} /> : <ArchivePage query={place.query} about={about} />;
    case "runs":
      if (id) return <RunPage key={id} id={id} about={about} />;
      break;
    case "compare":
      return <ComparePage query={place.query} />;
    case "trend":
      return <TrendPage query={place.query} />;
    case "schedules":
      return <SchedulesPage query={place.query} about={about} />;
    case "new":
      return <NewPage query={place.query} about={about} />;
  }
  return (
    <>
      <Title text={t("No such page", "没有此页面")} />
      <p><a href={root}>{t("To the overview", "回到概览")}</a></p>
    </>
  );
}

const pages: [string, () => string][] = [
  ["", () => t("Overview", "概览")],
  ["agents", () => t("Agents", "Agent")],
  ["suites", () => t("Archive", "结果存储")],
  ["trend", () => t("Trend", "趋势")],
  ["schedules", () => t("Schedules", "定时")],
  ["new", () => t("New run", "新建运行")],
];

/** logout ends the session. The page that follows says how to log in. */
async function logout(): Promise<void> {
  await fetch(`${root}logout`, { method: "POST", credentials: "same-origin" });
  location.reload();
}

export function App() {
  const place = usePlace();
  const reached = useReached();
  const about = useGet<About>("/about", 15000);
  const main = useRef<HTMLElement>(null);
  const address = place.parts.join("/");
  const first = useRef(true);
  useEffect(startThemes, []);
  useEffect(() => {
    if (!first.current) main.current?.focus({ preventScroll: true }); // a reader hears the new page
    first.current = false;
  }, [address]);
  const who = about.data?.peer;
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); main.current?.focus(); }}>{t("Skip to the page", "跳到正文")}</a>
      <header class="top">
        <a class="brand" href={root}>benchd</a>
        <nav aria-label={t("Pages", "页面")}>
          {pages.map(([path, name]) => {
            const here = (place.parts[0] ?? "") === path || (path === "suites" && ["runs", "compare"].includes(place.parts[0] ?? ""));
            return <a key={path} href={path ? href(path) : root} aria-current={here ? "page" : undefined}>{name()}</a>;
          })}
        </nav>
        <div class="who">
          {who?.name && <span>{who.name}{who.role ? ` (${who.role})` : ""}</span>}
          {about.data?.session_ends && <button type="button" class="plain" onClick={() => void logout()}>{t("Log out", "退出登录")}</button>}
          <button type="button" class="plain" onClick={() => setLang(lang === "zh" ? "en" : "zh")} lang={lang === "zh" ? "en" : "zh-CN"}>{lang === "zh" ? "English" : "中文"}</button>
          <button type="button" class="theme" id="theme" aria-pressed="false">{t("Dark", "深色")}</button>
        </div>
      </header>
      {!reached && <p class="banner bad" role="status">{t("The coordinator does not answer. This page shows what it has read, and continues by itself. Runs go on without the coordinator.", "coordinator 没有响应。本页显示已读取的数据，恢复后会自动继续。没有 coordinator 时运行仍会继续。")}</p>}
      {about.failure?.status === 401 && <p class="banner caution" role="status">{about.failure.message}</p>}
      {about.data?.archive_stuck && <p class="banner caution" role="status">{t("The archive accepts no windows: look at the disk of the coordinator. Agents keep their windows until then.", "结果存储无法写入：请检查 coordinator 的磁盘。agent 会保留窗口数据。")}</p>}
      <main id="main" ref={main} tabIndex={-1}>
        <Guard key={address}><Page place={place} about={about.data} /></Guard>
      </main>
    </>
  );
}
