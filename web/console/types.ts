// The documents of the API that pages read. internal/api has them in Go; /api/v1/openapi.json describes them.

export type Status = "queued" | "preparing" | "running" | "stopping" | "complete" | "partial" | "failed" | "cancelled";

export interface About {
  version: string;
  time: string;
  peer: { name: string; role: string };
  can: { submit: boolean; cancel: boolean; admin: boolean };
  archive_bytes: number;
  disk_free_bytes: number;
  disk_total_bytes: number;
  archive_stuck: boolean;
  listeners: string[] | null;
  certificate_expires: string | null;
  session_ends: string | null; // null without a login
}

export interface Clock {
  offset_ms: number;
  uncertainty_ms: number;
  drift_ppm: number;
}

export interface Agent {
  name: string;
  connected: boolean;
  run: string;
  draining: boolean;
  last_heard: string;
  address: string;
  metrics_address: string;
  labels: Record<string, string> | null;
  version: string;
  host: { hostname: string; os: string; kernel: string; cpu: string; cores: number; memory_bytes: number; go: string };
  clock: Clock;
}

export interface Suite {
  id: string;
  name: string;
  status: Status;
  created: string;
  runs: number;
  runs_ended: number;
  runs_at_most?: number;
  left_seconds: number | null;
  db: string;
  submitted_by: string;
  set_aside?: string;
  note: string;
  tags: Record<string, string> | null;
}

export interface TimelineEvent {
  at: string;
  kind: string;
  text: string;
}

export interface LiveOperation {
  op: string;
  outcome: string;
  part_of: string;
  count: number;
  p50_us: number | null;
  p99_us: number | null;
  max_us: number;
}

export interface LiveAgent {
  name: string;
  connected: boolean;
  state: string;
  rate: number;
  idle: number | null;
  p99_us: number | null;
  clock: Clock;
}

export interface Progress {
  suite: string;
  run: string;
  case: string;
  status: Status;
  waiting_for: string;
  phase: string;
  elapsed_seconds: number;
  planned_seconds: number;
  planned_ops: number;
  ops: number;
  rate: number;
  offered: number;
  steady: string;
  operations: LiveOperation[];
  agents: LiveAgent[];
  agents_total: number;
  agents_connected: number;
  timeline: TimelineEvent[];
  runs: number;
  runs_ended: number;
  runs_at_most: number;
  left_seconds: number | null;
  ended: boolean;
}

/** ended reports whether nothing changes any more. */
export function ended(s: Status): boolean {
  return s === "complete" || s === "partial" || s === "failed" || s === "cancelled";
}

/** Template is a suite file to start from. */
export interface Template {
  name: string;
  title: string;
  content: string;
  attachments?: Record<string, string>;
}

/** NamedFile is a file of a submission. */
export interface NamedFile {
  name: string;
  content: string;
}

/** Submission is what POST /suites takes. */
export interface Submission {
  suite?: NamedFile;
  trial?: boolean;
  variables?: Record<string, string>;
  files?: NamedFile[];
  properties?: Record<string, string>;
  attachments?: Record<string, string>;
  name?: string;
  note?: string;
  tags?: Record<string, string>;
  agents?: number;
  select?: Record<string, string>;
  wait_agents?: string;
  on_agent_loss?: string;
  withheld?: string[]; // only of an earlier submission: secrets that it had
}

/** Validated is the answer to a submission that is checked. */
export interface Validated {
  valid: boolean;
  problems: { place?: string; file?: string; line?: number; column?: number; key?: string; message: string }[];
  warnings: string[];
}

/** PlannedCase is a case of a dry run. */
export interface PlannedCase {
  case: string;
  target?: string;
  db: string;
  phase: string;
  agents: number;
  threads: number;
  threads_total: number;
  rows: number;
  rows_written: number;
  operations: number;
  mix?: Record<string, number>;
  distribution?: string;
  repeats: number;
  seconds: number;
  basis: string;
  search?: unknown;
}

/** AdvisedCase is what earlier runs show of a case. */
export interface AdvisedCase {
  case: string;
  suites: string[];
  runs: number;
  time: { seconds: number; basis: string; runs: number } | null;
  repeats: { figure: string; deviation: number; repeats: number }[];
  deviation_runs: number;
  rate: { rate_per_agent: number; answer: string } | null;
}

/** Plan is a dry run. */
export interface Plan {
  suite: string;
  cases: PlannedCase[];
  runs: number;
  runs_at_most?: number;
  rows_written: number;
  operations: number;
  seconds: number;
  runs_of_unknown_length: number;
  advice: { suites: string[]; effect: number; power: number; cases: AdvisedCase[]; seconds: number; runs_of_unknown_length: number } | null;
  no_advice?: string;
}
