package rawio

import (
	"sync"
	"time"
)

// beat is how long the monitor sleeps at most while a heart beats. A goroutine that computes keeps its processor for about
// three of them: the monitor wakes, finds it at work, and takes the processor away when it still is.
const beat = 10 * time.Millisecond

// Beat keeps the runtime's monitor from sleeping for longer than ten milliseconds, until stop is called; stop joins what
// Beat has started.
func Beat() (stop func()) {
	over := make(chan struct{})
	var heart sync.WaitGroup
	heart.Go(func() {
		ticker := time.NewTicker(beat) // a timer counts only while somebody waits for it
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
