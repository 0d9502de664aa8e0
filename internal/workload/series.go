package workload

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/benchd/benchd/internal/keyspace"
)

// Series describes YCSB's TimeSeriesWorkload. The rows' keys are the keys of the series, FieldCount of them with FieldLength letters; a
// data point of a series is a write of its tags, a timestamp and a value under its key. Each worker writes the series of its own
// keys, one data point of each at each timestamp.
type Series struct {
	Start    int64 // first timestamp, in Units
	Interval int64 // between two timestamps of a series, in Units
	Units    TimeUnit

	Tags                         []int // how many values each tag has
	TagKeyLength, TagValueLength int

	RandomTimestamps bool // timestamps in random order
	RandomOrder      bool // keys and values of tags in random order
	Values           ValueType
	Sparsity         float64 // share of the data points that are left out
	DelayedSeries    float64 // share of the series whose timestamps are late, by up to
	DelayedIntervals int64

	Span       int64 // of the timestamps of a query; 0 for a single one
	RandomSpan bool  // up to Span

	TimestampKey, ValueKey                        string
	PairDelimiter, DeleteDelimiter, SpanDelimiter string
	GroupKey, GroupFunction                       string
	GroupBy                                       []bool // by tag; nil without a GroupFunction
	DownsampleKey, DownsampleFunction             string
	DownsampleInterval                            int64
}

// TimeUnit is the unit of timestamps, as Java's TimeUnit names it.
type TimeUnit string

// The units. Timestamps of a unit above seconds are in seconds, as YCSB writes them.
const (
	Milliseconds TimeUnit = "MILLISECONDS"
	Seconds      TimeUnit = "SECONDS"
	Minutes      TimeUnit = "MINUTES"
	Hours        TimeUnit = "HOURS"
	Days         TimeUnit = "DAYS"
)

// scale is what an interval of the unit adds to a timestamp.
func (u TimeUnit) scale() int64 {
	switch u {
	case Minutes:
		return 60
	case Hours:
		return 3600
	case Days:
		return 86400
	case Milliseconds, Seconds:
	}
	return 1
}

// ValueType is the type of the values of data points.
type ValueType string

// The types.
const (
	Integers     ValueType = "integers"
	Floats       ValueType = "floats"
	MixedNumbers ValueType = "mixednumbers"
)

// seriesLetters are the letters of keys and tags.
const seriesLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// seriesNames lists the first n names of a length: AA, AB … Az, BA ….
func seriesNames(n, length int) [][]byte {
	names, letters := make([][]byte, n), make([]int, length)
	for i := range names {
		name := make([]byte, length)
		for at, letter := range letters {
			name[at] = seriesLetters[letter]
		}
		names[i] = name
		for at := length - 1; at >= 0; at-- {
			if letters[at]++; letters[at] < len(seriesLetters) {
				break
			}
			letters[at] = 0
		}
	}
	return names
}

// seriesRange returns how many names of a length there are.
func seriesRange(length int) float64 { return math.Pow(float64(len(seriesLetters)), float64(length)) }

// PerKey returns the number of series of each key, and Count that of all series.
func (s *Series) PerKey() int64 {
	n := int64(1)
	for _, values := range s.Tags {
		n *= int64(values)
	}
	return n
}

// grouped reports whether queries group by a tag.
func (s *Series) grouped(tag int) bool { return tag < len(s.GroupBy) && s.GroupBy[tag] }

// series is a Series as the workers of a shard share it.
type series struct {
	Series
	keys, tagKeys, tagValues [][]byte
	pairs                    [][][]byte // TAG=VALUE of each tag
	fields                   [][]byte   // of a write, sorted as YCSB's are
	timestampAt, valueAt     int        // in fields; the tags are at tagAt
	tagAt                    []int
	offsets                  int64 // number of timestamps
	perKey, total            int64
	following                []int64 // by tag: how many series share the key and the values of the tags up to it
	first                    int     // the first tag with several values
	group, downsample        []byte  // fields of a read; nil for none
	downsampleScan           []byte
}

func newSeries(cfg *Config) *series {
	s := &series{Series: *cfg.Series, perKey: cfg.Series.PerKey()}
	s.keys, s.tagKeys = seriesNames(cfg.FieldCount, cfg.FieldLength), seriesNames(len(s.Tags), s.TagKeyLength)
	s.tagValues = seriesNames(slices.Max(append([]int{1}, s.Tags...)), s.TagValueLength)
	if s.RandomOrder {
		r := keyspace.NewRand(cfg.Seed, streamOrder) // the same on each shard
		shuffle(&r, s.keys)
		shuffle(&r, s.tagValues)
	}
	s.total = s.perKey * int64(cfg.FieldCount)
	s.offsets = cfg.RecordCount/s.total + 1
	after := s.perKey
	for i, n := range s.Tags {
		after /= int64(n)
		s.following = append(s.following, after)
		if n > 1 && s.first == 0 && !slices.ContainsFunc(s.Tags[:i], func(n int) bool { return n > 1 }) {
			s.first = i
		}
		var pairs [][]byte
		for _, value := range s.tagValues[:n] {
			pairs = append(pairs, slices.Concat(s.tagKeys[i], []byte(s.PairDelimiter), value))
		}
		s.pairs = append(s.pairs, pairs)
	}
	s.fields = append(slices.Clone(s.tagKeys), []byte(s.TimestampKey), []byte(s.ValueKey))
	slices.SortFunc(s.fields, bytes.Compare)
	at := func(name []byte) int {
		return slices.IndexFunc(s.fields, func(f []byte) bool { return string(f) == string(name) })
	}
	s.timestampAt, s.valueAt = at([]byte(s.TimestampKey)), at([]byte(s.ValueKey))
	for _, name := range s.tagKeys {
		s.tagAt = append(s.tagAt, at(name))
	}
	if s.GroupFunction != "" {
		s.group = []byte(s.GroupKey + s.PairDelimiter + s.GroupFunction)
	}
	if s.DownsampleFunction != "" { // YCSB writes a delimiter in scans only
		interval := strconv.FormatInt(s.DownsampleInterval, 10)
		s.downsample = []byte(s.DownsampleKey + s.PairDelimiter + s.DownsampleFunction + interval)
		s.downsampleScan = []byte(s.DownsampleKey + s.PairDelimiter + s.DownsampleFunction + s.PairDelimiter + interval)
	}
	return s
}

func shuffle[T any](r *keyspace.Rand, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.Below(int64(i) + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// points are the data points of one worker, and its queries.
type points struct {
	s       *series
	choice  keyspace.Rand
	lengths keyspace.Rand
	scan    lengths

	from, to, key int   // the worker's keys, and that of the next data point
	tags          []int // of the next data point: the number of each tag's value
	full          bool  // all series have a data point of the current timestamp
	step          int64
	start         int64   // the first timestamp
	now           int64   // of the next data point
	order         []int32 // of random timestamps
	drawn         int

	values            [][]byte
	timestamp, number [8]byte
	names             [][]byte // fields of a query
	stamp, name       []byte
}

// newPoints returns the data points of a worker, the ordinal one of all.
func newPoints(s *series, ordinal, all int64, choice, order, lengths keyspace.Rand, scan lengths) *points {
	each := len(s.keys) / int(all)
	p := &points{
		s: s, choice: choice, lengths: lengths, scan: scan, from: each * int(ordinal), tags: make([]int, len(s.Tags)), step: s.Interval * s.Units.scale(),
		values: make([][]byte, len(s.fields)), names: make([][]byte, 0, len(s.fields)+2),
		stamp: make([]byte, 0, 256), name: make([]byte, 0, 1024),
	}
	if p.to = p.from + each; ordinal == all-1 {
		p.to = len(s.keys)
	}
	p.key = p.from
	p.values[s.timestampAt], p.values[s.valueAt] = p.timestamp[:], p.number[:]
	p.now = s.Start - p.step
	if s.RandomTimestamps {
		p.order = make([]int32, s.offsets)
		for i := range p.order {
			p.order[i] = int32(i)
		}
		shuffle(&order, p.order)
	}
	p.tick()
	p.start = p.now
	return p
}

// tick goes on to the next timestamp. Random ones begin again when all have been used; YCSB's thread fails then.
func (p *points) tick() {
	if p.order == nil {
		p.now += p.step
		return
	}
	p.now = p.s.Start - p.step + int64(p.order[p.drawn])*p.step
	p.drawn = (p.drawn + 1) % len(p.order)
}

// write fills in the Insert of the worker's next data point, or an Update of an older one.
func (p *points) write(op *Op) {
	s := p.s
	p.skip()
	op.Key, op.Fields, op.Values = s.keys[p.key], s.fields, p.values
	index := int64(p.key) * s.perKey
	for i, tag := range p.tags {
		p.values[s.tagAt[i]] = s.tagValues[tag]
		index += int64(tag) * s.following[i]
	}
	at := p.now
	switch {
	case op.Kind == Update:
		at = p.start
		if ago := (p.now - p.start) / s.Interval; ago > 0 {
			at += p.choice.Below(ago) * s.Interval
		}
	case s.DelayedSeries > 0 && s.DelayedIntervals > 0 && float64(index)/float64(s.total) < s.DelayedSeries:
		at -= s.Interval * (index % s.DelayedIntervals)
	}
	binary.BigEndian.PutUint64(p.timestamp[:], uint64(at))
	binary.BigEndian.PutUint64(p.number[:], p.value())
	p.advance()
}

// skip leaves out data points of sparse series.
func (p *points) skip() {
	left := int64(0)
	if most := int64(float64(p.s.perKey) * p.s.Sparsity); most > 0 {
		left = p.choice.Below(most) - 1
	}
	for ; left > 0; left-- {
		p.due()
		p.advance()
	}
	p.due()
}

func (p *points) due() {
	if p.full {
		p.full = false
		p.tick()
	}
}

// value draws a value, as bits.
func (p *points) value() uint64 {
	floats := p.s.Values == Floats
	if p.s.Values == MixedNumbers {
		floats = p.choice.Below(2) == 0
	}
	if floats {
		return math.Float64bits(p.choice.Float64() * 100_000)
	}
	return uint64(int64(int32(p.choice.Uint64()))) // 32 random bits, as YCSB draws them
}

// advance goes on to the next series: the last tag counts fastest, then the key, and then the timestamp. As in YCSB, a tag with a
// single value ends the series of a key when the tags after it have had all their values; such a tag belongs before the others.
func (p *points) advance() {
	over := false
	for i := len(p.tags) - 1; i >= 0; i-- {
		if p.s.Tags[i] <= 1 {
			over = true
			continue
		}
		if p.tags[i]++; p.tags[i] < p.s.Tags[i] {
			break
		}
		p.tags[i] = 0
		over = over || i == p.s.first
	}
	if !over {
		return
	}
	if p.key++; p.key >= p.to {
		p.key, p.full = p.from, true
	}
}

// query fills in a Read or Scan of a key.
func (p *points) query(op *Op, key int64) {
	s := p.s
	op.Key = s.keys[key]
	offset := p.offset()
	p.names = p.names[:0]
	for i, pairs := range s.pairs {
		if s.grouped(i) {
			p.names = append(p.names, s.tagKeys[i])
		} else {
			p.names = append(p.names, pairs[p.choice.Below(int64(len(pairs)))])
		}
	}
	p.stamp = p.span(p.stamp[:0], offset)
	p.names = append(p.names, p.stamp)
	if s.group != nil {
		p.names = append(p.names, s.group)
	}
	if s.downsample != nil {
		if op.Kind == Scan {
			p.names = append(p.names, s.downsampleScan)
		} else {
			p.names = append(p.names, s.downsample)
		}
	}
	op.Fields = p.names
	if op.Kind == Scan {
		op.ScanLength = int(p.scan.Draw(&p.lengths))
	}
}

// remove fills in a Delete, whose key has all that selects the data points.
func (p *points) remove(op *Op) {
	s := p.s
	p.name = append(p.name[:0], s.keys[p.choice.Below(int64(len(s.keys)))]...)
	offset := p.offset()
	for i, pairs := range s.pairs {
		p.name = append(p.name, s.DeleteDelimiter...)
		if s.grouped(i) {
			p.name = append(p.name, s.tagKeys[i]...)
		} else {
			p.name = append(p.name, pairs[p.choice.Below(int64(len(pairs)))]...)
		}
	}
	p.name = p.span(append(p.name, s.DeleteDelimiter...), offset)
	op.Key = p.name
}

// offset draws which timestamp a query begins with.
func (p *points) offset() int64 { return p.choice.Below(max(p.s.offsets-1, 1)) }

// span appends the field with the timestamps of a query.
func (p *points) span(b []byte, offset int64) []byte {
	s := p.s
	from := p.start + offset*p.step
	b = append(append(b, s.TimestampKey...), s.PairDelimiter...)
	b = strconv.AppendInt(b, from, 10)
	if s.Span <= 0 {
		return b
	}
	length := s.Span
	if s.RandomSpan {
		length = s.Interval * p.choice.Below(max(s.Span/s.Interval, 1))
	}
	return strconv.AppendInt(append(b, s.SpanDelimiter...), from+length, 10)
}
