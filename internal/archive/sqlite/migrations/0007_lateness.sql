-- How late operations were sent has rows of its own, which go when windows are rolled up. In the rows of windows it
-- left holes that nothing else could use.
CREATE TABLE lateness (
  window    INTEGER PRIMARY KEY REFERENCES window (id) ON DELETE CASCADE,
  histogram BLOB NOT NULL
) STRICT;
INSERT INTO lateness (window, histogram) SELECT id, lateness FROM window WHERE lateness IS NOT NULL ORDER BY id;
ALTER TABLE window DROP COLUMN lateness;
