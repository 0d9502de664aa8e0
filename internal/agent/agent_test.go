package agent_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent"
	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/null"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

func TestAnAgentIntroducesItself(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	h := b.next().hello
	require.NoError(t, wire.CheckHello(h))
	require.EqualValues(t, wire.Protocol, h.GetProtocol())
	require.Equal(t, "a", h.GetName())
	require.Equal(t, "test", h.GetVersion())
	require.Equal(t, map[string]string{"rack": "r1"}, h.GetLabels())
	require.NotEmpty(t, h.GetBootId())
	require.NotZero(t, h.GetHost().GetCores())
	require.NotZero(t, h.GetHost().GetMemoryBytes())
	require.NotEmpty(t, h.GetHost().GetGoVersion())
	require.Empty(t, h.GetHeld())
	require.InDelta(t, r.clock.Now(), h.GetAgentNs(), float64(tolerance.Stall), "which is 37 s behind")
}

func TestProbesAreAnsweredByTheAgentsOwnClock(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	for seq := range uint64(20) {
		before := r.clock.Now()
		s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Probe{Probe: &benchdv1.Probe{Seq: seq}}})
		reply := await(s, (*benchdv1.SessionRequest).GetProbeReply)
		require.Equal(t, seq, reply.GetSeq())
		require.LessOrEqual(t, before, reply.GetReceivedAgentNs())
		require.LessOrEqual(t, reply.GetReceivedAgentNs(), reply.GetSentAgentNs())
		require.LessOrEqual(t, reply.GetSentAgentNs(), r.clock.Now())
	}
}

func TestAShardIsExecuted(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	id := s.order("S.1", nil)
	prepared := await(s, (*benchdv1.SessionRequest).GetPrepared)
	require.Empty(t, prepared.GetError())
	require.Equal(t, "null", prepared.GetTargetFacts()["target"], "the steward reports what the target is")

	at := s.start(r, id, "measure")
	started := await(s, (*benchdv1.SessionRequest).GetStarted)
	require.Equal(t, "measure", started.GetPhase())
	require.GreaterOrEqual(t, started.GetFirstSentAgentNs()-int64(time.Hour), at, "no worker starts early")
	windows := s.windows(true)
	ended := await(s, (*benchdv1.SessionRequest).GetPhaseEnded)
	require.EqualValues(t, len(windows), ended.GetWindows())
	require.True(t, ended.GetFinal())
	require.Empty(t, ended.GetError())
	require.Empty(t, ended.GetLeft())
	require.Equal(t, ops(t, windows), ended.GetRecorded())
	require.Equal(t, ended.GetIssued(), ended.GetRecorded())
	require.NotZero(t, ended.GetRecorded())

	// A coordinator repeats its messages when it does not know whether they were received.
	s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{Id: id, Phase: "measure", AtRunNs: at, Timebase: wire.FromLine("S.1", clock.Line{})}}})
	s.order("S.1", nil)
	require.Empty(t, await(s, (*benchdv1.SessionRequest).GetPrepared).GetError())

	s.release(id)
	next := s.prepare("S.2")
	s.start(r, next, "measure")
	s.windows(true)
	require.Equal(t, "S.2", await(s, (*benchdv1.SessionRequest).GetPhaseEnded).GetId().GetRun())
}

func TestWatermarksOfInsertsGoBothWays(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	send := func(run string) {
		s.send(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Watermark{Watermark: &benchdv1.Watermark{Run: run, Key: 1100}}})
	}
	send("S.1") // of no shard yet
	id := s.order("S.1", map[string]string{"readproportion": "0.5", "insertproportion": "0.5", "requestdistribution": "latest"},
		&benchdv1.Phase{Name: "measure", DurationNs: int64(2 * time.Second)}) // longer than a stall
	send("S.1") // perhaps before it is ready
	require.Empty(t, await(s, (*benchdv1.SessionRequest).GetPrepared).GetError())
	s.start(r, id, "measure")
	send("S.2") // of another run
	send("S.1")
	windows := s.windows(true)
	require.Greater(t, windows[len(windows)-1].GetWatermark(), int64(1000))
}

func TestAShardThatCannotBePreparedReportsWhy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ key, value, want string }{
		"unknown target":  {"db", "mongodb", "mongodb"},
		"unknown setting": {"null.service", "soon", "null.service"},
		"wrong workers":   {"threadcount", "3", "workers"},
		"no log":          {"null.log", "/not/there/at/all", "--write-below"},
	}
	b := newFakeCoordinator(t)
	newRig(t, b)
	s := b.next()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			id := s.order("S.1", map[string]string{test.key: test.value})
			require.Contains(t, await(s, (*benchdv1.SessionRequest).GetPrepared).GetError(), test.want)
			s.release(id)
		})
	}
}

func TestNothingIsLostWithAStream(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	boot := s.hello.GetBootId()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	first := await(s, (*benchdv1.SessionRequest).GetWindow)
	s.ack(first)
	second := await(s, (*benchdv1.SessionRequest).GetWindow)
	s.cut()

	s = b.next()
	require.Equal(t, boot, s.hello.GetBootId())
	require.Len(t, s.hello.GetHeld(), 1)
	held := s.hello.GetHeld()[0]
	require.Equal(t, "measure", held.GetPhase())
	require.True(t, held.GetPrepared())
	require.True(t, held.GetRunning())
	require.Len(t, held.GetStarted(), 1)
	require.Empty(t, held.GetEnded())
	require.InDelta(t, held.GetTimebase().GetAgentNs()-int64(time.Hour), held.GetTimebase().GetRunNs(), 1e6, "the run's time goes on")

	again := await(s, (*benchdv1.SessionRequest).GetWindow)
	if again.GetSeq() == first.GetSeq() {
		again = await(s, (*benchdv1.SessionRequest).GetWindow) // the acknowledgement was lost with the stream
	}
	require.Equal(t, second.GetSeq(), again.GetSeq(), "what was not acknowledged comes again, in order")
	s.stop(id)
	rest := s.windows(true)
	all := append([]*benchdv1.Window{first, second}, rest...)
	ended := await(s, (*benchdv1.SessionRequest).GetPhaseEnded)
	require.Equal(t, ops(t, all), ended.GetRecorded())

	s.cut()
	s = b.next()
	held = s.hello.GetHeld()[0]
	require.False(t, held.GetRunning())
	require.Len(t, held.GetEnded(), 1, "an end is repeated until the shard is released")
	s.release(id)
	s.prepare("S.2")
	s.cut()
	require.Len(t, b.next().hello.GetHeld(), 1)
}

func TestAnAgentThatIsAskedToEndSignsOff(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	await(s, (*benchdv1.SessionRequest).GetStarted)
	s.ack(await(s, (*benchdv1.SessionRequest).GetWindow))
	began := time.Now()
	r.end()
	last := s.windows(true)
	require.True(t, last[len(last)-1].GetLast())
	ended := await(s, (*benchdv1.SessionRequest).GetPhaseEnded)
	require.Equal(t, "terminated", ended.GetLeft())
	require.Equal(t, ended.GetIssued(), ended.GetRecorded())
	require.Equal(t, "terminated", await(s, (*benchdv1.SessionRequest).GetLeaving).GetReason())
	require.Empty(t, s.in, "nothing follows the sign-off")
	require.NoError(t, r.result())
	tolerance.Within(t, began, 5*time.Second)
}

func TestAnAgentEndsWithoutACoordinator(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	await(s, (*benchdv1.SessionRequest).GetWindow) // and no acknowledgement
	began := time.Now()
	r.end()
	require.NoError(t, r.result())
	tolerance.Within(t, began, 5*time.Second)
}

func TestAnAgentThatNeverConnectedEndsAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, newFakeCoordinator(t), func(c *agent.Config) { c.Coordinator = "passthrough:///127.0.0.1:1"; c.Dial = c.Dial[1:] })
	began := time.Now()
	r.end()
	require.NoError(t, r.result())
	tolerance.Within(t, began, 2*time.Second)
}

func TestWithoutACoordinatorLoadStops(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b, func(c *agent.Config) { c.OrphanTimeout = 50 * time.Millisecond })
	s := b.next()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	await(s, (*benchdv1.SessionRequest).GetWindow)
	s.cut() // the first new attempt comes after 160 ms at the earliest
	s = b.next()
	for len(s.hello.GetHeld()[0].GetEnded()) == 0 { // a process that stalls finds both timers over
		s.cut()
		s = b.next()
	}
	ended := s.hello.GetHeld()[0].GetEnded()
	require.Len(t, ended, 1)
	require.Equal(t, "no coordinator for 50ms", ended[0].GetLeft())
	windows := s.windows(true)
	require.True(t, windows[len(windows)-1].GetLast(), "the measurements are kept")
}

// An agent ends without any acknowledgement, and another process of its name delivers its windows.
func TestAnAgentDeliversWhatAnEarlierProcessMeasured(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	dir := filepath.Join(t.TempDir(), "spool")
	spooled := func(c *agent.Config) { c.Spool = dir }
	r := newRig(t, b, spooled)
	s := b.next()
	boot := s.hello.GetBootId()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	for range 3 {
		await(s, (*benchdv1.SessionRequest).GetWindow)
	}
	r.end()
	require.NoError(t, r.result())

	again := newRig(t, b, spooled)
	s = b.next()
	require.Len(t, s.hello.GetHeld(), 1)
	held := s.hello.GetHeld()[0]
	require.True(t, held.GetRecovered())
	require.Equal(t, boot, held.GetBootId(), "it proves whose windows they are")
	require.NotEqual(t, boot, s.hello.GetBootId())
	require.Equal(t, "S.1", held.GetId().GetRun())
	require.Len(t, held.GetEnded(), 1)
	windows := s.windows(true)
	for _, w := range windows {
		require.Empty(t, w.GetBootId(), "it leaves the spool with the shard alone")
	}
	require.GreaterOrEqual(t, len(windows), 4)
	ended := held.GetEnded()[0]
	require.EqualValues(t, len(windows), ended.GetWindows())
	require.Equal(t, ops(t, windows), ended.GetRecorded())

	// The shard cannot be continued.
	s.start(again, id, "next")
	refused := await(s, (*benchdv1.SessionRequest).GetPhaseEnded)
	require.Equal(t, "next", refused.GetPhase())
	require.Equal(t, "the agent was restarted", refused.GetLeft())
	s.release(id)
	s.prepare("S.2") // other runs work as usual
	again.end()
	require.NoError(t, again.result())

	newRig(t, b, spooled)
	require.Empty(t, b.next().hello.GetHeld(), "delivered windows are dropped")
}

func TestTwoAgentsDoNotShareASpool(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	dir := filepath.Join(t.TempDir(), "spool")
	newRig(t, b, func(c *agent.Config) { c.Spool = dir })
	b.next()
	second := newRig(t, b, func(c *agent.Config) { c.Spool = dir })
	require.ErrorContains(t, second.result(), "another --name")
	newRig(t, b, func(c *agent.Config) { c.Spool, c.Name = dir, "b" })
	require.Equal(t, "b", b.next().hello.GetName())
}

// The right of an agent may come with the next certificate, so a refusal for lack of it does not end the process.
func TestAnAgentWithoutTheRightTriesAgain(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{wire.ErrNotAllowed, wire.ErrUnauthenticated} {
		t.Run(kind.Error(), func(t *testing.T) {
			t.Parallel()
			b := newFakeCoordinator(t)
			var tries atomic.Int32
			b.refuse = func() error {
				if tries.Add(1) <= 2 {
					return wire.Errorf(kind, "x (viewer) may not serve as an agent")
				}
				return nil
			}
			newRig(t, b)
			require.Equal(t, "a", b.next().hello.GetName())
			require.EqualValues(t, 3, tries.Load())
		})
	}
}

func TestAnAgentThatIsRefusedReportsWhy(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{wire.ErrNameTaken, wire.ErrProtocol, wire.ErrBadSpec} {
		t.Run(kind.Error(), func(t *testing.T) {
			b := newFakeCoordinator(t)
			b.refuse = func() error { return wire.Errorf(kind, "an agent named %q is connected already", "a") }
			r := newRig(t, b)
			err := r.result()
			require.ErrorIs(t, err, kind)
			require.ErrorContains(t, err, `an agent named "a" is connected already`)
		})
	}
}

// A coordinator that has too many agents may have room later.
func TestAnAgentWaitsForAPlaceInTheRoster(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	b.full = 2
	var log lockedBuffer
	r := newRig(t, b, func(c *agent.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	require.Equal(t, "a", b.next().hello.GetName())
	require.Contains(t, log.String(), "does not admit this agent now")
	require.Contains(t, log.String(), "has 4096 agents already")
	r.end()
	require.NoError(t, r.result())
}

// lockedBuffer is a log that a test reads while the agent writes it.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestAStopEndsAShard(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	await(s, (*benchdv1.SessionRequest).GetWindow)
	s.stop(id)
	s.windows(true)
	ended := await(s, (*benchdv1.SessionRequest).GetPhaseEnded)
	require.Empty(t, ended.GetLeft(), "the stop was ordered")
	require.True(t, ended.GetFinal())
	s.release(id)

	id = s.prepare("S.2", &benchdv1.Phase{Name: "measure"})
	s.stop(id)
	ended = await(s, (*benchdv1.SessionRequest).GetPhaseEnded)
	require.Zero(t, ended.GetWindows(), "a phase whose order to start was lost ends without windows")
	require.True(t, ended.GetFinal())
}

func TestAReleasedShardIsClosed(t *testing.T) {
	t.Parallel()
	b := newFakeCoordinator(t)
	r := newRig(t, b)
	s := b.next()
	id := s.prepare("S.1", &benchdv1.Phase{Name: "measure"})
	s.start(r, id, "measure")
	await(s, (*benchdv1.SessionRequest).GetWindow)
	s.release(id)
	s.prepare("S.2")
	s.cut()
	held := b.next().hello.GetHeld()
	require.Len(t, held, 1)
	require.Equal(t, "S.2", held[0].GetId().GetRun())
}

func TestABadConfigIsRefusedAtOnce(t *testing.T) {
	reader, drivers := spec.NewReader(nullspec.Target()), map[string]load.Driver{"null": null.Open}
	tests := map[string]struct {
		config agent.Config
		want   string
	}{
		"no coordinator": {agent.Config{Reader: reader, Drivers: drivers}, "coordinator"},
		"no reader":      {agent.Config{Coordinator: "x:1", Drivers: drivers}, "reader"},
		"no driver":      {agent.Config{Coordinator: "x:1", Reader: reader}, "driver"},
		"bad name":       {agent.Config{Coordinator: "x:1", Reader: reader, Drivers: drivers, Name: "a b"}, "a b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := agent.New(test.config)
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := agent.New(agent.Config{Coordinator: "x:1", Reader: reader, Drivers: drivers})
	require.NoError(t, err, "the host's name is an agent's")
}

// The switch reaches the target, and is reported to the coordinator.
func TestRawCallsCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	for known, want := range map[bool]string{false: "on", true: "off"} {
		t.Run(want, func(t *testing.T) {
			b := newFakeCoordinator(t)
			asked := make(chan bool, 1)
			newRig(t, b, func(c *agent.Config) {
				c.KnownIO = known
				c.Drivers = map[string]load.Driver{"null": func(ctx context.Context, s load.Settings) (load.Target, error) {
					asked <- s.KnownIO
					return null.Open(ctx, s)
				}}
			})
			s := b.next()
			if runtime.GOOS == "linux" {
				require.Equal(t, want, s.hello.GetHost().GetRawIo())
			}
			s.prepare("S.1")
			require.Equal(t, known, <-asked)
		})
	}
}

// Another user could have made the folder to read the measurements of this agent, or to redirect what it writes.
func TestASpoolThatOthersCanChangeIsRefused(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	open, link := filepath.Join(tmp, "open"), filepath.Join(tmp, "link")
	for _, dir := range []string{open, filepath.Join(tmp, "theirs")} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.Chmod(open, 0o777))
	require.NoError(t, os.Symlink(filepath.Join(tmp, "theirs"), link))
	for name, change := range map[string]func(*agent.Config){
		"may be written by others": func(c *agent.Config) { c.Spool = open },
		"is a symbolic link":       func(c *agent.Config) { c.Spool, c.SpoolBase = link, tmp },
	} {
		config := agent.Config{
			Coordinator: "passthrough:///nobody", Name: "a", Reader: spec.NewReader(nullspec.Target()), Drivers: map[string]load.Driver{"null": null.Open},
		}
		change(&config)
		a, err := agent.New(config)
		require.NoError(t, err)
		err = a.Run(t.Context())
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "--spool DIR")
	}
	entries, err := os.ReadDir(filepath.Join(tmp, "theirs"))
	require.NoError(t, err)
	require.Empty(t, entries)
}
