package workload

import (
	"slices"
	"sync"
	"sync/atomic"
)

// inserts tracks which rows the run has added and which of them may be read. The key numbers are dealt to several hands;
// inserts is one hand, of a shard or of a worker. Its own rows are numbered 0, 1, 2, …; row i has key number
// base + hand + i·hands. The watermark covers the other hands: all rows with key numbers below it exist.
//
// Key numbers here follow the requested rows directly. If a run inserts at higher numbers, gap is the distance. Rows in the
// gap belong to others and may be missing; they are never requested.
type inserts struct {
	base, hand, hands int64
	gap               int64
	answers           []atomic.Int64 // of own rows from acked on, by row modulo its length; see answer

	_       [64]byte     // keeps the fields that inserts write off the cache line that requests read
	claimed atomic.Int64 // own rows handed out
	_       [64]byte
	acked   atomic.Int64 // all own rows below have been answered
	known   atomic.Int64 // all rows with key numbers below have been inserted
	holes   atomic.Int64 // own rows that were answered and do not exist for certain

	advancing sync.Mutex // held while acked is advanced

	mu     sync.Mutex
	failed []Range // own rows, ascending; see mostFailed
}

// answer encodes the outcome of the insert of an own row for its slot. It contains the row because a slot serves many rows
// one after another; the answer of a later row is greater.
func answer(row int64, good bool) int64 {
	a := (row + 1) << 1
	if !good {
		a |= 1
	}
	return a
}

// insertWindow bounds how far answers to inserts may be out of order, as in YCSB. An insert that is still open when the
// window is full counts as failed; YCSB ends the thread instead.
const insertWindow = 1 << 20

// mostFailed bounds the ranges of failed rows, to 1 MiB. Beyond that neighbouring ranges are joined, and the rows between
// them are no longer read.
const mostFailed = 1 << 16

// newInserts returns the inserts of a hand. The rows below known exist.
func newInserts(base, known, hand, hands int64, window int) *inserts {
	in := &inserts{base: base, hand: hand, hands: hands, answers: make([]atomic.Int64, window)}
	in.known.Store(known)
	return in
}

// number returns the key number of an own row.
func (in *inserts) number(row int64) int64 { return in.base + in.hand + row*in.hands }

// claim reserves own rows and returns the first of them.
func (in *inserts) claim(rows int64) int64 {
	first := in.claimed.Add(rows) - rows
	if first+rows-in.acked.Load() > int64(len(in.answers)) {
		in.makeRoom(first + rows)
	}
	return first
}

// makeRoom marks the oldest open rows as failed until the rows below upto have a slot.
func (in *inserts) makeRoom(upto int64) {
	in.advancing.Lock()
	defer in.advancing.Unlock()
	for upto-in.acked.Load() > int64(len(in.answers)) {
		in.settle(in.acked.Load(), false)
		in.advance()
	}
}

// ack records the answer to the insert of own rows. Workers do not wait for each other: if another worker is advancing
// acked, that worker checks again when it is done.
func (in *inserts) ack(first, rows int64, good bool) {
	for row := first; row < first+rows; row++ {
		in.settle(row, good)
	}
	for in.answered(in.acked.Load()) && in.advancing.TryLock() {
		in.advance()
		in.advancing.Unlock()
	}
}

func (in *inserts) slot(row int64) *atomic.Int64 { return &in.answers[row%int64(len(in.answers))] }

// settle stores an answer, unless the row was marked as failed and its slot serves a later row.
func (in *inserts) settle(row int64, good bool) {
	slot, a := in.slot(row), answer(row, good)
	for old := slot.Load(); old>>1 < a>>1; old = slot.Load() {
		if slot.CompareAndSwap(old, a) {
			return
		}
	}
}

func (in *inserts) answered(row int64) bool { return in.slot(row).Load()>>1 == row+1 }

// advance moves acked past all rows that have an answer. The caller holds advancing.
func (in *inserts) advance() {
	row := in.acked.Load()
	for ; in.answered(row); row++ {
		if in.slot(row).Load() == answer(row, false) {
			in.fail(row)
		}
	}
	in.acked.Store(row)
}

func (in *inserts) fail(row int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.failed = appendRow(in.failed, row); len(in.failed) > mostFailed {
		in.failed = joinPairs(in.failed)
	}
	in.holes.Add(1)
}

// learn sets the watermark below which all hands have inserted all their rows.
func (in *inserts) learn(watermark int64) {
	for {
		known := in.known.Load()
		if watermark <= known || in.known.CompareAndSwap(known, watermark) {
			return
		}
	}
}

// watermark returns the key number below which all own rows exist.
func (in *inserts) watermark() int64 {
	row := in.acked.Load()
	if in.holes.Load() > 0 {
		in.mu.Lock()
		row = min(row, in.failed[0].From)
		in.mu.Unlock()
	}
	return in.number(row)
}

// newest returns the place of the newest readable row, which is the number of readable rows minus one. Places below known
// are key numbers; later places are the own rows above known.
func (in *inserts) newest() int64 {
	known := in.known.Load() // load known first: places must not decrease
	return known - 1 + max(0, in.acked.Load()-in.firstAbove(known))
}

// at returns the key number of a place up to newest.
func (in *inserts) at(place int64) int64 {
	known := in.known.Load()
	if place < known {
		return place
	}
	return in.number(in.firstAbove(known) + place - known)
}

// firstAbove returns the first own row with a key number of at least n.
func (in *inserts) firstAbove(n int64) int64 {
	first := n - in.base - in.hand
	if first <= 0 {
		return 0
	}
	return (first + in.hands - 1) / in.hands
}

// readable reports whether the row of a key number exists.
func (in *inserts) readable(n int64) bool {
	if n < in.known.Load() {
		return true
	}
	above := n - in.base - in.hand
	if above < 0 || above%in.hands != 0 {
		return false
	}
	row := above / in.hands
	return row < in.acked.Load() && (in.holes.Load() == 0 || !in.hasFailed(row))
}

func (in *inserts) hasFailed(row int64) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return contains(in.failed, row)
}

// Range contains the numbers from From up to, but not including, To.
type Range struct {
	From, To int64
}

// appendRow adds a number that is above all ranges.
func appendRow(ranges []Range, n int64) []Range {
	if last := len(ranges) - 1; last >= 0 && ranges[last].To == n {
		ranges[last].To++
		return ranges
	}
	return append(ranges, Range{From: n, To: n + 1})
}

// joinPairs joins the first range with the second, the third with the fourth, and so on.
func joinPairs(ranges []Range) []Range {
	joined := ranges[:0]
	for pair := range slices.Chunk(ranges, 2) {
		joined = append(joined, Range{From: pair[0].From, To: pair[len(pair)-1].To})
	}
	return joined
}

func contains(ranges []Range, n int64) bool {
	_, found := slices.BinarySearchFunc(ranges, n, func(r Range, n int64) int {
		switch {
		case r.To <= n:
			return -1
		case r.From > n:
			return 1
		}
		return 0
	})
	return found
}
