//go:build integration

package postgres

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// cutter breaks connections at their next commit, and can refuse new ones.
type cutter struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	cut     atomic.Int32 // one of the constants
	refuses atomic.Int32 // so many connections from the next cut on
	tired   func()       // is called when some of forLong have been refused
}

const (
	forLong = 1 << 20 // connections
	some    = 3

	cutNothing = iota
	cutBefore  // the server does not get the commit
	cutAfter   // the server commits, and its answer is lost
)

// cutterOf makes the writer of an archive use a cutter. Statements must not be prepared: it looks for their texts.
func cutterOf(t *testing.T, a *Archive) *cutter {
	t.Helper()
	c := &cutter{dial: a.config.ConnConfig.DialFunc}
	a.config.ConnConfig.DialFunc = c.connect
	a.hangUp()
	require.NoError(t, a.Keep(t.Context(), "connected", nil)) // a commit is described once in each connection
	return c
}

func (c *cutter) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if c.cut.Load() == cutNothing {
		if left := c.refuses.Add(-1); left >= 0 {
			if left == forLong-some {
				c.tired()
			}
			return nil, errors.New("cut off")
		}
	}
	conn, err := c.dial(ctx, network, address)
	return &cutConn{Conn: conn, by: c}, err
}

type cutConn struct {
	net.Conn
	by      *cutter
	swallow bool
}

func (c *cutConn) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("COMMIT\x00")) {
		switch c.by.cut.Swap(cutNothing) {
		case cutBefore:
			return 0, errors.Join(c.Close(), io.ErrClosedPipe)
		case cutAfter:
			c.swallow = true
		}
	}
	return c.Conn.Write(b)
}

func (c *cutConn) Read(b []byte) (int, error) {
	var answer []byte
	for c.swallow {
		n, err := c.Conn.Read(b)
		if answer = append(answer, b[:n]...); err != nil || bytes.Contains(answer, []byte("COMMIT\x00")) {
			return 0, errors.Join(c.Close(), io.ErrUnexpectedEOF)
		}
	}
	return c.Conn.Read(b)
}

// A window that a commit without an answer has stored is fresh once: for the call itself, or, if the server cannot be asked in time, for the
// next call with it. Otherwise the coordinator would never merge it.
func TestACommitWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cut     int32
		refused int32 // attempts to connect afterwards
		fails   bool
	}{
		"the server has committed":                          {cut: cutAfter},
		"the server has not committed":                      {cut: cutBefore, fails: true},
		"it has, and is away for a moment":                  {cut: cutAfter, refused: 2},
		"it has, and is away for longer than anybody waits": {cut: cutAfter, refused: forLong, fails: true},
		"it has not, and is away":                           {cut: cutBefore, refused: forLong, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := leading(t, freshURL()+"&default_query_exec_mode=cache_describe")
			run := archivetest.Create(t, a, "S")
			window := func(seq int) latency.Window {
				return archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: seq}, 5)
			}
			archivetest.Add(t, a, window(0))
			c := cutterOf(t, a)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.tired = cancel
			c.refuses.Store(test.refused)
			c.cut.Store(test.cut)
			receipts, err := a.AddWindows(ctx, []latency.Window{window(0), window(1), window(2)})
			c.refuses.Store(0)
			require.Equal(t, test.fails, err != nil, "%v", err)
			want := []bool{false, true, true}
			if err == nil {
				require.Equal(t, []archive.Receipt{{}, {Fresh: true}, {Fresh: true}}, receipts)
				want = []bool{false, false, false}
			}
			require.Equal(t, append(want, false), archivetest.Add(t, a, window(0), window(1), window(2), window(1)), "again")
			require.Equal(t, []bool{false, false, true}, archivetest.Add(t, a, window(1), window(2), window(3)), "and again")
			require.Len(t, archivetest.WindowsIn(t, a, run), 4)
		})
	}
}

// A window that is owed to the caller stays so while further commits fail.
func TestWindowsAreOwedUntilTheyAreReported(t *testing.T) {
	t.Parallel()
	a := leading(t, freshURL()+"&default_query_exec_mode=cache_describe")
	run := archivetest.Create(t, a, "S")
	window := archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1}, 5)
	c := cutterOf(t, a)
	for _, cut := range []int32{cutAfter, cutBefore, cutAfter} {
		ctx, cancel := context.WithCancel(t.Context())
		c.tired = cancel
		c.refuses.Store(forLong)
		c.cut.Store(cut)
		_, err := a.AddWindows(ctx, []latency.Window{window})
		cancel()
		require.Error(t, err)
		c.refuses.Store(0)
		require.NoError(t, a.Keep(t.Context(), "connected", nil))
	}
	require.Equal(t, []bool{true}, archivetest.Add(t, a, window))
	require.Equal(t, []bool{false}, archivetest.Add(t, a, window))
	require.Empty(t, a.owed)
}

// Other writes are stored once, too.
func TestAChangeWithoutAnAnswerIsStored(t *testing.T) {
	t.Parallel()
	a := leading(t, freshURL()+"&default_query_exec_mode=cache_describe")
	run := archivetest.Create(t, a, "S")
	c := cutterOf(t, a)
	event := archive.Event{Run: run, At: time.Unix(5, 6).UTC(), Kind: "agent", Text: "b was lost"}
	c.cut.Store(cutAfter)
	require.NoError(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{event}}))
	c.cut.Store(cutBefore)
	require.Error(t, a.Apply(t.Context(), archive.Change{Events: []archive.Event{event}}))
	require.NoError(t, a.Keep(t.Context(), "connected", nil))
	c.cut.Store(cutAfter)
	require.NoError(t, a.CreateSuite(t.Context(), archivetest.SuiteOf("T"), nil))
	events, err := a.Events(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, []archive.Event{event}, events)
	suites, err := a.Suites(t.Context())
	require.NoError(t, err)
	require.Len(t, suites, 2)
}
