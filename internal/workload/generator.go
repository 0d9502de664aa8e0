package workload

import (
	"github.com/benchd/benchd/internal/keyspace"
)

// Endless is the limit of a Generator without a last operation.
const Endless = -1

// CounterField is the column of Increments, because the other columns contain text.
const CounterField = "counter"

// Generator yields the operations of one worker. It serves one goroutine.
//
// After each Next that returned true the worker calls Done once before the next Next.
type Generator struct {
	s    *Shard
	left int64 // operations; Endless

	kinds, choice keyspace.Rand
	chooser       chooser
	rows          rows
	verifier      *verifier // nil without DataIntegrity

	points *points // for time series; nil otherwise
	gather *gather // draws the rows of a MultiRow; nil without them

	inserts    *inserts // for a run
	own, owned int64    // the insert in flight: its first row, as inserts count rows, and the number of rows

	// For a load: the range, its next row, and the row below which all rows have been answered or buffered.
	first, end int64
	next       int64
	loaded     int64
}

// The streams of random numbers of one worker. Their order is part of the meaning of a seed.
const (
	streamKinds = iota
	streamKeys
	streamAgain
	streamChoice
	streamLengths
	streamValues
	streamOrder // of time series
	streamGather
	streamGatherAgain
)

// Generator returns the generator of a worker of the shard. In a load it yields the worker's range of rows, in a run
// the worker's share of OperationCount; see Limit.
func (s *Shard) Generator(worker int) *Generator {
	var phase uint64
	if s.load {
		phase = 1
	}
	stream := func(purpose uint64) keyspace.Rand {
		return keyspace.NewRand(s.cfg.Seed, phase, uint64(s.index), uint64(worker), purpose)
	}
	g := &Generator{s: s, left: Endless, kinds: stream(streamKinds), choice: stream(streamChoice)}
	if s.series != nil {
		g.points = newPoints(s.series, s.share.ordinal(s.index, worker), s.share.all, stream(streamChoice), stream(streamOrder), stream(streamLengths), s.scanLength)
	} else {
		g.rows = newRows(s, stream(streamLengths), stream(streamValues))
	}
	if s.load {
		g.next = s.cfg.InsertStart + s.share.before(s.cfg.LoadCount(), s.index, worker)
		g.end = g.next + s.share.of(s.cfg.LoadCount(), s.index, worker)
		g.first, g.loaded = g.next, g.next
		return g
	}
	if s.cfg.OperationCount > 0 {
		g.left = s.Share(s.cfg.OperationCount, worker)
	}
	g.inserts = s.insertsOf(worker)
	g.chooser = s.requests.chooser(g.inserts, s.share.rank(s.index, worker), s.share.all,
		stream(streamKeys), stream(streamAgain))
	if s.mix.has(MultiRow) {
		g.gather = newGather(g, stream(streamGather), stream(streamGatherAgain), worker)
	}
	if s.cfg.DataIntegrity {
		g.verifier = newVerifier(s.cfg.FieldLength)
	}
	return g
}

// Limit lets a run's generator yield n more operations; Endless removes the limit. With it a warm-up does not use the
// operations of the measured phase, and an open loop can count operations itself.
func (g *Generator) Limit(n int64) { g.left = max(n, Endless) }

// Next fills in the worker's next operation. It returns false if there is none: the range is loaded, or the limit is
// reached.
func (g *Generator) Next(op *Op) bool {
	if g.s.load {
		return g.nextLoad(op)
	}
	if g.left == 0 {
		return false
	}
	if g.left > 0 {
		g.left--
	}
	kind := g.s.mix.draw(&g.kinds)
	*op = Op{Kind: kind}
	if g.points != nil {
		g.nextPoint(op)
		return true
	}
	switch kind {
	case Read:
		op.Key = g.rows.name(g.chooser.next())
		op.Fields = g.readFields()
		op.Collect = g.verifier.begin(op.Key)
	case Update, CheckAndPut:
		op.Key = g.rows.name(g.chooser.next())
		g.write(op)
	case Insert:
		g.insert(op)
	case Scan:
		op.Key = g.rows.name(g.chooser.next())
		op.ScanLength = int(g.s.scanLength.Draw(&g.rows.lengths))
		op.Fields = g.someFields()
	case ReadModifyWrite:
		op.Key = g.rows.name(g.chooser.next())
		op.ReadFields = g.someFields()
		g.write(op)
		op.Collect = g.verifier.begin(op.Key)
	case Delete:
		op.Key = g.rows.name(g.chooser.next())
	case Increment:
		op.Key = g.rows.name(g.chooser.next())
		op.Fields, op.Delta = g.rows.counter, g.s.cfg.IncrementBy
	case Append:
		op.Key = g.rows.name(g.chooser.next())
		op.Fields = g.oneField()
		op.Values = g.rows.random(1)
	case MultiGet:
		for range g.s.cfg.MultiGetSize {
			op.Keys = g.rows.addName(op.Keys, g.chooser.next())
		}
		op.Fields = g.readFields()
	case MultiRow:
		g.gather.fill(op)
	case Verify, Cleanup, NumKinds: // never drawn
	}
	return true
}

// Replay fills in an operation whose kind and key a trace has. size is the number of bytes that it writes, as one field, and rows the
// length of a scan; 0 draws them as Next does.
func (g *Generator) Replay(op *Op, kind Kind, key []byte, size, rows int) {
	*op = Op{Kind: kind, Key: key}
	switch kind {
	case Read:
		op.Fields = g.readFields()
	case Scan:
		op.Fields = g.someFields()
		if op.ScanLength = rows; rows == 0 {
			op.ScanLength = int(g.s.scanLength.Draw(&g.rows.lengths))
		}
	case Increment:
		op.Fields, op.Delta = g.rows.counter, g.s.cfg.IncrementBy
	case ReadModifyWrite:
		op.ReadFields = g.someFields()
		g.writeSized(op, size)
	case Update, CheckAndPut, Append:
		g.writeSized(op, size)
	case Insert:
		if size > 0 {
			g.writeSized(op, size)
			break
		}
		op.Fields = g.rows.fields
		op.Values = g.rows.values(key, op.Fields)
	case Delete, MultiGet, MultiRow, Verify, Cleanup, NumKinds: // the key is all of a Delete; a trace has no others
	}
}

// writeSized fills in what a write of a trace writes into its first field.
func (g *Generator) writeSized(op *Op, size int) {
	op.Fields = g.s.fields[:1]
	if size == 0 {
		op.Values = g.rows.random(1)
		return
	}
	op.Values = g.rows.sized(size)
}

// nextPoint fills in an operation on time series.
func (g *Generator) nextPoint(op *Op) {
	switch op.Kind {
	case Insert, Update:
		g.points.write(op)
	case Scan: // YCSB draws the key of a scan uniformly
		g.points.query(op, g.choice.Below(int64(g.s.cfg.FieldCount)))
	case Delete:
		g.points.remove(op)
	default:
		g.points.query(op, g.chooser.next())
	}
}

// readFields returns the fields of a Read. Only a Read uses readallfieldsbyname, as in YCSB. With dataintegrity it names all
// fields, so that the read returns no others.
func (g *Generator) readFields() [][]byte {
	if c := &g.s.cfg; c.ReadAllFields && (c.ReadAllFieldsByName || c.DataIntegrity) {
		return g.s.fields
	}
	return g.someFields()
}

// someFields returns the fields of other kinds of reads: nil, for all fields, or one field.
func (g *Generator) someFields() [][]byte {
	if g.s.cfg.ReadAllFields {
		return nil
	}
	return g.oneField()
}

func (g *Generator) oneField() [][]byte {
	f := g.choice.Below(int64(len(g.s.fields)))
	return g.s.fields[f : f+1]
}

func (g *Generator) write(op *Op) {
	op.Fields = g.s.fields
	if !g.s.cfg.WriteAllFields {
		op.Fields = g.oneField()
	}
	op.Values = g.rows.values(op.Key, op.Fields)
}

// insert fills in an Insert of the next row, or of the next batch.
func (g *Generator) insert(op *Op) {
	in := g.inserts
	g.owned = int64(g.s.cfg.BatchSize)
	g.own = in.claim(g.owned)
	g.rows.insert(op, in.number(g.own)+in.gap, in.hands, g.owned)
}

func (g *Generator) nextLoad(op *Op) bool {
	left := g.end - g.next
	if left <= 0 {
		return false
	}
	*op = Op{Kind: Insert}
	g.owned = min(left, int64(g.s.cfg.BatchSize))
	g.own = g.next
	if g.points != nil {
		g.points.write(op)
	} else {
		g.rows.insert(op, g.next, 1, g.owned)
	}
	g.next += g.owned
	return true
}

// Done records the outcome of the operation that the last Next filled in. For an insert, it decides whether the rows may be
// requested.
func (g *Generator) Done(op *Op, out Outcome) {
	if op.Kind != Insert || g.owned == 0 {
		return
	}
	if g.s.load {
		g.loaded = g.own + g.owned
	} else {
		g.inserts.ack(g.own, g.owned, out.Code.Good())
	}
	g.owned = 0
}

// Loaded returns the row below which all rows of the worker's range have been answered, or are in a buffer of its session.
func (g *Generator) Loaded() int64 { return g.loaded }

// GoOn continues a load at a watermark that its worker had reached.
func (g *Generator) GoOn(watermark int64) {
	reached := min(max(watermark, g.first), g.end)
	if g.points != nil { // its data points follow from those before
		for op := (Op{Kind: Insert}); g.next < reached; g.next++ {
			g.points.write(&op)
		}
	}
	g.next, g.loaded = reached, reached
}
