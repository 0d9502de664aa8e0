package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// garbageRoom is how much garbage a coordinator may have before it is collected, and usualHeap how large its heap may become with more than that:
	// a collection looks at the stacks of all goroutines, which thousands of agents have six each of.
	garbageRoom = 128 << 20
	usualHeap   = 512 << 20
	// leastPercent bounds the collector's work for a large heap.
	leastPercent = 15
	// usualPercent is Go's default.
	usualPercent = 100
	// A small heap may have smallRoom of garbage, but grow by no more than mostPercent: most of what a coordinator without agents allocates is
	// garbage of results soon.
	smallRoom   = 64 << 20
	mostPercent = 400
	// liveHeap is the metric of the heap that the last collection has left.
	liveHeap = "/gc/heap/live:bytes"
	// tuneEvery bounds for how long the percentage is that of a smaller live heap.
	tuneEvery = 250 * time.Millisecond
)

// boundGarbage lets the garbage collector run when there are garbageRoom bytes of garbage and the heap has usualHeap bytes, until stop is called. By default there is as much
// garbage as live heap, and that is the windows of thousands of agents, which have few pointers and are cheap to mark. It does nothing if
// GOGC says otherwise.
func boundGarbage(ctx context.Context) (stop func()) {
	if percent := debug.SetGCPercent(usualPercent); percent != usualPercent {
		debug.SetGCPercent(percent)
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var tuning sync.WaitGroup
	tuning.Go(func() { tuneCollector(ctx) })
	return func() {
		cancel()
		tuning.Wait()
	}
}

// tuneCollector follows the live heap until ctx ends.
func tuneCollector(ctx context.Context) {
	percent := usualPercent
	defer debug.SetGCPercent(percent)
	sample := []metrics.Sample{{Name: liveHeap}}
	tick := time.NewTicker(tuneEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(sample)
		// A small difference is not worth stopping all goroutines for.
		if next := percentFor(sample[0].Value.Uint64()); next < percent-percent/10 || next > percent+percent/10 {
			debug.SetGCPercent(next)
			percent = next
		}
	}
}

// percentFor returns by how much a live heap may grow: to usualHeap, or by garbageRoom, within bounds; a small one by smallRoom.
func percentFor(live uint64) int {
	room := uint64(garbageRoom)
	if live < usualHeap {
		room = max(room, usualHeap-live)
	}
	most := max(usualPercent, min(smallRoom*100/max(live, 1), mostPercent))
	return int(min(max(room*100/max(live, 1), leastPercent), most))
}
