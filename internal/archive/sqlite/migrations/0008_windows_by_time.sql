-- Windows are read in the order of time: those of an agent that came later number from 0, too.
CREATE INDEX window_start ON window (phase, start_ns, seq, shard, attempt);
