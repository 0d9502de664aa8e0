// The documents of results and comparisons. internal/result and internal/compare have them in Go.

import type { Status } from "./types";

/** Interval bounds a value. */
export interface Interval {
  low: number | null;
  high: number | null;
}

/** RunHead is a run within the document of a suite, as far as the pages of suites read it. */
export interface RunHead {
  kind: "run";
  id: string;
  name: string;
  case: string;
  repeat?: number;
  replaced_by?: string;
  status: Status;
  reason?: string;
  limit_violated?: boolean;
  missing: string[];
  note: string;
  tags: Record<string, string> | null;
  resolved: Record<string, string> | null;
  provenance: { submitted_by: string; created: string; foreign?: { program: string } };
  start: { planned: string } | null;
  phases: RunPhase[];
  verdicts: Verdict[];
}

/** RunPhase is a phase of a run. */
export interface RunPhase {
  name: string;
  loop: string;
  seconds: number;
  ops: number;
  throughput: number;
  throughput_interval?: Interval;
}

/** Verdict is the outcome of a test of a run. */
export interface Verdict {
  name: string;
  value: boolean;
  because: string;
  test: string;
}

/** wrong is the value of a verdict that speaks against a run. */
export function wrong(name: string): boolean {
  return !["reconcile", "steady", "flat", "agents_agree"].includes(name);
}

/** raised reports whether a verdict speaks against a run. */
export function raised(v: Verdict): boolean {
  return v.test !== "" && v.value === wrong(v.name);
}

/** CaseFigure is a figure of a case over its repeats. */
export interface CaseFigure {
  name: string;
  unit: string;
  values: (number | null)[];
  odd?: string[];
  n: number;
  mean?: number;
  median?: number;
  min: number;
  max: number;
  stddev?: number;
  ci95_low?: number;
  ci95_high?: number;
  median_interval?: { low: number; high: number };
}

/** Probe is a run of a search. */
export interface Probe {
  run: string;
  value: number;
  outcome: string;
  because: string;
  throughput: number;
  client_bound: boolean;
  purpose: string;
  op: string;
  p50_us: number | null;
  p99_us: number | null;
}

/** Capacity is the result of the search of a case. */
export interface Capacity {
  text: string;
  search: { vary: string; from: number; to: number; confirm: number };
  confirmed: number;
  status: string;
  value: number | null;
  because: string;
  notes: string[] | null;
  probes: Probe[];
  seconds: number;
}

/** SuiteCase is a case of a suite with its runs. */
export interface SuiteCase {
  name: string;
  scenario: string;
  target?: string;
  fills?: boolean;
  repeats: number;
  loop?: string;
  runs: string[] | null;
  left_out: { run: string; status: Status; because: string }[];
  figures: CaseFigure[] | null;
  capacity?: Capacity;
  bottleneck?: string;
}

/** Sweep is the course of throughput and latency over the cases of a scenario. */
export interface Sweep {
  scenario: string;
  of: string;
  axis: string;
  text: string;
  points: { case: string; value: number; throughput: number[]; op: string; avg_us: number | null; p99_us: number | null; client_bound: boolean }[];
  plateau: { from: number; to: number } | null;
  notes: string[] | null;
}

/** ResultTable is a table that the file of a suite describes. */
export interface ResultTable {
  title: string;
  columns: { name: string; unit?: string; published?: boolean; figure?: boolean }[];
  rows: { kind: string; case: string; run?: string; runs: number; cells: (number | string | null)[] }[];
  notes?: string[];
}

/** Interference is what groups of workers cost each other. */
export interface Interference {
  scenario: string;
  case: string;
  text: string;
  test: string;
  groups: { group: string; loop: string; alone: string; because?: string; figures: { name: string; unit: string; alone: number; together: number; factor: Shift | null }[] | null }[];
}

/** SuiteDocument is the result of a suite of several runs. */
export interface SuiteDocument {
  kind: "suite";
  id: string;
  name: string;
  status: Status;
  runs: RunHead[];
  note?: string;
  tags?: Record<string, string> | null;
  plan?: { order: string; trial?: boolean; cases: { name: string; scenario?: string; fills?: boolean; repeats: number; target?: string; search?: unknown }[] };
  ran?: { run: string; case: string; repeat: number; started: string }[];
  cases?: SuiteCase[];
  tables?: ResultTable[];
  sweeps?: Sweep[];
  interference?: Interference[];
}

/** Answer is the conclusion of a suite or run. */
export interface Answer {
  title: string;
  question: string;
  state: "good" | "caution" | "bad";
  status: string;
  answer: string[];
  lead: string[];
}

/** Shift is the factor between two samples, with its interval. */
export interface Shift {
  ratio: number;
  low: number;
  high: number;
  p: number;
}

/** Sample is the values of a side of a comparison. */
export interface Sample {
  values: number[];
  median: number;
  min: number;
  max: number;
}

/** FigureVerdict is what a comparison of a figure comes to. */
export type FigureVerdict = "better" | "worse" | "no difference shown" | "not enough runs";

/** ComparedFigure is a figure of both sides. */
export interface ComparedFigure {
  name: string;
  unit: string;
  a: Sample;
  b: Sample;
  verdict: FigureVerdict;
  factor: Shift | null;
  holds: boolean;
  odd_values: { side: "a" | "b"; run: string; value: number }[];
}

/** ComparedCase is a case of A against one of B. */
export interface ComparedCase {
  case: string;
  a: string;
  b: string;
  refused?: string;
  outcome: FigureVerdict | "mixed" | "refused";
  sentence: string;
  runs_a: string[];
  runs_b: string[];
  notes: string[] | null;
  figures: ComparedFigure[];
}

/** Difference is what differs between two sides besides what was measured. */
export interface Difference {
  what: string;
  a: string;
  b: string;
  cases: string[];
}

/** Comparison is B against A. */
export interface Comparison {
  kind: "comparison";
  a: string;
  b: string;
  smallest_effect: number;
  method: string;
  differences: Difference[];
  cases: ComparedCase[];
  only_a: string[];
  only_b: string[];
}
