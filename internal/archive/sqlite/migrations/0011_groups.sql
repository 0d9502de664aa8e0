-- What each group of workers has done in a window.
ALTER TABLE window ADD COLUMN worker_groups TEXT; -- JSON list of objects; NULL for a run without groups
