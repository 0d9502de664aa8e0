package agent

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/spool"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestProbesOvertakeWindows(t *testing.T) {
	o := newOutbox()
	kept := keptWindows{store: &windowStore{}}
	for seq := range uint32(5) {
		k, _ := kept.add(&benchdv1.Window{Seq: seq}, 100, 100)
		o.add(nil, k)
	}
	kept.ack("", 3)
	kept.ack("", 4)
	o.reply(&benchdv1.ProbeReply{Seq: 7})
	o.finish()
	var got []string
	for {
		next, reply, over := o.take()
		switch {
		case over:
			require.Equal(t, []string{"probe 7", "window 0", "window 1", "window 2"}, got, "windows acknowledged meanwhile are not sent")
			return
		case reply != nil:
			got = append(got, fmt.Sprintf("probe %d", reply.GetSeq()))
		default:
			got = append(got, fmt.Sprintf("window %d", next.kept.seq))
		}
	}
}

func TestTheOldestWindowsAreDroppedWhenThereIsNoRoom(t *testing.T) {
	s := keptWindows{store: &windowStore{}}
	var dropped uint64
	var all []*keptWindow
	for seq := range uint32(100) {
		k, n := s.add(&benchdv1.Window{Phase: "measure", Seq: seq, Lateness: make([]byte, 1000)}, 10_500, 1<<20)
		dropped += n
		all = append(all, k)
	}
	require.EqualValues(t, 90, dropped)
	require.Equal(t, 10, s.len())
	require.True(t, all[89].released.Load())
	require.False(t, all[90].released.Load())
	s.ack("warmup", 95)
	require.Equal(t, 10, s.len(), "another phase")
	s.ack("measure", 95)
	s.ack("measure", 95)
	require.Equal(t, 9, s.len())
	for seq := range uint32(100) {
		s.ack("measure", seq)
	}
	require.Zero(t, s.len())
	require.Zero(t, s.bytes)
	require.Zero(t, s.loose)
	require.Zero(t, s.store.memory)

	_, dropped = s.add(&benchdv1.Window{Lateness: make([]byte, 100_000)}, 10, 10)
	require.Zero(t, dropped, "one window is always kept")
}

// Windows that cannot be written are bounded by the memory, and the windows on disk stay.
func TestAFullDiskCostsNoneOfTheWindowsOnIt(t *testing.T) {
	disk := newSpool(t, spool.Options{})
	defer func() { require.NoError(t, disk.Close()) }()
	r := newStore(disk)
	s := keptWindows{store: r}
	var dropped uint64
	keep := func(seq uint32) {
		w := &benchdv1.Window{Phase: "measure", Seq: seq, Lateness: make([]byte, 1000)}
		k, n := s.add(w, 1<<20, 5_500)
		r.spooler.save(k)
		dropped += n
	}
	for seq := range uint32(50) {
		keep(seq)
	}
	full := newSpool(t, spool.Options{Free: func(string) uint64 { return 0 }})
	defer func() { require.NoError(t, full.Close()) }()
	r.disk = full
	for seq := range uint32(20) {
		keep(50 + seq)
	}
	r.disk = disk
	require.EqualValues(t, 15, dropped)
	require.EqualValues(t, 20, r.unsaved.Load())
	var kept []uint32
	for _, k := range s.windows {
		w, err := r.fetch(k)
		require.NoError(t, err)
		kept = append(kept, w.GetSeq())
	}
	require.Len(t, kept, 55)
	require.EqualValues(t, 49, kept[49], "all that are on disk")
	require.Equal(t, []uint32{65, 66, 67, 68, 69}, kept[50:], "the newest of the others")
	s.clear()
	require.Zero(t, s.bytes)
	require.Zero(t, s.loose)
	require.Zero(t, r.memory)
}

// Windows beyond the bound of the memory are read from disk.
func TestWindowsBeyondTheMemoryAreReadFromDisk(t *testing.T) {
	disk := newSpool(t, spool.Options{})
	defer func() { require.NoError(t, disk.Close()) }()
	r := newStore(disk)
	r.memory = inMemory
	s := keptWindows{store: r}
	w := &benchdv1.Window{Phase: "measure", Seq: 7, Lateness: []byte("late")}
	k, _ := s.add(w, 1<<20, 1<<20)
	require.Same(t, w, k.window.Load(), "in memory until it is on disk")
	r.spooler.save(k)
	require.Nil(t, k.window.Load())
	got, err := r.fetch(k)
	require.NoError(t, err)
	require.True(t, proto.Equal(w, got))
	require.EqualValues(t, inMemory, r.memory)
	s.ack("measure", 7)
	_, err = r.fetch(k)
	require.ErrorIs(t, err, errReleased)
	require.NoError(t, disk.Sweep())
	require.Zero(t, disk.Bytes())
}

// A window that is acknowledged while it is being written leaves nothing on disk.
func TestAWindowThatIsAcknowledgedWhileItIsWrittenIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalls, goesOn := make(chan struct{}), make(chan struct{})
		disk := slowSpool(t, func() {
			stalls <- struct{}{}
			<-goesOn
		})
		var mu sync.Mutex
		r := &windowStore{disk: disk, log: slog.New(slog.DiscardHandler)}
		r.spooler.start(r, &mu)
		s := keptWindows{store: r}
		mu.Lock()
		for seq := range uint32(3) {
			s.add(&benchdv1.Window{Phase: "measure", Seq: seq}, 1<<20, 1<<20)
		}
		mu.Unlock()
		<-stalls // at the head of the file
		goesOn <- struct{}{}
		<-stalls // at the first window
		mu.Lock()
		s.ack("measure", 0)
		s.ack("measure", 1)
		mu.Unlock()
		goesOn <- struct{}{}
		<-stalls // at the third: the second is not written
		goesOn <- struct{}{}
		require.True(t, r.spooler.end(time.Hour))
		require.Len(t, s.windows, 1)
		require.True(t, s.windows[0].place.Valid())
		require.Zero(t, s.loose)
		s.ack("measure", 2)
		require.Zero(t, r.memory)
		require.NoError(t, disk.Sweep())
		require.Zero(t, disk.Bytes())
		require.NoError(t, disk.Close())
	})
}

// An agent ends although the disk of its spool does not respond.
func TestASpoolThatDoesNotAnswerIsNotWaitedForAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalls, goesOn := make(chan struct{}), make(chan struct{})
		disk := slowSpool(t, func() {
			close(stalls)
			<-goesOn
		})
		var mu sync.Mutex
		r := &windowStore{disk: disk, log: slog.New(slog.DiscardHandler)}
		r.spooler.start(r, &mu)
		s := keptWindows{store: r}
		mu.Lock()
		k, _ := s.add(&benchdv1.Window{Phase: "measure"}, 1<<20, 1<<20)
		mu.Unlock()
		<-stalls
		began := time.Now()
		require.False(t, r.spooler.end(time.Second))
		require.Equal(t, time.Second, time.Since(began))
		w, err := r.fetch(k)
		require.NoError(t, err, "it can be sent")
		require.NotNil(t, w)
		stalls = make(chan struct{})
		goesOn <- struct{}{}
		<-stalls
		goesOn <- struct{}{}
		<-r.spooler.done
		require.NoError(t, disk.Close())
	})
}

// newStore returns a store whose windows are written on the test's command.
func newStore(disk *spool.Spool) *windowStore {
	r := &windowStore{disk: disk, log: slog.New(slog.DiscardHandler)}
	r.spooler.store, r.spooler.lock = r, new(sync.Mutex)
	return r
}

func TestWaitsForAProcessorAreTheGrowthOfTheRuntimesHistogram(t *testing.T) {
	buckets := []float64{0, 1e-6, 1e-5, 1e-3, 1}
	before := &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{50, 0, 0, 7}}
	p99, most := waited(before, &metrics.Float64Histogram{Buckets: buckets, Counts: []uint64{1040, 9, 1, 7}})
	require.Equal(t, time.Microsecond, p99)
	require.Equal(t, time.Millisecond, most)
	p99, most = waited(before, before)
	require.Zero(t, p99)
	require.Zero(t, most)
	p99, _ = waited(nil, before)
	require.Zero(t, p99)
}

func TestASampleCoversTheTimeSinceTheLast(t *testing.T) {
	s := newSampler()
	before := s.last.own
	for ownSeconds()-before < 0.25 { // a quarter of a second of work
		runtime.GC()
	}
	h := s.sample()
	require.NotZero(t, h.Cores)
	require.Positive(t, h.OwnCPU)
	require.GreaterOrEqual(t, h.HostIdle, 0.0)
	require.Less(t, h.HostIdle, 1.0)
	require.Positive(t, h.GCPauses)
	require.Positive(t, h.GCPauseTotal)
	require.LessOrEqual(t, h.GCPauseMax, h.GCPauseTotal)

	tolerance.Retry(t, func(try *tolerance.Try) {
		h = s.sample()
		assert.Zero(try, h.Cores, "of an instant the host's counters say nothing")
		assert.Zero(try, h.GCPauses)
	})
}
