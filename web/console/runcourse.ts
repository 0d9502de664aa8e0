// The course of a run as charts show it: read once, continued while the run goes on, and finer where the reader looks closely.

import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { Failure, get } from "./api";
import type { Group, Member } from "../report/group";
import { query } from "./router";
import type { PhaseSeries, Point, SeriesDoc } from "./runtypes";

/** Course is the course of a run so far. */
export interface Course {
  started: string | null;
  phases: PhaseSeries[];
}

const points = 360; // of a phase, at first
const most = 2 * points; // then it is read again in longer points

/** replace puts points in the place of those of the same time. */
export function replace(old: PhaseSeries[], by: PhaseSeries[]): PhaseSeries[] {
  const out = old.map((p) => {
    const other = by.find((q) => q.name === p.name);
    const first = other?.points[0];
    const last = other?.points[other.points.length - 1];
    if (!other || !first || !last) return p;
    const end = last.t + last.seconds;
    const before = p.points.filter((q) => q.t < first.t - 1e-6);
    const after = p.points.filter((q) => q.t >= end - 1e-6 && q.t > last.t);
    return { ...p, points: [...before, ...other.points, ...after] };
  });
  for (const q of by) if (!old.some((p) => p.name === q.name)) out.push(q);
  return out;
}

/** lastOf is the newest point of a course, and its time since the start of the run. */
function lastOf(phases: PhaseSeries[]): { at: number; step: number } | undefined {
  for (let i = phases.length - 1; i >= 0; i--) {
    const p = phases[i] as PhaseSeries;
    const point: Point | undefined = p.points[p.points.length - 1];
    if (point) return { at: p.begin_seconds + point.t, step: p.step_seconds || point.seconds };
  }
  return undefined;
}

/** Watched is what a page has of a course. */
export interface Watched {
  course: Course | undefined;
  failure: Failure | undefined;
}

/**
 * useCourse reads the course of a run; without an id there is none. While the run is live it reads the newest points again and again. After a snapshot of the event
 * stream, which follows an interruption, and once a minute or less often it reads everything, because agents may have sent older windows meanwhile.
 */
export function useCourse(id: string | undefined, live: boolean, snapshots: number, group: Group): Watched {
  const base = useRef<Course | undefined>(undefined);
  const fine = useRef<{ from: number; to: number; step: number; phases: PhaseSeries[] } | undefined>(undefined);
  const merged = useRef<Course | undefined>(undefined);
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const [failure, setFailure] = useState<Failure>();
  const again = useRef(0); // until then everything is read
  const changed = (): void => {
    const b = base.current;
    merged.current = b && { ...b, phases: fine.current ? replace(b.phases, fine.current.phases) : b.phases };
    draw(0);
  };

  useEffect(() => {
    if (snapshots > 1) again.current = Date.now() + 20_000;
  }, [snapshots]);

  useEffect(() => {
    if (id === undefined) return;
    const abort = new AbortController();
    let timer = 0;
    let whole = 0; // when everything was read last
    let every = 60_000; // how often that is done: less often if it is expensive
    const path = `/runs/${encodeURIComponent(id)}/series`;
    const read = async (): Promise<void> => {
      let wait = 2000;
      try {
        if (!document.hidden || !base.current) {
          const last = base.current && lastOf(base.current.phases);
          const many = base.current?.phases.some((p) => p.points.length > most) ?? false;
          const now = Date.now();
          if (!live || !base.current || !last || many || now < again.current || now - whole > every) {
            const d = await get<SeriesDoc>(query(path, { points: String(points) }), abort.signal);
            base.current = { started: d.started, phases: d.phases ?? [] };
            whole = Date.now();
            every = Math.max(60_000, 300 * (whole - now));
          } else {
            const from = Math.max(last.at - Math.max(2 * last.step, 10), 0);
            const d = await get<SeriesDoc>(query(path, { from: from.toFixed(3), step: String(last.step) }), abort.signal);
            base.current = { started: d.started ?? base.current.started, phases: replace(base.current.phases, d.phases ?? []) };
          }
          if (abort.signal.aborted) return;
          setFailure(undefined);
          changed();
          wait = Math.min(Math.max(2000, 200 * (lastOf(base.current.phases)?.step ?? 0)), 10_000);
        }
      } catch (e) {
        if (abort.signal.aborted) return;
        setFailure(e instanceof Failure ? e : new Failure(0, String(e)));
        again.current = Date.now() + 20_000;
      }
      if (live) timer = window.setTimeout(() => void read(), wait);
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id, live]);

  // Who looks closely gets finer points.
  useEffect(() => {
    if (id === undefined) return;
    let timer = 0;
    let abort = new AbortController();
    const look = async (from: number, to: number): Promise<void> => {
      const b = base.current;
      if (!b) return;
      if (group.whole()) {
        if (fine.current) {
          fine.current = undefined;
          changed();
        }
        return;
      }
      const step = Math.max(...b.phases.map((p) => p.step_seconds));
      if ((to - from) / step > points / 2) return; // fine enough
      const f = fine.current;
      if (f && f.from <= from && f.to >= to && (f.step * 4 <= to - from || f.step >= step) && (to - from) * 6 > f.to - f.from) return;
      const width = to - from;
      abort.abort();
      abort = new AbortController();
      const wide = { from: Math.max(from - width, 0), to: to + width };
      try {
        const d = await get<SeriesDoc>(query(`/runs/${encodeURIComponent(id)}/series`, { from: wide.from.toFixed(3), to: wide.to.toFixed(3), points: String(2 * points) }), abort.signal);
        // The last point of a run in progress is incomplete.
        const phases = (d.phases ?? []).map((p) => (live ? { ...p, points: p.points.slice(0, -1) } : p));
        fine.current = { ...wide, step: Math.max(...phases.map((p) => p.step_seconds), 0), phases };
        changed();
      } catch (e) {
        if (!abort.signal.aborted) setFailure(e instanceof Failure ? e : new Failure(0, String(e)));
      }
    };
    const member: Member = {
      inView: () => true,
      point: () => undefined,
      show: (from, to) => {
        clearTimeout(timer);
        timer = window.setTimeout(() => void look(from, to), 150);
      },
    };
    group.add(member, undefined, 0, false, false);
    return () => {
      group.remove(member);
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, live, group]);

  return { course: merged.current, failure };
}
