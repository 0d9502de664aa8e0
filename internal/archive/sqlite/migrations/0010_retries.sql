-- Attempts within operations that were followed by another, by cause. Windows keep them when they are rolled up.
ALTER TABLE window ADD COLUMN retries TEXT; -- JSON object; NULL where there were none
