package hbase

import "time"

// Gathered is how many operations wait in batches that have not been sent.
func (t *Target) Gathered() (n int) {
	for _, s := range t.all() {
		for _, l := range s.lines {
			l.batch.mu.Lock()
			if l.batch.now != nil {
				n += len(l.batch.now.items)
			}
			l.batch.mu.Unlock()
		}
	}
	return n
}

// GatherWithin changes how long a batch waits for a request that is under way.
func GatherWithin(t *Target, d time.Duration) { t.gatherWithin = d }
