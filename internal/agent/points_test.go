package agent

import (
	"bytes"
	"compress/gzip"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
)

// kept reads the file of an agent: its points, and the number of lost ones.
func kept(t *testing.T, a *Agent, key shardKey) (points []latency.Point, lost uint64) {
	t.Helper()
	file, err := os.Open(filepath.Join(a.config.Spool, a.pointsName(key)))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	packed, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, latency.ReadPoints(packed, latency.PointsReader{
		Segment: func(string, []latency.Key) error { return nil },
		Point: func(p latency.Point) error {
			points = append(points, p)
			return nil
		},
		End: func(n uint64) error {
			lost += n
			return nil
		},
	}))
	return points, lost
}

func TestPointsAreKeptOrCountedAsLost(t *testing.T) {
	const n = 3*pointsBatch + 5
	for name, test := range map[string]struct {
		free uint64
		kept int
	}{
		"there is room":           {math.MaxUint64, 2 * n},
		"the disk is nearly full": {pointsSpare - 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := &Agent{config: Config{Spool: filepath.Join(t.TempDir(), "made")}}
			s := &shard{a: a, key: shardKey{"S.1", 2, 1}, log: slog.New(slog.DiscardHandler)}
			p, err := s.newPoints()
			require.NoError(t, err)
			p.free = func(string) uint64 { return test.free }
			for _, phase := range []string{"load", "measure"} {
				add := p.begin("measure", []latency.Key{{Op: phase, Outcome: "OK"}}, func(done int64) int64 { return done + 7 })
				for i := range n {
					add(0, 0, 0, int64(i), 2, 1)
				}
				p.end()
				p.end() // reported twice
			}
			points, lost := kept(t, a, s.key)
			require.Len(t, points, test.kept)
			require.EqualValues(t, 2*n-test.kept, lost)
			if test.kept > 0 {
				require.Equal(t, latency.Point{Done: 7, Response: 2, Service: 1}, points[0])
			}
		})
	}
}

func TestOldPointsMakeRoomForNewOnes(t *testing.T) {
	dir := newFolder(t)
	require.NoError(t, os.Mkdir(dir, 0o700))
	old, other := filepath.Join(dir, "S.1-0-1"+pointsSuffix), filepath.Join(dir, "somebody's")
	for _, name := range []string{old, other} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		long := time.Now().Add(-pointsKept - time.Hour)
		require.NoError(t, os.Chtimes(name, long, long))
	}
	s := &shard{a: &Agent{config: Config{Spool: dir}, settled: clock.NewSettled(clock.NewSource(clock.Skew{}))}, key: shardKey{"S.2", 0, 1}}
	_, err := s.newPoints()
	require.NoError(t, err)
	require.NoFileExists(t, old)
	require.FileExists(t, other)
	require.FileExists(t, filepath.Join(dir, "S.2-0-1"+pointsSuffix))
}

func TestPointsOutliveAClockThatIsSetForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := newFolder(t)
		require.NoError(t, os.Mkdir(dir, 0o700))
		first := filepath.Join(dir, "S.1-0-1"+pointsSuffix)
		require.NoError(t, os.WriteFile(first, nil, 0o600))
		require.NoError(t, os.Chtimes(first, time.Now(), time.Now()))
		source := clock.NewSource(clock.Skew{Jumps: []clock.Jump{{After: time.Minute, By: 2 * pointsKept}}})
		a := &Agent{config: Config{Spool: dir}, settled: clock.NewSettled(source)}
		<-time.After(2 * time.Minute)
		require.True(t, source.Wall().After(time.Now().Add(pointsKept)))
		_, err := (&shard{a: a, key: shardKey{"S.2", 0, 1}}).newPoints()
		require.NoError(t, err)
		require.FileExists(t, first)
	})
}

func TestAPieceOfPointsComesFromTheRequestedFile(t *testing.T) {
	a := &Agent{config: Config{Spool: newFolder(t)}}
	for _, run := range []string{"", "..", "../x", "a/b", "/etc/passwd", "."} {
		if name := a.pointsName(keyOf(&benchdv1.ShardId{Run: run})); name != "" {
			require.Equal(t, name, filepath.Base(name), run)
		}
	}
	_, _, err := a.readPiece(a.pointsName(shardKey{"S.1", 0, 1}), 0)
	require.ErrorContains(t, err, "no raw points of this run")
	_, _, err = a.readPiece("", 0)
	require.ErrorContains(t, err, "no raw points of this run")
	require.NoError(t, os.WriteFile(filepath.Join(a.config.Spool, "f"), make([]byte, pointsPiece+10), 0o600))
	data, last, err := a.readPiece("f", 0)
	require.NoError(t, err)
	require.Len(t, data, pointsPiece)
	require.False(t, last)
	data, last, err = a.readPiece("f", pointsPiece)
	require.NoError(t, err)
	require.Len(t, data, 10)
	require.True(t, last)
	_, _, err = a.readPiece("f", pointsPiece+11)
	require.Error(t, err)
}

// A link with the name of a run's file redirects neither the points that are written nor those that are sent.
func TestPlantedLinksOfPointsAreNotFollowed(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o600))
	a := &Agent{config: Config{Spool: newFolder(t)}, settled: clock.NewSettled(clock.NewSource(clock.Skew{}))}
	s := &shard{a: a, key: shardKey{"S.1", 0, 1}}
	require.NoError(t, os.Mkdir(a.config.Spool, 0o700))
	require.NoError(t, os.Symlink(victim, filepath.Join(a.config.Spool, a.pointsName(s.key))))
	_, err := s.newPoints()
	require.Error(t, err)
	_, _, err = a.readPiece(a.pointsName(s.key), 0)
	require.Error(t, err)
	content, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "precious", string(content))
}

// windowsOnDisk returns the number of points of each window in a file.
func windowsOnDisk(t *testing.T, path string) map[int]int {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	in := bytes.NewReader(b)
	all := make(map[int]int)
	packed := new(gzip.Reader)
	for packed.Reset(in) == nil {
		packed.Multistream(false)
		window, ok := latency.PointsWindow(packed.Comment)
		require.True(t, ok)
		n := 0
		if latency.ReadPoints(packed, latency.PointsReader{
			Segment: func(string, []latency.Key) error { return nil },
			Point: func(latency.Point) error {
				n++
				return nil
			},
			End: func(uint64) error { return nil },
		}) != nil {
			break // a window that is being written
		}
		all[window] = n
	}
	return all
}

func newTestPoints(t *testing.T, keep func(p *points, w *latency.Window)) (*points, latency.Tap) {
	t.Helper()
	s := &shard{a: &Agent{config: Config{Spool: newFolder(t)}}, key: shardKey{"S.1", 0, 1}, log: slog.New(slog.DiscardHandler)}
	p, err := s.newPoints()
	require.NoError(t, err)
	p.free = func(string) uint64 { return math.MaxUint64 }
	p.keep = func(w *latency.Window) { keep(p, w) }
	add := p.begin(plan.Load, []latency.Key{{Op: "INSERT", Outcome: "OK"}}, func(done int64) int64 { return done })
	return p, add
}

// A killed process must not have sent a window to the coordinator whose points were only in memory.
func TestAWindowIsHandedOnWhenItsPointsAreOnDisk(t *testing.T) {
	const windows, each, early = 20, 3*pointsBatch/2 + 1, 3
	var handed []int
	p, add := newTestPoints(t, func(p *points, w *latency.Window) {
		want := each
		if w.ID.Seq == windows-1 {
			want += early
		}
		require.Equal(t, want, windowsOnDisk(t, p.path)[w.ID.Seq], "window %d", w.ID.Seq)
		handed = append(handed, w.ID.Seq)
	})
	for window := range windows {
		added := 0
		if window > 0 {
			added = early
		}
		for range each - added {
			add(0, 0, window, int64(window), 1, 1)
		}
		for range early { // operations between the end of the window and its cut
			add(0, 0, window+1, int64(window), 1, 1)
		}
		p.cut(&latency.Window{ID: latency.WindowID{Seq: window}, Last: window == windows-1})
		if window%pointsWindows == pointsWindows-1 {
			p.settled(t)
		}
	}
	p.end()
	require.Len(t, handed, windows)
	require.IsIncreasing(t, handed)
}

// settled waits until no window waits for the disk.
func (p *points) settled(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.waiting) == 0
	}, time.Minute, time.Millisecond)
}

func TestADiskThatStallsDoesNotHoldUpWindows(t *testing.T) {
	const windows = 3 * pointsWindows
	stall := make(chan struct{})
	var handed []int
	p, add := newTestPoints(t, func(_ *points, w *latency.Window) { handed = append(handed, w.ID.Seq) })
	p.free = func(string) uint64 {
		<-stall
		return math.MaxUint64
	}
	for window := range windows {
		add(0, 0, window, 1, 1, 1)
		p.cut(&latency.Window{ID: latency.WindowID{Seq: window}, Last: window == windows-1})
	}
	p.handing.Lock()
	require.Len(t, handed, windows-pointsWindows)
	p.handing.Unlock()
	close(stall)
	p.end()
	require.Len(t, handed, windows)
	require.IsIncreasing(t, handed)
	require.Len(t, windowsOnDisk(t, p.path), windows)
}
