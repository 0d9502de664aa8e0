package hbase_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/workload"
)

// counted counts the calls of a Locator.
type counted struct {
	hbase.Locator

	tables, rows atomic.Int64
	row          func(ctx context.Context, key []byte) (hbase.Place, error) // replaces the Locator's, if set
}

func (c *counted) Table(ctx context.Context) ([]hbase.Place, error) {
	c.tables.Add(1)
	return c.Locator.Table(ctx)
}

func (c *counted) Row(ctx context.Context, key []byte) (hbase.Place, error) {
	c.rows.Add(1)
	if c.row != nil {
		return c.row(ctx, key)
	}
	return c.Locator.Row(ctx, key)
}

// crowd has workers do an operation at the same time, and returns how each ended.
func crowd(t *testing.T, target *hbase.Table, workers int, op func(worker int) *workload.Op) []workload.Outcome {
	t.Helper()
	outs := make([]workload.Outcome, workers)
	var work sync.WaitGroup
	for w := range workers {
		s, err := target.Open(t.Context(), w)
		require.NoError(t, err)
		work.Go(func() { outs[w] = s.Do(t.Context(), op(w)) })
	}
	work.Wait()
	return outs
}

// Errors that do not concern a region's place cause no look-up.
func TestOnlyErrorsOfPlaceCauseLookUps(t *testing.T) {
	for exception, looks := range map[string]int64{
		"java.io.IOException: disk":                                           0,
		"org.apache.hadoop.hbase.RegionTooBusyException: full":                0,
		"org.apache.hadoop.hbase.SomethingNew: what":                          0,
		"org.apache.hadoop.hbase.NotServingRegionException: gone":             1,
		"org.apache.hadoop.hbase.exceptions.RegionMovedException: no place":   1,
		"org.apache.hadoop.hbase.exceptions.RegionOpeningException: patience": 1,
	} {
		t.Run(exception, func(t *testing.T) {
			f := newFake(t)
			f.put("k", map[string]string{"f": "v"})
			var asked atomic.Int64
			f.do(func(*request) *reply {
				if asked.Add(1) == 1 {
					return &reply{exception: exception}
				}
				return nil
			})
			places := &counted{Locator: one(f.addr())}
			_, s := open(t, settings(t), places)
			require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
			require.Equal(t, looks, places.rows.Load(), "look-ups")
			require.EqualValues(t, 1, places.tables.Load(), "the whole table is listed only at the start")
		})
	}
}

func TestARegionIsFollowedToTheServerInTheException(t *testing.T) {
	from, to := newFake(t), newFake(t)
	to.put("k", map[string]string{"f": "v"})
	host, port, err := net.SplitHostPort(to.addr())
	require.NoError(t, err)
	from.do(func(*request) *reply {
		return &reply{exception: fmt.Sprintf("org.apache.hadoop.hbase.exceptions.RegionMovedException: Region moved to: hostname=%s port=%s startCode=1700000000000. As of locationSeqNum=7.", host, port)}
	})
	places := &counted{Locator: one(from.addr())}
	_, s := open(t, settings(t), places)
	require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
	require.Equal(t, workload.OK, s.Do(t.Context(), read("k")).Code)
	require.Zero(t, places.rows.Load(), "no look-up was necessary")
	require.Len(t, from.requests(), 1)
	require.Len(t, to.requests(), 2)
}

func TestARegionIsLookedUpOnceForAllItsWorkers(t *testing.T) {
	f := newFake(t)
	for _, k := range []string{"a", "n"} {
		f.put(k, map[string]string{"f": "v"})
	}
	const workers = 32
	var gone sync.WaitGroup
	gone.Add(workers)
	var asked atomic.Int64
	all := make(chan struct{})
	f.do(func(*request) *reply {
		if asked.Add(1) > workers {
			return nil
		}
		gone.Done()
		return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: gone", wait: all}
	})
	go func() {
		gone.Wait()
		close(all)
	}()
	split := &two{addrs: [2]string{f.addr(), f.addr()}}
	places := &counted{Locator: table(split.locate)}
	target, _ := open(t, settings(t), places)
	held := make(chan struct{})
	places.row = func(ctx context.Context, key []byte) (hbase.Place, error) {
		if places.rows.Load() == 2 { // both regions are looked up at the same time
			close(held)
		}
		select {
		case <-held:
		case <-ctx.Done():
			return hbase.Place{}, ctx.Err()
		}
		return places.Locator.Row(ctx, key)
	}
	for _, out := range crowd(t, target, workers, func(w int) *workload.Op { return read([]string{"a", "n"}[w%2]) }) {
		require.NoError(t, out.Err)
	}
	require.EqualValues(t, 2, places.rows.Load(), "one for each region")
	require.EqualValues(t, 1, places.tables.Load())
}

func TestDaughtersReplaceARegionThatWasSplit(t *testing.T) {
	f := newFake(t)
	for _, k := range []string{"a", "n"} {
		f.put(k, map[string]string{"f": "v"})
	}
	var asked atomic.Int64
	f.do(func(*request) *reply {
		if asked.Add(1) == 1 {
			return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: split"}
		}
		return nil
	})
	split := &two{addrs: [2]string{f.addr(), f.addr()}}
	places := &counted{Locator: one(f.addr()), row: table(split.locate).Row}
	_, s := open(t, settings(t), places)
	for range 2 {
		for _, k := range []string{"a", "n"} {
			require.NoError(t, s.Do(t.Context(), read(k)).Err)
		}
	}
	require.EqualValues(t, 2, places.rows.Load())
	require.EqualValues(t, 5, asked.Load())
}

func TestARegionInTransitionIsLookedUpAgain(t *testing.T) {
	f := newFake(t)
	f.put("k", map[string]string{"f": "v"})
	var asked atomic.Int64
	f.do(func(*request) *reply {
		if asked.Add(1) == 1 {
			return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: closed"}
		}
		return nil
	})
	places := &counted{Locator: one(f.addr())}
	places.row = func(ctx context.Context, key []byte) (hbase.Place, error) {
		if places.rows.Load() < 4 {
			return hbase.Place{Name: "usertable,,1.abc."}, nil
		}
		return places.Locator.Row(ctx, key)
	}
	_, s := open(t, settings(t), places)
	require.NoError(t, s.Do(t.Context(), read("k")).Err)
	require.EqualValues(t, 4, places.rows.Load())
	require.EqualValues(t, 2, asked.Load())
}

func TestAHostThatIsGoneIsDialedOnceForAllWorkers(t *testing.T) {
	f := newFake(t)
	places := &counted{Locator: one(f.addr())}
	target, _ := open(t, settings(t, "hbase.client.operation.timeout", "500"), places)
	f.stop()
	refused, began := 0, time.Now()
	for _, out := range crowd(t, target, 32, func(int) *workload.Op { return read("k") }) {
		require.Equal(t, workload.Timeout, out.Code)
		if strings.Contains(out.Err.Error(), "connection refused") {
			refused++
			continue
		}
		// A worker that came last may only have waited for the look-up that follows such a failure.
		require.ErrorContains(t, out.Err, `look up the region of "k"`)
	}
	require.Positive(t, refused, "the error has the cause")
	most := 1 + uint64(time.Since(began)/(2*time.Second)) // a failure is remembered for two seconds
	require.LessOrEqual(t, target.Counts()["connect"], most, "dials by 32 workers")
}
