package fault_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const good = `# What goes wrong, and when.
seed: 7
faults:
  - kind: latency
    delay: exponential 5ms
    op: [get, scan]
    table: usertable
    start: 10s
    length: 30s
    share: 20%
  - kind: kill-server
    server: 2
    start: 1m
    length: 10s
    seed: 3
  - {kind: region-moved, from: user1, to: 'user\xFF', share: 0.5}
`

func TestParseFile(t *testing.T) {
	faults, err := fault.ParseFile("faults.yaml", []byte(strings.Replace(good, "    seed: 3\n", "", 1)))
	require.NoError(t, err)
	require.Equal(t, []fault.Fault{
		{
			Kind: fault.Latency, Start: 10 * time.Second, Length: 30 * time.Second, Share: 0.2, Seed: 7,
			Delay: randdur.Duration{Shape: randdur.Exponential, Time: 5 * time.Millisecond},
			Where: fault.Where{Ops: []fault.Op{fault.Get, fault.Scan}, Tables: []string{"usertable"}},
		},
		{Kind: fault.KillServer, Start: time.Minute, Length: 10 * time.Second, Share: 1, Where: fault.Where{Servers: []string{"2"}}},
		{Kind: fault.RegionMoved, Share: 0.5, Seed: 9, Where: fault.Where{From: "user1", To: "user\xff"}},
	}, faults)
}

func TestAnEmptyFileHasNoFaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "faults: []\n"} {
		faults, err := fault.ParseFile("faults.yaml", []byte(text))
		require.NoError(t, err, text)
		require.Empty(t, faults)
	}
}

// Each YAML file in testdata has mistakes; the golden file beside it has the expected messages.
func TestMistakesAreReportedWithPlaceAndRemedy(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			_, err = fault.ParseFile(filepath.Base(file), data)
			require.Error(t, err)
			var exit interface{ ExitCode() int }
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 2, exit.ExitCode())
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(err.Error()+"\n"), 0o600))
			}
			want, err2 := os.ReadFile(golden)
			require.NoError(t, err2)
			require.Equal(t, string(want), err.Error()+"\n")
		})
	}
}

func TestAMissingOrTooLargeFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := fault.ReadFile(filepath.Join(dir, "none.yaml"))
	require.ErrorContains(t, err, "no such file")
	large := filepath.Join(dir, "large.yaml")
	require.NoError(t, os.WriteFile(large, make([]byte, 1<<20+1), 0o600))
	_, err = fault.ReadFile(large)
	require.ErrorContains(t, err, "at most 1048576")
}

func TestAFaultSurvivesARoundTrip(t *testing.T) {
	faults, err := fault.ParseFile("faults.yaml", []byte(strings.Replace(good, "    seed: 3\n", "", 1)))
	require.NoError(t, err)
	for _, f := range faults {
		data, err := json.Marshal(&f)
		require.NoError(t, err)
		var again fault.Fault
		require.NoError(t, json.Unmarshal(data, &again), string(data))
		require.Equal(t, f, again)
	}
	require.Equal(t, "latency start 10s length 30s share 0.2 seed 7 op get,scan table usertable delay exponential 5ms", faults[0].String())
}

func TestJSONAcceptsNumbersAndSingleStrings(t *testing.T) {
	var f fault.Fault
	require.NoError(t, json.Unmarshal([]byte(`{"kind":"latency","delay":"5ms","op":"get","share":0.5,"seed":18446744073709551615}`), &f))
	require.Equal(t, []fault.Op{fault.Get}, f.Where.Ops)
	require.Equal(t, uint64(1<<64-1), f.Seed)
	for text, want := range map[string]string{
		`{"kind":"latency"}`:                "delay: is missing",
		`{"kind":"stall","table":{"a":1}}`:  "table: must be a string",
		`{"kind":"stall","tabel":"x"}`:      `tabel: unknown setting "tabel"; did you mean "table"?`,
		`{"kind":"stall","op":[["a","b"]]}`: "op: must be a list of strings",
		`[]`:                                "read fault",
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &f), want, text)
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(good))
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a: &a [*a]\n<<: *a\n"))
	f.Add([]byte("faults:\n- !!binary x\n- |\n  y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		faults, err := fault.ParseFile("f", data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for _, one := range faults {
			again, err := fault.Parse(one.Settings())
			require.NoError(t, err)
			require.Equal(t, one, again)
		}
	})
}

func FuzzFaultJSON(f *testing.F) {
	f.Add([]byte(`{"kind":"latency","delay":"5ms","op":["get"],"share":"20%","from":"a\\x00","to":"b"}`))
	f.Add([]byte(`{"kind":"kill-server","server":"2","length":"10s"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var one fault.Fault
		if err := json.Unmarshal(data, &one); err != nil {
			return
		}
		written, err := json.Marshal(&one)
		require.NoError(t, err)
		var again fault.Fault
		require.NoError(t, json.Unmarshal(written, &again))
		require.Equal(t, one, again)
	})
}
