-- Charts read the windows that have measurements, which in a long run are few: rolling up leaves one of many.
CREATE INDEX window_measured ON window (phase, start_ns, seq, shard, attempt) WHERE rolled_ns IS NOT 0;
