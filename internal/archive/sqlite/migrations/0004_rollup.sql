-- Windows of long runs are rolled up: a window's measurements can be those of several windows from it on.
ALTER TABLE window ADD COLUMN ops INTEGER NOT NULL DEFAULT 0; -- operations done, without the parts of larger ones
ALTER TABLE window ADD COLUMN rolled_ns INTEGER; -- where the last of the windows ends whose measurements this one has; 0: an earlier one has those of this
UPDATE window SET ops = coalesce((SELECT sum(m.count) FROM measurement m WHERE m.window = window.id AND m.part_of = ''), 0);
ALTER TABLE phase ADD COLUMN rolled_windows INTEGER NOT NULL DEFAULT 1; -- how many windows of a shard are rolled into one
ALTER TABLE phase ADD COLUMN rolled_seq INTEGER NOT NULL DEFAULT 0; -- below this number all are rolled up
ALTER TABLE suite ADD COLUMN removed INTEGER NOT NULL DEFAULT 0; -- 1: it is being deleted

DROP VIEW run_window;
CREATE VIEW run_window AS
SELECT w.*, iif(tail, NULL, ops / seconds) AS ops_per_s
FROM (
  SELECT p.run, p.name AS phase, w.seq, w.shard, w.attempt, a.name AS agent,
    w.start_ns / 1e9 AS t, (w.end_ns - w.start_ns) / 1e9 AS seconds, w.tail, w.last, w.ops,
    w.rows, w.bytes, 100 * w.host_idle AS idle_percent, w.own_cpu, w.late_sends, w.backlog
  FROM phase p
  JOIN window w ON w.phase = p.id
  LEFT JOIN agent a ON a.run = p.run AND a.shard = w.shard AND a.attempt = w.attempt
) w;
