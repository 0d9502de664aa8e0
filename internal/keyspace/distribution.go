package keyspace

// Distribution draws numbers. It is immutable, so that all workers may share one; what is random comes from r.
type Distribution interface {
	Draw(r *Rand) int64
}

// Constant always draws the same number.
type Constant int64

// Draw implements Distribution.
func (c Constant) Draw(*Rand) int64 { return int64(c) }

// Uniform draws every number of a range alike.
type Uniform struct {
	min, count int64
}

// NewUniform returns the distribution over minimum … maximum, both included.
func NewUniform(minimum, maximum int64) Uniform {
	return Uniform{min: minimum, count: maximum - minimum + 1}
}

// Draw implements Distribution.
func (d Uniform) Draw(r *Rand) int64 { return d.min + r.Below(d.count) }

// Scrambled is YCSB's zipfian distribution of requests: a zipfian over ten billion ranks, each hashed into the
// range, so that the popular rows lie scattered over it.
type Scrambled struct {
	min, count int64
	ranks      *Zipfian
}

const (
	scrambledRanks = 10_000_000_000    // YCSB draws ranks 0 … this
	scrambledZeta  = 26.46902820178302 // and takes this for their zeta
)

// NewScrambled returns the distribution over minimum … maximum, both included. YCSB passes as maximum the first
// number after the rows that there are and are expected.
func NewScrambled(minimum, maximum int64) *Scrambled {
	return &Scrambled{
		min: minimum, count: maximum - minimum + 1,
		ranks: newZipfian(0, scrambledRanks+1, scrambledZeta),
	}
}

// Draw implements Distribution.
func (d *Scrambled) Draw(r *Rand) int64 { return d.Place(d.ranks.Draw(r)) }

// Place is the number of the row of a popularity rank, 0 being the most popular.
func (d *Scrambled) Place(rank int64) int64 { return d.min + Hash(rank)%d.count }
