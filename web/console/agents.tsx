// The agents: who is there, who works, and who needs attention.

import { useMemo, useState } from "preact/hooks";
import { send, useGet } from "./api";
import { AgentCommand } from "./coordinator";
import { Fleet } from "./fleet";
import { stateOf, stateNames, troubled, type AgentState } from "./fleetstate";
import { ago, bytes, count, micros, moment, signed } from "./format";
import { Action, Facts, Field, Table, Tags, Title, Trouble, Waiting, type Column } from "./parts";
import { go, href, query, usePlace } from "./router";
import { t } from "./text";
import type { About, Agent } from "./types";

const few = 60; // agents; more have a map
const most = 100; // lines of a table

/** AgentsPage lists the agents. Of many it shows a map, and the lines of those that were searched or need attention. */
export function AgentsPage({ about }: { about: About | undefined }) {
  const place = usePlace().query;
  const agents = useGet<Agent[]>("/agents", 5000);
  const [search, setSearch] = useState(place.get("search") ?? "");
  const [state, setState] = useState<AgentState | "">((place.get("state") as AgentState | null) ?? "");
  const filter = (text: string, of: AgentState | ""): void => {
    setSearch(text);
    setState(of);
    go(query(href("agents"), { search: text, state: of }), true);
  };
  const all = agents.data;
  const common = useMemo(() => commonVersion(all ?? []), [all]);
  const found = useMemo(() => (all ?? []).filter((a) => matches(a, search, state)), [all, search, state]);
  const many = (all?.length ?? 0) > few;
  const filtered = search !== "" || state !== "";
  const rows = useMemo(() => (many && !filtered ? found.filter((a) => troubled(a, common) !== "") : found).slice(0, most), [found, many, filtered, common]);
  if (!all) {
    return (
      <>
        <Title text={t("Agents", "Agent")} />
        <Waiting failure={agents.failure} />
      </>
    );
  }
  const label = t("Agents", "Agent");
  return (
    <>
      <Title text={label} />
      <Summary all={all} common={common} />
      {all.length === 0 ? <First /> : (
        <>
          <form class="filters" role="search" onSubmit={(e) => e.preventDefault()}>
            <Field label={t("Name, label, host, version or run", "名称、标签、主机、版本或运行")}>
              <input type="search" value={search} onInput={(e) => filter(e.currentTarget.value, state)} />
            </Field>
            <Field label={t("State", "状态")}>
              <select value={state} onChange={(e) => filter(search, e.currentTarget.value as AgentState | "")}>
                <option value="">{t("any", "任意")}</option>
                {stateNames().map(([value, name]) => <option key={value} value={value}>{name}</option>)}
              </select>
            </Field>
            {filtered && <span role="status">{t(`${count(found.length)} of ${count(all.length)}`, `${count(all.length)} 中的 ${count(found.length)}`)}</span>}
          </form>
          {many && <Fleet agents={found} common={common} />}
          <section>
            <h2 id="list">{many ? (filtered ? t("Agents found", "找到的 agent") : t("Agents that need attention", "需要关注的 agent")) : label}</h2>
            <Table label={label} rows={rows} id={(a) => a.name} columns={columns(about, common, agents.again)} empty={filtered ? t("No agent matches.", "没有匹配的 agent。") : t("None needs attention.", "没有需要关注的 agent。")} />
            {found.length > rows.length && filtered && <p class="how">{t(`The first ${most} of ${count(found.length)}: search for others.`, `只显示 ${count(found.length)} 个中的前 ${most} 个，请缩小搜索范围。`)}</p>}
          </section>
        </>
      )}
      <Trouble failure={agents.failure} />
    </>
  );
}

/** First is shown while no agent has ever connected. */
function First() {
  return (
    <p class="lead">
      {t("No agent has connected yet. Start one on a client machine:", "还没有 agent 连接。在客户端机器上启动一个：")} <AgentCommand />
    </p>
  );
}

function matches(a: Agent, search: string, state: AgentState | ""): boolean {
  if (state !== "" && stateOf(a) !== state) return false;
  if (search === "") return true;
  const text = [a.name, a.version, a.run, a.host.hostname, a.address, ...Object.entries(a.labels ?? {}).map(([k, v]) => `${k}=${v}`)].join(" ").toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** commonVersion is the version that most agents have. */
function commonVersion(all: Agent[]): string {
  const counts = new Map<string, number>();
  for (const a of all) counts.set(a.version, (counts.get(a.version) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "";
}

function Summary({ all, common }: { all: Agent[]; common: string }) {
  const by = new Map<AgentState, number>();
  for (const a of all) by.set(stateOf(a), (by.get(stateOf(a)) ?? 0) + 1);
  const connected = all.filter((a) => a.connected);
  const other = all.filter((a) => a.version !== common).length;
  const worst = connected.reduce<Agent | undefined>((w, a) => (w && w.clock.uncertainty_ms >= a.clock.uncertainty_ms ? w : a), undefined);
  const state = (s: AgentState, name: string): [string, preact.ComponentChildren] => [name, by.get(s) ? <a href={query(href("agents"), { state: s })}>{count(by.get(s))}</a> : "0"];
  return (
    <Facts of={[
      [t("Connected", "已连接"), t(`${count(connected.length)} of ${count(all.length)}`, `${count(connected.length)} / ${count(all.length)}`)],
      state("idle", t("Idle", "空闲")),
      state("busy", t("Busy", "运行中")),
      state("draining", t("Draining", "排空中")),
      state("gone", t("Not connected", "未连接")),
      [t("Version", "版本"), other > 0 ? <span class="badge caution">{t(`${count(other)} differ from ${common}`, `${count(other)} 个与 ${common} 不同`)}</span> : common],
      [t("Worst clock", "最差时钟"), worst ? `± ${micros(worst.clock.uncertainty_ms * 1000)} (${worst.name})` : ""],
      [t("Cores", "CPU 核数"), count(connected.reduce((sum, a) => sum + a.host.cores, 0))],
    ]} />
  );
}

function columns(about: About | undefined, common: string, again: () => void): Column<Agent>[] {
  const act = (a: Agent, what: "drain" | "resume") => async (): Promise<void> => {
    await send("POST", `/agents/${encodeURIComponent(a.name)}/${what}`);
    again();
  };
  const out: Column<Agent>[] = [
    { title: "agent", cell: (a) => <>{a.name}{a.host.hostname !== a.name && <span class="sub">{a.host.hostname}</span>}</> },
    { title: t("State", "状态"), cell: (a) => <><State of={a} />{troubled(a, common) && a.connected && <span class="sub">{troubled(a, common)}</span>}</> },
    { title: t("Runs", "正在运行"), cell: (a) => (a.run ? <a href={href("runs", a.run)}>{a.run}</a> : "–") },
    { title: t("Clock offset", "时钟偏移"), figure: true, cell: (a) => (a.connected ? <>{signed(a.clock.offset_ms * 1000, "µs")} ± {micros(a.clock.uncertainty_ms * 1000)}<span class="sub">{t("drift", "漂移")} {signed(a.clock.drift_ppm)} ppm</span></> : "–") },
    { title: "CPU", cell: (a) => <>{a.host.cpu || "–"}<span class="sub">{t(`${count(a.host.cores)} cores`, `${count(a.host.cores)} 核`)}, {bytes(a.host.memory_bytes)}</span></> },
    { title: t("Version", "版本"), cell: (a) => (a.version === common ? a.version : <span class="badge caution">{a.version}</span>) },
    { title: t("System", "系统"), narrow: true, cell: (a) => <>{a.host.os}<span class="sub">{a.host.kernel}</span></> },
    { title: t("Labels", "标签"), narrow: true, cell: (a) => <Tags of={a.labels} /> },
    { title: t("Last heard", "最近联系"), cell: (a) => <span title={moment(a.last_heard)}>{ago(a.last_heard)}<span class="sub">{a.address}</span></span> },
  ];
  if (about?.can?.admin) {
    out.splice(3, 0, { title: t("Action", "操作"), cell: (a) => (a.draining
      ? <Action label={t("Resume", "恢复")} title={t(`Let ${a.name} take part in runs`, `让 ${a.name} 参与运行`)} run={act(a, "resume")} />
      : a.connected ? <Action label={t("Drain", "排空")} title={t(`${a.name} ends its run and takes no other`, `${a.name} 完成当前运行后不再接受新的`)} run={act(a, "drain")} /> : null) });
  }
  return out;
}

/** State shows the state of an agent. */
function State({ of }: { of: Agent }) {
  const state = stateOf(of);
  const name = stateNames().find(([s]) => s === state)?.[1];
  const look = { idle: "good", busy: "busy", draining: "caution", gone: "bad" }[state];
  return <span class={`badge ${look}`}>{name}</span>;
}
