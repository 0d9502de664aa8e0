package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/search"
)

func searched(t *testing.T, settings ...string) (*plan.Suite, []string) {
	t.Helper()
	suite, warnings, err := reader().Parse(Submission{Properties: p(append([]string{"recordcount", "10", "db", "null", "duration", "5s", "warmup", "1s"}, settings...)...)})
	require.NoError(t, err)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return suite, texts
}

func TestASearchIsReadFromItsProperties(t *testing.T) {
	suite, warnings := searched(t, "search.vary", "rate", "search.from", "1k", "search.to", "50000", "search.keep", "p99(READ)<10ms, errors < 0.1%")
	require.Empty(t, warnings)
	s := suite.Cases[0]
	require.Equal(t, "p99(READ) < 10ms and errors < 0.1%", s.Search.Keep.String())
	got := *s.Search
	got.Keep = search.Objective{}
	require.Equal(t, search.Space{Vary: search.Rate, From: 1000, To: 50000, Tolerance: 0.05, Confirm: 3, Most: 40}, got)
	require.Equal(t, "fixed", suite.Cases[0].Properties["arrival"], "a rate means an open loop")
	require.Equal(t, "1000", suite.Cases[0].Properties["rate"], "the lowest one; each probe has its own")

	probe := plan.ProbeProperties(suite.Cases[0].Properties, search.Rate, 12500)
	for name := range probe {
		require.NotContains(t, name, "search.", "agents of earlier releases do not know it")
	}
	one, err := reader().Resolve(probe)
	require.NoError(t, err)
	require.InDelta(t, 12500, one.Pacing.Rate[0].From, 0)

	suite, _ = searched(t, "search.vary", "threads", "search.from", "4", "search.to", "64", "search.tolerance", "10%", "search.confirm", "2", "search.probes", "20")
	s = suite.Cases[0]
	require.Equal(t, search.Space{Vary: search.Threads, From: 4, To: 64, Tolerance: 0.1, Confirm: 2, Most: 20}, *s.Search)
	require.Equal(t, 4, s.Settings.ThreadsTotal)
	one, err = reader().Resolve(plan.ProbeProperties(suite.Cases[0].Properties, search.Threads, 32))
	require.NoError(t, err)
	require.Equal(t, 32, one.ThreadsTotal)
}

func TestASearchKeepsThePoissonArrivalsOfItsCase(t *testing.T) {
	suite, warnings := searched(t, "arrival", "poisson", "search.vary", "rate", "search.from", "10", "search.to", "20", "search.keep", "mean < 1s")
	require.Empty(t, warnings)
	require.Equal(t, "poisson", suite.Cases[0].Properties["arrival"])
}

// A limit ends a run as failed, which is not what a probe above the limit is.
func TestALimitOfErrorsDoesNotApplyToASearch(t *testing.T) {
	suite, warnings := searched(t, "limit.errors", "1%", "search.vary", "threads", "search.from", "1", "search.to", "20")
	require.Equal(t, []string{"-p: limit.errors: does not apply to a search (-p), whose probes may exceed it: write errors < 1% in search.keep"}, warnings)
	require.InDelta(t, 1, suite.Cases[0].Settings.Limits.ErrorShare, 0)
}

// The rows are loaded once, by a case of its own: the settings of measuring do not bound it, and the probes do not repeat
// what belongs to filling a table.
func TestASearchLoadsItsRowsOnce(t *testing.T) {
	suite, warnings, err := reader().Parse(Submission{Name: "limit", Properties: p(
		"recordcount", "1000", "db", "hbase", "hbase.zookeeper.quorum", "zk", "columnfamily", "f", "hbase.table.create", "recreate", "phase", "load,run",
		"duration", "5s", "warmup", "1s", "threadcount", "8",
		"search.vary", "rate", "search.from", "10", "search.to", "20", "search.keep", "mean < 1s")})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Len(t, suite.Cases, 2)
	load, probe := suite.Cases[0], suite.Cases[1]
	require.Equal(t, []string{"load", "limit"}, []string{load.Name, probe.Name})
	require.True(t, load.Fills)
	require.Equal(t, "load", load.Properties["phase"])
	require.Zero(t, load.Settings.Duration)
	require.Nil(t, load.Search)
	require.Empty(t, load.Properties["rate"])
	require.Equal(t, "recreate", load.Properties["hbase.table.create"])
	require.Equal(t, "run", probe.Properties["phase"])
	require.NotEqual(t, "recreate", probe.Properties["hbase.table.create"])
	require.NotNil(t, probe.Search)
	require.Equal(t, 8, probe.Settings.Threads)
}

func TestMistakesInASearch(t *testing.T) {
	whole := map[string]string{
		"recordcount": "10", "db": "null", "duration": "5s", "warmup": "1s", "readproportion": "1", "updateproportion": "0",
		"search.vary": "rate", "search.from": "10", "search.to": "20", "search.keep": "p99(READ) < 10ms",
	}
	for name, test := range map[string]struct {
		set  map[string]string
		want string
	}{
		"unknown setting":    {map[string]string{"search.vary": "sails"}, "-p: search.vary: "},
		"no lowest value":    {map[string]string{"search.from": ""}, "-p: search.vary: search.from is missing; a search needs it, such as search.from=10"},
		"no highest value":   {map[string]string{"search.to": ""}, "-p: search.vary: search.to is missing; a search needs it, such as search.to=50000"},
		"no objective":       {map[string]string{"search.keep": ""}, "-p: search.vary: search.keep is missing; a search needs it, such as search.keep='p99(READ) < 10ms'"},
		"empty range":        {map[string]string{"search.to": "10"}, "-p: search.to: 10 is not above search.from, which is 10"},
		"zero":               {map[string]string{"search.from": "0"}, "-p: search.from: 0 is out of range: want more than 0 and at most 1000000000"},
		"objective":          {map[string]string{"search.keep": "p99 < 10"}, `-p: search.keep: term 1 of the objective, "p99 < 10": invalid latency "10": want a number with a unit (us, ms or s) up to an hour, such as 800us or 1.5ms`},
		"operation":          {map[string]string{"search.keep": "p99(SCAN) < 10ms"}, "-p: search.keep: p99(SCAN) < 10ms: the workload issues no SCAN, only READ"},
		"no end":             {map[string]string{"duration": ""}, "-p: search.vary: a probe would not end: set duration, such as duration=30s, or operationcount"},
		"tolerance":          {map[string]string{"search.tolerance": "60%"}, "-p: search.vary: invalid tolerance 0.6: want a share between 0.01 and 0.5, such as 0.05"},
		"probes":             {map[string]string{"search.probes": "3"}, "-p: search.probes: search.probes=3 leaves no probe to search with: want more than search.confirm, which is 3"},
		"confirm":            {map[string]string{"search.confirm": "0"}, "-p: search.confirm: 0 is out of range: want 1 to 20"},
		"rate":               {map[string]string{"rate": "500"}, "-p: rate: conflicts with search.vary=rate (-p): remove it, or the search"},
		"throttle":           {map[string]string{"target": "500"}, "-p: target: conflicts with search.vary=rate (-p): remove it, or the search"},
		"threads":            {map[string]string{"search.vary": "threads", "threadcount": "8"}, "-p: threadcount: conflicts with search.vary=threads (-p): remove it, or the search"},
		"parts of a thread":  {map[string]string{"search.vary": "threads", "search.from": "1.5"}, "-p: search.vary: invalid from 1.5 or to 20: want whole numbers of threads"},
		"threads and a rate": {map[string]string{"search.vary": "threads", "rate": "500"}, "-p: rate: conflicts with search.vary=threads (-p): remove it, or the search"},
		"a load":             {map[string]string{"phase": "load"}, "-p: search.vary: needs phase=run, got phase=load: a probe only measures; load the rows before, in a suite by a dataset"},
	} {
		t.Run(name, func(t *testing.T) {
			var settings []string
			for key, value := range whole {
				if other, ok := test.set[key]; ok {
					value = other
				}
				if value != "" {
					settings = append(settings, key, value)
				}
			}
			for key, value := range test.set {
				if _, ok := whole[key]; !ok {
					settings = append(settings, key, value)
				}
			}
			_, _, err := reader().Parse(Submission{Properties: p(settings...)})
			require.ErrorContains(t, err, test.want)
			require.Equal(t, 0, countLines(err.Error())-1, "one message: %v", err)
		})
	}
}

func countLines(text string) int {
	n := 1
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}

func TestASearchInOneLine(t *testing.T) {
	got, err := ParseSearch("rate 1000..50k keep p99(READ) < 10ms and errors < 1%", "--search")
	require.NoError(t, err)
	require.Equal(t, []Setting{
		{"search.vary", "rate", "--search"},
		{"search.from", "1000", "--search"},
		{"search.to", "50k", "--search"},
		{"search.keep", "p99(READ) < 10ms and errors < 1%", "--search"},
	}, got)
	got, err = ParseSearch(" threads  1..64 ", "--search")
	require.NoError(t, err)
	require.Len(t, got, 3)
	for _, text := range []string{"", "rate", "rate 1..", "rate 1000-2000 keep mean < 1s", "1..2 keep mean < 1s", "a rate 1..2 keep mean < 1s"} {
		_, err := ParseSearch(text, "--search")
		if text == "rate 1.." {
			require.NoError(t, err, "the property reports the missing value")
			continue
		}
		require.ErrorContains(t, err, "want VARY FROM..TO keep OBJECTIVE")
	}
}

const searchSuite = `
suite: s
properties: {db: "null", duration: 5s, warmup: 1s, threadcount: 4, rate: 100, readproportion: 1, updateproportion: 0}
datasets: {rows: {properties: {recordcount: 100, threadcount: 16}}}
scenarios:
  - name: limit
    dataset: rows
    search: {vary: rate, from: 100, to: 1000, keep: p99(READ) < 10ms, confirm: 2}
  - name: plain
    dataset: rows
trial:
  scenarios: {limit: {search: {to: 200, confirm: 1}}}
`

func TestAScenarioCanBeASearch(t *testing.T) {
	for _, trial := range []bool{false, true} {
		suite, warnings, err := reader().Parse(Submission{Suite: &File{Name: "s.yaml", Content: []byte(searchSuite)}, Trial: trial})
		require.NoError(t, err)
		var texts []string
		for _, w := range warnings {
			texts = append(texts, w.String())
		}
		require.Equal(t, []string{
			"s.yaml:3:74: rate: is overridden by search.vary=rate (s.yaml:8:20)",
			"s.yaml:3:74: rate: arrival is not set: a rate means an open loop with arrival=fixed",
		}, texts)
		require.Equal(t, []string{"fill rows", "limit", "plain"}, []string{suite.Cases[0].Name, suite.Cases[1].Name, suite.Cases[2].Name})
		require.Nil(t, suite.Cases[0].Search)
		require.Nil(t, suite.Cases[2].Search)
		s := suite.Cases[1].Search
		require.Equal(t, map[bool]float64{false: 1000, true: 200}[trial], s.To)
		require.Equal(t, map[bool]int{false: 2, true: 1}[trial], s.Confirm)
	}
}

func TestMistakesOfASearchInASuiteFile(t *testing.T) {
	for search, want := range map[string]string{
		"{from: 1, to: 2, keep: mean < 1s}":                                         "s.yaml:6:13: vary: missing; write what the search varies, vary: rate or vary: threads",
		"{vary: rate, from: 1, to: 2, keep: mean < 1s, kept: 1}":                    `s.yaml:6:59: unknown key "kept"; did you mean keep?`,
		"{vary: rate, from: 1, to: 2, keep: mean < 1}":                              "s.yaml:6:48: search.keep: ",
		"{vary: rate, from: 1, to: 2, keep: mean < 1s}\n    repeats: 3":             "s.yaml:5:11: repeats: a search repeats its probes itself: remove repeats, or set search.confirm, the number of runs that confirm the answer",
		"{vary: threads, from: 1, to: 2}\n    matrix: {threadcount: [1, 2]}":        "s.yaml:7:31: threadcount: conflicts with search.vary=threads (s.yaml:6:20): remove it, or the search",
		"{vary: rate, from: 1, to: 2, keep: mean < 1s}\n    matrix: {rate: [1, 2]}": "s.yaml:7:21: rate: conflicts with search.vary=rate (s.yaml:6:20): remove it, or the search",
		"[1]": "s.yaml:6:13: search: want a map of names to values, got a list",
	} {
		file := "suite: s\nproperties: {db: 'null', recordcount: 10, duration: 5s, warmup: 1s}\n\nscenarios:\n  - name: a\n    search: " + search + "\n"
		_, _, err := reader().Parse(Submission{Suite: &File{Name: "s.yaml", Content: []byte(file)}})
		require.ErrorContains(t, err, want)
	}
}
