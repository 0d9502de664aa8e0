-- What a user submitted.
CREATE TABLE suite (
  number       INTEGER PRIMARY KEY AUTOINCREMENT, -- order of submission
  id           TEXT    NOT NULL UNIQUE,
  name         TEXT    NOT NULL,
  note         TEXT    NOT NULL,
  tags         TEXT    NOT NULL, -- JSON object
  status       TEXT    NOT NULL,
  created_ns   INTEGER NOT NULL, -- nanoseconds since 1970
  submitted_by TEXT    NOT NULL,
  db           TEXT    NOT NULL, -- the kind of target
  spec         TEXT              -- JSON: the spec as submitted
) STRICT;

-- One repeat of a case being executed.
CREATE TABLE run (
  number     INTEGER PRIMARY KEY AUTOINCREMENT, -- order of submission
  id         TEXT    NOT NULL UNIQUE,
  suite      TEXT    NOT NULL REFERENCES suite (id) ON DELETE CASCADE,
  case_name  TEXT    NOT NULL,
  repeat     INTEGER NOT NULL,
  status     TEXT    NOT NULL,
  reason     TEXT    NOT NULL, -- why failed or cancelled
  started_ns INTEGER,          -- since 1970; NULL until then
  ended_ns   INTEGER,          -- since 1970; NULL until then
  properties TEXT    NOT NULL, -- JSON object: every setting with its value
  header     TEXT,             -- JSON: provenance, start
  state      TEXT              -- JSON: where the coordinator stands with the run
) STRICT;
CREATE INDEX run_suite ON run (suite);

-- Who was handed which shard of a run.
CREATE TABLE agent (
  run     TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  shard   INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  name    TEXT    NOT NULL,
  PRIMARY KEY (run, shard, attempt)
) STRICT, WITHOUT ROWID;

-- A phase of a run; ids rise in the order in which the phases' first windows came.
CREATE TABLE phase (
  id   INTEGER PRIMARY KEY AUTOINCREMENT,
  run  TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  name TEXT    NOT NULL,
  UNIQUE (run, name)
) STRICT;

-- All that one agent measured in one interval. Its identity is (phase, seq, shard, attempt): the order of the
-- columns is the order in which windows are read, so that no reading sorts.
CREATE TABLE window (
  id       INTEGER PRIMARY KEY,
  phase    INTEGER NOT NULL REFERENCES phase (id) ON DELETE CASCADE,
  seq      INTEGER NOT NULL,
  shard    INTEGER NOT NULL,
  attempt  INTEGER NOT NULL,
  start_ns INTEGER NOT NULL, -- since the phase's start
  end_ns   INTEGER NOT NULL,
  tail     INTEGER NOT NULL, -- 1: done after the planned end
  last     INTEGER NOT NULL, -- 1: the shard's last window of the phase
  rows     INTEGER NOT NULL,
  bytes    INTEGER NOT NULL,
  issued   INTEGER NOT NULL, -- since the phase's start
  recorded INTEGER NOT NULL, -- since the phase's start
  -- how the load generator fared
  cores             REAL    NOT NULL,
  host_idle         REAL    NOT NULL, -- 0 to 1
  own_cpu           REAL    NOT NULL, -- cores
  net_rx            INTEGER NOT NULL, -- bytes
  net_tx            INTEGER NOT NULL,
  gc_pauses         INTEGER NOT NULL,
  gc_pause_total_ns INTEGER NOT NULL,
  gc_pause_max_ns   INTEGER NOT NULL,
  sched_lag_p99_ns  INTEGER NOT NULL,
  sched_lag_max_ns  INTEGER NOT NULL,
  late_sends        INTEGER NOT NULL,
  late_max_ns       INTEGER NOT NULL,
  backlog           INTEGER NOT NULL,
  UNIQUE (phase, seq, shard, attempt)
) STRICT;

-- One operation with one outcome in a window. The service columns are NULL where every operation was sent when
-- it was intended: then the service time is the response time.
CREATE TABLE measurement (
  id                INTEGER PRIMARY KEY,
  window            INTEGER NOT NULL REFERENCES window (id) ON DELETE CASCADE,
  op                TEXT    NOT NULL,
  outcome           TEXT    NOT NULL,
  part_of           TEXT    NOT NULL, -- '' for the workload's own operations
  count             INTEGER NOT NULL,
  response_sum_ns   INTEGER NOT NULL,
  response_min_ns   INTEGER NOT NULL,
  response_max_ns   INTEGER NOT NULL,
  response_overflow INTEGER NOT NULL, -- operations above one hour
  service_sum_ns    INTEGER,
  service_min_ns    INTEGER,
  service_max_ns    INTEGER,
  service_overflow  INTEGER,
  response          BLOB    NOT NULL, -- histogram
  service           BLOB
) STRICT;
CREATE INDEX measurement_window ON measurement (window);

-- The first message of each kind of error in a window.
CREATE TABLE error_sample (
  id      INTEGER PRIMARY KEY,
  window  INTEGER NOT NULL REFERENCES window (id) ON DELETE CASCADE,
  op      TEXT    NOT NULL,
  outcome TEXT    NOT NULL,
  message TEXT    NOT NULL
) STRICT;
CREATE INDEX error_sample_window ON error_sample (window);

-- What happened to a run.
CREATE TABLE event (
  id        INTEGER PRIMARY KEY,
  run       TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  at_ns     INTEGER NOT NULL, -- since 1970
  phase     TEXT    NOT NULL, -- '' before the first
  offset_ns INTEGER NOT NULL, -- since the phase's start
  kind      TEXT    NOT NULL,
  text      TEXT    NOT NULL
) STRICT;
CREATE INDEX event_run ON event (run);

-- Windows in words and seconds. What was done after the planned end does not count for throughput.
CREATE VIEW run_window AS
SELECT w.*, iif(tail, NULL, ops / seconds) AS ops_per_s
FROM (
  SELECT p.run, p.name AS phase, w.seq, w.shard, w.attempt, a.name AS agent,
    w.start_ns / 1e9 AS t, (w.end_ns - w.start_ns) / 1e9 AS seconds, w.tail, w.last,
    coalesce((SELECT sum(m.count) FROM measurement m WHERE m.window = w.id AND m.part_of = ''), 0) AS ops,
    w.rows, w.bytes, 100 * w.host_idle AS idle_percent, w.own_cpu, w.late_sends, w.backlog
  FROM phase p
  JOIN window w ON w.phase = p.id
  LEFT JOIN agent a ON a.run = p.run AND a.shard = w.shard AND a.attempt = w.attempt
) w;

-- Operations in words and microseconds, over a whole phase with what was done after its planned end. (total is a
-- sum that cannot overflow.)
CREATE VIEW run_operation AS
SELECT p.run, p.name AS phase, m.op, m.outcome, m.part_of, sum(m.count) AS count,
  total(m.response_sum_ns) / 1e3 / sum(m.count) AS mean_us,
  min(m.response_min_ns) / 1e3 AS min_us,
  max(m.response_max_ns) / 1e3 AS max_us,
  total(coalesce(m.service_sum_ns, m.response_sum_ns)) / 1e3 / sum(m.count) AS service_mean_us,
  max(coalesce(m.service_max_ns, m.response_max_ns)) / 1e3 AS service_max_us
FROM phase p
JOIN window w ON w.phase = p.id
JOIN measurement m ON m.window = w.id
GROUP BY p.id, m.op, m.outcome, m.part_of;

-- Error messages with the place where they were seen.
CREATE VIEW run_error AS
SELECT p.run, p.name AS phase, w.start_ns / 1e9 AS t, w.shard, w.attempt, a.name AS agent,
  e.op, e.outcome, e.message
FROM phase p
JOIN window w ON w.phase = p.id
JOIN error_sample e ON e.window = w.id
LEFT JOIN agent a ON a.run = p.run AND a.shard = w.shard AND a.attempt = w.attempt;
