package foreign_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/foreign"
	"github.com/benchd/benchd/internal/result"
)

// The files of testdata/ycsb-0.17.0 are YCSB's own, of its class BasicDB; test/java/ycsb makes such files.

func read(t *testing.T, stated foreign.Stated, paths ...string) (result.Run, error) {
	t.Helper()
	files := make([]foreign.File, 0, len(paths))
	for _, path := range paths {
		content, err := os.ReadFile(filepath.Join("testdata", "ycsb-0.17.0", path))
		require.NoError(t, err)
		files = append(files, foreign.File{Name: path, Content: content})
	}
	return foreign.Read(files, stated)
}

func operation(t *testing.T, phase result.Phase, op string) result.Operation {
	t.Helper()
	for _, o := range phase.Operations {
		if o.Op == op {
			return o
		}
	}
	require.Fail(t, "no operation "+op)
	return result.Operation{}
}

func TestTextOfYCSBHasWhatItPrintsAndNothingElse(t *testing.T) {
	run, err := read(t, foreign.Stated{}, "run.txt")
	require.NoError(t, err)
	require.Equal(t, &result.Foreign{
		Program: "YCSB", Version: "0.17.0", Latency: "service", Stated: []string{},
		Files: []result.ForeignFile{{Name: "run.txt", Format: "ycsb-text", Bytes: 3092, SHA256: run.Provenance.Foreign.Files[0].SHA256}},
	}, run.Provenance.Foreign)
	require.Len(t, run.Provenance.Foreign.Files[0].SHA256, 64)
	require.Equal(t, result.Reconcile{Unknown: true}, run.Reconcile, "nothing was reconciled")
	require.Empty(t, run.Verdicts)
	require.Empty(t, run.Warnings)
	require.Equal(t, "site.ycsb.BasicDB", run.Resolved["db"])
	require.Equal(t, "4", run.Resolved["threadcount"])

	require.Len(t, run.Phases, 1)
	p := run.Phases[0]
	require.Equal(t, "measure closed", p.Name+" "+p.Loop)
	require.InDelta(t, 2.784, p.Seconds, 1e-9)
	require.InDelta(t, 1436.7816091954023, p.Throughput, 1e-9)
	require.EqualValues(t, 4000, p.Ops)
	update := operation(t, p, "UPDATE")
	require.Equal(t, result.Figures{Count: 1993, Mean: 2269.7822378324136, Min: 0, Max: 279295, P95: new(float64(4111)), P99: new(float64(5055))}, update.Figures)
	require.Equal(t, update.Figures, update.Service)
	require.Equal(t, "CLEANUP", *operation(t, p, "CLEANUP").PartOf)

	require.Len(t, p.Series, 4)
	require.Equal(t, []uint64{179, 523, 1897, 1401}, []uint64{p.Series[0].Ops, p.Series[1].Ops, p.Series[2].Ops, p.Series[3].Ops})
	require.InDelta(t, 1.002, p.Series[2].Seconds, 1e-9)
	require.InDelta(t, p.Seconds, p.Series[3].T+p.Series[3].Seconds, 1e-3)
}

func TestFormsOfYCSB(t *testing.T) {
	for _, test := range []struct {
		file, phase, op string
		count           uint64
		p50, p95, p99   *float64
		warning         string
	}{
		{"load.txt", "load", "INSERT", 1000, nil, new(float64(2105)), new(float64(2203)), ""},
		{"exporter.json", "measure", "READ", 986, nil, new(float64(4143)), new(float64(5499)), "measurement.interval"},
		{"array.json", "measure", "READ", 1008, nil, new(float64(4099)), new(float64(4119)), "measurement.interval"},
		{"buckets.txt", "measure", "READ", 1032, nil, nil, nil, "whole milliseconds"},
		{"timeseries.txt", "measure", "READ", 1022, nil, nil, nil, "means over time"},
		{"raw.txt", "measure", "READ", 354, new(float64(2088)), new(float64(4100)), nil, "too few samples"},
		{"verbose.txt", "measure", "READ", 486, new(float64(2091)), new(float64(4099)), nil, "too few samples"},
		{"rmw.txt", "measure", "READ-MODIFY-WRITE", 983, nil, new(float64(4187)), new(float64(4311)), "YCSB counts those of READ-MODIFY-WRITE with the others"},
		{"hdrraw.txt", "measure", "UPDATE", 0, nil, nil, nil, "measurement.interval"},
	} {
		t.Run(test.file, func(t *testing.T) {
			run, err := read(t, foreign.Stated{}, test.file)
			require.NoError(t, err)
			require.Equal(t, test.phase, run.Phases[0].Name)
			require.Contains(t, strings.Join(run.Warnings, "\n"), test.warning)
			if test.count == 0 {
				return
			}
			o := operation(t, run.Phases[0], test.op)
			require.Equal(t, test.count, o.Count)
			require.Equal(t, []*float64{test.p50, test.p95, test.p99}, []*float64{o.P50, o.P95, o.P99})
		})
	}
}

func TestPartsOfReadModifyWriteAreNotCountedAgain(t *testing.T) {
	run, err := read(t, foreign.Stated{}, "rmw.txt")
	require.NoError(t, err)
	p := run.Phases[0]
	require.EqualValues(t, 2000, p.Ops)
	require.Equal(t, "READ-MODIFY-WRITE", *operation(t, p, "UPDATE").PartOf)
	for _, o := range p.Operations {
		require.NotEqual(t, "READ", o.Op, "it has reads of both kinds")
	}
	require.Len(t, p.Combined, 4)
}

func TestFilesOfOneRunComplementEachOther(t *testing.T) {
	all := []string{
		"both/result.txt", "both/status.txt", "both/READ.hdr", "both/UPDATE.hdr", "both/CLEANUP.hdr", "both/Intended-READ.hdr", "both/Intended-UPDATE.hdr",
		"both/Intended-CLEANUP.hdr",
	}
	run, err := read(t, foreign.Stated{}, all...)
	require.NoError(t, err)
	require.Equal(t, "both", run.Provenance.Foreign.Latency)
	require.Empty(t, run.Warnings)
	o := operation(t, run.Phases[0], "READ")
	require.Equal(t, new(float64(557055)), o.P99, "of Intended-READ in the text")
	require.Equal(t, new(float64(4991)), o.P50, "of Intended-READ.hdr")
	require.Equal(t, new(float64(7631)), o.Service.P99)
	require.Equal(t, new(float64(2087)), o.Service.P50)
	first := run.Phases[0].Series[0].Operations[0]
	require.InDelta(t, 365059.54, first.Mean, 1e-9)
	require.InDelta(t, 5456.39, first.ServiceMean, 1e-9)

	logs, err := read(t, foreign.Stated{}, all[2:]...)
	require.NoError(t, err)
	require.Equal(t, "closed", logs.Phases[0].Loop)
	require.EqualValues(t, 4000, logs.Phases[0].Ops)
	require.InDelta(t, 3.281, logs.Phases[0].Seconds, 1e-9)
	own := operation(t, logs.Phases[0], "READ").Service
	require.Equal(t, o.Service.P99, own.P99)
	require.Equal(t, [2]float64{o.Service.Min, o.Service.Max}, [2]float64{own.Min, own.Max})
	require.InEpsilon(t, o.Service.Mean, own.Mean, 0.001)
	require.Contains(t, strings.Join(logs.Warnings, "\n"), "no file has the run time")

	_, err = read(t, foreign.Stated{}, "both/result.txt", "both/READ.hdr", "run.txt")
	require.ErrorContains(t, err, "there are two results of the phase measure: give the files of one run")
	_, err = read(t, foreign.Stated{}, "run.txt", "both/READ.hdr")
	require.ErrorContains(t, err, "READ has 2039 operations here and 2007 in another file")
}

// Without -s, standard error has the command line and the version alone.
func TestStandardErrorWithoutStatusLinesIsRead(t *testing.T) {
	result, err := os.ReadFile("testdata/ycsb-0.17.0/rmw.txt")
	require.NoError(t, err)
	run, err := foreign.Read([]foreign.File{
		{Name: "out", Content: result},
		{Name: "err", Content: []byte("Command line: -t -threads 4 -p recordcount=1000\nYCSB Client 0.17.0\n\nLoading workload...\nStarting test.\n")},
	}, foreign.Stated{})
	require.NoError(t, err)
	require.Equal(t, "0.17.0", run.Provenance.Foreign.Version)
	require.Equal(t, "4", run.Resolved["threadcount"])
}

func TestFailedOperationsAreApart(t *testing.T) {
	run, err := foreign.Read([]foreign.File{{Name: "r", Content: []byte(`[OVERALL], RunTime(ms), 1000
[OVERALL], Throughput(ops/sec), 1.2E3
[READ], Operations, 0
[READ], AverageLatency(us), NaN
[READ], MinLatency(us), 9223372036854775807
[READ], MaxLatency(us), 0
[READ], 95thPercentileLatency(us), 0
[READ], Return=NOT_FOUND, 1200
[READ-FAILED], Operations, 1200
[READ-FAILED], AverageLatency(us), 812.5
[READ-FAILED], MinLatency(us), 100
[READ-FAILED], MaxLatency(us), 2000
[READ-FAILED], 99.9PercentileLatency(us), 1900
[READ-FAILED], 95thPercentileLatency(us), 1500
`)}}, foreign.Stated{})
	require.NoError(t, err)
	p := run.Phases[0]
	require.EqualValues(t, 1200, p.Ops)
	require.Len(t, p.Operations, 1)
	require.Equal(t, "READ NOT_FOUND", p.Operations[0].Op+" "+p.Operations[0].Outcome)
	require.Equal(t, new(float64(1500)), p.Operations[0].P95)
	require.Nil(t, p.Operations[0].P999, "law 6")
}

func TestWhatNoFileHasIsStated(t *testing.T) {
	const log = "#[Histogram log format version 1.3]\n0.000,1.000,0.005,HISTggAAAC542pNpmdzIwMD6gAECmKE0I5Rmsv/AgA0wofEZGUbBKBgFo2AUDEXACADaaQPT\n"
	files := []foreign.File{{Name: "run-UPDATE.hlog", Content: []byte(log)}}
	_, err := foreign.Read(files, foreign.Stated{})
	require.EqualError(t, err, "run-UPDATE.hlog: it does not name the unit of its values: state it with --unit ns, us or ms")

	run, err := foreign.Read(files, foreign.Stated{Unit: time.Millisecond, Loop: "open"})
	require.NoError(t, err)
	require.Equal(t, []string{"loop open", "unit 1ms"}, run.Provenance.Foreign.Stated)
	require.Empty(t, run.Provenance.Foreign.Program)
	require.Equal(t, "open response", run.Phases[0].Loop+" "+run.Provenance.Foreign.Latency)
	require.InDelta(t, 187_000, operation(t, run.Phases[0], "UPDATE").Max, 1e-9)

	run, err = foreign.Read(files, foreign.Stated{Unit: time.Microsecond})
	require.NoError(t, err)
	require.Equal(t, result.UnknownLoop, run.Phases[0].Loop)

	_, err = foreign.Read([]foreign.File{{Name: "mine.hlog", Content: []byte(log)}}, foreign.Stated{Unit: time.Microsecond})
	require.ErrorContains(t, err, "mine.hlog: its name does not name an operation")
	_, err = read(t, foreign.Stated{Loop: "open"}, "run.txt")
	require.ErrorContains(t, err, "YCSB has a closed loop only")
}

func TestWrongFilesAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"empty":           {"", "f: it is empty"},
		"unknown":         {"\n\nhello\n", `f: line 3: not a line of a known result: "hello": want the text or JSON output of YCSB, or an HdrHistogram log`},
		"our JSON":        {`{"schema":1,"kind":"run"}`, "f: line 1: not a line of a known result"},
		"negative":        {"[OVERALL], RunTime(ms), 5\n[READ], Operations, -4\n", `f: line 2: invalid value "-4": want a number from 0`},
		"fraction":        {"[OVERALL], RunTime(ms), 5\n[READ], Operations, 4.5\n", `f: line 2: invalid count "4.5"`},
		"NaN":             {"[OVERALL], RunTime(ms), 5\n[READ], Operations, 4\n[READ], MaxLatency(us), NaN\n", "f: line 3: invalid value"},
		"nothing":         {"[OVERALL], RunTime(ms), 0\n[OVERALL], Throughput(ops/sec), NaN\n", "f: line 2: the throughput is NaN: nothing was measured"},
		"bad name":        {"[OVERALL], RunTime(ms), 5\n[RE/AD], Operations, 4\n", `f: line 2: invalid name "RE/AD"`},
		"contradiction":   {"[READ], Operations, 4\n[READ], Operations, 5\n", "f: line 2: the figure is there twice, as 4 and 5"},
		"no length":       {"[READ], Operations, 4\n", "f: no file has the length of the measure phase"},
		"impossible":      {"[OVERALL], RunTime(ms), 5\n[READ], Operations, 4\n[READ], MinLatency(us), 9\n[READ], AverageLatency(us), 9\n[READ], MaxLatency(us), 8\n", "READ has a mean of 9 µs, between 9 and 8"},
		"tail above max":  {"[OVERALL], RunTime(ms), 5\n[READ], Operations, 4000\n[READ], AverageLatency(us), 3\n[READ], MinLatency(us), 1\n[READ], MaxLatency(us), 8\n[READ], p99, 100\n", "p99 at 100 µs: its times are from 1 to 8"},
		"status alone":    {"2026-11-21 08:48:54:859 0 sec: 0 operations; est completion in 0 second \n", "did the program end?"},
		"broken log":      {"#[Histogram log format version 1.3]\nwhat\n", `f: line 2: not a line of an HdrHistogram log: "what"`},
		"broken interval": {"#[Histogram log format version 1.3]\n0.0,1.0,1.0,HISTFAAA\n", "f: line 2: decode HdrHistogram"},
		"broken JSON":     {`{"metric":"OVERALL","measurement":"RunTime(ms)","value":5} {"metric":`, "f: line 1:"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := foreign.Read([]foreign.File{{Name: "dir/f", Content: []byte(test.content)}}, foreign.Stated{})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestSecretsOfACommandLineAreLeftOut(t *testing.T) {
	run, err := foreign.Read([]foreign.File{{Name: "f", Content: []byte("Command line: -t -p db.passwd=hunter2 -p recordcount=5 -P w/secret -target 9\n[OVERALL], RunTime(ms), 5\n[OVERALL], Throughput(ops/sec), 0\n[CLEANUP], Operations, 0\n")}}, foreign.Stated{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"recordcount": "5", "target": "9"}, run.Resolved)
	require.Contains(t, strings.Join(run.Warnings, "\n"), "the properties of the file secret (-P) are not in the output")
}

func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob("testdata/ycsb-0.17.0/*.*")
	require.NoError(f, err)
	more, err := filepath.Glob("testdata/ycsb-0.17.0/both/*")
	require.NoError(f, err)
	for _, path := range append(paths, more...) {
		content, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(filepath.Base(path), content)
	}
	f.Add("S.1-measure-READ-MODIFY-WRITE-READ-NOT_FOUND.hlog", []byte("#[Logged by benchd; values in nanoseconds]\n#[Histogram log format version 1.3]\n"))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if len(content) > 1<<16 {
			return
		}
		run, err := foreign.Read([]foreign.File{{Name: name, Content: content}}, foreign.Stated{})
		if err == nil {
			require.NoError(t, foreign.Check(&run))
		}
	})
}
