package workload

import (
	"slices"
	"sync"
	"sync/atomic"
)

// inserts knows which rows the run has added and which of them may be read. It is one hand of several, into which the
// key numbers are dealt: a shard's, or a worker's. Its own rows are numbered 0, 1, 2, …; row i has key number
// base + hand + i·hands. Of those of other hands it knows from the watermark that all key numbers below a common
// watermark are there.
//
// Key numbers here count on from the rows that are asked for: where a run inserts further up, gap is how far. Rows in
// between are others', and there may be holes among them: nobody asks for them.
type inserts struct {
	base, hand, hands int64
	gap               int64
	answers           []atomic.Int64 // of own rows from acked on, by row modulo its length; see answer

	_       [64]byte     // what each insert writes stands apart from what each request reads
	claimed atomic.Int64 // own rows handed out
	_       [64]byte
	acked   atomic.Int64 // own rows below have all been answered
	known   atomic.Int64 // all rows with key numbers below have been inserted
	holes   atomic.Int64 // own rows that were answered and are not there, or not for certain

	advancing sync.Mutex // held by who moves acked

	mu     sync.Mutex
	failed []Range // own rows, ascending; see mostFailed
}

// answer is how the insert of an own row ended, as its slot keeps it. It names the row because a slot serves many rows
// one after another; a later row's answer is the greater one.
func answer(row int64, good bool) int64 {
	a := (row + 1) << 1
	if !good {
		a |= 1
	}
	return a
}

// insertWindow is how far the answers to inserts may come out of order: as far as in YCSB. What is still open when the
// window is full is taken for failed; YCSB ends the thread instead.
const insertWindow = 1 << 20

// mostFailed bounds how many ranges of failed rows are kept, at 1 MiB. Beyond that neighbours become one, and what is
// between them is not read any more.
const mostFailed = 1 << 16

// newInserts counts on the rows below known being there.
func newInserts(base, known, hand, hands int64, window int) *inserts {
	in := &inserts{base: base, hand: hand, hands: hands, answers: make([]atomic.Int64, window)}
	in.known.Store(known)
	return in
}

// number is the key number of an own row.
func (in *inserts) number(row int64) int64 { return in.base + in.hand + row*in.hands }

// claim hands out rows own rows and returns the first.
func (in *inserts) claim(rows int64) int64 {
	first := in.claimed.Add(rows) - rows
	if first+rows-in.acked.Load() > int64(len(in.answers)) {
		in.makeRoom(first + rows)
	}
	return first
}

// makeRoom gives up waiting for the oldest rows until those below upto have a slot.
func (in *inserts) makeRoom(upto int64) {
	in.advancing.Lock()
	defer in.advancing.Unlock()
	for upto-in.acked.Load() > int64(len(in.answers)) {
		in.settle(in.acked.Load(), false)
		in.advance()
	}
}

// ack takes the answer to the insert of own rows. Workers do not wait for each other here: who finds another one moving
// acked leaves it to that one, which looks again when it is done.
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

// settle notes an answer, unless the row was given up and its slot serves a later one.
func (in *inserts) settle(row int64, good bool) {
	slot, a := in.slot(row), answer(row, good)
	for old := slot.Load(); old>>1 < a>>1; old = slot.Load() {
		if slot.CompareAndSwap(old, a) {
			return
		}
	}
}

func (in *inserts) answered(row int64) bool { return in.slot(row).Load()>>1 == row+1 }

// advance moves acked over all rows that have an answer. The caller holds advancing.
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

// learn takes the watermark below which all hands have inserted all their rows.
func (in *inserts) learn(watermark int64) {
	for {
		known := in.known.Load()
		if watermark <= known || in.known.CompareAndSwap(known, watermark) {
			return
		}
	}
}

// watermark is the key number below which all own rows are there.
func (in *inserts) watermark() int64 {
	row := in.acked.Load()
	if in.holes.Load() > 0 {
		in.mu.Lock()
		row = min(row, in.failed[0].From)
		in.mu.Unlock()
	}
	return in.number(row)
}

// newest counts the rows that may be read, less one: the place of the newest of them. Places below known are key
// numbers; the places from there on are the own rows above.
func (in *inserts) newest() int64 {
	known := in.known.Load() // first: it never overtakes acked by much, and places must not go back
	return known - 1 + max(0, in.acked.Load()-in.firstAbove(known))
}

// at is the key number of a place that newest counts.
func (in *inserts) at(place int64) int64 {
	known := in.known.Load()
	if place < known {
		return place
	}
	return in.number(in.firstAbove(known) + place - known)
}

// firstAbove is the first own row with a key number of at least n.
func (in *inserts) firstAbove(n int64) int64 {
	first := n - in.base - in.hand
	if first <= 0 {
		return 0
	}
	return (first + in.hands - 1) / in.hands
}

// readable reports whether the row of a key number is there.
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

// Range is the numbers from From up to and without To.
type Range struct {
	From, To int64
}

// appendRow adds a number above all in ranges.
func appendRow(ranges []Range, n int64) []Range {
	if last := len(ranges) - 1; last >= 0 && ranges[last].To == n {
		ranges[last].To++
		return ranges
	}
	return append(ranges, Range{From: n, To: n + 1})
}

// joinPairs makes one range of the first and the second, of the third and the fourth, and so on.
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
