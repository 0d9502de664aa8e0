package keyspace

import "math"

// theta is the skew of every zipfian distribution of YCSB's core workload.
const theta = 0.99

// Zipfian draws from Min … Min+items-1, small numbers most often: number i in proportion to 1/(i+1)^0.99. It is the
// method of Gray and others (SIGMOD 1994) with the arithmetic of YCSB, so that the same random number gives the
// same item.
type Zipfian struct {
	min    int64
	curve  curve
	zetan  float64
	eta    float64
	second float64 // below it, u·zetan is the second item
	items  float64
}

// NewZipfian returns the distribution over minimum … maximum, both included.
func NewZipfian(minimum, maximum int64) *Zipfian {
	items := maximum - minimum + 1
	return newZipfian(minimum, items, zeta(items))
}

func newZipfian(minimum, items int64, zetan float64) *Zipfian {
	c := newCurve()
	return &Zipfian{
		min: minimum, curve: c, zetan: zetan, items: float64(items),
		eta: c.eta(float64(items), zetan), second: c.second,
	}
}

// Draw implements Distribution.
func (z *Zipfian) Draw(r *Rand) int64 { return z.Item(r.Float64()) }

// Item is the number that belongs to u in [0, 1).
func (z *Zipfian) Item(u float64) int64 {
	uz := u * z.zetan
	if uz < 1 {
		return z.min
	}
	if uz < z.second {
		return z.min + 1
	}
	return z.min + z.curve.rank(z.items, z.eta, u)
}

// curve holds the constants that follow from theta alone. They are computed at run time in float64, because
// YCSB does so: 1/(1-0.99) is 99.99999999999991 there and not 100.
type curve struct {
	alpha  float64
	second float64 // 1 + 0.5^theta, which is also zeta(2)
}

func newCurve() curve {
	t := theta
	return curve{alpha: 1 / (1 - t), second: 1 + math.Pow(0.5, t)}
}

// eta is YCSB's constant of that name for a distribution built over items whose zeta is zetan.
func (c curve) eta(items, zetan float64) float64 {
	t := theta
	return (1 - math.Pow(2/items, 1-t)) / (1 - c.second/zetan)
}

// rank is the item that belongs to u beyond the first two. The conversions keep the compiler from fusing
// multiplication and addition, which would round differently from Java.
func (c curve) rank(items, eta, u float64) int64 {
	x := float64(eta*u) - eta + 1
	return int64(items * math.Pow(x, c.alpha))
}
