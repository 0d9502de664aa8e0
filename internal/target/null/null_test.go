package null_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/workload"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, s nullspec.Settings) (*null.System, load.Session) {
	t.Helper()
	target, err := null.New(s, load.Settings{Agent: "a", Shard: 2, Seed: 7, PlainTimers: true, WriteBelow: "/"})
	require.NoError(t, err)
	session, err := target.Open(t.Context(), 3)
	require.NoError(t, err)
	return target, session
}

func service(t *testing.T, text string) nullspec.Service {
	t.Helper()
	s, err := nullspec.ParseService(text)
	require.NoError(t, err)
	return s
}

func TestServiceTimesHaveTheirDistribution(t *testing.T) {
	tests := map[string]struct{ p50, p90, max time.Duration }{
		"0":                     {0, 0, 0},
		"constant 3ms":          {3 * time.Millisecond, 3 * time.Millisecond, 3 * time.Millisecond},
		"lognormal 2ms 0.5":     {2 * time.Millisecond, time.Duration(2e6 * math.Exp(0.5*1.2816)), time.Hour},
		"bimodal 1ms 20ms 5%":   {time.Millisecond, time.Millisecond, 20 * time.Millisecond},
		"stall 1ms 100ms/500ms": {time.Millisecond, time.Millisecond, 101 * time.Millisecond},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target, session := open(t, nullspec.Settings{Service: service(t, text), Seed: 1})
				var took []time.Duration
				for range 5000 {
					began := time.Now()
					out := session.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("k")})
					require.Equal(t, workload.OK, out.Code)
					took = append(took, time.Since(began))
				}
				require.NoError(t, session.Close(t.Context()))
				require.NoError(t, target.Close())
				slices.Sort(took)
				require.InEpsilon(t, float64(want.p50)+1, float64(took[2500])+1, 0.05)
				require.InEpsilon(t, float64(want.p90)+1, float64(took[4500])+1, 0.1)
				require.LessOrEqual(t, took[4999], want.max)
			})
		})
	}
}

func TestNothingIsServedInAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The stall is in the middle of each period: from 4.5 s to 5.5 s.
		target, session := open(t, nullspec.Settings{Service: service(t, "stall 100ms 1s/10s")})
		do := func() time.Duration {
			began := time.Now()
			session.Do(t.Context(), &workload.Op{Kind: workload.Read})
			return time.Since(began)
		}
		require.Equal(t, 100*time.Millisecond, do())
		<-time.After(4350 * time.Millisecond) // 4.45 s
		require.Equal(t, 1100*time.Millisecond, do(), "one that is being served goes on after the stall")
		<-time.After(9400 * time.Millisecond) // 14.95 s
		require.Equal(t, 650*time.Millisecond, do(), "one that arrives in a stall waits for its end")
		require.NoError(t, session.Close(t.Context()))

		session, err := target.Open(t.Context(), 0)
		require.NoError(t, err)
		<-time.After(4500 * time.Millisecond)
		began := time.Now()
		session.Do(t.Context(), &workload.Op{Kind: workload.Read})
		require.Equal(t, 100*time.Millisecond, time.Since(began), "a new phase counts from its own first operation")
		require.NoError(t, session.Close(t.Context()))
	})
}

func TestATargetServesNoMoreThanItsCapacity(t *testing.T) {
	for name, test := range map[string]struct {
		capacity float64
		service  string
		workers  int
		want     time.Duration // that 1000 operations of each worker take
	}{
		"slower than its workers": {10_000, "0", 4, 400 * time.Millisecond},
		"one worker":              {10_000, "0", 1, 100 * time.Millisecond},
		"with a service time":     {10_000, "1ms", 20, 2 * time.Second},
		"faster than its workers": {10_000, "10ms", 4, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target, err := null.New(nullspec.Settings{Capacity: test.capacity, Service: service(t, test.service)}, load.Settings{PlainTimers: true})
				require.NoError(t, err)
				began := time.Now()
				var workers sync.WaitGroup
				closed := make([]error, test.workers)
				for w := range test.workers {
					session, err := target.Open(t.Context(), w)
					require.NoError(t, err)
					workers.Go(func() {
						for range 1000 {
							session.Do(t.Context(), &workload.Op{Kind: workload.Read})
						}
						closed[w] = session.Close(t.Context())
					})
				}
				workers.Wait()
				require.NoError(t, errors.Join(closed...))
				require.InDelta(t, test.want, time.Since(began), float64(3*time.Millisecond))
			})
		})
	}
}

func TestAColdTargetWarmsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, session := open(t, nullspec.Settings{Service: service(t, "warming 500ms 100ms over 4s")})
		do := func() time.Duration {
			began := time.Now()
			session.Do(t.Context(), &workload.Op{Kind: workload.Read})
			return time.Since(began)
		}
		require.Equal(t, 500*time.Millisecond, do())
		<-time.After(1500 * time.Millisecond)
		require.Equal(t, 300*time.Millisecond, do(), "half-way")
		<-time.After(1700 * time.Millisecond)
		require.Equal(t, 100*time.Millisecond, do())
		<-time.After(time.Hour)
		require.Equal(t, 100*time.Millisecond, do())
		require.NoError(t, session.Close(t.Context()))
	})
}

func TestAServiceLongerThanTheTimeBetweenStallsIsHeldUpByEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, session := open(t, nullspec.Settings{Service: service(t, "stall 30s 1s/10s")})
		began := time.Now()
		session.Do(t.Context(), &workload.Op{Kind: workload.Read})
		require.Equal(t, 33*time.Second, time.Since(began))
		require.NoError(t, session.Close(t.Context()))
	})
}

func TestACancelledOperationReportsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, session := open(t, nullspec.Settings{Service: service(t, "1h")})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		out := session.Do(ctx, &workload.Op{Kind: workload.Read})
		require.Equal(t, workload.Timeout, out.Code)
		require.ErrorIs(t, out.Err, context.DeadlineExceeded)
		require.NoError(t, session.Close(t.Context()))
	})
}

func TestSharesOfErrorsAndMissesAreKept(t *testing.T) {
	_, session := open(t, nullspec.Settings{ErrorShare: 0.1, NotFoundShare: 0.2})
	count := func(kind workload.Kind) (codes [workload.NumCodes]int) {
		for range 10_000 {
			out := session.Do(t.Context(), &workload.Op{Kind: kind})
			codes[out.Code]++
			require.Equal(t, out.Code.Good(), out.Err == nil)
		}
		return codes
	}
	read, update := count(workload.Read), count(workload.Update)
	require.InDelta(t, 1000, read[workload.Error], 100)
	require.InDelta(t, 1800, read[workload.NotFound], 130)
	require.InDelta(t, 1000, update[workload.Error], 100)
	require.Zero(t, update[workload.NotFound], "only a read can miss")
	require.NoError(t, session.Close(t.Context()))
}

func TestOneSeedGivesTheSameOutcomes(t *testing.T) {
	outcomes := func(worker int, seed uint64) string {
		target, err := null.New(nullspec.Settings{ErrorShare: 0.5}, load.Settings{Seed: seed})
		require.NoError(t, err)
		session, err := target.Open(t.Context(), worker)
		require.NoError(t, err)
		var b strings.Builder
		for range 64 {
			b.WriteString(session.Do(t.Context(), &workload.Op{}).Code.String()[:1])
		}
		return b.String()
	}
	first, again := outcomes(1, 5), outcomes(1, 5)
	require.Equal(t, first, again)
	require.NotEqual(t, outcomes(1, 5), outcomes(2, 5))
	require.NotEqual(t, outcomes(1, 5), outcomes(1, 6))
}

func TestRowsAndBytesAreCounted(t *testing.T) {
	_, session := open(t, nullspec.Settings{})
	tests := map[string]struct {
		op    workload.Op
		rows  int32
		bytes int64
	}{
		"read":   {workload.Op{Kind: workload.Read, Key: []byte("user1")}, 1, 5},
		"update": {workload.Op{Kind: workload.Update, Key: []byte("user1"), Values: [][]byte{make([]byte, 100)}}, 1, 105},
		"scan":   {workload.Op{Kind: workload.Scan, Key: []byte("user1"), ScanLength: 17}, 17, 5},
		"batch": {workload.Op{
			Kind: workload.Insert, Keys: [][]byte{[]byte("u1"), []byte("u2")}, Values: [][]byte{make([]byte, 10), make([]byte, 10)},
		}, 2, 24},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out := session.Do(t.Context(), &test.op)
			require.Equal(t, test.rows, out.Rows)
			require.Equal(t, test.bytes, out.Bytes)
		})
	}
	require.NoError(t, session.Close(t.Context()))
}

func TestTheLogHoldsEveryOperationOnceTheSessionIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ops.log")
	target, session := open(t, nullspec.Settings{LogPath: path, Service: service(t, "20us")})
	before := time.Now().UnixNano()
	for i := range 3000 {
		session.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("user" + strconv.Itoa(i))})
	}
	session.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: [][]byte{[]byte("u1"), []byte("u2")}})
	require.NoError(t, session.Close(t.Context()))
	after := time.Now().UnixNano()
	require.NoError(t, target.Close())

	content, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	require.Len(t, lines, 3001)
	last := before
	for i, line := range lines[:3000] {
		fields := strings.Fields(line)
		require.Equal(t, []string{"a", "2", "3", "READ", "user" + strconv.Itoa(i), "OK"}, fields[:6])
		begin, err := strconv.ParseInt(fields[6], 10, 64)
		require.NoError(t, err)
		end, err := strconv.ParseInt(fields[7], 10, 64)
		require.NoError(t, err)
		require.LessOrEqual(t, last, begin)
		require.LessOrEqual(t, begin+20_000, end)
		last = end
	}
	require.LessOrEqual(t, last, after)
	require.Contains(t, lines[3000], " INSERT u1,u2 OK ")
}

// The checksum at the end of a line is the same for the same operation, and differs for others.
func TestTheLogDistinguishesOperations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ops.log")
	target, session := open(t, nullspec.Settings{LogPath: path})
	list := func(texts ...string) (out [][]byte) {
		for _, text := range texts {
			out = append(out, []byte(text))
		}
		return out
	}
	ops := []workload.Op{
		{},
		{ScanLength: 7},
		{Delta: 7},
		{Fields: list("field0")},
		{ReadFields: list("field0")},
		{Fields: list("field0"), Values: list("ab")},
		{Fields: list("field0"), Values: list("ac")},
		{Fields: list("field1"), Values: list("ab")},
		{Fields: list("field0", "field1"), Values: list("a", "b")},
		{Fields: list("field0", "field1"), Values: list("ab", "")},
	}
	for range 2 {
		for _, op := range ops {
			op.Key = []byte("user1")
			session.Do(t.Context(), &op)
		}
	}
	require.NoError(t, session.Close(t.Context()))
	require.NoError(t, target.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	seen := map[string]int{}
	for line := range strings.Lines(string(content)) {
		seen[strings.Fields(line)[8]]++
	}
	require.Len(t, seen, len(ops))
	for sum, times := range seen {
		require.Equal(t, 2, times, sum)
	}
}

func TestALogThatCannotBeWrittenIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there")
	_, err := null.New(nullspec.Settings{LogPath: path}, load.Settings{WriteBelow: "/"})
	require.ErrorContains(t, err, "null.log="+path)
	require.ErrorIs(t, err, fs.ErrNotExist)

	target, session := open(t, nullspec.Settings{LogPath: "/dev/full"})
	session.Do(t.Context(), &workload.Op{Kind: workload.Read})
	require.ErrorContains(t, session.Close(t.Context()), "/dev/full")
	require.NoError(t, target.Close())
}

// A run's property names files elsewhere.
func TestALogIsWrittenOnlyBelowTheOperatorsFolder(t *testing.T) {
	outside, below := t.TempDir(), t.TempDir()
	precious := filepath.Join(outside, "precious")
	require.NoError(t, os.WriteFile(precious, []byte("as it was"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(below, "link")))
	require.NoError(t, os.Symlink(precious, filepath.Join(below, "ops")))
	up, err := filepath.Rel(below, precious)
	require.NoError(t, err)
	for name, test := range map[string]struct{ folder, path, want string }{
		"no folder":            {"", filepath.Join(below, "x"), "--write-below"},
		"an absolute path":     {below, precious, "it is not below " + below},
		"a way upwards":        {below, up, "it is not below " + below},
		"a way up and down":    {below, "a/../../x", "it is not below " + below},
		"a linked folder":      {below, "link/x", "escapes"},
		"a linked file":        {below, "ops", "escapes"},
		"a folder not there":   {filepath.Join(below, "not"), "x", "no such file"},
		"the folder of itself": {below, below, "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := null.New(nullspec.Settings{LogPath: test.path}, load.Settings{WriteBelow: test.folder})
			require.ErrorContains(t, err, "null.log="+test.path)
			require.ErrorContains(t, err, test.want)
		})
	}
	left, err := os.ReadFile(precious)
	require.NoError(t, err)
	require.Equal(t, "as it was", string(left))
	require.NoFileExists(t, filepath.Join(outside, "x"))

	for _, path := range []string{"relative", filepath.Join(below, "absolute")} {
		target, err := null.New(nullspec.Settings{LogPath: path}, load.Settings{WriteBelow: below})
		require.NoError(t, err)
		require.NoError(t, target.Close())
		require.FileExists(t, filepath.Join(below, filepath.Base(path)))
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	_, err := null.Open(t.Context(), load.Settings{Properties: map[string]string{"null.service": "constant soon"}})
	require.ErrorContains(t, err, "null.service")
}
