// Titles of the figures of telemetry, and their order: as reports have them (internal/report/draw).

import { t } from "./text";

/** leading are the figures that explain a throughput, in the order in which they are drawn. */
const leading: [string, () => string][] = [
  ["cpu_busy_percent", () => t("CPU busy", "CPU 忙碌率")],
  ["cpu_percent", () => t("CPU of the process", "进程 CPU")],
  ["load1", () => t("Load, mean of 1 minute", "负载，1 分钟平均")],
  ["node_load1", () => t("Load, mean of 1 minute", "负载，1 分钟平均")],
  ["node_load5", () => t("Load, mean of 5 minutes", "负载，5 分钟平均")],
  ["memory_used_percent", () => t("Memory in use", "内存使用")],
  ["heap_used", () => t("Heap in use", "堆使用")],
  ["net_received", () => t("Network, received", "网络接收")],
  ["net_sent", () => t("Network, sent", "网络发送")],
  ["net_received_percent", () => t("Network, received, of the interface's speed", "网络接收占网卡速率")],
  ["net_sent_percent", () => t("Network, sent, of the interface's speed", "网络发送占网卡速率")],
  ["disk_busy_percent", () => t("Disk busy", "磁盘忙碌率")],
  ["disk_read", () => t("Disk, read", "磁盘读")],
  ["disk_written", () => t("Disk, written", "磁盘写")],
  ["disk_operations", () => t("Disk operations", "磁盘 IOPS")],
  ["block_cache_hit_percent", () => t("Cache hit ratio", "缓存命中率")],
  ["requests", () => t("Requests", "请求数")],
  ["call_queue", () => t("Request queue", "请求队列")],
  ["handlers_active", () => t("Active handlers", "活跃 handler")],
  ["memstore_size", () => t("Memory of unflushed writes", "未 flush 的写占用的内存")],
  ["flushed", () => t("Flushed", "flush")],
  ["compacted", () => t("Compacted", "compaction")],
  ["compaction_queue", () => t("Compaction queue", "compaction 队列")],
  ["store_files", () => t("Store files", "StoreFile")],
  ["gc_time", () => t("Garbage collection", "GC")],
  ["regions", () => t("Regions", "region 数")],
  ["regions_in_transition", () => t("Regions in transition", "迁移中的 region")],
];

function split(name: string): [string, string] {
  const at = name.lastIndexOf(".");
  return [name.slice(0, at + 1), name.slice(at + 1)];
}

/** rankOf is the position of a figure among the leading ones; the others come behind them. */
export function rankOf(name: string): number {
  const [, figure] = split(name);
  const i = leading.findIndex(([f]) => f === figure);
  return i < 0 ? leading.length : i;
}

/** isLeading reports whether a figure explains a throughput. */
export function isLeading(name: string): boolean {
  return rankOf(name) < leading.length;
}

/** figureTitle is the title of a figure: Disk busy (machines of the agents). */
export function figureTitle(name: string): string {
  const [whose, figure] = split(name);
  let title = leading[rankOf(name)]?.[1]();
  if (title === undefined) {
    title = figure.replace(/_percent$/, "").replaceAll("_", " ");
    title = title.slice(0, 1).toUpperCase() + title.slice(1);
  }
  const of = ownerOf(whose);
  return of ? t(`${title} (${of})`, `${title}（${of}）`) : title;
}

function ownerOf(whose: string): string {
  switch (whose) {
    case "": return "";
    case "host.": return t("machines of the agents", "agent 所在机器");
    case "node.": return t("watched machines", "被监控的机器");
  }
  const word = whose.slice(0, -1).split(".").pop() ?? "";
  switch (word) {
    case "regionserver": return t("region servers", "RegionServer");
    case "region": return t("regions", "region");
    default: return word;
  }
}

/** unitOf is a unit of telemetry as charts show it. */
export function unitOf(unit: string): string {
  switch (unit) {
    case "percent": return "%";
    case "bytes": return "B";
    case "bytes/s": return "B/s";
    case "1": return "";
    default: return unit;
  }
}
