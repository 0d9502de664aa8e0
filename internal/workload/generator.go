package workload

import "github.com/benchd/benchd/internal/keyspace"

// Endless as a limit lets a Generator go on for ever.
const Endless = -1

// Generator yields the operations of one worker. It serves one goroutine.
//
// Each Next that returned true is answered by one Done before the next Next.
type Generator struct {
	s    *Shard
	left int64 // operations; Endless

	kinds, keys, again, choice, lengths keyspace.Rand
	values                              *keyspace.Values

	next, end int64 // of the range to load

	key    []byte
	keyOf  [][]byte // rows of a batch or of a MultiGet
	cells  [][]byte // values, as an Op shows them
	buffer []byte   // where they stand
}

// The streams of random numbers of one worker.
const (
	streamKinds = iota
	streamKeys
	streamAgain
	streamChoice
	streamLengths
	streamValues
)

// Generator returns the generator of a worker of the shard. It begins with the worker's range of a load, or with
// its share of OperationCount.
func (s *Shard) Generator(worker int) *Generator {
	phase := uint64(0)
	if s.load {
		phase = 1
	}
	stream := func(purpose uint64) keyspace.Rand {
		return keyspace.NewRand(s.cfg.Seed, phase, uint64(s.index), uint64(worker), purpose)
	}
	g := &Generator{
		s: s, left: Endless,
		kinds: stream(streamKinds), keys: stream(streamKeys), again: stream(streamAgain),
		choice: stream(streamChoice), lengths: stream(streamLengths),
		values: keyspace.NewValues(stream(streamValues)),
		key:    make([]byte, 0, s.names.Longest()),
	}
	if s.load {
		g.next = s.cfg.InsertStart + s.share.before(s.cfg.LoadCount(), s.index, worker)
		g.end = g.next + s.share.of(s.cfg.LoadCount(), s.index, worker)
	} else if s.cfg.OperationCount > 0 {
		g.left = s.Share(s.cfg.OperationCount, worker)
	}
	rows := max(s.cfg.BatchSize, 1)
	for range max(rows, s.cfg.MultiGetSize) {
		g.keyOf = append(g.keyOf, make([]byte, 0, s.names.Longest()))
	}
	g.buffer = make([]byte, rows*len(s.fields)*int(s.longest))
	g.cells = make([][]byte, rows*len(s.fields))
	return g
}

// Next fills in the worker's next operation, or reports that there is none: its range is loaded, or its share of
// the operations is issued.
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
	*op = Op{Kind: g.s.mix.draw(&g.kinds)}
	switch op.Kind {
	case Read:
		g.request(op)
		op.Fields = g.readFields()
	case Update:
		g.request(op)
		g.write(op)
	case ReadModifyWrite:
		g.request(op)
		op.ReadFields = g.readFields()
		g.write(op)
	}
	return true
}

// Done takes the outcome of the operation that the last Next filled in.
func (g *Generator) Done(*Op, Outcome) {}

func (g *Generator) nextLoad(op *Op) bool {
	if g.next >= g.end {
		return false
	}
	*op = Op{Kind: Insert, Fields: g.s.fields}
	g.key = g.s.names.Append(g.key[:0], g.next)
	op.Key = g.key
	g.next++
	op.Values = g.fill(len(g.s.fields))
	return true
}

func (g *Generator) request(op *Op) {
	n := g.s.requests.Draw(&g.keys)
	for n >= g.s.cfg.RecordCount {
		n = g.s.requests.Draw(&g.again)
	}
	g.key = g.s.names.Append(g.key[:0], n)
	op.Key = g.key
}

func (g *Generator) readFields() [][]byte {
	if g.s.cfg.ReadAllFields {
		if g.s.cfg.ReadAllFieldsByName {
			return g.s.fields
		}
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
	op.Values = g.fill(len(op.Fields))
}

func (g *Generator) fill(n int) [][]byte {
	at := 0
	for i := range n {
		length := int(g.s.fieldLength.Draw(&g.lengths))
		g.cells[i] = g.buffer[at : at+length]
		g.values.Fill(g.cells[i])
		at += length
	}
	return g.cells[:n]
}
