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
	garbageRoom = 96 << 20
	usualHeap   = 512 << 20
	// leastPercent bounds the collector's work for a large heap.
	leastPercent = 15
	// usualPercent is Go's default.
	usualPercent = 100
	// A small heap may have smallRoom of garbage, but grow by no more than mostPercent: most of what a coordinator without agents allocates is
	// garbage of results soon.
	smallRoom   = 64 << 20
	mostPercent = 400
	// tuneEvery bounds for how long the percentage is that of a smaller live heap.
	tuneEvery = 250 * time.Millisecond
)

// scanned returns the metrics of what the last collection has looked at: the heap that it has left, and the stacks and global variables, a
// percentage of which Go allows as garbage, too.
func scanned() []metrics.Sample {
	return []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
}

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
	samples := scanned()
	tick := time.NewTicker(tuneEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		// A small difference is not worth stopping all goroutines for.
		if next := percentFor(samples[0].Value.Uint64(), samples[1].Value.Uint64()+samples[2].Value.Uint64()); next < percent-percent/10 || next > percent+percent/10 {
			debug.SetGCPercent(next)
			percent = next
		}
	}
}

// percentFor returns by how many percent of a live heap and its roots the heap may grow: to usualHeap, or by garbageRoom, within bounds; a small one by
// smallRoom.
func percentFor(live, roots uint64) int {
	room := uint64(garbageRoom)
	if live < usualHeap {
		room = max(room, usualHeap-live)
	}
	all := max(live+roots, 1)
	most := max(usualPercent, min(smallRoom*100/all, mostPercent))
	return int(min(max(room*100/all, leastPercent), most))
}
