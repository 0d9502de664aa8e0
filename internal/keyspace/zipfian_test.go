package keyspace

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sums were computed by a Java program that follows the reference's formula, with Java's own pow.
func TestZipfianGivesJavasItemForTheSameNumber(t *testing.T) {
	for _, test := range []struct {
		name    string
		zipfian *Zipfian
		first   []int64
		sum     int64
	}{
		{"requests", &NewScrambled(0, 1).ranks, []int64{2133226, 208, 430714800, 69290, 4, 16750497}, 925223298332904701},
		{"a million", NewZipfian(0, 999_999), []int64{4765, 16, 134189, 572, 1, 17280}, -8001948527823156909},
		{"a thousand", NewZipfian(0, 999), []int64{55, 2, 333, 17, 0, 110}, -1246370804783243032},
		{"a hundred", NewZipfian(0, 99), []int64{12, 1, 45, 5, 0, 20}, -591560637076825060},
		{"three", NewZipfian(0, 2), []int64{1, 0, 2, 0, 0, 1}, -5665255201105475329},
		{"two", NewZipfian(0, 1), []int64{0, 0, 1, 0, 0, 1}, 124040694118802944},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sum int64
			for k := uint64(1); k <= 1_000_000; k++ {
				item := test.zipfian.Item(float64(k*golden>>11) * 0x1p-53)
				if k <= 6 {
					require.Equal(t, test.first[k-1], item)
				}
				sum = 31*sum + item
			}
			require.Equal(t, test.sum, sum)
		})
	}
}

// The fast path must never decide if its error could change the result.
func TestTheFastPathOfZipfianAgreesWithTheExactOne(t *testing.T) {
	r := NewRand(6)
	for _, items := range []int64{3, 100, 1 << 20, scrambledRanks, 1 << 40, 1 << 53} {
		z := NewZipfian(0, items-1)
		for range draws / 5 {
			u := r.Float64()
			if u*z.zetan < z.second {
				continue
			}
			x := float64(z.eta*u) - z.eta + 1
			if quick, exact := z.curve.rank(z.items, z.eta, u), z.curve.exact(z.items, x); quick != exact {
				require.Equal(t, exact, quick, "u %v of %d items", u, items)
			}
		}
	}
}

func TestZipfianFollowsItsFormula(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 1000, 100_000} {
		z, r := NewZipfian(50, 50+n-1), NewRand(7, uint64(n))
		counts := count(t, n, func() int64 { return z.Draw(&r) - 50 })
		if n == 1 {
			continue // 0 is the only item
		}
		requireChiSquare(t, counts, zipfianProbability(n, zetaSum(0, n, 0)))
	}
}

// The test bounds the error of the approximation.
func TestZipfianIsNearlyZipfs(t *testing.T) {
	const n = 1000
	zetan := zetaSum(0, n, 0)
	var off float64
	for i, p := range zipfianProbability(n, zetan) {
		off += math.Abs(p-math.Pow(float64(i+1), -theta)/zetan) / 2
	}
	require.Less(t, off, 0.02, "total variation distance")
}

func TestZetaAgreesWithItsSum(t *testing.T) {
	for _, n := range []int64{1, 2, zetaExact, zetaExact + 1, 5000, 1_000_000} {
		require.InEpsilon(t, zetaSum(0, n, 0), zeta(n), 1e-12, "%d terms", n)
	}
	// YCSB's constant is a sum of ten billion roundings.
	require.InEpsilon(t, scrambledZeta, zeta(scrambledRanks), 1e-11)
}

// The places were computed by a Java program; a million rows without inserts are 1 000 001 places in YCSB.
func TestScrambledHasYCSBsHotRows(t *testing.T) {
	for rows, want := range map[int64][]int64{
		1_000_000: {801320, 216074, 971811, 386565, 464295, 49540, 293804, 879050, 407915, 822670},
		1000:      {144, 610, 213, 679, 10, 545, 942, 476, 436, 902},
	} {
		d := NewScrambled(0, rows)
		for rank, place := range want {
			require.Equal(t, place, d.Place(int64(rank)), "rank %d of %d rows", rank, rows)
		}
		if draws < 1_000_000 {
			continue // too few to distinguish neighbouring ranks
		}
		r := NewRand(8)
		counts := count(t, rows+1, func() int64 { return d.Draw(&r) })
		order := make([]int64, len(counts))
		for i := range order {
			order[i] = int64(i)
		}
		slices.SortFunc(order, func(a, b int64) int { return int(counts[b] - counts[a]) })
		require.Equal(t, want[:7], order[:7])
	}
}

func TestScrambledFollowsItsFormula(t *testing.T) {
	const size, known = 1000, 200_000
	want := make([]float64, size)
	d := NewScrambled(0, size-1)
	// The probability of each of the first ranks, and the rest as evenly as the hash spreads it.
	zeta2 := 1 + math.Pow(0.5, theta)
	begin := func(k float64) float64 {
		n := float64(scrambledRanks + 1)
		eta := (1 - math.Pow(2/n, 1-theta)) / (1 - zeta2/scrambledZeta)
		return max((math.Pow(k/n, 1-theta)-1+eta)/eta, zeta2/scrambledZeta)
	}
	want[d.Place(0)] += 1 / scrambledZeta
	want[d.Place(1)] += (zeta2 - 1) / scrambledZeta
	for k := range int64(known) {
		want[d.Place(k)] += begin(float64(k+1)) - begin(float64(k))
	}
	for i := range want {
		want[i] += (1 - begin(known)) / size
	}
	r := NewRand(9)
	requireChiSquare(t, count(t, size, func() int64 { return d.Draw(&r) }), want)
}

func TestLatestFollowsItsFormula(t *testing.T) {
	const newest = 10_000
	l, r := NewLatest(newest), NewRand(10)
	counts := count(t, newest, func() int64 { return l.Back(&r, newest) })
	requireChiSquare(t, counts, zipfianProbability(newest, zetaSum(0, newest, 0)))
}

// A growing table has the zeta of its current size and the eta of its initial size, as in YCSB.
func TestLatestGrowsLikeYCSB(t *testing.T) {
	for _, test := range []struct{ from, to int64 }{{10, 12}, {100, 5000}, {4000, 4097}, {10_000, 30_000}} {
		l, r := NewLatest(test.from), NewRand(11)
		for newest := test.from; newest <= test.to; newest += 1 + (test.to-test.from)/100 {
			l.Back(&r, newest)
		}
		l.Back(&r, test.to)
		zetan := zetaSum(0, test.to, 0)
		require.InEpsilon(t, zetan, l.zipfian.zetan, 1e-12)
		eta := (1 - math.Pow(2/float64(test.from), 1-theta)) / (1 - (1+math.Pow(0.5, theta))/zetan)
		require.InEpsilon(t, eta, l.zipfian.eta, 1e-9)
		require.EqualValues(t, test.to, l.zipfian.items)
	}
}

func TestLatestOfTheSmallestTables(t *testing.T) {
	r := NewRand(12)
	for newest := range int64(4) {
		l := NewLatest(newest).Clone()
		for range 1000 {
			back := l.Back(&r, newest)
			require.GreaterOrEqual(t, back, int64(0))
			require.LessOrEqual(t, back, newest)
		}
	}
}

func BenchmarkScrambled(b *testing.B) {
	d, r := NewScrambled(0, 1_000_000), NewRand(1)
	b.ReportAllocs()
	for b.Loop() {
		d.Draw(&r)
	}
}

func BenchmarkLatestOfAGrowingTable(b *testing.B) {
	l, r := NewLatest(1_000_000), NewRand(1)
	newest := int64(1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		newest++
		l.Back(&r, newest)
	}
}
