package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/latency"
)

func TestFullFileIsReportedAndStaysReadable(t *testing.T) {
	dir := t.TempDir()
	a := openIn(t, dir)
	run := archivetest.Create(t, a, "s")
	var pages int
	require.NoError(t, a.writer.QueryRowContext(t.Context(), `PRAGMA page_count`).Scan(&pages))
	setMost := func(n int) {
		_, err := a.writer.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA max_page_count = %d`, n))
		require.NoError(t, err)
	}
	setMost(pages + 10)

	seq, err := addUntilError(t.Context(), a, run)
	require.ErrorIs(t, err, archive.ErrFull)
	require.ErrorContains(t, err, "add windows to "+a.Path()+": the disk is full: free some space, or use another directory (")
	require.Positive(t, seq)
	require.Len(t, archivetest.WindowsIn(t, a, run), seq, "what was acknowledged, and nothing of the window that did not fit")

	setMost(pages + 1000) // space was freed: it goes on with the very window
	require.Equal(t, []bool{true}, archivetest.Add(t, a, fullWindow(run, seq)))
	require.NoError(t, a.Close(t.Context()))
	require.Len(t, archivetest.WindowsIn(t, openIn(t, dir), run), seq+1)
}

// TestFullDisk runs fillDisk on a small file system, which a process in namespaces of its own may mount.
func TestFullDisk(t *testing.T) {
	cmd := child(t, fullEnv, t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Logf("this machine gives no namespaces (%v): the full disk was not tried, only the full file", err)
		return
	}
	require.NoError(t, err, "%s", out)
}

func fillDisk(dir string) error {
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1200k"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	ctx := context.Background()
	data := filepath.Join(dir, "data")
	ballast := filepath.Join(dir, "ballast")

	// An archive whose disk fills while it is open.
	a, err := Open(ctx, data, discard())
	if err != nil {
		return err
	}
	run := archivetest.RunOf("s", "1")
	if err := a.CreateSuite(ctx, archivetest.SuiteOf("s"), []archive.RunRecord{run}); err != nil {
		return err
	}
	if err := errors.Join(fill(ballast), shrink(ballast, 300<<10)); err != nil { // room for a few windows
		return err
	}
	seq, err := addUntilError(ctx, a, run.ID)
	if !errors.Is(err, archive.ErrFull) || seq == 0 {
		return fmt.Errorf("after %d windows: want ErrFull, have %w", seq, err)
	}
	if n, err := countWindows(ctx, a, run.ID); err != nil || n != seq {
		return fmt.Errorf("on the full disk: want %d windows, have %d, %w", seq, n, err)
	}
	if err := a.Close(ctx); err != nil && !errors.Is(err, archive.ErrFull) {
		return fmt.Errorf("close on the full disk: %w", err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if n, err := reopen(ctx, data, run.ID); err != nil || n != seq {
		return fmt.Errorf("after space was freed: want %d windows, have %d, %w", seq, n, err)
	}

	// An archive, or a new one, on a disk with few bytes left: it opens, or returns the reason, wherever the space runs
	// out.
	other := filepath.Join(dir, "other")
	for room := int64(0); room <= 200<<10; room += 8 << 10 {
		for _, dir := range []string{data, other} {
			if err := errors.Join(fill(ballast), shrink(ballast, room)); err != nil {
				return err
			}
			_, err := reopen(ctx, dir, run.ID)
			if full := errors.Is(err, archive.ErrFull) && strings.Contains(err.Error(), "the disk is full: free some space"); err != nil && !full || err == nil && room == 0 {
				return fmt.Errorf("open %s with %d bytes left: want ErrFull, have %w", dir, room, err)
			}
			if err := errors.Join(os.Remove(ballast), os.RemoveAll(other)); err != nil {
				return err
			}
		}
	}
	for dir, want := range map[string]int{data: seq, other: 0} {
		if n, err := reopen(ctx, dir, run.ID); err != nil || n != want {
			return fmt.Errorf("after space was freed: want %d windows, have %d, %w", want, n, err)
		}
	}
	return nil
}

// shrink truncates a file by a number of bytes.
func shrink(path string, by int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()-by)
}

// reopen opens the archive of a directory, counts a run's windows and closes it.
func reopen(ctx context.Context, dir, run string) (int, error) {
	a, err := Open(ctx, dir, discard())
	if err != nil {
		return 0, err
	}
	n, err := countWindows(ctx, a, run)
	return n, errors.Join(err, a.Close(ctx))
}

// fill writes a file until the disk is full.
func fill(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	for size := 1 << 16; size > 0; {
		if _, err := file.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			return err
		}
	}
	return file.Close()
}

func fullWindow(run string, seq int) latency.Window {
	return archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Seq: seq}, 50)
}

// addUntilError adds windows one by one and returns how many were acknowledged.
func addUntilError(ctx context.Context, a *Archive, run string) (int, error) {
	for seq := 0; ; seq++ {
		if _, err := a.AddWindows(ctx, []latency.Window{fullWindow(run, seq)}); err != nil {
			return seq, err
		}
	}
}

func countWindows(ctx context.Context, a *Archive, run string) (n int, err error) {
	for _, err := range a.Windows(ctx, run) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
