package keyspace

import "math"

// theta is the skew of every zipfian distribution in YCSB's core workload.
const theta = 0.99

// Zipfian draws from a range, small numbers most often: number i with a probability proportional to 1/(i+1)^0.99. It uses
// the method of Gray et al. (SIGMOD 1994) with the arithmetic of YCSB, so that the same random number gives the same item.
type Zipfian struct {
	min    int64
	items  float64
	zetan  float64
	eta    float64
	second float64 // below it, u·zetan is the second item
	curve  curve
}

// NewZipfian returns the distribution over minimum … maximum, both included.
func NewZipfian(minimum, maximum int64) *Zipfian {
	items := maximum - minimum + 1
	return newZipfian(minimum, items, zeta(items))
}

func newZipfian(minimum, items int64, zetan float64) *Zipfian {
	c := newCurve()
	return &Zipfian{
		min: minimum, items: float64(items), zetan: zetan,
		eta: c.eta(float64(items), zetan), second: c.second, curve: c,
	}
}

// Draw implements Distribution.
func (z *Zipfian) Draw(r *Rand) int64 { return z.Item(r.Float64()) }

// Item returns the number for u in [0, 1).
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

// curve contains the constants that follow from theta alone. They are computed at run time in float64, as in YCSB:
// 1/(1-0.99) is 99.99999999999991 there, not 100.
type curve struct {
	second  float64 // 1 + 0.5^theta, which is also zeta(2)
	beyond  float64 // the difference of the exponent 1/(1-theta) and whole
	flatten float64 // 1-theta
}

const whole = 100 // the exponent without rounding

func newCurve() curve {
	t := theta
	return curve{second: 1 + math.Pow(0.5, t), beyond: 1/(1-t) - whole, flatten: 1 - t}
}

// eta is YCSB's constant of that name for a distribution built over items whose zeta is zetan.
func (c *curve) eta(items, zetan float64) float64 {
	return (1 - math.Pow(2/items, c.flatten)) / (1 - c.second/zetan)
}

// guard bounds the relative error of items · x^100 against items · x^99.99999999999991 for x of at least half:
// 100 roundings of 2^-53 each, and 9·10^-14 · ln 2. It is three times their sum.
const guard = 0x1p-42

// rank returns the item for u after the first two: the integer part of items · (eta·u - eta + 1)^alpha. A power of 100 takes
// eight multiplications. If the approximation could change the integer part, about once in a thousand draws, rank calls
// exact.
//
// The conversion prevents the compiler from fusing multiplication and subtraction, which would round differently.
func (c *curve) rank(items, eta, u float64) int64 {
	x := float64(eta*u) - eta + 1
	x2 := x * x
	x4 := x2 * x2
	x8 := x4 * x4
	x16 := x8 * x8
	x32 := x16 * x16
	v := items * (x32 * x32 * (x32 * x4))
	margin := v * guard
	low, high := int64(v-margin), int64(v+margin)
	if low == high && x >= 0.5 {
		return low
	}
	return c.exact(items, x)
}

// exact computes the power in twice the precision and rounds it once, as YCSB's formula intends; Java's pow may differ by one
// unit in the last place.
func (c *curve) exact(items, x float64) int64 {
	if x < 0.5 { // only with an extremely wide or narrow range
		return int64(items * math.Pow(x, whole+c.beyond))
	}
	square := wide{x, 0}
	product := wide{1, 0}
	for n := whole; n > 0; n /= 2 {
		if n%2 == 1 {
			product = product.times(square)
		}
		square = square.times(square)
	}
	// x^beyond is 1 + beyond·ln x; the next term is below 10^-26.
	p := product.high + (product.low + product.high*(c.beyond*math.Log(x)))
	return int64(items * p)
}

// wide is a number of twice float64's precision: the sum of a float64 and its rounding error.
type wide struct {
	high, low float64
}

func (a wide) times(b wide) wide {
	p := float64(a.high * b.high) // rounded, and not fused with what follows
	rest := math.FMA(a.high, b.high, -p) + (a.high*b.low + a.low*b.high)
	high := p + rest
	return wide{high, rest - (high - p)}
}
