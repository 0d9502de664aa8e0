package keyspace

import "math"

// Latest draws how far back from the newest row a request goes: a zipfian over the rows
// below the newest, with the newest itself most often. It grows with the rows and serves one goroutine.
type Latest struct {
	zipfian Zipfian
	offset  float64 // makes zetaTail zeta
	built   float64 // initial rows; YCSB keeps using them in eta
	rows    int64
}

// NewLatest returns the distribution for a table whose newest row is number newest.
func NewLatest(newest int64) *Latest {
	rows := max(newest, 1)
	return &Latest{
		zipfian: *newZipfian(0, rows, zeta(rows)),
		offset:  zetaOffset(), built: float64(rows), rows: rows,
	}
}

// Clone returns a copy for another goroutine, without computing zeta again.
func (l *Latest) Clone() *Latest {
	c := *l
	return &c
}

// Back draws how far back from row number newest the next request goes. The caller draws again if the result is above
// newest, which YCSB's formula can give if it started with a single row.
func (l *Latest) Back(r *Rand, newest int64) int64 {
	if newest < 1 {
		return 0
	}
	if newest > l.rows {
		l.grow(newest)
	}
	return l.zipfian.Draw(r)
}

// grow computes zeta by the formula. YCSB adds the new terms one by one, under a lock that all threads share.
func (l *Latest) grow(rows int64) {
	z := &l.zipfian
	if rows > zetaExact {
		z.zetan = l.offset + zetaTail(float64(rows))
	} else {
		z.zetan = zetaSum(l.rows, rows, z.zetan)
	}
	l.rows = rows
	z.items = float64(rows)
	z.eta = z.curve.eta(l.built, z.zetan)
}

// Exponential draws how far back from the newest row a request goes, with exponentially falling probability. It is
// immutable.
type Exponential struct {
	mean float64
}

// NewExponential returns the distribution in which percentile percent of the requests go to the newest rows, a fraction
// frac of records.
func NewExponential(percentile, frac float64, records int64) Exponential {
	return Exponential{mean: -float64(records) * frac / math.Log(1-percentile/100)}
}

// Back draws how far back from the newest row the next request goes. The caller draws again if the result is before the
// first row.
func (e Exponential) Back(r *Rand) int64 {
	const far = 1 << 62
	return int64(min(-math.Log(r.Float64())*e.mean, far))
}
