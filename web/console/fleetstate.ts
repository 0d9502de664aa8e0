// The state of an agent, and what is unusual about it.

import { micros } from "./format";
import { t } from "./text";
import type { Agent } from "./types";

export type AgentState = "idle" | "busy" | "draining" | "gone";

/** stateOf is what an agent does. */
export function stateOf(a: Agent): AgentState {
  if (!a.connected) return "gone";
  if (a.draining) return "draining";
  return a.run ? "busy" : "idle";
}

/** stateNames are the states with their names. */
export function stateNames(): [AgentState, string][] {
  return [
    ["idle", t("idle", "空闲")],
    ["busy", t("busy", "运行中")],
    ["draining", t("draining", "排空中")],
    ["gone", t("not connected", "未连接")],
  ];
}

/** unsure is a clock uncertainty above which the start of a run is not sharp, in milliseconds. */
export const unsure = 5;

/** troubled is why an agent needs attention; empty if it does not. */
export function troubled(a: Agent, common: string): string {
  if (!a.connected) return t("not connected", "未连接");
  if (a.clock.uncertainty_ms > unsure) return t(`clock uncertain by ${micros(a.clock.uncertainty_ms * 1000)}`, `时钟不确定度 ${micros(a.clock.uncertainty_ms * 1000)}`);
  if (a.version !== common) return t("another version", "版本不同");
  return a.draining ? t("draining", "排空中") : "";
}
