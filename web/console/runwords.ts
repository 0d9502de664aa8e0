// Names of phases, verdicts and kinds of events, for people.

import { t } from "./text";

/** phaseName is the name of a phase. */
export function phaseName(name: string): string {
  switch (name) {
    case "load": return t("load", "加载");
    case "warmup": return t("warm-up", "预热");
    case "measure": return t("measurement", "测量");
    default: return name;
  }
}

const verdicts: Record<string, () => [string, string]> = {
  client_bound: () => [t("The load generators were the limit", "负载生成器是瓶颈"), t("The load generators were not the limit", "负载生成器不是瓶颈")],
  overloaded: () => [t("The target did less than was offered", "目标没有跟上给定速率"), t("The offered rate was kept", "保持了给定速率")],
  idle_shards: () => [t("A part of the load had no agent for a while", "部分负载一度没有 agent"), t("Each part of the load had its agent", "各份负载始终有 agent")],
  tail_owner: () => [t("One agent has most of the slow operations", "慢操作集中在一个 agent"), t("Slow operations are spread over the agents", "慢操作不集中于某个 agent")],
  agents_agree: () => [t("The agents agree", "各 agent 一致"), t("The agents differ", "各 agent 有差别")],
  not_found: () => [t("Many operations found no row", "许多操作没有找到行"), t("Operations found their rows", "操作找到了相应的行")],
  wrong_values: () => [t("Reads returned wrong values", "读到了错误的值"), t("Reads returned the values written", "读到的值与写入的一致")],
  reconcile: () => [t("The counts reconcile", "计数对账一致"), t("The counts do not reconcile", "计数对不上")],
  mixed_builds: () => [t("Coordinator and agents have different builds", "coordinator 与 agent 版本不同"), t("One build everywhere", "版本一致")],
  steady: () => [t("The throughput was steady", "吞吐量稳定"), t("The throughput was not steady", "吞吐量不稳定")],
  flat: () => [t("No trend within the run", "运行期间没有趋势"), t("A trend within the run", "运行期间有趋势")],
};

/** verdictText is what a verdict says. */
export function verdictText(name: string, value: boolean): string {
  const both = verdicts[name]?.();
  return both ? (value ? both[0] : both[1]) : `${name}: ${value ? t("yes", "是") : t("no", "否")}`;
}

const kinds: Record<string, () => string> = {
  action: () => t("action", "动作"),
  phase: () => t("phase", "阶段"),
  server: () => t("server", "服务器"),
  agent: () => "agent",
  coordinator: () => "coordinator",
  limit: () => t("limit", "限制"),
  flush: () => "flush",
  split: () => "split",
  compaction: () => "compaction",
  probe: () => t("probe", "探测"),
};

/** kindName is the name of a kind of events. */
export function kindName(kind: string): string {
  return kinds[kind]?.() ?? kind;
}
