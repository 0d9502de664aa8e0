// What the charts of a run draw: the lines of its course, and the marks of what happened.

import type { Mark } from "../report/data";
import type { Line } from "./chart";
import { good, type Phase, type PhaseSeries, type Point, type PointOperation } from "./runtypes";
import { phaseName } from "./runwords";
import { t } from "./text";
import type { TimelineEvent } from "./types";

/** Lines are the charts of a course over one axis, in seconds since the start of the run. */
export interface Lines {
  x: number[];
  throughput: Line[];
  latency: Line[];
  late: Line[]; // empty in a closed loop
  errors: Line[];
  retries: Line[];
}

type Values = (number | null)[];

/** Columns collects lines that begin late: the places before are gaps. */
class Columns {
  readonly lines = new Map<string, Values>();

  set(name: string, at: number, value: number | null): void {
    let values = this.lines.get(name);
    if (!values) this.lines.set(name, (values = []));
    while (values.length < at) values.push(null);
    values[at] = value;
  }

  of(name: string, length: number): Values {
    const values = this.lines.get(name) ?? [];
    while (values.length < length) values.push(null);
    return values;
  }
}

/** usable leaves out what is no interval of its own: the time after the planned end, and intervals that have just begun. */
function usable(p: PhaseSeries): Point[] {
  return p.points.filter((q) => !q.tail && q.seconds > 0);
}

/** linesOf makes the lines of a course. Offered is the rate of each phase; phases without one have a closed loop. */
export function linesOf(phases: PhaseSeries[], offered: Map<string, number>): Lines {
  const x: number[] = [];
  const all: Values = [];
  const intended: Values = [];
  const late: Values = [];
  const latency = new Columns();
  const errors = new Columns();
  const retries = new Columns();
  const gap = (at: number): void => {
    x.push(at);
    all.push(null);
    intended.push(null);
    late.push(null);
  };
  for (const p of phases) {
    const points = usable(p);
    const rate = offered.get(p.name) ?? null;
    let end = -1;
    points.forEach((q, k) => {
      const at = p.begin_seconds + q.t;
      if (k === points.length - 1 && k > 0 && q.seconds < (points[k - 1] as Point).seconds / 2) return;
      const before = x[x.length - 1];
      if (before !== undefined && (end < 0 || at > end + 0.5 * q.seconds)) gap(Math.min((before + at) / 2, before + q.seconds)); // nothing is known between them
      end = at + q.seconds;
      const i = x.push(at) - 1;
      all.push(q.ops / q.seconds);
      intended.push(rate);
      let count = 0;
      let waited = 0;
      for (const o of q.operations ?? []) {
        if (o.part_of) continue;
        count += o.count;
        waited += o.count * Math.max(o.mean_us - o.service_mean_us, 0);
        addOperation(latency, errors, o, i, q.seconds);
      }
      late.push(rate !== null && count > 0 ? waited / count : null);
      for (const [cause, n] of Object.entries(q.retries ?? {})) retries.set(cause, i, n / q.seconds);
    });
  }
  const n = x.length;
  const throughput: Line[] = [{ name: t("all operations", "全部操作"), values: all }];
  if (offered.size > 0) throughput.push({ name: t("offered rate", "给定速率"), values: intended, dashed: true });
  // An interval without an error has 0 of them, not a gap.
  const zeros = (values: Values): Values => values.map((v, i) => (v === null && all[i] !== null ? 0 : v));
  const named = (c: Columns, of: (values: Values) => Values): Line[] => [...c.lines.keys()].map((name) => ({ name, values: of(c.of(name, n)) }));
  return {
    x, throughput,
    latency: byOperation(named(latency, (v) => v)).map((l, i, lines) => ({ ...l, hidden: l.name.endsWith(" max") && !empty(lines[i - 1]), dashed: l.name.endsWith(" p50") })),
    late: offered.size > 0 ? [{ name: t("mean delay", "平均延迟"), values: late }] : [],
    errors: byName(named(errors, zeros)), retries: byName(named(retries, zeros)),
  };
}

/** empty reports whether a line has no value: then there were too few operations for a p99, and the maximum is shown instead. */
function empty(l: Line | undefined): boolean {
  return l === undefined || l.values.every((v) => v === null || v === undefined);
}

function byName(lines: Line[]): Line[] {
  return lines.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** byOperation sorts lines by operation, and keeps the order of its percentiles. */
function byOperation(lines: Line[]): Line[] {
  const of = (l: Line): string => l.name.slice(0, l.name.lastIndexOf(" "));
  return lines.sort((a, b) => (of(a) === of(b) ? 0 : of(a) < of(b) ? -1 : 1));
}

function addOperation(latency: Columns, errors: Columns, o: PointOperation, i: number, seconds: number): void {
  if (!good(o.outcome)) {
    errors.set(`${o.op} ${o.outcome}`, i, o.count / seconds);
    return;
  }
  const name = o.outcome === "OK" ? o.op : `${o.op} ${o.outcome}`;
  latency.set(`${name} p50`, i, o.p50_us);
  latency.set(`${name} p99`, i, o.p99_us);
  latency.set(`${name} max`, i, o.max_us);
}

/** marksOf are the marks of a run: its phases, actions, events and dips. Those of the stream are newer than the document. */
export function marksOf(phases: Phase[], begins: Map<string, number>, timeline: TimelineEvent[], started: number | null): Mark[] {
  const marks: Mark[] = [];
  const seen = new Set<string>();
  for (const p of phases) {
    const begin = begins.get(p.name);
    if (begin === undefined) continue;
    if (phases.length > 1) marks.push({ from: begin, kind: "phase", label: phaseName(p.name) });
    for (const a of p.actions ?? []) marks.push({ from: begin + a.t, ...(a.seconds > 0 ? { to: begin + a.t + a.seconds } : {}), kind: "action", label: a.do, text: a.outcome });
    for (const e of p.events ?? []) {
      seen.add(`${e.kind} ${e.text}`);
      if (!repeated(e.kind) && e.kind !== "action") marks.push({ from: begin + e.t, kind: "event", label: e.text });
    }
    for (const i of p.incidents ?? []) {
      if (i.dip) marks.push({ from: begin + i.t, to: begin + i.t + i.seconds, kind: "dip", label: t("dip", "下降"), text: i.because });
    }
  }
  if (started !== null) {
    for (const e of timeline) {
      if (repeated(e.kind) || seen.has(`${e.kind} ${e.text}`)) continue;
      const action = e.kind === "action" ? / begins on agent /.exec(e.text) : null;
      if (e.kind === "action" && !action) continue; // how an action ends is in its mark
      marks.push({ from: (Date.parse(e.at) - started) / 1000, kind: action ? "action" : "event", label: action ? e.text.slice(0, action.index) : e.text });
    }
  }
  return marks.sort((a, b) => a.from - b.from);
}

/** repeated reports whether the marks of phases and actions already have events of a kind. */
function repeated(kind: string): boolean {
  return kind === "phase" || kind === "steady";
}
