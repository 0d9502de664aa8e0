package hbase

import "time"

// Gathered returns how many operations wait in batches that have not been sent.
func (t *Table) Gathered() (n int) {
	for _, s := range t.all() {
		for _, cs := range s.slots {
			cs.batch.mu.Lock()
			if cs.batch.now != nil {
				n += len(cs.batch.now.items)
			}
			cs.batch.mu.Unlock()
		}
	}
	return n
}

// GatherWithin changes how long a batch waits for a request under way.
func GatherWithin(t *Table, d time.Duration) { t.gatherWithin = d }
