// The validation and the dry run of a draft, while it is typed.

import { useEffect, useState } from "preact/hooks";
import { Failure, send, type Problem } from "./api";
import type { Plan, Submission, Validated } from "./types";

/** Checked is what the coordinator answered last. */
export interface Checked {
  state: "empty" | "checking" | "valid" | "invalid" | "failed";
  problems: Problem[];
  warnings: string[];
  plan: Plan | undefined;
  planning: boolean;
  failure: Failure | undefined;
}

const none: Checked = { state: "empty", problems: [], warnings: [], plan: undefined, planning: false, failure: undefined };
const pause = 400;
const retry = 2000;

/** useCheck validates a submission when nothing has been typed for a moment, and plans it if it is valid. */
export function useCheck(s: Submission | undefined): Checked {
  const [checked, set] = useState(none);
  const text = s ? JSON.stringify(s) : "";
  useEffect(() => {
    if (!s) {
      set(none);
      return;
    }
    let over = false;
    let timer = 0;
    const check = async (): Promise<void> => {
      try {
        const v = await send<Validated>("POST", "/validate", s);
        if (over) return;
        set((c) => ({ state: v.valid ? "valid" : "invalid", problems: v.problems ?? [], warnings: v.warnings ?? [], plan: v.valid ? c.plan : undefined, planning: v.valid, failure: undefined }));
        if (!v.valid) return;
        const plan = await send<Plan>("POST", "/plan", s);
        if (!over) set((c) => ({ ...c, plan, planning: false }));
      } catch (e) {
        if (over) return;
        const f = e instanceof Failure ? e : new Failure(0, String(e));
        set((c) => ({ ...c, state: f.status === 0 ? "checking" : f.problems.length > 0 ? "invalid" : "failed", problems: f.problems, planning: false, failure: f }));
        if (f.status === 0 || f.status === 503 || f.status === 429) timer = window.setTimeout(() => void check(), retry);
      }
    };
    set((c) => ({ ...c, state: "checking" }));
    timer = window.setTimeout(() => void check(), pause);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [text]);
  return checked;
}
