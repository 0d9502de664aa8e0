package workload

import "github.com/benchd/benchd/internal/keyspace"

// requests says which rows a run asks for. What is fixed is shared by all workers; each has a chooser of its own.
type requests struct {
	kind       Distribution
	first, end int64 // key numbers of the request range

	fixed       keyspace.Distribution
	latest      *keyspace.Latest
	exponential keyspace.Exponential
}

func newRequests(cfg *Config) requests {
	first, count := cfg.InsertStart, max(cfg.RequestCount(), 1)
	last := first + count - 1
	r := requests{kind: cfg.RequestDistribution, first: first, end: first + count}
	drawing(r.kind, Uniform).requests(&r, cfg, last)
	return r
}

// chooser chooses the rows that one worker asks for.
type chooser struct {
	fixed       keyspace.Distribution // nil where rows are counted back from the newest
	latest      *keyspace.Latest
	exponential keyspace.Exponential
	inserts     *inserts
	first, safe int64 // key numbers between are there from the beginning

	// A row that is not there is drawn again, from a stream of its own: so the draws of the next operations do not
	// depend on how often that was.
	draws, again keyspace.Rand
}

// chooser returns the chooser of the worker that is number rank of all workers.
func (r *requests) chooser(in *inserts, rank, workers int64, draws, again keyspace.Rand) chooser {
	c := chooser{
		fixed: r.fixed, exponential: r.exponential, inserts: in,
		first: r.first, safe: in.known.Load(), draws: draws, again: again,
	}
	if r.kind == Latest {
		c.latest = r.latest.Clone()
	}
	if r.kind == Sequential {
		c.fixed = keyspace.NewSequential(r.first, r.end-1, rank, workers)
	}
	return c
}

// next draws the key number of a row that is there.
func (c *chooser) next() int64 {
	n := c.place()
	if n >= c.safe {
		n += c.inserts.gap
	}
	return n
}

// place draws it as inserts count them.
func (c *chooser) place() int64 {
	if c.fixed == nil {
		return c.recent()
	}
	n := c.fixed.Draw(&c.draws)
	if n < c.safe {
		return n
	}
	return c.settle(n)
}

// patience is how often a row that is not there yet is drawn again. YCSB goes on for ever, which costs seconds an
// operation where the range is mostly rows to come.
const patience = 1 << 16

func (c *chooser) settle(n int64) int64 {
	for range patience {
		if c.inserts.readable(n) {
			return n
		}
		n = c.fixed.Draw(&c.again)
	}
	return c.old()
}

// recent counts back from the newest row.
func (c *chooser) recent() int64 {
	r := &c.draws
	for range patience {
		newest := c.inserts.newest()
		back := c.back(r, newest)
		r = &c.again
		if back > newest {
			continue
		}
		n := c.inserts.at(newest - back)
		if n < c.safe || c.inserts.readable(n) {
			return n
		}
	}
	return c.old()
}

func (c *chooser) back(r *keyspace.Rand, newest int64) int64 {
	if c.latest != nil {
		return c.latest.Back(r, newest)
	}
	return c.exponential.Back(r)
}

// old draws one of the rows that are there from the beginning.
func (c *chooser) old() int64 { return c.first + c.again.Below(c.safe-c.first) }
