package sqlite

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

// Some tests start the test binary as another process: these variables select its role.
const (
	writerEnv = "BENCHD_TEST_ARCHIVE_WRITER" // writeUntilKilled in this directory
	fullEnv   = "BENCHD_TEST_ARCHIVE_FULL"   // fillDisk at this mount point
)

func TestMain(m *testing.M) {
	for env, process := range map[string]func(string) error{writerEnv: writeUntilKilled, fullEnv: fillDisk} {
		if dir := os.Getenv(env); dir != "" {
			if err := process(dir); err != nil {
				panic(err) // the parent sees it on our standard error
			}
			return
		}
	}
	goleak.VerifyTestMain(m)
}

// child prepares the test binary as a process with a role set by env.
func child(t *testing.T, env, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), env+"="+dir)
	return cmd
}

const (
	killedRun = "s.1"
	perBatch  = 6 // windows that are added together
)

// writeUntilKilled adds batches until it is killed, each of one seq, and prints the seq of each acknowledged one.
func writeUntilKilled(dir string) error {
	ctx := context.Background()
	a, err := Open(ctx, dir, discard())
	if err != nil {
		return err
	}
	// The log is checkpointed often, so that kills hit checkpoints too.
	if _, err := a.writer.ExecContext(ctx, `PRAGMA wal_autocheckpoint = 20`); err != nil {
		return err
	}
	counts, err := a.Counts(ctx, killedRun)
	if err != nil {
		return err
	}
	seq := 0
	if len(counts) > 0 {
		seq = counts[0].Highest + 1
	}
	for ; ; seq++ {
		batch := make([]latency.Window, perBatch)
		for shard := range batch {
			batch[shard] = archivetest.WindowOf(latency.WindowID{Run: killedRun, Phase: "measure", Shard: shard, Seq: seq}, 30)
		}
		receipts, err := a.AddWindows(ctx, batch)
		if err != nil {
			return err
		}
		for _, r := range receipts {
			if r.Err != nil || !r.Fresh {
				return fmt.Errorf("add batch %d: %+v", seq, r)
			}
		}
		if _, err := fmt.Fprintln(os.Stdout, seq); err != nil {
			return err
		}
	}
}

// kills is how often a writer is killed; perArchive of them hit the same archive.
var kills = flag.Int("kills", 50, "how often TestAcknowledgedWindowsSurviveKill kills a writer")

const perArchive = 10

func TestAcknowledgedWindowsSurviveKill(t *testing.T) {
	t.Parallel()
	for first := 0; first < *kills; first += perArchive {
		surviveKills(t, min(perArchive, *kills-first))
	}
}

func surviveKills(t *testing.T, kills int) {
	t.Helper()
	dir := t.TempDir()
	a := openIn(t, dir)
	require.Equal(t, killedRun, archivetest.Create(t, a, "s"))
	require.NoError(t, a.Close(t.Context()))

	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	acknowledged := map[int]bool{}
	for point := range kills {
		for _, seq := range killWriter(t, dir, 1+random.IntN(8), time.Duration(random.Int64N(int64(4*time.Millisecond)))) {
			acknowledged[seq] = true
		}

		a := openIn(t, dir)
		var verdict string
		require.NoError(t, a.writer.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict))
		require.Equal(t, "ok", verdict)
		there := map[int]int{}
		for w, err := range a.Windows(t.Context(), killedRun) {
			require.NoError(t, err)
			require.Len(t, w.Series, 5, "a window is there whole")
			there[w.ID.Seq]++
		}
		for seq := range acknowledged {
			require.Equal(t, perBatch, there[seq], "batch %d was acknowledged before kill %d", seq, point)
		}
		for seq, n := range there {
			require.Equal(t, perBatch, n, "batch %d is there whole or not at all", seq)
		}
		require.NoError(t, a.Close(t.Context()))
	}
}

// killWriter starts a writer, kills it some time after a number of acknowledgements, and returns the acknowledged windows.
func killWriter(t *testing.T, dir string, after int, delay time.Duration) (acknowledged []int) {
	t.Helper()
	cmd := child(t, writerEnv, dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) { // a line that was cut off by the kill says nothing
			break
		}
		require.NoError(t, err)
		seq, err := strconv.Atoi(line[:len(line)-1])
		require.NoError(t, err)
		if acknowledged = append(acknowledged, seq); len(acknowledged) == after {
			time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		}
	}
	require.ErrorContains(t, cmd.Wait(), "signal: killed")
	require.GreaterOrEqual(t, len(acknowledged), after)
	return acknowledged
}
