// The documents of trends and schedules. internal/trend and internal/schedule have them in Go.

import type { Difference, FigureVerdict } from "./documents";
import type { Status } from "./types";

/** TrendPoint is the value of a figure in one suite. */
export interface TrendPoint {
  suite: string;
  runs: number;
  value: number;
  ci95_low: number | null;
  ci95_high: number | null;
}

/** TrendChange is a change of the level of a figure. */
export interface TrendChange {
  suite: string;
  found_in: string;
  earliest: string;
  latest: string;
  verdict: FigureVerdict;
  ratio: number;
  ci95_low: number | null;
  ci95_high: number | null;
  differences: Difference[] | null;
}

/** TrendFigure is the series of a figure of a case. */
export interface TrendFigure {
  name: string;
  unit: string;
  higher_is_better: boolean;
  points: TrendPoint[];
  changes: TrendChange[];
}

/** Trend is the series of the results of a recurring suite. */
export interface Trend {
  kind: "trend";
  of: string;
  smallest_effect: number;
  suites_between_false_alarms: number;
  test: string;
  suites: { id: string; submitted: string; status: Status; left_out: { run: string; status: Status; because: string }[] }[];
  cases: { case: string; loop: string; figures: TrendFigure[] }[];
}

/** Outcome is what became of a due time. */
export interface Outcome {
  due: string;
  at: string;
  outcome: "submitted" | "skipped" | "failed";
  suite?: string;
  reason?: string;
  missed?: number;
  by?: string;
}

/** Alert is a change that a suite of a schedule has revealed. */
export interface Alert {
  at: string;
  found_in: string;
  suite: string;
  case: string;
  figure: string;
  unit: string;
  verdict: FigureVerdict;
  ratio: number;
  ci95_low: number | null;
  ci95_high: number | null;
  test: string;
}

/** Schedule is the state of a schedule. */
export interface Schedule {
  name: string;
  recurs: string;
  owner: string;
  created: string;
  paused: boolean;
  next: string | null;
  suite: string;
  status: Status | "";
  last: Outcome | null;
  last_alert: Alert | null;
}

/** ScheduleDocument is a schedule with what became of its due times. */
export interface ScheduleDocument extends Schedule {
  outcomes: Outcome[] | null;
  alerts: Alert[] | null;
}
