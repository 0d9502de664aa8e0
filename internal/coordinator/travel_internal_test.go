package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/wire"
)

// closedHouse is a coordinator with an archive and nothing that works on it.
func closedHouse(t *testing.T, keep Keep) *Coordinator {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	store, err := archive.Open(t.Context(), t.TempDir(), log)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close(context.WithoutCancel(t.Context()))) })
	source := clock.NewSource(clock.Skew{})
	return &Coordinator{archive: store, config: Config{Version: "test", Reader: target.Reader(), Keep: keep}, log: log, clock: source, settled: clock.NewSettled(source)}
}

// ended stores a suite whose run has so many windows of two agents and ended so long after the first instant.
func ended(t *testing.T, c *Coordinator, id string, windows int, after time.Duration, status result.Status) {
	t.Helper()
	l := newLongRunOf(t, c, id, 2, windows, 2, 50)
	l.add(t, c, 0, windows)
	archived, err := l.run.ToArchive()
	require.NoError(t, err)
	archived.Status, archived.Ended = status, time.Unix(0, 0).Add(after)
	require.NoError(t, c.archive.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{archived}, Suite: id, Status: status}))
}

// A suite shows the same on another coordinator, byte for byte, and its histograms are the same.
func TestAnImportedSuiteShowsTheSame(t *testing.T) {
	from, to := closedHouse(t, Keep{}), closedHouse(t, Keep{})
	ended(t, from, "S", 30, time.Hour, result.Complete)
	var file bytes.Buffer
	require.NoError(t, from.archive.Export(t.Context(), "S", &file))
	id, err := to.importSuite(t.Context(), bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, "S", id)
	want, err := from.resultJSON(t.Context(), "S")
	require.NoError(t, err)
	got, err := to.resultJSON(t.Context(), "S")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.True(t, json.Valid(got))
	_, err = to.importSuite(t.Context(), bytes.NewReader(file.Bytes()))
	require.ErrorIs(t, err, wire.ErrNotAllowed)
	_, err = to.importSuite(t.Context(), bytes.NewReader(file.Bytes()[:file.Len()-9]))
	require.ErrorIs(t, err, wire.ErrBadSpec)
}

// A suite whose state makes no result is refused, whatever that does to the code that makes it.
func TestAHostileStateIsRefused(t *testing.T) {
	from := closedHouse(t, Keep{})
	ended(t, from, "S", 3, time.Hour, result.Complete)
	for name, state := range map[string]string{
		"none":              ``,
		"empty":             `{}`,
		"no life":           `{"life":null}`,
		"no phases":         `{"life":{"run":"S.1","status":"complete","phases":null,"phase":7,"shards":null}}`,
		"a phase far off":   `{"life":{"run":"S.1","status":"complete","phases":[{"name":"measure"}],"phase":-9,"joined":99,"shards":[]}}`,
		"a shard of nobody": `{"life":{"run":"S.1","status":"complete","phases":[{"name":"measure"}],"phase":0,"shards":[{},{},{}]},"agents":[{"shard":-5,"attempt":-1}],"sends":[{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			runs, err := from.archive.Runs(t.Context(), "S")
			require.NoError(t, err)
			runs[0].State = []byte(state)
			require.NoError(t, from.archive.Apply(t.Context(), archive.Change{Runs: runs}))
			var file bytes.Buffer
			require.NoError(t, from.archive.Export(t.Context(), "S", &file))
			to := closedHouse(t, Keep{})
			_, err = to.importSuite(t.Context(), &file)
			require.ErrorIs(t, err, wire.ErrBadSpec)
			require.ErrorContains(t, err, "makes no result")
			suites, err := to.archive.Suites(t.Context())
			require.NoError(t, err)
			require.Empty(t, suites)
		})
	}
}

// What is too old or too much goes, the oldest first; what has not ended stays, whatever its size.
func TestKeepLetsTheOldestGo(t *testing.T) {
	names := func(c *Coordinator) (list []string) {
		t.Helper()
		suites, err := c.archive.Suites(t.Context())
		require.NoError(t, err)
		for _, s := range suites {
			list = append(list, s.ID)
		}
		return list
	}
	fill := func(c *Coordinator) {
		t.Helper()
		ended(t, c, "NEW", 40, 90*time.Hour, result.Failed)
		ended(t, c, "OLD", 40, 10*time.Hour, result.Complete)
		ended(t, c, "GOING", 40, 0, result.Running)
		ended(t, c, "MIDDLE", 40, 50*time.Hour, result.Cancelled)
	}
	now := time.Unix(0, 0).Add(100 * time.Hour)
	for name, test := range map[string]struct {
		keep Keep
		left []string
	}{
		"all":                      {Keep{}, []string{"MIDDLE", "GOING", "OLD", "NEW"}},
		"those of two days":        {Keep{Age: 48 * time.Hour}, []string{"GOING", "NEW"}},
		"none that has ended":      {Keep{Age: time.Hour, Size: 1}, []string{"GOING"}},
		"what is large, not old":   {Keep{Size: 1}, []string{"GOING"}},
		"plenty of room, no limit": {Keep{Size: 1 << 40}, []string{"MIDDLE", "GOING", "OLD", "NEW"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := closedHouse(t, test.keep)
			fill(c)
			require.NoError(t, c.letGo(t.Context(), now))
			require.Equal(t, test.left, names(c))
		})
	}
	t.Run("one is enough", func(t *testing.T) {
		c := closedHouse(t, Keep{})
		fill(c)
		size, err := c.archive.Size(t.Context())
		require.NoError(t, err)
		c.config.Keep.Size = size - 1
		require.NoError(t, c.letGo(t.Context(), now))
		require.Equal(t, []string{"MIDDLE", "GOING", "NEW"}, names(c))
	})
}

// A clock that is set forward for some hours lets nothing go that is not old enough.
func TestAClockThatIsSetForwardLetsNothingGo(t *testing.T) {
	c := closedHouse(t, Keep{Age: 48 * time.Hour})
	c.clock = clock.NewSource(clock.Skew{Jumps: []clock.Jump{{After: 200 * time.Millisecond, By: 5 * time.Hour}}})
	c.settled = clock.NewSettled(c.clock)
	passed := time.Since(time.Unix(0, 0))
	ended(t, c, "YOUNG", 5, passed-47*time.Hour, result.Complete)
	ended(t, c, "OLD", 5, passed-49*time.Hour, result.Complete)
	require.Eventually(t, func() bool { return c.clock.Wall().After(time.Now().Add(time.Hour)) }, time.Minute, time.Millisecond)
	require.NoError(t, c.lookAfter(t.Context()))
	suites, err := c.archive.Suites(t.Context())
	require.NoError(t, err)
	require.Len(t, suites, 1)
	require.Equal(t, "YOUNG", suites[0].ID)
}

// The archive is looked after as a whole: what was being removed goes, what is long is rolled up.
func TestLookAfterDoesAll(t *testing.T) {
	c := closedHouse(t, Keep{})
	l := newLongRunOf(t, c, "S", 1, 10_200, 1, 2)
	l.add(t, c, 0, 10_200)
	require.NoError(t, c.lookAfter(t.Context()))
	extents, err := c.archive.Extents(t.Context(), "S.1")
	require.NoError(t, err)
	require.Equal(t, 5, extents[0].Rolled)
	require.Equal(t, (10_200-rawWindows)/5*5, extents[0].RolledTo, "the newest windows of a run that goes on are left as they came")
	var late []latency.Window
	for w, err := range c.archive.Windows(t.Context(), "S.1") {
		require.NoError(t, err)
		if w.ID.Seq >= extents[0].RolledTo {
			require.NotEmpty(t, w.Series)
			late = append(late, *w)
		}
	}
	require.NotEmpty(t, late)
}
