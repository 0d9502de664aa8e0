-- The progress of each attempt at a shard in loading its rows, as of its newest window.
CREATE TABLE loaded (
  run     TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  shard   INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  seq     INTEGER NOT NULL, -- the window's number; -1 where the attempt begins
  rows    TEXT    NOT NULL, -- JSON array: for each worker the row below which all rows of its range have been answered
  PRIMARY KEY (run, shard, attempt)
) STRICT, WITHOUT ROWID;
