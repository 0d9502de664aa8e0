-- Suites that recur.
CREATE TABLE schedule (
  name       TEXT    PRIMARY KEY,
  recurs     TEXT    NOT NULL, -- when: every 24h, or 0 2 * * * Asia/Shanghai
  owner      TEXT    NOT NULL, -- who submitted it
  created_ns INTEGER NOT NULL,
  next_ns    INTEGER NOT NULL, -- the first due time that is not decided
  paused     INTEGER NOT NULL,
  request    BLOB    NOT NULL, -- the submission that is repeated
  state      TEXT    NOT NULL  -- JSON
) STRICT;

-- Changes of figures that suites of schedules have revealed.
CREATE TABLE alert (
  id        INTEGER PRIMARY KEY,
  schedule  TEXT    NOT NULL REFERENCES schedule (name) ON DELETE CASCADE,
  at_ns     INTEGER NOT NULL,
  suite     TEXT    NOT NULL, -- the suite with which the test found it
  since     TEXT    NOT NULL, -- the first suite after the change
  earliest  TEXT    NOT NULL,
  latest    TEXT    NOT NULL,
  case_name TEXT    NOT NULL,
  figure    TEXT    NOT NULL,
  unit      TEXT    NOT NULL,
  verdict   TEXT    NOT NULL,
  ratio     REAL    NOT NULL,
  low       REAL,
  high      REAL,
  statistic REAL    NOT NULL,
  threshold REAL    NOT NULL,
  test      TEXT    NOT NULL
) STRICT;
CREATE INDEX alert_schedule ON alert (schedule, id);
