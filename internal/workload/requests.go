package workload

import "github.com/benchd/benchd/internal/keyspace"

// requests selects the rows that a run requests. All workers share it; each worker has its own chooser.
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

// chooser selects the rows that one worker requests.
type chooser struct {
	fixed       keyspace.Distribution // nil if rows are counted back from the newest
	latest      *keyspace.Latest
	exponential keyspace.Exponential
	inserts     *inserts
	first, safe int64 // the rows from first to safe exist from the beginning

	// A missing row is drawn again from a separate stream, so that the draws of later operations do not depend on the
	// number of these draws.
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

// next draws the key number of an existing row.
func (c *chooser) next() int64 {
	n := c.place()
	if n >= c.safe {
		n += c.inserts.gap
	}
	return n
}

// place draws a row as inserts count them, without the gap.
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

// patience bounds how often a missing row is drawn again. YCSB has no bound, which takes seconds per operation if most
// rows of the range do not exist yet.
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

// old draws one of the rows that exist from the beginning.
func (c *chooser) old() int64 { return c.first + c.again.Below(c.safe-c.first) }
