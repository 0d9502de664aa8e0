// The documents of a run that its page reads. internal/result and internal/chart have them in Go.

import type { Status } from "./types";

/** Figures are those of a histogram, in microseconds. A percentile is null if there are too few operations for it. */
export interface Figures {
  count: number;
  mean_us: number;
  min_us: number;
  max_us: number;
  p50_us: number | null;
  p90_us: number | null;
  p95_us: number | null;
  p99_us: number | null;
  p999_us: number | null;
}

export interface AgentOperation {
  name: string;
  count: number;
  mean_us: number;
  p50_us: number | null;
  p95_us: number | null;
  p99_us: number | null;
  max_us: number;
}

export interface Operation extends Figures {
  op: string;
  outcome: string;
  part_of: string | null;
  service: Figures;
  agents: AgentOperation[] | null;
}

export interface Lateness {
  count: number;
  mean_ms: number;
  p50_ms: number | null;
  p99_ms: number | null;
  p999_ms: number | null;
  max_ms: number;
}

export interface Generator {
  name: string;
  seconds: number;
  idle_min_percent: number | null;
  idle_mean_percent: number | null;
  own_cpu_cores: number;
  cpu_us_per_op: number;
  net_rx_bytes: number;
  net_tx_bytes: number;
  gc_pause_max_ms: number;
  sched_lag_p99_ms: number;
  late_sends: number;
  late_max_ms: number;
  backlog_max: number;
  lateness?: Lateness;
}

export interface RunEvent {
  t: number;
  kind: string;
  text: string;
}

export interface RunAction {
  do: string;
  t: number;
  seconds: number;
  outcome: string;
}

export interface Incident {
  t: number;
  seconds: number;
  kind: string;
  cause: string;
  outcome?: string;
  dip: boolean | null;
  because: string;
  depth_percent: number | null;
  recovery_seconds: number | null;
}

export interface Phase {
  name: string;
  loop: string;
  seconds: number;
  ops: number;
  ops_after_end: number;
  rows: number;
  bytes: number;
  throughput: number;
  throughput_interval?: { low: number | null; high: number | null; because?: string };
  offered?: number;
  lateness?: Lateness;
  operations: Operation[] | null;
  events: RunEvent[] | null;
  actions?: RunAction[];
  incidents?: Incident[];
  errors?: { op: string; outcome: string; agent: string; message: string }[];
  generators: Generator[] | null;
  retries?: Record<string, number>;
  bottleneck?: { name: string; sentence: string; test: string } | null;
}

export interface Verdict {
  name: string;
  value: boolean;
  because: string;
  test: string;
}

export interface RunAgent {
  name: string;
  version: string;
  shard: number;
  workers: number;
  hostname: string;
  cpu: string;
  cores: number;
  memory_bytes: number;
}

/** Run is the result of a run, or of a suite of one run. */
export interface Run {
  kind: "run" | "suite";
  id: string;
  name: string;
  case: string;
  repeat?: number;
  replaced_by?: string;
  status: Status;
  reason?: string;
  limit_violated?: boolean;
  missing: string[] | null;
  resolved: Record<string, string> | null;
  note: string;
  tags: Record<string, string> | null;
  provenance: { benchd: string; submitted_by: string; created: string; seed: number; target: Record<string, string> | null; agents: RunAgent[] | null; foreign?: { program: string } };
  start: { planned: string; skew_ms: number; uncertainty_ms: number; agents: { name: string; late_ms: number }[] | null } | null;
  reconcile: { issued: number; recorded: number; merged: number; ok: boolean };
  phases: Phase[] | null;
  verdicts: Verdict[] | null;
  warnings?: string[];
}

export interface PointOperation {
  op: string;
  outcome: string;
  part_of: string | null;
  count: number;
  mean_us: number;
  p50_us: number | null;
  p99_us: number | null;
  max_us: number;
  service_mean_us: number;
}

/** Point is an interval of a phase. Its time is since the start of the phase. */
export interface Point {
  t: number;
  seconds: number;
  tail?: boolean;
  ops: number;
  operations: PointOperation[] | null;
  retries?: Record<string, number>;
}

export interface PhaseSeries {
  name: string;
  started: string;
  begin_seconds: number;
  step_seconds: number;
  points: Point[];
}

/** SeriesDoc is the course of a run, or of a part of it. */
export interface SeriesDoc {
  status: Status;
  started: string | null;
  phases: PhaseSeries[] | null;
}

/** AgentSeries is the course of each agent of a run. */
export interface AgentSeries {
  step_seconds: number;
  times: number[] | null;
  phases?: { name: string; from: number; columns: number }[] | null;
  agents: { name: string; connected: boolean; state: string; rate: (number | null)[] | null; p99_us: (number | null)[] | null }[] | null;
}

/** Telemetry is what the target and the hosts reported during a run. */
export interface Telemetry {
  sources: { source: string; name: string; unit: string; times: number[]; values: (number | null)[] }[] | null;
}

/** good reports whether operations with an outcome succeeded. */
export function good(outcome: string): boolean {
  return outcome === "OK" || outcome === "BATCHED_OK";
}
