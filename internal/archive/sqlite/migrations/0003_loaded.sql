-- How far each attempt at a shard has come in loading its rows, as its newest window tells.
CREATE TABLE loaded (
  run     TEXT    NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  shard   INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  seq     INTEGER NOT NULL, -- the window's number; -1 where the attempt begins
  rows    TEXT    NOT NULL, -- JSON array: for each worker the row below which all rows of its range have been answered
  PRIMARY KEY (run, shard, attempt)
) STRICT, WITHOUT ROWID;
