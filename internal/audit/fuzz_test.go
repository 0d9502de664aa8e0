package audit

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzRecord writes records with texts of peers: each is one line, whatever they contain, and can be read back.
func FuzzRecord(f *testing.F) {
	f.Add("anna", "Submit", "suite", "nightly", "x\n{\"who\":\"eve\"}\n")
	f.Add("\x00\xff", "\u2028", "", "", string(make([]byte, 5000)))
	f.Fuzz(func(t *testing.T, who, call, key, value, reason string) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		l, err := Open(path, Options{Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		l.Write(Record{Time: at, Who: who, Call: call, Details: map[string]string{key: value}, Outcome: Failed, Reason: reason})
		l.Write(Record{Time: at, Who: "last", Call: "Cancel", Outcome: Done})
		var got []Record
		require.NoError(t, l.Read(Query{}, func(line []byte) error {
			var r Record
			require.NoError(t, json.Unmarshal(line, &r))
			got = append(got, r)
			return nil
		}))
		require.Len(t, got, 2)
		require.Equal(t, "last", got[1].Who)
		require.Equal(t, Failed, got[0].Outcome)
		if len(who) < 100 && utf8.ValidString(who) {
			require.Equal(t, who, got[0].Who)
		}
		require.NoError(t, l.Close())
	})
}

// FuzzRead reads a file that something else has written to.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"who\":\"anna\",\"call\":\"Submit\",\"outcome\":\"done\"}\n{\"who\""))
	f.Add([]byte("[[[[\nnull\n{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		l, err := Open(path, Options{Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		l.Write(Record{Who: "last", Call: "Cancel", Outcome: Done})
		last := ""
		require.NoError(t, l.Read(Query{}, func(line []byte) error {
			var r Record
			require.NoError(t, json.Unmarshal(line, &r))
			last = r.Who
			return nil
		}))
		require.NoError(t, l.Close())
		require.Equal(t, "last", last, "what was there does not hide a new record")
	})
}
