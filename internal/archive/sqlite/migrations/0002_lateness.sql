-- Further columns of a window.
ALTER TABLE window ADD COLUMN lateness BLOB; -- histogram: how late operations of an open loop were sent
ALTER TABLE window ADD COLUMN watermark INTEGER NOT NULL DEFAULT 0; -- key number below which the shard's inserts are there
