// The progress of a suite or run as server-sent events.

import { useEffect, useState } from "preact/hooks";
import { base, Failure, get, heard } from "./api";
import type { Progress, TimelineEvent } from "./types";

/** Live is the latest state that a stream has brought, with what has happened so far. */
export interface Live {
  progress: Progress | undefined;
  timeline: TimelineEvent[];
  ended: boolean;
  /** snapshots counts the fresh starts of the stream: what was read before may have a gap. */
  snapshots: number;
  failure: string | undefined;
}

const kept = 5000; // events of the timeline; the result has all of them

const nothing: Live = { progress: undefined, timeline: [], ended: false, snapshots: 0, failure: undefined };

/** useEvents follows /suites/ID/events or /runs/ID/events until the end. A stream that breaks is opened again from its last event. */
export function useEvents(path: string | undefined): Live {
  const [live, set] = useState(nothing);
  useEffect(() => {
    set(nothing);
    if (path === undefined) return;
    let source: EventSource | undefined;
    let timer = 0;
    let last = "";
    let closed = false;
    const open = (): void => {
      source = new EventSource(base + path + (last ? `?last_event_id=${encodeURIComponent(last)}` : ""));
      const on = (kind: string, to: (of: Progress) => void): void => {
        source?.addEventListener(kind, (e) => {
          last = e.lastEventId || last;
          heard(true);
          const p = JSON.parse(e.data as string) as Progress;
          to({ ...p, timeline: p.timeline ?? [] }); // null: nothing has happened yet
        });
      };
      on("snapshot", (p) => set((s) => ({ progress: p, timeline: p.timeline ?? [], ended: p.ended, snapshots: s.snapshots + 1, failure: undefined })));
      on("progress", (p) => set((s) => ({ ...s, progress: p, timeline: p.timeline?.length > 0 ? [...s.timeline, ...p.timeline].slice(-kept) : s.timeline, ended: p.ended, failure: undefined })));
      source.addEventListener("end", () => {
        closed = true;
        source?.close();
        set((s) => ({ ...s, ended: true }));
      });
      source.addEventListener("failed", (e) => {
        const { error } = JSON.parse((e as MessageEvent).data as string) as { error: { message: string } };
        set((s) => ({ ...s, failure: error.message }));
        again(5000);
      });
      source.addEventListener("error", () => again(1000));
    };
    // A browser opens a stream again by itself, but not after an answer that is none: so the page does it.
    const again = (after: number): void => {
      source?.close();
      if (closed) return;
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        // The request shows whether the coordinator answers, and what is wrong if it does.
        get("/about").then(open, (e: unknown) => again(e instanceof Failure && e.status === 401 ? 60_000 : Math.min(after * 2, 5000)));
      }, after);
    };
    open();
    return () => {
      closed = true;
      clearTimeout(timer);
      source?.close();
    };
  }, [path]);
  return live;
}
