package load

import "github.com/benchd/benchd/internal/pacing"

// backlog counts the operations of an open loop that are due and not sent. It follows a copy of the workers' schedule,
// because reading theirs would take operations away from them.
type backlog struct {
	schedule pacing.Schedule // nil in the closed loop
	claimed  bool
	next     int64  // run: when the first operation that is not due yet is intended
	due      uint64 // operations before that one
	left     uint64 // what at has returned last
}

// at returns how many operations were intended before an instant of the run's time beyond those issued. most
// bounds the number of due operations that it counts.
func (b *backlog) at(run int64, issued, most uint64) uint64 {
	if b.schedule == nil {
		return 0
	}
	if !b.claimed {
		b.claimed, b.next = true, int64(b.schedule.Claim())
	}
	for b.next < run && b.due < most {
		b.due++
		b.next = int64(b.schedule.Claim())
	}
	b.left = 0
	if b.due > issued {
		b.left = b.due - issued
	}
	return b.left
}
