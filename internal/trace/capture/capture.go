package capture

import (
	"container/heap"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/trace"
)

// maxMistakes is the number of mistakes that are reported one by one.
const maxMistakes = 40

// window is the number of operations that are sorted by time at once.
const window = 1 << 16

// Input is a log.
type Input struct {
	Name string
	From io.Reader
}

// Config configures a capture.
type Config struct {
	Format  Format
	Targets descriptor.List // whose logs can be read
	Table   string          // whose operations are captured; "" if the inputs have only one
	Hash    bool            // keep only hashes of keys
	Secret  []byte          // with Hash: of the hash; the same one gives the same hashes
}

// Report describes a capture.
type Report struct {
	Card    trace.Card
	Skipped map[string]int64 // lines and operations that were left out, by reason
}

// Mistakes are the mistakes in the inputs, in their order.
type Mistakes struct {
	List    []string // FILE:LINE:COLUMN: text
	Omitted int
}

// Error lists the mistakes.
func (m *Mistakes) Error() string {
	text := strings.Join(m.List, "\n")
	if m.Omitted > 0 {
		text += fmt.Sprintf("\nand %d more mistakes", m.Omitted)
	}
	return text
}

func (m *Mistakes) add(file string, line, column int, format string, args ...any) {
	if len(m.List) == maxMistakes {
		m.Omitted++
		return
	}
	m.List = append(m.List, fmt.Sprintf("%s:%d:%d: ", file, line, max(column, 1))+fmt.Sprintf(format, args...))
}

// Capture writes the operations of inputs as a trace. If they have mistakes it returns *Mistakes, and what was written is of no use.
func Capture(inputs []Input, cfg Config, to io.Writer) (Report, error) {
	c := &capturing{
		cfg: cfg, inputs: inputs, mistakes: &Mistakes{}, tables: make(map[string]int64), skipped: make(map[string]int64),
		mac: hmac.New(sha256.New, cfg.Secret),
	}
	var err error
	if c.out, err = trace.NewWriter(to); err != nil {
		return Report{}, err
	}
	if err := c.merge(); err != nil {
		return Report{}, err
	}
	return c.finish()
}

type capturing struct {
	cfg      Config
	inputs   []Input
	out      *trace.Writer
	mistakes *Mistakes
	tables   map[string]int64
	skipped  map[string]int64
	mac      hash.Hash
	key      []byte // scratch
	sum      []byte

	waiting ordered // operations that wait until none before them can follow
	count   int64   // operations received
	last    *operation
	first   int64 // Unix ns
	plain   *operation
	hashed  *operation
}

// source is an input with its next operation.
type source struct {
	index int
	from  reader
	next  operation
	ok    bool
}

// merge reads the inputs together, always the one whose next operation is the earliest.
func (c *capturing) merge() error {
	var sources []*source
	for i, in := range c.inputs {
		fail := func(line, column int, format string, args ...any) {
			c.mistakes.add(in.Name, line, column, format, args...)
		}
		from, err := open(c.cfg, in.From, fail, func(reason string) { c.skipped[reason]++ })
		if errors.Is(err, errHeader) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", in.Name, err)
		}
		s := &source{index: i, from: from}
		if err := c.pull(s); err != nil {
			return err
		}
		sources = append(sources, s)
	}
	for {
		var early *source
		for _, s := range sources {
			if s.ok && (early == nil || s.next.at < early.next.at) {
				early = s
			}
		}
		if early == nil {
			break
		}
		if err := c.take(early.next); err != nil {
			return err
		}
		if err := c.pull(early); err != nil {
			return err
		}
	}
	for len(c.waiting) > 0 {
		if err := c.emit(heap.Pop(&c.waiting).(*operation)); err != nil { //nolint:errcheck,forcetypeassert // the heap has nothing else
			return err
		}
	}
	return nil
}

// pull reads the next operation of an input that has no mistake.
func (c *capturing) pull(s *source) error {
	name := c.inputs[s.index].Name
	for {
		var r row
		err := s.from.next(&r)
		if errors.Is(err, io.EOF) {
			s.ok = false
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		o, faults := r.parse()
		if len(faults) == 0 {
			o.input = s.index
			s.next, s.ok = o, true
			return nil
		}
		for _, f := range faults {
			c.mistakes.add(name, r.line, f.at, "%s", f.text)
		}
	}
}

// take receives an operation, in nearly the order of times.
func (c *capturing) take(o operation) error {
	c.tables[o.table]++
	if c.cfg.Table != "" && o.table != "" && o.table != c.cfg.Table {
		return nil
	}
	if o.hashed && c.hashed == nil {
		c.hashed = &o
	}
	if !o.hashed && c.plain == nil {
		c.plain = &o
	}
	c.count++
	o.came = c.count
	heap.Push(&c.waiting, &o)
	if len(c.waiting) <= window {
		return nil
	}
	return c.emit(heap.Pop(&c.waiting).(*operation)) //nolint:errcheck,forcetypeassert // the heap has nothing else
}

func (c *capturing) emit(o *operation) error {
	if c.last == nil {
		c.first = o.at
	} else if o.at < c.last.at {
		c.mistakes.add(c.inputs[o.input].Name, o.line, 1, "the operation is %v earlier than one that is more than %d operations before it (%s:%d): sort the file by time",
			time.Duration(c.last.at-o.at), window, c.inputs[c.last.input].Name, c.last.line)
		return nil
	}
	c.last = o
	if len(c.mistakes.List) > 0 {
		return nil // only further mistakes matter
	}
	if o.at-c.first > trace.MaxLength {
		c.mistakes.add(c.inputs[o.input].Name, o.line, 1, "the operation is %v after the first one: a trace has at most ten years; is the unit of time right?", time.Duration(o.at-c.first))
		return nil
	}
	return c.out.Add(trace.Entry{At: o.at - c.first, Kind: o.kind, Key: c.keyOf(o), Size: o.size, Rows: o.rows})
}

// keyOf returns the key that the trace gets.
func (c *capturing) keyOf(o *operation) []byte {
	switch {
	case o.hashed:
		c.key = binary.BigEndian.AppendUint64(c.key[:0], o.hash&math.MaxInt64)
	case c.cfg.Hash:
		c.mac.Reset()
		c.mac.Write(o.key)
		c.sum = c.mac.Sum(c.sum[:0])
		c.key = binary.BigEndian.AppendUint64(c.key[:0], binary.BigEndian.Uint64(c.sum)&math.MaxInt64)
	default:
		return o.key
	}
	return c.key
}

// finish checks the whole, and writes the rest of the trace.
func (c *capturing) finish() (Report, error) {
	if c.plain != nil && c.hashed != nil {
		c.mistakes.add(c.inputs[c.hashed.input].Name, c.hashed.line, 1, "the line has a key_hash, and %s:%d has a key: a trace has only one of them",
			c.inputs[c.plain.input].Name, c.plain.line)
	}
	if len(c.mistakes.List) > 0 {
		return Report{}, c.mistakes
	}
	delete(c.tables, "")
	names := slices.Sorted(maps.Keys(c.tables))
	if c.cfg.Table == "" && len(names) > 1 {
		return Report{}, fmt.Errorf("the input has operations of %d tables: %s; a trace has those of one: choose it with --from-table", len(names), c.list(names))
	}
	if c.cfg.Table != "" && c.tables[c.cfg.Table] == 0 && len(names) > 0 {
		return Report{}, fmt.Errorf("the input has no operation of table %s; it has %s", c.cfg.Table, c.list(names))
	}
	if c.count == 0 {
		return Report{}, fmt.Errorf("the input has no operation%s", c.reasons())
	}
	info := trace.Info{Start: time.Unix(0, c.first), Hashed: c.hashed != nil || c.cfg.Hash, Table: c.cfg.Table}
	for _, name := range names {
		if c.cfg.Table != "" && name != c.cfg.Table {
			c.skipped["operations on other tables"] += c.tables[name]
		} else {
			info.Table = name
		}
	}
	card, err := c.out.Close(info)
	return Report{Card: card, Skipped: c.skipped}, err
}

func (c *capturing) list(names []string) string {
	const most = 10
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%d)", name, c.tables[name]))
	}
	return strings.Join(parts, ", ")
}

func (c *capturing) reasons() string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(c.skipped)) {
		parts = append(parts, fmt.Sprintf("%d %s", c.skipped[reason], reason))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; skipped: " + strings.Join(parts, ", ")
}
