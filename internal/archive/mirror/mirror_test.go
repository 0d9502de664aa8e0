package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/archive/mirror"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
)

func open(t *testing.T) *sqlite.Archive {
	t.Helper()
	a, err := sqlite.Open(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.WithoutCancel(t.Context()))) })
	return a
}

// filled has three suites, one of which has not ended, and two schedules.
func filled(t *testing.T) *sqlite.Archive {
	t.Helper()
	a := open(t)
	for _, suite := range []string{"s1", "s2", "s3"} {
		run := archivetest.Create(t, a, suite)
		for seq := range 30 {
			archivetest.Add(t, a, archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: seq}, 5))
		}
		require.NoError(t, a.AddObservations(t.Context(), run, archivetest.ObservedBy("rs1")))
		if suite == "s2" {
			continue
		}
		record := archivetest.RunOf(suite, "1")
		record.Status, record.Ended = result.Complete, time.Unix(1_800_000_000, 0).UTC()
		require.NoError(t, a.Apply(t.Context(), archive.Change{Runs: []archive.RunRecord{record}, Suite: suite, Status: result.Complete}))
	}
	require.NoError(t, a.PutSchedule(t.Context(), archivetest.ScheduleOf("nightly"), []schedule.Alert{archivetest.AlertOf("s1"), archivetest.AlertOf("s2"), archivetest.AlertOf("s3")}))
	require.NoError(t, a.PutSchedule(t.Context(), archivetest.ScheduleOf("weekly"), nil))
	return a
}

func requireSame(t *testing.T, from, to mirror.Source) {
	t.Helper()
	suites, err := from.Suites(t.Context())
	require.NoError(t, err)
	copied, err := to.Suites(t.Context())
	require.NoError(t, err)
	require.Equal(t, suites, copied)
	for _, s := range suites {
		var want, got bytes.Buffer
		require.NoError(t, errors.Join(from.Copy(t.Context(), s.ID, &want), to.Copy(t.Context(), s.ID, &got)))
		require.Equal(t, want.Bytes(), got.Bytes(), s.ID)
	}
	schedules, err := from.Schedules(t.Context())
	require.NoError(t, err)
	others, err := to.Schedules(t.Context())
	require.NoError(t, err)
	require.Equal(t, schedules, others)
	for _, s := range schedules {
		want, err := from.Alerts(t.Context(), s.Name, 100)
		require.NoError(t, err)
		got, err := to.Alerts(t.Context(), s.Name, 100)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func ignore(mirror.Progress) {}

func TestAnArchiveIsCopiedWhole(t *testing.T) {
	from, to := filled(t), open(t)
	var seen []int
	done, err := mirror.Copy(t.Context(), from, to, func(p mirror.Progress) { seen = append(seen, p.Suites) })
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3, 3}, seen)
	require.Positive(t, done.Bytes)
	done.Bytes = 0
	require.Equal(t, mirror.Progress{Suites: 3, Of: 3, Runs: 3, Schedules: 2}, done)
	requireSame(t, from, to)

	again, err := mirror.Copy(t.Context(), from, to, ignore)
	require.NoError(t, err)
	require.Equal(t, mirror.Progress{Suites: 3, Of: 3, There: 3, Runs: 3, Schedules: 2}, again, "a second copy compares")
	requireSame(t, from, to)
}

// ending is an archive whose copy is interrupted at a suite.
type ending struct {
	*sqlite.Archive
	at string
}

func (e ending) Copy(ctx context.Context, suite string, to io.Writer) error {
	if suite != e.at {
		return e.Archive.Copy(ctx, suite, to)
	}
	var file bytes.Buffer
	if err := e.Archive.Copy(ctx, suite, &file); err != nil {
		return err
	}
	if _, err := to.Write(file.Bytes()[:file.Len()/2]); err != nil {
		return err
	}
	return errBroken
}

var errBroken = errors.New("the disk is broken")

func TestAnInterruptedCopyContinues(t *testing.T) {
	from, to := filled(t), open(t)
	_, err := mirror.Copy(t.Context(), ending{from, "s2"}, to, ignore)
	require.ErrorIs(t, err, errBroken)
	require.EqualError(t, err, "copy suite s2: the disk is broken")
	suites, err := to.Suites(t.Context())
	require.NoError(t, err)
	require.Len(t, suites, 1, "nothing is left of the suite that was interrupted")
	done, err := mirror.Copy(t.Context(), from, to, ignore)
	require.NoError(t, err)
	require.Equal(t, 1, done.There)
	requireSame(t, from, to)
}

func TestACopyIsNotMixedWithOtherSuites(t *testing.T) {
	from, to := filled(t), open(t)
	archivetest.Create(t, to, "other")
	_, err := mirror.Copy(t.Context(), from, to, ignore)
	require.ErrorIs(t, err, archive.ErrExists)
	require.EqualError(t, err, "copy the archive: suite number 1 of TO is other, and that of FROM is s1: copy into an empty archive")
	_, err = mirror.Copy(t.Context(), open(t), to, ignore)
	require.EqualError(t, err, "copy the archive: TO has suite other, which FROM does not have: copy into an empty archive")

	changed := open(t)
	_, err = mirror.Copy(t.Context(), from, changed, ignore)
	require.NoError(t, err)
	note := "changed"
	require.NoError(t, changed.Annotate(t.Context(), "s3", archive.Annotation{Note: &note}))
	_, err = mirror.Copy(t.Context(), from, changed, ignore)
	require.EqualError(t, err, "copy suite s3: TO has it with other rows: copy into an empty archive")
}

// forgetful stores other rows than it was given.
type forgetful struct{ *sqlite.Archive }

func (f forgetful) Take(ctx context.Context, from io.Reader) (string, error) {
	id, err := f.Archive.Take(ctx, from)
	if err == nil {
		note := ""
		err = f.Annotate(ctx, id, archive.Annotation{Note: &note})
	}
	return id, err
}

func TestACopyWithOtherRowsIsFound(t *testing.T) {
	from, to := filled(t), open(t)
	_, err := mirror.Copy(t.Context(), from, forgetful{to}, ignore)
	require.ErrorIs(t, err, archive.ErrDamaged)
	require.ErrorContains(t, err, "copy suite s1: its rows in the copy are not those that were written")
	suites, err := to.Suites(t.Context())
	require.NoError(t, err)
	require.Empty(t, suites)
}

// keeping is an archive that keeps records of a coordinator.
type keeping struct {
	*sqlite.Archive
	kept map[string][]byte
}

func (k keeping) Keep(_ context.Context, name string, content []byte) error {
	k.kept[name] = bytes.Clone(content)
	return nil
}

func (k keeping) Kept(_ context.Context, name string) ([]byte, error) { return k.kept[name], nil }

func (k keeping) KeptNames(context.Context, string) ([]string, error) {
	return slices.Sorted(maps.Keys(k.kept)), nil
}

func (keeping) Drop(context.Context, string) error { return nil }

func TestRecordsOfTheCoordinatorAreCopied(t *testing.T) {
	from := keeping{filled(t), map[string][]byte{"sessions": []byte("{}"), "joined/1": {0, 1}, archive.KeptResults + "program/s1.1": {2}}}
	to := keeping{open(t), make(map[string][]byte)}
	done, err := mirror.Copy(t.Context(), from, to, ignore)
	require.NoError(t, err)
	require.Equal(t, 2, done.Records)
	require.Zero(t, done.Left)
	require.Equal(t, map[string][]byte{"sessions": []byte("{}"), "joined/1": {0, 1}}, to.kept, "results are computed from the windows of the copy")
	done, err = mirror.Copy(t.Context(), from, open(t), ignore)
	require.NoError(t, err)
	require.Equal(t, 2, done.Left, "an archive whose coordinator keeps them as files")
	require.Zero(t, done.Records)
}

func TestACopyOfSchedulesIsCompared(t *testing.T) {
	from, to := filled(t), open(t)
	_, err := mirror.Copy(t.Context(), from, to, ignore)
	require.NoError(t, err)
	require.NoError(t, from.PutSchedule(t.Context(), archivetest.ScheduleOf("nightly"), []schedule.Alert{archivetest.AlertOf("s4")}))
	_, err = mirror.Copy(t.Context(), from, to, ignore)
	require.NoError(t, err, "new alerts are added")
	requireSame(t, from, to)
	require.NoError(t, to.PutSchedule(t.Context(), archivetest.ScheduleOf("hourly"), nil))
	_, err = mirror.Copy(t.Context(), from, to, ignore)
	require.EqualError(t, err, "copy the schedules: TO has others: copy into an empty archive")
}
