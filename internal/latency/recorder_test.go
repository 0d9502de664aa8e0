package latency

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var testKeys = []Key{{Op: "READ", Outcome: "OK"}, {Op: "UPDATE", Outcome: "OK"}, {Op: "UPDATE", Outcome: "TIMEOUT"}}

// counts returns the count of each key in series.
func counts(series []Series) map[Key]uint64 {
	m := make(map[Key]uint64)
	for _, s := range series {
		m[s.Key] += s.Response.Count()
	}
	return m
}

func TestCutTakesSamplesDoneBeforeItsEnd(t *testing.T) {
	r := newRecorder(testKeys, 2, 2)
	a, b := r.Local(0), r.Local(1)
	a.Record(0, 5, 50, 40)
	a.Record(0, 9, 60, 60)
	a.Record(1, 10, 70, 70) // the end itself belongs to the next window
	b.Record(2, 3, 80, 20)

	got := r.Cut(10)
	require.Equal(t, map[Key]uint64{testKeys[0]: 2, testKeys[2]: 1}, counts(got))
	require.Equal(t, testKeys[0], got[0].Key)
	require.Equal(t, encoded(t, histogramOf(50, 60)), encoded(t, got[0].Response))
	require.Equal(t, encoded(t, histogramOf(40, 60)), encoded(t, got[0].Service))

	b.Record(0, 9, 90, 90) // done before the cut, recorded after it
	got = r.Cut(20)
	require.Equal(t, map[Key]uint64{testKeys[0]: 1, testKeys[1]: 1}, counts(got))
	require.Same(t, got[0].Response, got[0].Service)
	require.Empty(t, r.Cut(math.MaxInt64))
}

func TestLatenessIsOfWholeOperationsInTheirWindows(t *testing.T) {
	keys := []Key{{Op: "READ-MODIFY-WRITE", Outcome: "OK"}, {Op: "READ", Outcome: "OK", PartOf: "READ-MODIFY-WRITE"}}
	r := newRecorder(keys, 2, 2)
	r.KeepLateness([]bool{true, true})
	r.SetBounds(Bounds{Every: 100})
	l := r.Local(0)
	l.Record(1, 4, 40, 15) // a part of the next
	l.Record(0, 5, 50, 25)
	l.Record(0, 6, 30, 30) // sent at its instant
	l.Record(0, 150, 90, 20)
	r.Local(1).Record(0, 7, 40, 39)

	series, lateness := r.CutWindow(100)
	require.EqualValues(t, 3, Ops(series))
	require.Equal(t, encoded(t, histogramOf(0, 1, 25)), encoded(t, lateness))
	_, lateness = r.CutWindow(200)
	require.Equal(t, encoded(t, histogramOf(70)), encoded(t, lateness))
	series, lateness = r.CutWindow(300)
	require.Empty(t, series)
	require.Nil(t, lateness, "nothing was sent")

	l.Record(0, 301, 10, 10)
	_, lateness = r.CutWindow(math.MaxInt64)
	require.Equal(t, encoded(t, histogramOf(0)), encoded(t, lateness))
}

func TestCutDoesNotNeedTheWorkers(t *testing.T) {
	// Half a ring is in it, and its worker, hung in an operation, will not come to drain it.
	r := newRecorder(testKeys, 1000, 8)
	for w := range 1000 {
		for i := range w % ringSize {
			r.Local(w).Record(0, int64(i), 100, 100)
		}
	}
	want := uint64(0)
	for w := range 1000 {
		want += uint64(w % ringSize)
	}
	require.Equal(t, want, Ops(r.Cut(ringSize)))
}

// TestSamplesAreInTheWindowInWhichTheyWereDone lets workers run ahead of the cutter, so that rings are drained into windows
// that are cut later.
func TestSamplesAreInTheWindowInWhichTheyWereDone(t *testing.T) {
	const every = 1000
	for name, c := range map[string]struct {
		bounds Bounds
		ahead  int64   // the workers record up to so long after a window's end before it is cut
		cuts   []int64 // ends of all windows
	}{
		"cut in time":                  {Bounds{Every: every}, 0, []int64{1000, 2000, 3000, 4000, 5000}},
		"cut late":                     {Bounds{Every: every}, 900, []int64{1000, 2000, 3000, 4000, 5000}},
		"cut two windows late":         {Bounds{Every: every}, 2900, []int64{1000, 2000, 3000, 4000, 5000, 6000, 7000}},
		"a stop between multiples":     {Bounds{Every: every, Stop: 2500}, 900, []int64{1000, 2000, 2500, 3500, 4500}},
		"one cut over several windows": {Bounds{Every: every}, 900, []int64{1000, 4000, 5000, 8000}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder(testKeys, 3, 2)
			r.SetBounds(c.bounds)
			now := int64(0)
			start := int64(0)
			for _, end := range c.cuts {
				for ; now < end+c.ahead; now++ {
					r.Local(int(now%3)).Record(0, now, now, now)
				}
				got := r.Cut(end)
				require.Len(t, got, 1)
				require.EqualValues(t, end-start, got[0].Response.Count())
				require.Equal(t, start, got[0].Response.Min())
				require.Equal(t, end-1, got[0].Response.Max())
				start = end
			}
			rest := r.Cut(math.MaxInt64)
			require.EqualValues(t, now-start, Ops(rest))
		})
	}
}

func TestNewBoundsMoveLaterWindows(t *testing.T) {
	// A stop that is announced too late finds samples of the windows that were planned before.
	r := newRecorder(testKeys, 1, 1)
	r.SetBounds(Bounds{Every: 1000})
	l := r.Local(0)
	record := func(from, to int64) {
		for now := from; now < to; now++ {
			l.Record(0, now, now, now)
		}
	}
	record(0, 2800)
	got := r.Cut(1000)
	require.EqualValues(t, 1000, Ops(got))
	r.SetBounds(Bounds{Every: 1000, Stop: 2900})
	record(2800, 4000)
	// No window was moved before its time, and an end between two planned ones leaves the later ones alone.
	got = r.Cut(1500)
	require.GreaterOrEqual(t, Ops(got), uint64(500))
	require.Less(t, got[0].Response.Max(), int64(2000))
	before := Ops(got)
	got = r.Cut(2900)
	require.Equal(t, uint64(1900)-before, Ops(got))
	require.EqualValues(t, 1100, Ops(r.Cut(math.MaxInt64)))

	// Fewer ends than before: windows come together and nothing is lost.
	r.SetBounds(Bounds{})
	r = newRecorder(testKeys, 1, 1)
	r.SetBounds(Bounds{Every: 100})
	l = r.Local(0)
	record(0, 400)
	r.SetBounds(Bounds{Stop: 250})
	got = r.Cut(250)
	require.LessOrEqual(t, Ops(got), uint64(300))
	require.Equal(t, 400-Ops(got), Ops(r.Cut(math.MaxInt64)))
}

func TestBoundsThatDriftKeepWindowsApart(t *testing.T) {
	// A clock that is slewed moves the coming ends a little at each cut. A cutter that is two windows late then
	// still finds each window for itself.
	for name, drift := range map[string]int64{"forward": 3, "backward": -3} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder(testKeys, 1, 1)
			l := r.Local(0)
			now := int64(0)
			for end := int64(1000); end < 20_000; end += 1000 + drift {
				r.SetBounds(Bounds{Start: end, Every: 1000})
				for ; now < end+1900; now++ {
					l.Record(0, now, now, now)
				}
				got := r.Cut(end)
				require.InDelta(t, 1000+drift, Ops(got), 10)
				require.InDelta(t, end, got[0].Response.Max(), 10)
			}
			require.InDelta(t, 1900, Ops(r.Cut(math.MaxInt64)), 10)
		})
	}
}

func TestWorkersAndCutterTogether(t *testing.T) {
	// Under -race this is the proof that a ring has one writer at a time; in any case every sample comes out
	// once, and never in a window before its own. The response time identifies the instant.
	const workers, each, every = 6, 20_000, 1000
	r := newRecorder(testKeys, workers, 2)
	r.SetBounds(Bounds{Every: every})
	var clock, cutTo atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			l := r.Local(w)
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for range each {
				now := clock.Add(1) - 1
				for now >= cutTo.Load()+Horizon*every {
					runtime.Gosched()
				}
				l.Record(rng.IntN(len(testKeys)), now, now, now-rng.Int64N(2)*(now/2))
			}
		})
	}
	var m Merged
	for end := int64(every); end <= workers*each; end += every {
		for clock.Load() < end {
			runtime.Gosched()
		}
		series := r.Cut(end)
		cutTo.Store(end)
		for _, s := range series {
			require.Less(t, s.Response.Max(), end)
		}
		require.NoError(t, m.Add(series))
	}
	group.Wait()
	require.NoError(t, m.Add(r.Cut(math.MaxInt64)))
	var sum uint64
	for _, s := range m.Series() {
		sum += s.Response.Sum()
	}
	const n = workers * each
	require.EqualValues(t, n, Ops(m.Series()))
	require.EqualValues(t, n*(n-1)/2, sum)
}

func TestAWorkerOnlyWaitsForABusyStripeWhenItsRingIsFull(t *testing.T) {
	const n = 3 * ringSize
	r := newRecorder(testKeys, 1, 1)
	l := r.Local(0)
	var worker sync.WaitGroup
	r.stripes[0].mu.Lock()
	worker.Go(func() {
		for i := range int64(n) {
			l.Record(0, i, i, i)
		}
	})
	for l.head.Load() < ringSize {
		runtime.Gosched()
	}
	for range 1000 {
		runtime.Gosched()
	}
	require.EqualValues(t, ringSize, l.head.Load(), "a sample that nobody has counted is overwritten")
	r.stripes[0].mu.Unlock()
	worker.Wait()
	got := r.Cut(n)
	require.EqualValues(t, n, Ops(got))
	require.EqualValues(t, n*(n-1)/2, got[0].Response.Sum())
}

func TestTapSeesEverySampleOfAWorkerInOrder(t *testing.T) {
	type seen struct{ series, done, response, service int64 }
	r := newRecorder(testKeys, 2, 1)
	got := make([][]seen, 2)
	r.Tap(func(worker, series, _ int, done, response, service int64) {
		got[worker] = append(got[worker], seen{int64(series), done, response, service})
	})
	want := make([][]seen, 2)
	for i := range int64(1000) {
		s := seen{i % 3, i, 2*i - 7, 2 * Highest}
		want[i%2] = append(want[i%2], s)
		r.Local(int(i%2)).Record(int(s.series), s.done, s.response, s.service)
		if i == 333 {
			r.Cut(100)
		}
	}
	r.Cut(1000)
	require.Equal(t, want, got)
}

func TestATapNamesTheCutThatHasEachSample(t *testing.T) {
	const workers, every, cuts = 4, 1000, 50
	r := newRecorder(testKeys, workers, 2)
	var mu sync.Mutex
	tapped := make(map[int]uint64)
	r.Tap(func(_, _, window int, _, _, _ int64) {
		mu.Lock()
		defer mu.Unlock()
		tapped[window]++
	})
	r.SetBounds(Bounds{Start: every, Every: every})
	var now atomic.Int64
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for done := int64(0); done < cuts*every; {
				done = now.Add(1)
				r.Local(worker).Record(0, done, 1, 1)
			}
		})
	}
	cut := func(k int, end int64) {
		n := Ops(r.Cut(end))
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, n, tapped[k], "cut %d", k)
		delete(tapped, k)
	}
	for k := range cuts {
		for now.Load() < int64(k+1)*every {
			runtime.Gosched()
		}
		cut(k, int64(k+1)*every)
	}
	all.Wait()
	cut(cuts, math.MaxInt64)
	require.Empty(t, tapped)
}

func TestUnusualSamplesAreRecorded(t *testing.T) {
	samples := []int64{-3, 0, 1, 5000, Highest, Highest + 1, math.MaxInt64}
	r := newRecorder(testKeys, 1, 1)
	for _, v := range samples {
		r.Local(0).Record(0, 0, v, v)
		r.Local(0).Record(1, 0, v, 7)
	}
	got := r.Cut(1)
	require.Equal(t, encoded(t, histogramOf(samples...)), encoded(t, got[0].Response))
	require.Equal(t, encoded(t, histogramOf(samples...)), encoded(t, got[1].Response))
	require.Equal(t, encoded(t, histogramOf(7, 7, 7, 7, 7, 7, 7)), encoded(t, got[1].Service))
}

func TestACountThatPasses32BitsIsExact(t *testing.T) {
	var free freePages
	tl := new(tally)
	tl.add(5000, &free)
	i := index(5000)
	tl.pages[i>>pageBits][i&pageMask] = math.MaxUint32
	tl.add(5000, &free)
	tl.add(5000, &free)
	h := new(Histogram)
	require.NoError(t, h.addTally(tl))
	require.EqualValues(t, 1<<32+1, h.Count())
	require.EqualValues(t, 5000, h.Quantile(0.5))
	for _, n := range h.all {
		require.EqualValues(t, 1<<32+1, n)
	}
}

func TestRecordOfAnUnknownSeriesPanics(t *testing.T) {
	r := NewRecorder(testKeys, 1)
	require.PanicsWithValue(t, "latency: record series 3 of 3", func() { r.Local(0).Record(3, 0, 1, 1) })
	require.Empty(t, r.Cut(1), "no lock is left behind")
}

func TestRecordAllocatesNothing(t *testing.T) {
	r := NewRecorder(testKeys, 4)
	rng := rand.New(rand.NewPCG(1, 1))
	n := int64(0)
	record := func() {
		for i := range 4 * ringSize {
			service := int64(400_000 * math.Exp(0.1*rng.NormFloat64()))
			r.Local(i%4).Record(i%3, n, service+int64(i%2)*10, service)
			n++
		}
	}
	for range 100 {
		record()
	}
	require.Zero(t, testing.AllocsPerRun(50, record))

	r.Cut(n)
	for i := range r.stripes {
		require.NotEmpty(t, r.stripes[i].cells, "a cut hands back what it took, for the next window")
		require.NotEmpty(t, r.stripes[i].pages)
	}
}

// TestMemoryOf1000Workers enforces the budget of 64 MiB for 1000 workers and 6 kinds of operation on a machine with many
// processors, with a full window and the next one filling while it is cut.
func TestMemoryOf1000Workers(t *testing.T) {
	const workers, kinds, budget = 1000, 6, 64 << 20
	rng := rand.New(rand.NewPCG(1, 1))
	for name, value := range map[string]func(i int) int64{
		"lognormal": func(int) int64 { return int64(500_000 * math.Exp(0.7*rng.NormFloat64())) },
		"all pages": func(i int) int64 { return lowest(i % pages << pageBits) },
	} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			r := newRecorder(make([]Key, kinds), workers, maxStripes)
			r.SetBounds(Bounds{Every: int64(time.Second)})
			perWorker := kinds * pages
			for window := range int64(2) {
				for w := range workers {
					for i := range perWorker {
						v := min(value(i), Highest)
						r.Local(w).Record(i/pages, window*int64(time.Second)+int64(i), v+1, v)
					}
				}
			}
			filled := heap()
			cut := r.Cut(int64(time.Second))
			after := heap()
			require.EqualValues(t, workers*perWorker, Ops(cut))
			t.Logf("%.1f MiB with two windows, %.1f MiB with one and the other cut", mib(filled-before), mib(after-before))
			require.Less(t, filled-before, int64(budget))
			require.Less(t, after-before, int64(budget))
			runtime.KeepAlive(r)
			runtime.KeepAlive(cut)
		})
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
