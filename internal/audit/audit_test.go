package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

func day(seconds float64) time.Time {
	return time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

func read(t *testing.T, l *Log, q Query) []Record {
	t.Helper()
	var out []Record
	require.NoError(t, l.Read(q, func(line []byte) error {
		var r Record
		require.NoError(t, json.Unmarshal(line, &r))
		out = append(out, r)
		return nil
	}))
	return out
}

func opened(t *testing.T, o Options) (*Log, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit", "audit.jsonl")
	l, err := Open(path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, path
}

func TestRecordsAreKeptInOrderAndSelected(t *testing.T) {
	l, path := opened(t, Options{})
	ctx, entry := Begin(t.Context())
	Note(ctx, "suite", "S")
	Note(ctx, "table", "")
	Claim(ctx, "root")
	l.Write(entry.Complete(Record{Time: day(0), Who: "anna", Role: "operator", Call: "Submit", Outcome: Done}))
	l.Write(Record{Time: day(1), Who: "ben", Role: "viewer", Call: "Cancel", Outcome: Refused, Reason: "may not"})
	require.NoError(t, l.Close())
	l, err := Open(path, Options{})
	require.NoError(t, err)
	l.Write(Record{Time: day(2), Who: "anna", Call: "Cancel", Outcome: Failed, Reason: "has ended"})

	all := read(t, l, Query{})
	require.Len(t, all, 3)
	require.Equal(t, Record{
		Time: day(0), Who: "anna", Role: "operator", Claims: "root", Call: "Submit", Outcome: Done, Details: map[string]string{"suite": "S"},
	}, all[0])
	require.Equal(t, all[1:2], read(t, l, Query{Refused: true}))
	require.Equal(t, all[2:], read(t, l, Query{Since: day(1.5)}))
	require.Len(t, read(t, l, Query{Who: "anna"}), 2)
	require.Len(t, read(t, l, Query{Who: "root"}), 1, "the name that a peer gives itself")
	stop := errors.New("stop")
	require.ErrorIs(t, l.Read(Query{}, func([]byte) error { return stop }), stop)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, l.Close())
}

func TestARefusedFloodIsCounted(t *testing.T) {
	l, _ := opened(t, Options{})
	for i := range 1000 {
		l.Write(Record{Time: day(float64(i) / 2000), Role: "anonymous", From: fmt.Sprintf("10.0.0.1:%d", 1000+i), Call: "Submit", Outcome: Refused})
	}
	l.Write(Record{Time: day(0.6), Role: "anonymous", From: "10.0.0.2:1", Call: "Submit", Outcome: Refused})
	l.Write(Record{Time: day(0.7), Who: "anna", Call: "Submit", Outcome: Done})
	l.Write(Record{Time: day(2), Who: "anna", Call: "Submit", Outcome: Done})
	all := read(t, l, Query{})
	require.Len(t, all, 5)
	require.Zero(t, all[0].Times, "the first refusal is written at once")
	require.Equal(t, "10.0.0.2:1", all[1].From, "another peer's is not counted with it")
	require.Equal(t, 999, all[3].Times)
	require.Equal(t, day(2), all[3].Time)
}

func TestRefusalsOfManyKindsAreCountedTogether(t *testing.T) {
	l, _ := opened(t, Options{})
	const kinds = 20 * maxFolded
	for i := range kinds {
		l.Write(Record{Time: day(0), Role: "anonymous", From: fmt.Sprintf("[2001:db8::%x]:1", i), Call: "Submit", Outcome: Refused})
	}
	l.Write(Record{Time: day(2), Who: "anna", Call: "Submit", Outcome: Done})
	all := read(t, l, Query{})
	require.Len(t, all, maxFolded+2)
	rest := all[maxFolded]
	require.Equal(t, kinds-maxFolded, rest.Times)
	require.Equal(t, "others", rest.From)
	require.Equal(t, Refused, rest.Outcome)
}

func TestAPeerDoesNotFillTheLogWithPathsThatItMakesUp(t *testing.T) {
	l, _ := opened(t, Options{})
	const paths, seconds = 10_000, 3
	for i := range seconds {
		for j := range paths {
			l.Write(Record{Time: day(2 * float64(i)), Role: "anonymous", From: fmt.Sprintf("10.0.0.1:%d", j), Call: fmt.Sprintf("GET /%d", j), Outcome: Refused})
		}
	}
	l.Write(Record{Time: day(10), Who: "anna", Call: "Submit", Outcome: Done})
	all := read(t, l, Query{Refused: true})
	require.Len(t, all, seconds*(maxKinds+1))
	require.Equal(t, paths-maxKinds, all[len(all)-1].Times)
}

func TestFilesAreRotatedAndBounded(t *testing.T) {
	l, path := opened(t, Options{FileBytes: 4096, Files: 3})
	const records = 400
	for i := range records {
		l.Write(Record{Time: day(float64(i)), Who: "anna", Call: "Submit", Outcome: Done, Details: map[string]string{"number": strconv.Itoa(i)}})
	}
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(4096), f.Name())
	}
	all := read(t, l, Query{})
	require.Greater(t, len(all), 50)
	for i, r := range all { // the newest ones, without a gap
		require.Equal(t, strconv.Itoa(records-len(all)+i), r.Details["number"])
	}
}

func TestARecordThatACrashHasCutIsLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"who":"anna","call":"Submit","outcome":"done"}`+"\n"+`{"who":"be`), 0o600))
	l, err := Open(path, Options{})
	require.NoError(t, err)
	l.Write(Record{Time: day(0), Who: "carl", Call: "Cancel", Outcome: Done})
	all := read(t, l, Query{})
	require.Len(t, all, 2)
	require.Equal(t, "carl", all[1].Who)
	require.NoError(t, l.Close())
}

func TestTextsOfPeersAreBounded(t *testing.T) {
	l, _ := opened(t, Options{})
	l.Write(Record{Time: day(0), Who: "anna", Claims: strings.Repeat("ä", 1<<20), Call: "Submit", Outcome: Refused, Reason: "line\nbreak \x1b[31m"})
	all := read(t, l, Query{})
	require.Len(t, all, 1, "one line, whatever its texts are")
	require.Less(t, len(all[0].Claims), 2000)
	require.Equal(t, "line\nbreak \x1b[31m", all[0].Reason)
}

func TestALostRecordIsCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	l, path := opened(t, Options{Registerer: registry, FileBytes: 1})
	l.Write(Record{Time: day(0), Who: "anna", Call: "Submit", Outcome: Done})
	require.NoError(t, os.RemoveAll(filepath.Dir(path))) // rotation fails
	l.Write(Record{Time: day(1), Who: "anna", Call: "Submit", Outcome: Done})
	require.InDelta(t, 1, testutil.ToFloat64(l.failed), 0)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	l.Write(Record{Time: day(2), Who: "anna", Call: "Submit", Outcome: Done})
	require.Len(t, read(t, l, Query{}), 1, "the log works again when its folder is back")
}
