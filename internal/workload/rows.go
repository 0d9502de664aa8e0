package workload

import "github.com/benchd/benchd/internal/keyspace"

// rows builds the keys and values of one worker's operations in reused memory.
type rows struct {
	names     keyspace.Names
	fields    [][]byte
	counter   [][]byte
	integrity bool

	batch   int // rows of an insert
	length  lengths
	fixed   int // length of every value; 0 if lengths are drawn
	lengths keyspace.Rand
	filler  keyspace.Values

	key   []byte
	keys  [][]byte // of a batch, a MultiGet or a MultiRow
	cells [][]byte // values
	large []byte   // value of a trace
	one   [1][]byte
}

// newRows allocates memory for the largest operation of the shard.
func newRows(s *Shard, lengths, values keyspace.Rand) rows {
	r := rows{
		names: s.names, fields: s.fields, counter: [][]byte{[]byte(CounterField)},
		integrity: s.cfg.DataIntegrity,
		length:    s.fieldLength, lengths: lengths, filler: keyspace.NewValues(values),
		key: make([]byte, 0, apart(s.names.Longest(), 1)),
	}
	if s.cfg.ValueRatio > 0 {
		r.filler = keyspace.NewCompressibleValues(values, s.cfg.ValueRatio)
	}
	several := 0
	r.batch = 1
	if (s.load || s.mix.has(Insert)) && s.cfg.BatchSize > 1 {
		r.batch = s.cfg.BatchSize
		several = r.batch
	}
	if s.mix.has(MultiGet) {
		several = max(several, s.cfg.MultiGetSize)
	}
	writes := r.batch // rows whose values are in memory
	if !s.load && s.mix.has(MultiRow) {
		writes = max(writes, s.cfg.MultiRowSize)
		several = max(several, writes)
	}
	r.keys = make([][]byte, several)
	keys := make([]byte, apart(several*s.names.Longest(), 1))
	for i := range r.keys {
		at := i * s.names.Longest()
		r.keys[i] = keys[at : at : at+s.names.Longest()]
	}
	if !s.load && !s.mix.has(Update, Insert, ReadModifyWrite, Append, CheckAndPut, MultiRow) {
		return r
	}
	const header = 24 // bytes of a slice
	cells := writes * len(r.fields)
	r.cells = make([][]byte, cells, apart(cells, header))
	longest := int(r.length.longest)
	room := (longest + keyspace.Padding) &^ keyspace.Padding
	text := make([]byte, apart(cells*room, 1))
	for i := range r.cells {
		at := i * room
		r.cells[i] = text[at : at+longest : at+room]
	}
	if _, constant := r.length.Distribution.(keyspace.Constant); constant {
		r.fixed = longest
	}
	return r
}

// apart returns the number of elements of size bytes, at least n, that fill whole cache lines. The memory of workers is
// allocated consecutively; a shared line would slow down both workers with every operation.
func apart(n, size int) int {
	const line = 64
	for n*size%line != 0 {
		n++
	}
	return n
}

// name builds the key of a row.
func (r *rows) name(n int64) []byte {
	r.key = r.names.Append(r.key[:0], n)
	return r.key
}

// addName appends the key of one more row.
func (r *rows) addName(keys [][]byte, n int64) [][]byte {
	i := len(keys)
	r.keys[i] = r.names.Append(r.keys[i][:0], n)
	return r.keys[:i+1]
}

// insert fills op with count rows with the key numbers first, first+step, ….
func (r *rows) insert(op *Op, first, step, count int64) {
	op.Fields = r.fields
	if r.batch == 1 {
		op.Key = r.name(first)
		op.Values = r.values(op.Key, r.fields)
		return
	}
	for i := range count {
		op.Keys = r.addName(op.Keys, first+i*step)
		r.fill(op.Keys[i], r.fields, int(i)*len(r.fields))
	}
	op.Values = r.cells[:int(count)*len(r.fields)]
}

// values builds the values of a row's fields.
func (r *rows) values(key []byte, fields [][]byte) [][]byte {
	r.fill(key, fields, 0)
	return r.cells[:len(fields)]
}

// random builds n random values.
func (r *rows) random(n int) [][]byte {
	for i, c := range r.cells[:n] {
		r.cells[i] = c[:r.draw()]
		r.filler.Fill(r.cells[i])
	}
	return r.cells[:n]
}

// sized builds one random value of a length. It allocates when it grows.
func (r *rows) sized(length int) [][]byte {
	if length > cap(r.large) {
		r.large = make([]byte, 0, (2*length+keyspace.Padding)&^keyspace.Padding)
	}
	r.one[0] = r.large[:length]
	r.filler.Fill(r.one[0])
	return r.one[:]
}

func (r *rows) fill(key []byte, fields [][]byte, at int) {
	cells := r.cells[at : at+len(fields)]
	if r.integrity {
		for i, field := range fields {
			keyspace.FillIntegrity(cells[i], key, field)
		}
		return
	}
	if r.fixed > 0 {
		for _, c := range cells {
			r.filler.Fill(c)
		}
		return
	}
	for i, c := range cells {
		cells[i] = c[:r.draw()]
		r.filler.Fill(cells[i])
	}
}

func (r *rows) draw() int { return int(r.length.Draw(&r.lengths)) }
