//go:build integration

package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
)

const (
	// writerEnv makes the test binary a writer to the archive of a URL.
	writerEnv = "BENCHD_TEST_ARCHIVE_WRITER"
	firstEnv  = "BENCHD_TEST_ARCHIVE_FIRST" // the seq of its first batch
	killedRun = "s.1"
	perBatch  = 6 // windows that are added together
	rollEvery = 20
)

// writeUntilKilled leads, and adds batches until it is killed, each of one seq, and prints the seq of each acknowledged one. As the coordinator
// does, it adds a batch again until it is acknowledged. Now and then it rolls up.
func writeUntilKilled(url string) error {
	ctx := context.Background()
	a, err := Open(ctx, url, discard())
	if err != nil {
		return err
	}
	boot := fmt.Sprint("writer-", os.Getpid())
	if got, err := a.Lead(ctx, archive.Leader{Boot: boot}); err != nil || got.Boot != boot {
		return fmt.Errorf("lead: %v leads: %w", got, err)
	}
	first, err := strconv.Atoi(os.Getenv(firstEnv))
	if err != nil {
		return err
	}
	for seq := first; ; seq++ {
		if err := addUntilStored(ctx, a, seq, seq == first); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, seq); err != nil {
			return err
		}
		if seq%rollEvery == rollEvery-1 {
			r := archive.RollUp{Run: killedRun, Phase: "measure", Step: 5 * time.Second, Windows: 5, Before: seq - 5}
			_ = a.RollUp(ctx, r, func(context.Context) error { return nil }) // the next one continues it
		}
	}
}

// addUntilStored adds a batch until it is acknowledged. Each of its windows must be fresh once, but those that a killed writer has stored.
func addUntilStored(ctx context.Context, a *Archive, seq int, mayBeThere bool) error {
	batch := make([]latency.Window, perBatch)
	for shard := range batch {
		batch[shard] = archivetest.WindowOf(latency.WindowID{Run: killedRun, Phase: "measure", Shard: shard, Attempt: 1, Seq: seq}, 30)
	}
	for {
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		receipts, err := a.AddWindows(within, batch)
		cancel()
		switch {
		case errors.Is(err, archive.ErrFenced):
			return err
		case err != nil:
			continue
		}
		for _, r := range receipts {
			if r.Err != nil || !r.Fresh && !mayBeThere {
				return fmt.Errorf("add batch %d: %+v", seq, receipts)
			}
		}
		return nil
	}
}

// kills is how many processes are killed: BENCHD_CRASH_KILLS, or a few.
func kills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("BENCHD_CRASH_KILLS")
	if text == "" {
		return 24
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "BENCHD_CRASH_KILLS is a number")
	return n
}

// perRun is how many kills hit the same run.
const perRun = 50

// The server and the writer are killed at random instants, half of them each: every acknowledged window is there, whole and once.
func TestAcknowledgedWindowsSurviveKills(t *testing.T) {
	t.Parallel()
	s := startOwn(t, postgrestest.Options{})
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	total := kills(t)
	servers, acknowledged := 0, 0
	for first := 0; first < total; first += perRun {
		v := &victims{t: t, server: s, random: random, url: urlOf(s.Address(), fmt.Sprintf("kill_%d", first))}
		a := leading(t, v.url)
		require.Equal(t, killedRun, archivetest.Create(t, a, "s"))
		require.NoError(t, a.Close(t.Context()))
		for i := range min(perRun, total-first) {
			if i%2 == 0 {
				v.killServer()
				servers++
			} else {
				v.killWriter()
			}
			v.check(i)
		}
		acknowledged += v.acknowledged * perBatch
		v.killWriter()
		v.check(total)
	}
	t.Logf("%d kills of the server, %d of the writer, %d windows acknowledged: each is there once", servers, total-servers, acknowledged)
}

// victims are a server and its writer.
type victims struct {
	t      *testing.T
	server *postgrestest.Server
	random *rand.Rand
	url    string

	writer       *exec.Cmd // nil if none runs
	errors       *lastLines
	lines        chan int // acknowledged
	acknowledged int      // so many batches
}

// lastLines keeps what a process prints to its standard error.
type lastLines struct {
	mu   sync.Mutex
	text []byte
}

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	return len(b), nil
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[max(0, len(l.text)-4000):])
}

// start starts a writer, instead of one that was killed.
func (v *victims) start() {
	v.t.Helper()
	if v.writer != nil {
		return
	}
	a := openURL(v.t, v.url)
	expire(v.t, a) // the killed one has not given up the lease
	require.NoError(v.t, a.Close(v.t.Context()))
	self, err := os.Executable()
	require.NoError(v.t, err)
	v.errors = new(lastLines)
	v.writer = exec.CommandContext(v.t.Context(), self)
	v.writer.Env = append(os.Environ(), writerEnv+"="+v.url, firstEnv+"="+strconv.Itoa(v.acknowledged))
	v.writer.Stderr = v.errors
	out, err := v.writer.StdoutPipe()
	require.NoError(v.t, err)
	require.NoError(v.t, v.writer.Start())
	v.lines = make(chan int, 1<<16)
	go func(lines chan int) {
		defer close(lines)
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadString('\n')
			if err != nil { // a line that was cut off by the kill says nothing
				_, _ = io.Copy(io.Discard, in)
				return
			}
			seq, err := strconv.Atoi(line[:len(line)-1])
			if err != nil {
				return
			}
			lines <- seq
		}
	}(v.lines)
}

// wait waits for a number of acknowledgements, and a random time.
func (v *victims) wait(batches int) {
	v.t.Helper()
	late := time.After(2 * time.Minute)
	for range batches {
		select {
		case seq, ok := <-v.lines:
			require.True(v.t, ok, "the writer has ended: %s", v.errors)
			v.took(seq)
		case <-late:
			require.Fail(v.t, "the writer acknowledges nothing", "%s", v.errors)
		}
	}
	<-time.After(time.Duration(v.random.Int64N(int64(8 * time.Millisecond))))
}

func (v *victims) took(seq int) {
	v.t.Helper()
	require.Equal(v.t, v.acknowledged, seq)
	v.acknowledged++
}

// killServer kills the server while the writer writes, and starts it again. The writer goes on.
func (v *victims) killServer() {
	v.t.Helper()
	v.start()
	v.wait(1 + v.random.IntN(12))
	require.NoError(v.t, v.server.Kill())
	require.NoError(v.t, v.server.Restart(v.t.Context()))
	v.wait(1)
}

// killWriter kills the writer, and takes what it has acknowledged.
func (v *victims) killWriter() {
	v.t.Helper()
	v.start()
	v.wait(1 + v.random.IntN(12))
	require.NoError(v.t, v.writer.Process.Kill())
	for seq := range v.lines {
		v.took(seq)
	}
	require.ErrorContains(v.t, v.writer.Wait(), "signal: killed", "%s", v.errors)
	v.writer = nil
}

// check checks that all that was acknowledged is there, once, and that each batch is there whole or not at all.
func (v *victims) check(kill int) {
	v.t.Helper()
	acknowledged := v.acknowledged
	a := openURL(v.t, v.url)
	defer func() { require.NoError(v.t, a.Close(v.t.Context())) }()
	if v.writer == nil { // the server may still be busy with its last transaction, which has the lease's row locked
		_, err := a.keeper.Exec(v.t.Context(), `SELECT 1 FROM lease FOR UPDATE`)
		require.NoError(v.t, err)
	}
	counts, err := a.Counts(v.t.Context(), killedRun)
	require.NoError(v.t, err)
	require.Len(v.t, counts, perBatch)
	for shard, c := range counts {
		want := archive.Count{Phase: "measure", Shard: shard, Attempt: 1, Windows: counts[0].Windows, Highest: counts[0].Highest, Ops: counts[0].Ops, Until: counts[0].Until}
		require.Equal(v.t, want, c, "kill %d: a batch is there whole or not at all", kill)
		require.GreaterOrEqual(v.t, c.Windows, acknowledged, "kill %d: an acknowledged batch is missing", kill)
		require.Equal(v.t, c.Windows-1, c.Highest, "kill %d: no gaps", kill)
		require.EqualValues(v.t, c.Windows*(2*30+3), c.Ops)
	}
	if v.writer != nil {
		return // it goes on: what is read now is whole at another instant
	}
	windows, ops := 0, uint64(0)
	for w, err := range a.Windows(v.t.Context(), killedRun) {
		require.NoError(v.t, err)
		windows, ops = windows+1, ops+latency.Ops(w.Series)
	}
	require.Equal(v.t, counts[0].Windows*perBatch, windows)
	require.EqualValues(v.t, windows*(2*30+3), ops, "kill %d: a measurement is missing, or there twice", kill)
}
