package rawio

import (
	"sync"
	"time"
)

// beat bounds the monitor's sleep during a heartbeat. A goroutine that computes keeps its processor for about three beats:
// the monitor wakes, sees it computing, and takes the processor away if it still is at the next look.
const beat = 10 * time.Millisecond

// Beat keeps the runtime's monitor from sleeping for longer than ten milliseconds, until stop is called; stop also waits for
// Beat's goroutine.
func Beat() (stop func()) {
	over := make(chan struct{})
	var heart sync.WaitGroup
	heart.Go(func() {
		ticker := time.NewTicker(beat) // a timer only wakes the monitor while a goroutine waits for it
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-over:
				return
			}
		}
	})
	return func() {
		close(over)
		heart.Wait()
	}
}
