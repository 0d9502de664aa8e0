package keyspace

// Distribution draws numbers from a fixed range, with randomness from r. All distributions but Sequential are immutable and
// safe for concurrent use.
type Distribution interface {
	Draw(r *Rand) int64
}

// Constant always draws the same number.
type Constant int64

// Draw implements Distribution.
func (c Constant) Draw(*Rand) int64 { return int64(c) }

// Uniform draws every number of a range with the same probability.
type Uniform struct {
	min, count int64
}

// NewUniform returns the distribution over minimum … maximum, both included.
func NewUniform(minimum, maximum int64) Uniform {
	return Uniform{min: minimum, count: maximum - minimum + 1}
}

// Draw implements Distribution.
func (d Uniform) Draw(r *Rand) int64 { return d.min + r.Below(d.count) }

// Sequential goes through a range in steps, in rounds. It serves one goroutine. The distributions of several workers
// interleave, so that together they visit every number once per round.
type Sequential struct {
	min, count, at, step int64
}

// NewSequential returns the distribution of worker number worker of workers over minimum … maximum.
func NewSequential(minimum, maximum, worker, workers int64) *Sequential {
	count := maximum - minimum + 1
	return &Sequential{min: minimum, count: count, at: worker % count, step: workers % count}
}

// Draw implements Distribution. It is not random.
func (d *Sequential) Draw(*Rand) int64 {
	n := d.min + d.at
	d.at += d.step
	if d.at >= d.count {
		d.at -= d.count
	}
	return n
}

// Hotspot draws most often from the beginning of a range: uniformly within the hot part, and uniformly within the
// rest.
type Hotspot struct {
	min, hot, cold int64
	share          float64 // of draws that go to the hot part
}

// NewHotspot returns the distribution over minimum … maximum, both included, in which a fraction ops of the draws goes to the
// first fraction data of the range.
func NewHotspot(minimum, maximum int64, data, ops float64) Hotspot {
	count := maximum - minimum + 1
	hot := min(int64(float64(count)*data), count)
	switch hot { // YCSB divides by zero if a part is empty
	case 0:
		ops = 0
	case count:
		ops = 1
	}
	return Hotspot{min: minimum, hot: hot, cold: count - hot, share: ops}
}

// Draw implements Distribution.
func (d Hotspot) Draw(r *Rand) int64 {
	if r.Float64() < d.share {
		return d.min + r.Below(d.hot)
	}
	return d.min + d.hot + r.Below(d.cold)
}

// Scrambled is YCSB's zipfian distribution of requests: a zipfian over ten billion ranks, each hashed into the
// range, so that the popular rows are scattered over it.
type Scrambled struct {
	min, count int64
	ranks      Zipfian
}

const (
	scrambledRanks = 10_000_000_000    // YCSB draws ranks 0 … this
	scrambledZeta  = 26.46902820178302 // and uses this as their zeta
)

// NewScrambled returns the distribution over minimum … maximum, both included. YCSB passes as maximum the first
// number after the existing and the expected rows.
func NewScrambled(minimum, maximum int64) *Scrambled {
	return &Scrambled{
		min: minimum, count: maximum - minimum + 1,
		ranks: *newZipfian(0, scrambledRanks+1, scrambledZeta),
	}
}

// Draw implements Distribution.
func (d *Scrambled) Draw(r *Rand) int64 { return d.Place(d.ranks.Draw(r)) }

// Place returns the row of a popularity rank; rank 0 is the most popular.
func (d *Scrambled) Place(rank int64) int64 {
	return d.min + int64(uint64(Hash(rank))%uint64(d.count))
}
