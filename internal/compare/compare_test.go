package compare_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// made is how a suite of one case is made up.
type made struct {
	id      string
	name    string // of the case
	repeats int
	factor  float64 // of its latencies; throughput is divided by it
	noise   float64 // standard deviation, as a share
	change  func(*result.Run)
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// suite makes a suite up: reads of 1 ms in the middle and 10 ms at p99, 10 000 of them per second.
func suite(m made) result.Suite {
	random := rand.New(rand.NewPCG(1, uint64(len(m.id)+m.repeats)))
	about := func(x float64) float64 { return x * (1 + m.noise*random.NormFloat64()) }
	s := result.Suite{Schema: 1, Kind: "suite", ID: m.id, Status: result.Complete}
	for i := range m.repeats {
		p50, p99 := about(1000*m.factor), about(10_000*m.factor)
		run := result.Run{
			ID: fmt.Sprintf("%s.%d", m.id, i+1), Case: m.name, Repeat: i + 1, Status: result.Complete, Resolved: map[string]string{"db": "hbase", "threads": "8"},
			Provenance: result.Provenance{Benchd: "v1", Target: map[string]string{"version": "2.6.4"}},
			Start:      &result.Start{Planned: began.Add(time.Duration(2*i) * time.Minute)},
			Reconcile:  result.Reconcile{Issued: 600_000, Recorded: 600_000, Merged: 600_000, OK: true},
			Phases: []result.Phase{{
				Name: "measure", Loop: "closed", Seconds: 60, Ops: 600_000, Throughput: about(10_000 / m.factor),
				Operations: []result.Operation{{Op: "READ", Outcome: "OK", Figures: result.Figures{Count: 600_000, P50: &p50, P99: &p99}}},
			}},
		}
		if m.change != nil {
			m.change(&run)
		}
		s.Runs = append(s.Runs, run)
	}
	return s
}

func side(t *testing.T, name string, suites ...result.Suite) compare.Side {
	t.Helper()
	s, err := compare.NewSide(name, suites, compare.Selection{}, nil)
	require.NoError(t, err)
	return s
}

// compared compares two suites of one case, whose runs begin in turns.
func compared(t *testing.T, a, b made) compare.Case {
	t.Helper()
	a.id, b.id = "A", "B"
	if a.name == "" {
		a.name, b.name = "reads", "reads"
	}
	change := b.change
	b.change = func(r *result.Run) {
		r.Start.Planned = r.Start.Planned.Add(time.Minute)
		if change != nil {
			change(r)
		}
	}
	c := compare.New(side(t, "A", suite(a)), side(t, "B", suite(b)), compare.Settings{Smallest: 0.05})
	require.Len(t, c.Cases, 1)
	return c.Cases[0]
}

func verdicts(c compare.Case) map[string]compare.Verdict {
	out := make(map[string]compare.Verdict)
	for _, f := range c.Figures {
		out[f.Name] = f.Verdict
	}
	return out
}

func all(v compare.Verdict) map[string]compare.Verdict {
	return map[string]compare.Verdict{"throughput_ops": v, "read_p50_us": v, "read_p99_us": v}
}

// Higher throughput and lower latency are better, lower throughput and higher latency worse.
func TestEachFigureGetsItsVerdict(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b made
		want compare.Verdict
	}{
		"slower":            {made{repeats: 6, factor: 1, noise: 0.02}, made{repeats: 6, factor: 1.2, noise: 0.02}, compare.Worse},
		"faster":            {made{repeats: 6, factor: 1.2, noise: 0.02}, made{repeats: 6, factor: 1, noise: 0.02}, compare.Better},
		"the same":          {made{repeats: 6, factor: 1, noise: 0.03}, made{repeats: 6, factor: 1, noise: 0.03}, compare.NoDifference},
		"too small to name": {made{repeats: 8, factor: 1, noise: 0.001}, made{repeats: 8, factor: 1.03, noise: 0.001}, compare.NoDifference},
		"three repeats":     {made{repeats: 3, factor: 1}, made{repeats: 8, factor: 2}, compare.NotEnoughRuns},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, tc.a, tc.b)
			require.Empty(t, c.Refused)
			require.Equal(t, all(tc.want), verdicts(c))
			for _, f := range c.Figures {
				require.Equal(t, tc.want == compare.NotEnoughRuns, f.Shift == nil)
				require.Equal(t, tc.want == compare.Better || tc.want == compare.Worse, f.Holds)
			}
		})
	}
}

func TestWhatMustNotBeComparedIsRefused(t *testing.T) {
	good := made{repeats: 5, factor: 1}
	for name, tc := range map[string]struct {
		change func(*result.Run)
		want   string
	}{
		"loops":    {func(r *result.Run) { r.Phases[0].Loop = "open" }, "A ran in a closed loop and B in an open loop"},
		"phases":   {func(r *result.Run) { r.Phases[0].Name = "load" }, "A is the phase measure and B the phase load"},
		"sandbox":  {func(r *result.Run) { r.Resolved["db"] = "sandbox" }, "which is no database"},
		"failures": {func(r *result.Run) { r.Status = result.Failed }, "B has no complete run of it"},
		"operations": {func(r *result.Run) {
			r.Phases[0].Operations[0].Op = "SCAN"
		}, "they have no operation in common"},
	} {
		t.Run(name, func(t *testing.T) {
			other := good
			other.change = tc.change
			c := compared(t, good, other)
			require.Contains(t, c.Refused, tc.want)
			require.Empty(t, c.Figures)
		})
	}
}

// What differs besides the figures is listed once for all cases, and by case where it differs in some.
func TestProvenanceThatDiffersIsListed(t *testing.T) {
	a := suite(made{id: "A", name: "x", repeats: 4, factor: 1})
	second := suite(made{id: "A2", name: "y", repeats: 4, factor: 1})
	newer := func(r *result.Run) { r.Provenance.Benchd = "v2" }
	b := suite(made{id: "B", name: "x", repeats: 4, factor: 1, change: newer})
	other := suite(made{id: "B2", name: "y", repeats: 4, factor: 1, change: func(r *result.Run) {
		newer(r)
		r.Resolved["threads"] = "16"
	}})
	c := compare.New(side(t, "A", a, second), side(t, "B", b, other), compare.Settings{Smallest: 0.05})
	require.Equal(t, []compare.Difference{
		{What: "benchd", A: "v1", B: "v2", Cases: []string{}},
		{What: "setting threads", A: "8", B: "16", Cases: []string{"y"}},
	}, c.Differences)
}

// Each group of workers has its own throughput and response times; more of its throughput is better.
func TestGroupsOfWorkersAreComparedByTheirOwnFigures(t *testing.T) {
	grouped := func(scans float64) func(*result.Run) {
		return func(r *result.Run) {
			p := &r.Phases[0]
			o := p.Operations[0]
			o.Op = "scans.SCAN"
			p.Operations, p.Throughput = []result.Operation{o}, scans
			p.Groups = []result.Group{{Name: "scans", Loop: "closed", Workers: 4, Ops: 600_000, Throughput: scans, Operations: p.Operations}}
		}
	}
	a := suite(made{id: "A", name: "x", repeats: 4, factor: 1, change: grouped(100)})
	b := suite(made{id: "B", name: "x", repeats: 4, factor: 1, change: grouped(50)})
	c := compare.New(side(t, "A", a), side(t, "B", b), compare.Settings{Smallest: 0.05})
	got := make(map[string]compare.Verdict)
	for _, f := range c.Cases[0].Figures {
		got[compare.Title(f.Name)] = f.Verdict
	}
	require.Equal(t, map[string]compare.Verdict{
		"throughput": compare.Worse, "scans.throughput": compare.Worse, "scans.SCAN p50": compare.NoDifference, "scans.SCAN p99": compare.NoDifference,
	}, got)
	require.Contains(t, c.Cases[0].Sentence, "B is slower: ")
	require.False(t, compare.HigherIsBetter("scans.failed_ops"))
}

func TestCasesOfOneSideAreNamed(t *testing.T) {
	one := func(id, name string) result.Suite { return suite(made{id: id, name: name, repeats: 4, factor: 1}) }
	c := compare.New(side(t, "A", one("A", "x"), one("A2", "y")), side(t, "B", one("B", "y"), one("B2", "z")), compare.Settings{Smallest: 0.05})
	require.Equal(t, []string{"x"}, c.OnlyA)
	require.Equal(t, []string{"z"}, c.OnlyB)
	require.Len(t, c.Cases, 1)
	require.Equal(t, "y", c.Cases[0].A)
}

// matrix is a suite of reads at two numbers of threads on two targets, whose latencies on ssd are 20 % lower.
func matrix(id string) result.Suite {
	out := result.Suite{Schema: 1, Kind: "suite", ID: id, Status: result.Complete, Plan: &result.Plan{}}
	for _, threads := range []string{"8", "16"} {
		for _, target := range []string{"hdd", "ssd"} {
			c := result.PlannedCase{
				Name: "read threads=" + threads + " on " + target, Scenario: "read", Target: target, Repeats: 5,
				Axes: []plan.Setting{{Key: "threads", Value: threads}},
			}
			factor := 1.0
			if target == "ssd" {
				factor = 0.8
			}
			out.Plan.Cases = append(out.Plan.Cases, c)
			one := suite(made{id: id + c.Name, name: c.Name, repeats: 5, factor: factor, change: func(r *result.Run) { r.Resolved["threads"] = threads }})
			out.Runs = append(out.Runs, one.Runs...)
		}
	}
	return out
}

// Two targets, or two values of the matrix, of one suite are compared case by case.
func TestTargetsAndSettingsOfOneSuiteAreCompared(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want []string // the pairs' names
		b1   string   // B's case of the first pair
	}{
		{"@hdd", "@ssd", []string{"read threads=8", "read threads=16"}, "read threads=8 on ssd"},
		{"@target=hdd", "@ssd", []string{"read threads=8", "read threads=16"}, "read threads=8 on ssd"},
		{"@threads=8", "@threads=16", []string{"read on hdd", "read on ssd"}, "read threads=16 on hdd"},
		{"@hdd@threads=8", "@ssd@threads=16", []string{"read"}, "read threads=16 on ssd"},
		{"@hdd@threads=8", "@ssd@threads=8", []string{"read"}, "read threads=8 on ssd"},
		{"@hdd", "", []string{"read threads=8 on hdd", "read threads=16 on hdd"}, "read threads=8 on hdd"},
		{":read threads=8 on hdd", ":read threads=8 on ssd", []string{"read threads=8 on hdd  against  read threads=8 on ssd"}, "read threads=8 on ssd"},
	} {
		t.Run(tc.a+" "+tc.b, func(t *testing.T) {
			of := func(text string) compare.Side {
				only, err := compare.ParseSelection(text)
				require.NoError(t, err)
				s, err := compare.NewSide("S"+text, []result.Suite{matrix("S")}, only, nil)
				require.NoError(t, err)
				return s
			}
			c := compare.New(of(tc.a), of(tc.b), compare.Settings{Smallest: 0.05})
			var got []string
			for _, one := range c.Cases {
				got = append(got, one.Name)
				require.Len(t, one.RunsB, 5)
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.b1, c.Cases[0].B)
			if strings.Contains(tc.b, "ssd") {
				require.Equal(t, compare.IsBetter, c.Cases[0].Outcome)
			}
		})
	}
}

func TestASelectionThatIsNotThereListsWhatIs(t *testing.T) {
	for text, want := range map[string]string{
		"@sssd":                `S: unknown target "sssd" (did you mean "ssd"?)`,
		"@tape-library":        `S: unknown target "tape-library" (one of hdd, ssd)`,
		"@threads=12":          `S: unknown threads "12" (did you mean "16"?)`,
		"@clients=4":           `S: no case has a value of clients in the suite's matrix (one of threads, target)`,
		":read threads=8 on s": `S: unknown case "read threads=8 on s" (did you mean "read threads=8 on ssd"?)`,
	} {
		only, err := compare.ParseSelection(text)
		require.NoError(t, err)
		_, err = compare.NewSide("S", []result.Suite{matrix("S")}, only, nil)
		require.EqualError(t, err, want)
	}
	_, err := compare.NewSide("S", []result.Suite{suite(made{id: "S", name: "x", repeats: 4, factor: 1})}, compare.Selection{Where: []plan.Setting{{Key: "target", Value: "hdd"}}}, nil)
	require.EqualError(t, err, `S: unknown target "hdd": its suite names no targets`)
	for text, want := range map[string]string{
		"@":          `invalid selection "@": want @TARGET or @KEY=VALUE`,
		"@threads=":  `invalid selection "@threads=": want @TARGET or @KEY=VALUE`,
		"@hdd@ssd":   `invalid selection "@hdd@ssd": it names target twice`,
		"@a=1@b@a=2": `invalid selection "@a=1@b@a=2": it names a twice`,
	} {
		_, err := compare.ParseSelection(text)
		require.EqualError(t, err, want)
	}
}

// Two clients of one database differ in more than a setting: it is listed first, and once.
func TestTheClientThatDiffersIsNamedFirst(t *testing.T) {
	of := func(client string, reported bool) made {
		return made{repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			r.Resolved["cluster.client"], r.Resolved["before.run"] = client, client+" starts"
			if reported {
				r.Provenance.Target["client"] = client
			}
		}}
	}
	a, b := of("native", true), of("other", true)
	a.id, b.id = "A", "B"
	c := compare.New(side(t, "A", suite(a)), side(t, "B", suite(b)), compare.Settings{Smallest: 0.05})
	require.Equal(t, []compare.Difference{
		{What: "client", A: "native", B: "other", Cases: []string{}},
		{What: "setting before.run", A: "native starts", B: "other starts", Cases: []string{}},
	}, c.Differences)

	// Earlier builds had one client and did not report it.
	b = of("native", false)
	b.id = "B"
	require.Empty(t, compare.New(side(t, "A", suite(a)), side(t, "B", suite(b)), compare.Settings{Smallest: 0.05}).Differences)
}

// The consistency of reads is listed before all else; a result without the fact differs by its setting.
func TestTheConsistencyThatDiffersIsNamedFirst(t *testing.T) {
	of := func(id, consistency string, reported bool) made {
		return made{id: id, repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			r.Resolved["cluster.consistency"], r.Resolved["another"] = consistency, id
			if reported {
				r.Provenance.Target["consistency"] = consistency
			}
		}}
	}
	b := suite(of("B", "timeline", true))
	c := compare.New(side(t, "A", suite(of("A", "strong", true))), side(t, "B", b), compare.Settings{Smallest: 0.05})
	require.Equal(t, compare.Difference{What: "consistency", A: "strong", B: "timeline", Cases: []string{}}, c.Differences[0])
	require.Len(t, c.Differences, 2)
	c = compare.New(side(t, "A", suite(of("A", "strong", false))), side(t, "B", b), compare.Settings{Smallest: 0.05})
	require.Contains(t, c.Differences, compare.Difference{What: "setting cluster.consistency", A: "strong", B: "timeline", Cases: []string{}})
}

// A target reports some of its settings: what differs there is listed as the setting alone.
func TestADifferenceIsNamedOnce(t *testing.T) {
	of := func(service, reported string) made {
		return made{repeats: 4, factor: 1, name: "x", change: func(r *result.Run) {
			r.Resolved["service"], r.Provenance.Target["service"] = service, reported
			r.Resolved["db"], r.Provenance.Target["target"] = "cluster "+service, "cluster "+service
			r.Provenance.Target["servers"] = reported
		}}
	}
	a, b := of("1ms", "1 ms"), of("5ms", "5 ms")
	a.id, b.id = "A", "B"
	c := compare.New(side(t, "A", suite(a)), side(t, "B", suite(b)), compare.Settings{Smallest: 0.05})
	require.Equal(t, []compare.Difference{
		{What: "setting db", A: "cluster 1ms", B: "cluster 5ms", Cases: []string{}},
		{What: "setting service", A: "1ms", B: "5ms", Cases: []string{}},
		{What: "target servers", A: "1 ms", B: "5 ms", Cases: []string{}},
	}, c.Differences)

	// Where the setting is the same, what the target reports is the difference.
	b = of("1ms", "5 ms")
	b.id = "B"
	c = compare.New(side(t, "A", suite(a)), side(t, "B", suite(b)), compare.Settings{Smallest: 0.05})
	require.Equal(t, []compare.Difference{
		{What: "target servers", A: "1 ms", B: "5 ms", Cases: []string{}},
		{What: "target service", A: "1 ms", B: "5 ms", Cases: []string{}},
	}, c.Differences)
}

// Each case has its answer in a sentence with the evidence.
func TestTheSentenceOfACase(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b    made
		outcome compare.Outcome
		want    string
	}{
		"faster": {
			made{repeats: 6, factor: 1.2},
			made{repeats: 6, factor: 1},
			compare.IsBetter, "B is faster: throughput +20.0 % (+20.0 to +20.0), READ p50 -16.7 % (-16.7 to -16.7), READ p99 -16.7 % (-16.7 to -16.7)",
		},
		"slower in one figure": {
			made{repeats: 6, factor: 1},
			made{repeats: 6, factor: 1, change: func(r *result.Run) { *r.Phases[0].Operations[0].P99 *= 2 }},
			compare.IsWorse, "B is slower: READ p99 +100 % (+100 to +100); no difference shown of throughput and READ p50",
		},
		"mixed": {
			made{repeats: 6, factor: 1.2},
			made{repeats: 6, factor: 1, change: func(r *result.Run) { *r.Phases[0].Operations[0].P99 *= 2 }},
			compare.IsMixed, "B is better and worse: READ p99 +66.7 % (+66.7 to +66.7) worse, throughput +20.0 % (+20.0 to +20.0) better, READ p50 -16.7 % (-16.7 to -16.7) better",
		},
		"the same": {
			made{repeats: 6, factor: 1},
			made{repeats: 6, factor: 1},
			compare.IsSame, "no difference shown of throughput, READ p50 and READ p99",
		},
		"too few": {
			made{repeats: 3, factor: 1},
			made{repeats: 6, factor: 2},
			compare.IsUnknown, "not enough runs: 3 of A and 6 of B; want 4 of each at least",
		},
		"refused": {
			made{repeats: 4, factor: 1},
			made{repeats: 4, factor: 1, change: func(r *result.Run) { r.Phases[0].Loop = "open" }},
			compare.IsRefused, "not compared: A ran in a closed loop and B in an open loop: their response times do not mean the same",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := compared(t, tc.a, tc.b)
			require.Equal(t, tc.outcome, c.Outcome)
			require.Equal(t, tc.want, c.Sentence)
		})
	}
}

// Results that are put together give one case its runs.
func TestRunsOfSeveralResultsArePutTogether(t *testing.T) {
	one := func(id string) result.Suite { return suite(made{id: id, name: "x", repeats: 2, factor: 1}) }
	c := compare.New(side(t, "A", one("A"), one("B")), side(t, "C", one("C"), one("D")), compare.Settings{Smallest: 0.05})
	require.Equal(t, []string{"A.1", "A.2", "B.1", "B.2"}, c.Cases[0].RunsA)
	require.NotEqual(t, compare.NotEnoughRuns, c.Cases[0].Figures[0].Verdict)
}

func TestACaseThatIsNotThereIsNamedWithTheNearest(t *testing.T) {
	_, err := compare.NewSide("A", []result.Suite{suite(made{id: "A", name: "reads", repeats: 1, factor: 1})}, compare.Selection{Case: "raeds"}, nil)
	require.EqualError(t, err, `A: unknown case "raeds" (did you mean "reads"?)`)
}

// A repeat far from the others is named and stays in the comparison.
func TestOddRepeatsAreNamedAndCompared(t *testing.T) {
	c := compared(t, made{repeats: 6, factor: 1, noise: 0.01}, made{repeats: 6, factor: 1, noise: 0.01, change: func(r *result.Run) {
		if r.Repeat == 3 {
			*r.Phases[0].Operations[0].P99 *= 4
		}
	}})
	for _, f := range c.Figures {
		if f.Name != "read_p99_us" {
			require.Empty(t, f.Odd, f.Name)
			continue
		}
		require.Len(t, f.Odd, 1)
		require.Equal(t, "B.3", f.Odd[0].Run)
		require.Equal(t, "b", f.Odd[0].Side)
		require.Len(t, f.B.Values, 6)
	}
}

func TestAReaderIsWarnedOfWhatSpeaksAgainstAComparison(t *testing.T) {
	good := made{id: "A", name: "x", repeats: 5, factor: 1}
	bad := made{id: "B", name: "x", repeats: 5, factor: 1, change: func(r *result.Run) {
		r.Start.Planned = r.Start.Planned.Add(time.Hour)
		r.Verdicts = []result.Verdict{{Name: "client_bound", Value: true, Test: "idle CPU"}}
		r.Phases[0].Operations = append(r.Phases[0].Operations, result.Operation{Op: "READ", Outcome: "TIMEOUT", Figures: result.Figures{Count: 60_000}})
		if r.Repeat == 5 {
			r.Status, r.Reason = result.Failed, "the disk is full"
		}
	}}
	c := compare.New(side(t, "A", suite(good)), side(t, "B", suite(bad)), compare.Settings{Smallest: 0.05})
	require.Equal(t, []string{
		"B: run B.5 is left out: the disk is full",
		"B: 10 % of the operations failed: latencies are those of the others",
		"B: verdict client_bound in 4 of 4 runs: B.1, B.2, B.3, B.4",
		"all runs of A began before those of B: what changed on the machines in between is part of the difference; a suite with order: interleaved avoids that",
	}, c.Cases[0].Notes)
}

// Of 200 figures without a difference some get small p-values. The correction keeps them from holding.
func TestManyFiguresAreCorrectedFor(t *testing.T) {
	named, hold := 0, 0
	for seed := range 40 {
		var a, b []result.Suite
		for i := range 20 {
			name := fmt.Sprintf("case %d of %d", i, seed)
			a = append(a, suite(made{id: fmt.Sprintf("a%0*d", 1+2*(20*seed+i), 0), name: name, repeats: 8, factor: 1, noise: 0.1}))
			b = append(b, suite(made{id: fmt.Sprintf("b%0*d", 2+2*(20*seed+i), 0), name: name, repeats: 8, factor: 1, noise: 0.1}))
		}
		for _, one := range compare.New(side(t, "A", a...), side(t, "B", b...), compare.Settings{Smallest: 0.05}).Cases {
			for _, f := range one.Figures {
				if f.Verdict == compare.Better || f.Verdict == compare.Worse {
					named++
				}
				if f.Holds {
					hold++
				}
			}
		}
	}
	t.Logf("of 2400 figures without a difference %d are named, and %d hold after the correction", named, hold)
	require.NotZero(t, named)
	require.LessOrEqual(t, hold, 12, "one comparison in twenty may have one that holds by chance, with some room")
}

func BenchmarkFiftyCasesOfFiveRepeats(b *testing.B) {
	var left, right []result.Suite
	for i := range 50 {
		name := fmt.Sprintf("case %d", i)
		left = append(left, suite(made{id: "A", name: name, repeats: 5, factor: 1, noise: 0.03}))
		right = append(right, suite(made{id: "B", name: name, repeats: 5, factor: 1.1, noise: 0.03}))
	}
	for b.Loop() {
		x, err := compare.NewSide("A", left, compare.Selection{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		y, err := compare.NewSide("B", right, compare.Selection{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		compare.New(x, y, compare.Settings{Smallest: 0.05})
	}
}
