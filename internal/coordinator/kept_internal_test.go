package coordinator

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/websession"
)

// shared are the records of an archive that several coordinators share.
type shared struct {
	mu      sync.Mutex
	records map[string][]byte
}

func (s *shared) Keep(_ context.Context, name string, content []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[name] = slices.Clone(content)
	return nil
}

func (s *shared) Kept(_ context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	content, is := s.records[name]
	if !is {
		return nil, archive.ErrNotFound
	}
	return content, nil
}

func (s *shared) KeptNames(_ context.Context, prefix string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.records)), func(name string) bool { return !strings.HasPrefix(name, prefix) }), nil
}

func (s *shared) Drop(_ context.Context, prefix string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.records, func(name string, _ []byte) bool { return strings.HasPrefix(name, prefix) })
	return nil
}

// leader returns the parts of a coordinator on another host that shares the records.
func (s *shared) leader(t *testing.T) *Coordinator {
	t.Helper()
	return &Coordinator{
		config: Config{DataDir: t.TempDir()}, log: slog.New(slog.DiscardHandler), clock: clock.NewSource(clock.Skew{}),
		kept: &keeper{records: s, life: t.Context()},
	}
}

func TestAJoinTokenCountsOnceAcrossLeaders(t *testing.T) {
	t.Parallel()
	a, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	token, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	request := func() []byte {
		key, err := pki.NewKey()
		require.NoError(t, err)
		der, err := pki.Request("client-1", key)
		require.NoError(t, err)
		return der
	}
	records := &shared{records: make(map[string][]byte)}
	open := func(c *Coordinator, now time.Time) *enrollment {
		enroller := a.Enroller()
		enroller.Now = func() time.Time { return now }
		c.config.Enroller, c.config.Clock = enroller, c.clock
		e, err := openEnrollment(c.config, c.kept)
		require.NoError(t, err)
		return e
	}
	first := open(records.leader(t), time.Now())
	mine := request()
	chain, err := first.enroller.Enroll(token, mine, first.used)
	require.NoError(t, err)
	require.NoError(t, first.close())

	second := open(records.leader(t), time.Now())
	again, err := second.enroller.Enroll(token, mine, second.used)
	require.NoError(t, err, "an agent whose leader died may ask the next one")
	require.Equal(t, chain, again)
	_, err = second.enroller.Enroll(token, request(), second.used)
	require.ErrorIs(t, err, pki.ErrUsed)

	require.Len(t, records.records, 1)
	open(records.leader(t), time.Now().Add(2*time.Hour))
	require.Empty(t, records.records, "an expired token is refused anyway")
}

func TestUsesOfTokensMoveIntoTheArchive(t *testing.T) {
	t.Parallel()
	a, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	token, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	records := &shared{records: make(map[string][]byte)}
	c := records.leader(t)
	c.config.Enroller, c.config.Clock = a.Enroller(), c.clock
	for _, kept := range []*keeper{nil, c.kept, c.kept} { // SQLite, then an archive of several coordinators
		e, err := openEnrollment(c.config, kept)
		require.NoError(t, err)
		key, err := pki.NewKey()
		require.NoError(t, err)
		der, err := pki.Request("client-1", key)
		require.NoError(t, err)
		_, err = e.enroller.Enroll(token, der, e.used)
		if kept == nil {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, pki.ErrUsed)
		}
		require.NoError(t, e.close())
	}
}

func TestSessionsOfBrowsersFollowTheLeader(t *testing.T) {
	t.Parallel()
	records := &shared{records: make(map[string][]byte)}
	login := func() *websession.Store {
		s := websession.New()
		c := records.leader(t)
		s.Keep(c.placeOfSessions(), c.log)
		return s
	}
	first := login()
	token, _, err := first.Redeem(first.Invite(identity.Identity{Name: "anna", Role: identity.Viewer}, time.Time{}))
	require.NoError(t, err)
	_, of, leave, ok := login().Enter(t.Context(), token)
	leave()
	require.True(t, ok)
	require.Equal(t, "anna", of.Who.Name)
}

func TestUndeliveredNoticesFollowTheLeaderInTheirOrder(t *testing.T) {
	t.Parallel()
	records := &shared{records: make(map[string][]byte)}
	first := undelivered{records.leader(t).kept}
	for _, name := range []string{"2", "1", "3"} {
		require.NoError(t, first.Keep(name, []byte("notice "+name)))
	}
	require.NoError(t, first.Remove("2"))
	left, err := undelivered{records.leader(t).kept}.Left()
	require.NoError(t, err)
	require.Len(t, left, 2)
	require.Equal(t, "notice 1", string(left[0].Content))
	require.Equal(t, "3", left[1].Name)
}

func TestATraceFollowsTheLeader(t *testing.T) {
	t.Parallel()
	file, card := traceOf(t, 200_000)
	require.Greater(t, len(file), tracePiece, "it has several pieces")
	records := &shared{records: make(map[string][]byte)}
	require.NoError(t, records.leader(t).receiveTrace(card, inPieces(file, io.EOF)))
	next := records.leader(t)
	require.True(t, next.hasTrace(card.ID()))
	for range 2 { // from the archive, then from the file
		var got []byte
		require.NoError(t, next.sendTrace(t.Context(), card.ID(), func(piece []byte) error {
			got = append(got, piece...)
			return nil
		}))
		require.Equal(t, file, got)
		records.mu.Lock()
		delete(records.records, pieceName(card.ID(), 0))
		records.mu.Unlock()
	}
	require.Error(t, records.leader(t).sendTrace(t.Context(), card.ID(), func([]byte) error { return nil }), "a piece is missing")
}

// sharing is an archive that several coordinators share, as far as this test needs it.
type sharing struct {
	Archive
	*shared
}

func TestResultsFollowTheLeader(t *testing.T) {
	t.Parallel()
	a := resultstest.Open(t)
	resultstest.Ended(t, a, "S", 60, time.Hour, result.Complete)
	config := Config{DataDir: t.TempDir(), Version: "test", Reader: all.Targets().Reader(), Archive: sharing{a, &shared{records: make(map[string][]byte)}}}
	c, err := New(t.Context(), config)
	require.NoError(t, err)
	_, err = c.results.JSON(t.Context(), "S")
	require.NoError(t, err)
	names, err := c.kept.names(archive.KeptResults)
	require.NoError(t, err)
	require.Len(t, names, 1)
	require.NoDirExists(t, sealedIn(config.DataDir))

	require.False(t, c.busy())
	c.conductors["R.1"] = nil
	require.True(t, c.busy(), "maintenance waits for the end of a run")
	delete(c.conductors, "R.1")
	c.Detach()
}

func TestTracesOfTheArchiveAreRemoved(t *testing.T) {
	t.Parallel()
	file, card := traceOf(t, 5000)
	records := &shared{records: make(map[string][]byte)}
	c := records.leader(t)
	require.NoError(t, c.receiveTrace(card, inPieces(file, io.EOF)))
	require.NoError(t, c.kept.keep(pieceName("cut", 0), []byte("x")))
	c.removeCutTraces()
	c.removeKeptTraces()
	require.Len(t, records.records, 2, "a piece and the last record; what was cut off is removed")
	require.NoError(t, c.kept.keepWhole(card.ID(), wholeTrace{Card: card.Text(), Size: int64(len(file)), Pieces: 1, Used: time.Now().Add(-keepTrace - time.Hour)}))
	c.removeKeptTraces()
	require.Empty(t, records.records)
	require.False(t, c.hasTrace(card.ID()))
}
