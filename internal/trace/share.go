package trace

import (
	"encoding/binary"
	"math"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/keyspace"
)

// cached is the number of decoded chunks that a Share keeps. A worker that is further behind than these reads its chunk again.
const cached = 8

// Division is how a trace is divided over workers.
type Division struct {
	Workers []int   // of each agent
	Agent   int     // index of this one
	Speed   float64 // 2 repeats the trace in half of its time
	// Names turns hashes into keys of rows, where a trace has hashed keys.
	Names keyspace.Names
}

// Share is one agent's part of a trace. Its methods may be called from several goroutines.
type Share struct {
	file  *File
	div   Division
	all   uint64 // workers of all agents
	first uint64 // of this agent

	mu    sync.Mutex
	parts map[int]*part
	used  []int // chunks in the order in which they came
	work  sync.WaitGroup
}

// part is a decoded chunk, divided over the workers of the agent. It does not change when it is ready.
type part struct {
	once  sync.Once
	chunk chunk
	own   []uint32   // records of this agent, in order
	of    [][]uint32 // records of each of its workers, in order
	err   error
}

// NewShare divides a trace. Close ends it.
func NewShare(file *File, div Division) *Share {
	s := &Share{file: file, div: div, parts: make(map[int]*part)}
	for i, n := range div.Workers {
		if i < div.Agent {
			s.first += uint64(n)
		}
		s.all += uint64(n)
	}
	if s.div.Speed <= 0 {
		s.div.Speed = 1
	}
	s.prefetch(0)
	s.prefetch(1)
	return s
}

// Card describes the trace.
func (s *Share) Card() Card { return s.file.Card }

// Close waits for reads in progress.
func (s *Share) Close() { s.work.Wait() }

// part returns a chunk, which it decodes unless that was done.
func (s *Share) part(i int) (*part, error) {
	p := s.entry(i)
	p.once.Do(func() { s.fill(i, p) })
	return p, p.err
}

// entry returns the place of a chunk among the kept ones; the oldest one is dropped.
func (s *Share) entry(i int) *part {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[i]
	if p == nil {
		p = new(part)
		s.parts[i] = p
		if s.used = append(s.used, i); len(s.used) > cached {
			delete(s.parts, s.used[0])
			s.used = s.used[1:]
		}
	}
	return p
}

// prefetch decodes a chunk in the background, so that no worker waits for it.
func (s *Share) prefetch(i int) {
	if i >= len(s.file.index) {
		return
	}
	s.work.Go(func() { _, _ = s.part(i) }) // the worker that needs it gets the error
}

func (s *Share) fill(i int, p *part) {
	if p.err = s.file.read(i, &p.chunk); p.err != nil {
		return
	}
	owners := make([]int32, len(p.chunk.ends))
	for k := range owners {
		owners[k] = -1
		if w := Hash(p.chunk.key(uint32(k))) % s.all; w >= s.first && w < s.first+uint64(s.div.Workers[s.div.Agent]) {
			owners[k] = int32(w - s.first)
		}
	}
	p.of = make([][]uint32, s.div.Workers[s.div.Agent])
	for n, r := range p.chunk.records {
		if w := owners[r.key]; w >= 0 {
			p.own = append(p.own, uint32(n))
			p.of[w] = append(p.of[w], uint32(n))
		}
	}
}

// intended returns when an operation is intended in the repetition.
func (s *Share) intended(at int64) int64 {
	if s.div.Speed == 1 {
		return at
	}
	return int64(math.Round(float64(at) / s.div.Speed))
}

// key appends the row's key to dst.
func (s *Share) key(dst, key []byte) []byte {
	if s.file.Card.Hashed {
		return s.div.Names.Append(dst, int64(binary.BigEndian.Uint64(key)&math.MaxInt64))
	}
	return append(dst, key...)
}

// chunkAt returns the chunk with the first operation at or after an instant of the repetition, or one before it.
func (s *Share) chunkAt(before int64) int {
	i := 0
	for i+1 < len(s.file.index) && s.intended(s.file.index[i+1].begin) < before {
		i++
	}
	return i
}

// Schedule returns the intended instants of all operations of the agent, in order.
func (s *Share) Schedule() *Schedule { return &Schedule{s: s} }

// Schedule is the sequence of an agent's intended instants. Claim must not be called by several goroutines at once.
type Schedule struct {
	s     *Share
	chunk int
	next  int
}

// Claim returns the next instant, or the largest possible one when there is none.
func (c *Schedule) Claim() time.Duration {
	for c.chunk < len(c.s.file.index) {
		p, err := c.s.part(c.chunk)
		if err != nil {
			return math.MaxInt64 // a worker reports it
		}
		if c.next < len(p.own) {
			at := p.chunk.records[p.own[c.next]].at
			c.next++
			return time.Duration(c.s.intended(at))
		}
		c.chunk, c.next = c.chunk+1, 0
	}
	return math.MaxInt64
}

// Skip omits instants before an offset.
func (c *Schedule) Skip(before time.Duration) {
	c.chunk, c.next = c.s.chunkAt(int64(before)), 0
	for {
		at := c.Claim()
		if at == math.MaxInt64 {
			return
		}
		if at >= before {
			c.next--
			return
		}
	}
}
