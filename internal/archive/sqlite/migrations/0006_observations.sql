-- What targets and hosts reported during a run.
CREATE TABLE figure (
  run    TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, -- from 0
  name   TEXT    NOT NULL,
  source TEXT    NOT NULL, -- a server, an endpoint, an agent
  unit   TEXT    NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

-- Stretches of them.
CREATE TABLE observation (
  id      INTEGER PRIMARY KEY,
  run     TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  from_ns INTEGER NOT NULL, -- the first instant, in the run's time
  to_ns   INTEGER NOT NULL, -- the last
  points  BLOB    NOT NULL  -- instants and values of the run's figures
) STRICT;
CREATE INDEX observation_run ON observation (run, id);
