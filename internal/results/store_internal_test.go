package results

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/wire"
)

// newStore is a store with the machine's clock.
func newStore(from Archive, keep Keep) *Store {
	log := slog.New(slog.DiscardHandler)
	return New(Config{
		Archive: from, Reader: all.Targets().Reader(), Version: "test", Keep: keep, Clock: clock.NewSource(clock.Skew{}), Quarantine: quarantine.NewList(log), Logger: log,
	})
}

// onArchive is a store on an archive of its own.
func onArchive(t *testing.T, keep Keep) (*Store, *sqlite.Archive) {
	t.Helper()
	in := resultstest.Open(t)
	return newStore(in, keep), in
}

// A suite has the same document on another coordinator, byte for byte, and the same histograms.
func TestAnImportedSuiteShowsTheSame(t *testing.T) {
	from, stored := onArchive(t, Keep{})
	to, _ := onArchive(t, Keep{})
	resultstest.Ended(t, stored, "S", 30, time.Hour, result.Complete)
	var file bytes.Buffer
	require.NoError(t, from.Export(t.Context(), "S", &file))
	id, err := to.Import(t.Context(), bytes.NewReader(file.Bytes()))
	require.NoError(t, err)
	require.Equal(t, "S", id)
	want, err := from.JSON(t.Context(), "S")
	require.NoError(t, err)
	got, err := to.JSON(t.Context(), "S")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	require.True(t, json.Valid(got))
	_, err = to.Import(t.Context(), bytes.NewReader(file.Bytes()))
	require.ErrorIs(t, err, wire.ErrNotAllowed)
	_, err = to.Import(t.Context(), bytes.NewReader(file.Bytes()[:file.Len()-9]))
	require.ErrorIs(t, err, wire.ErrBadSpec)
}

// A suite from whose state no result can be made is refused, even if it makes the code panic.
func TestAHostileStateIsRefused(t *testing.T) {
	from := resultstest.Open(t)
	resultstest.Ended(t, from, "S", 3, time.Hour, result.Complete)
	for name, state := range map[string]string{
		"none":              ``,
		"empty":             `{}`,
		"no life":           `{"life":null}`,
		"no phases":         `{"life":{"run":"S.1","status":"complete","phases":null,"phase":7,"shards":null}}`,
		"a phase far off":   `{"life":{"run":"S.1","status":"complete","phases":[{"name":"measure"}],"phase":-9,"joined":99,"shards":[]}}`,
		"a shard of nobody": `{"life":{"run":"S.1","status":"complete","phases":[{"name":"measure"}],"phase":0,"shards":[{},{},{}]},"agents":[{"shard":-5,"attempt":-1}],"sends":[{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			runs, err := from.Runs(t.Context(), "S")
			require.NoError(t, err)
			runs[0].State = []byte(state)
			require.NoError(t, from.Apply(t.Context(), archive.Change{Runs: runs}))
			var file bytes.Buffer
			require.NoError(t, from.Export(t.Context(), "S", &file))
			to, taken := onArchive(t, Keep{})
			_, err = to.Import(t.Context(), &file)
			require.ErrorIs(t, err, wire.ErrBadSpec)
			require.ErrorContains(t, err, "no result can be made")
			suites, err := taken.Suites(t.Context())
			require.NoError(t, err)
			require.Empty(t, suites)
		})
	}
}

// Suites beyond the age or the size are removed, the oldest first; suites that have not ended stay, whatever their size.
func TestKeepRemovesTheOldest(t *testing.T) {
	names := func(in *sqlite.Archive) (list []string) {
		t.Helper()
		suites, err := in.Suites(t.Context())
		require.NoError(t, err)
		for _, s := range suites {
			list = append(list, s.ID)
		}
		return list
	}
	fill := func(in *sqlite.Archive) {
		t.Helper()
		resultstest.Ended(t, in, "NEW", 40, 90*time.Hour, result.Failed)
		resultstest.Ended(t, in, "OLD", 40, 10*time.Hour, result.Complete)
		resultstest.Ended(t, in, "GOING", 40, 0, result.Running)
		resultstest.Ended(t, in, "MIDDLE", 40, 50*time.Hour, result.Cancelled)
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
			s, in := onArchive(t, test.keep)
			fill(in)
			require.NoError(t, s.letGo(t.Context(), now))
			require.Equal(t, test.left, names(in))
		})
	}
	t.Run("one is enough", func(t *testing.T) {
		s, in := onArchive(t, Keep{})
		fill(in)
		size, err := in.Size(t.Context())
		require.NoError(t, err)
		s.keep.Size = size - 1
		require.NoError(t, s.letGo(t.Context(), now))
		require.Equal(t, []string{"MIDDLE", "GOING", "NEW"}, names(in))
	})
}

// A clock that is set forward for some hours does not remove suites that are not old enough.
func TestAClockThatIsSetForwardRemovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, in := onArchive(t, Keep{Age: 48 * time.Hour})
		source := clock.NewSource(clock.Skew{Jumps: []clock.Jump{{After: time.Minute, By: 5 * time.Hour}}})
		s.date = clock.NewSettled(source)
		passed := time.Since(time.Unix(0, 0))
		resultstest.Ended(t, in, "YOUNG", 5, passed-47*time.Hour, result.Complete)
		resultstest.Ended(t, in, "OLD", 5, passed-49*time.Hour, result.Complete)
		<-time.After(2 * time.Minute)
		require.True(t, source.Wall().After(time.Now().Add(time.Hour)))
		require.NoError(t, s.LookAfter(t.Context()))
		suites, err := in.Suites(t.Context())
		require.NoError(t, err)
		require.Len(t, suites, 1)
		require.Equal(t, "YOUNG", suites[0].ID)
	})
}

// LookAfter does all maintenance: it continues removals and rolls up long runs. In a bubble its pauses take no time. The
// newest window determines the length of a phase, so most of the earlier ones are left out.
func TestLookAfterDoesAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, in := onArchive(t, Keep{})
		l := resultstest.NewRun(t, in, "S", 1, 10_200, 1, 2)
		l.Add(t, in, 0, 400)
		l.Add(t, in, 9_900, 10_200)
		require.NoError(t, s.LookAfter(t.Context()))
		extents, err := in.Extents(t.Context(), "S.1")
		require.NoError(t, err)
		require.Equal(t, 5, extents[0].Rolled)
		require.Equal(t, (10_200-rawWindows)/5*5, extents[0].RolledTo, "the newest windows of a run that goes on are left as they came")
		var late []latency.Window
		for w, err := range in.Windows(t.Context(), "S.1") {
			require.NoError(t, err)
			if w.ID.Seq >= extents[0].RolledTo {
				require.NotEmpty(t, w.Series)
				late = append(late, *w)
			}
		}
		require.NotEmpty(t, late)
	})
}

// A suite on which maintenance panics is set aside, and named; the others are maintained.
func TestMaintenanceSetsASuiteAsideOnWhichItPanics(t *testing.T) {
	s, in := onArchive(t, Keep{})
	resultstest.Ended(t, in, "BAD", 3, time.Hour, result.Complete)
	resultstest.Ended(t, in, "GOOD", 3, time.Hour, result.Complete)
	extents, err := in.Extents(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, extents, 2)
	rolled := make(map[string]int)
	for range 2 {
		require.NoError(t, s.rollUpEach(t.Context(), extents, func(_ context.Context, e archive.PhaseExtent) error {
			rolled[e.Run]++
			if e.Run == "BAD.1" {
				e.Windows = 0
				_ = 1 / e.Windows
			}
			return nil
		}))
	}
	require.Equal(t, map[string]int{"BAD.1": 1, "GOOD.1": 2}, rolled)
	why := "set aside: roll up phase measure of run BAD.1: internal error: runtime error: integer divide by zero"
	require.Equal(t, why, s.quarantine.Reason("BAD"))
	require.Empty(t, s.quarantine.Reason("GOOD"))
	var shown result.Run
	text, err := s.JSON(t.Context(), "BAD")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &shown))
	require.Contains(t, shown.Warnings, "suite BAD is "+why)
}
