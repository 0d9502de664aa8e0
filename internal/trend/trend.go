package trend

import (
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/internal/table"
)

// Settings are what a trend depends on besides its suites.
type Settings struct {
	// Figures are the names of those to test, such as throughput_ops; empty for throughput and the 99th percentile of each
	// operation.
	Figures []string
	// Case is the name of the only case; empty for all.
	Case string
	// Quiet is the mean number of suites from one false alarm to the next, over all figures and cases.
	Quiet float64
	// Smallest is the smallest change that is worth naming, as a share.
	Smallest float64
}

// The defaults of Settings.
const (
	Quiet    = 200
	Smallest = 0.03
)

// Suite is the result of one suite, and when it was submitted.
type Suite struct {
	result.Suite
	Submitted time.Time
}

// Trend is the series of the results of a recurring suite, as JSON has it.
type Trend struct {
	Schema   int     `json:"schema"`
	Kind     string  `json:"kind"` // "trend"
	Of       string  `json:"of"`
	Smallest float64 `json:"smallest_effect"`
	Quiet    float64 `json:"suites_between_false_alarms"`
	Test     string  `json:"test"`
	Suites   []Entry `json:"suites"`
	Cases    []Case  `json:"cases"`
}

// Entry is one of the suites.
type Entry struct {
	ID        string        `json:"id"`
	Submitted time.Time     `json:"submitted"`
	Status    result.Status `json:"status"`
	// LeftOut are the runs that no point includes.
	LeftOut []result.LeftOut `json:"left_out"`
}

// Case is a case of the suites.
type Case struct {
	Name    string   `json:"case"`
	Loop    string   `json:"loop"`
	Figures []Figure `json:"figures"`
}

// Figure is the series of a figure of a case.
type Figure struct {
	Name           string   `json:"name"`
	Unit           string   `json:"unit"`
	HigherIsBetter bool     `json:"higher_is_better"`
	Points         []Point  `json:"points"`
	Changes        []Change `json:"changes"`
}

// Point is the value of a figure in one suite, over the repeats of its case.
type Point struct {
	Suite string  `json:"suite"`
	Value float64 `json:"value"`
	Runs  int     `json:"runs"`
	// Low and High bound the value with 95 % confidence: over the repeats, or over the windows of a single run. Null with too few.
	Low  *float64 `json:"ci95_low"`
	High *float64 `json:"ci95_high"`
}

// Change is a change of the level of a figure.
type Change struct {
	Suite    string          `json:"suite"`    // the first one after it
	Found    string          `json:"found_in"` // the suite with which the test found it
	Earliest string          `json:"earliest"` // the first and the last suite at which the test found it
	Latest   string          `json:"latest"`
	Verdict  compare.Verdict `json:"verdict"`
	Ratio    float64         `json:"ratio"`
	// Low and High bound the ratio with 95 % confidence; null with too few suites.
	Low         *float64             `json:"ci95_low"`
	High        *float64             `json:"ci95_high"`
	Statistic   float64              `json:"statistic"`
	Threshold   float64              `json:"threshold"`
	Differences []compare.Difference `json:"differences"` // between the suites before and after it
}

// Of makes the trend of suites in the order of their submission.
func Of(name string, suites []Suite, s Settings, targets descriptor.List) Trend {
	t := Trend{Schema: 1, Kind: "trend", Of: name, Smallest: s.Smallest, Quiet: s.Quiet, Suites: []Entry{}, Cases: []Case{}}
	concluded := make([]result.Suite, len(suites))
	for i, one := range suites {
		t.Suites = append(t.Suites, Entry{ID: one.ID, Submitted: one.Submitted, Status: one.Status, LeftOut: []result.LeftOut{}})
		concluded[i] = one.Suite
		if concluded[i].Plan == nil {
			concluded[i].Plan = table.PlanOf(one.Runs)
		}
		table.Conclude(&concluded[i], targets)
		t.add(concluded[i], s)
	}
	series := 0
	for _, c := range t.Cases {
		for _, f := range c.Figures {
			if len(f.Points) >= stats.LeastForChange {
				series++
			}
		}
	}
	quiet := s.Quiet * float64(max(series, 1))
	t.Test = stats.ChangeTest(quiet)
	for i := range t.Cases {
		for k := range t.Cases[i].Figures {
			t.Cases[i].Figures[k].test(t.Cases[i], concluded, quiet, s.Smallest, targets)
		}
	}
	return t
}

// add adds the figures of a suite's cases to their series.
func (t *Trend) add(suite result.Suite, s Settings) {
	entry := &t.Suites[len(t.Suites)-1]
	for _, c := range suite.Cases {
		if !c.Fills && c.Capacity == nil {
			entry.LeftOut = append(entry.LeftOut, c.LeftOut...)
		}
		if c.Fills || len(c.Runs) == 0 || s.Case != "" && s.Case != c.Name {
			continue
		}
		to := t.find(c)
		for _, f := range c.Figures {
			if !s.wants(f.Name) {
				continue
			}
			series := to.find(f)
			series.Points = append(series.Points, point(suite, c, f))
		}
	}
}

func (s Settings) wants(name string) bool {
	if len(s.Figures) > 0 {
		return slices.Contains(s.Figures, name)
	}
	return name == figure.Throughput || strings.HasSuffix(name, "_p99_us") && !strings.Contains(name, "_service_")
}

func (t *Trend) find(c result.Case) *Case {
	i := slices.IndexFunc(t.Cases, func(known Case) bool { return known.Name == c.Name && known.Loop == c.Loop })
	if i < 0 {
		i = len(t.Cases)
		t.Cases = append(t.Cases, Case{Name: c.Name, Loop: c.Loop, Figures: []Figure{}})
	}
	return &t.Cases[i]
}

func (c *Case) find(f result.Figure) *Figure {
	i := slices.IndexFunc(c.Figures, func(known Figure) bool { return known.Name == f.Name })
	if i < 0 {
		i = len(c.Figures)
		c.Figures = append(c.Figures, Figure{Name: f.Name, Unit: f.Unit, HigherIsBetter: compare.HigherIsBetter(f.Name), Points: []Point{}, Changes: []Change{}})
	}
	return &c.Figures[i]
}

// point is the value of a figure in a suite: the mean over the repeats, or the median of a percentile (law 1). The throughput of
// a single run has the interval of its windows.
func point(suite result.Suite, c result.Case, f result.Figure) Point {
	p := Point{Suite: suite.ID, Runs: f.N}
	switch {
	case f.Median != nil:
		p.Value = *f.Median
		if f.Interval != nil {
			p.Low, p.High = &f.Interval.Low, &f.Interval.High
		}
	case f.Mean != nil:
		p.Value, p.Low, p.High = *f.Mean, f.Low, f.High
	}
	if f.N > 1 || f.Name != figure.Throughput {
		return p
	}
	for _, run := range suite.Runs {
		if slices.Contains(c.Runs, run.ID) && run.Subject() != nil && run.Subject().Interval != nil {
			p.Low, p.High = run.Subject().Interval.Low, run.Subject().Interval.High
		}
	}
	return p
}

// test finds the changes of a figure.
func (f *Figure) test(of Case, suites []result.Suite, quiet, smallest float64, targets descriptor.List) {
	values := make([]float64, len(f.Points))
	for i, p := range f.Points {
		values[i] = p.Value
	}
	found := stats.Changes(values, quiet)
	for i, c := range found {
		if c.Ratio == 0 || max(c.Ratio, 1/c.Ratio)-1 < smallest {
			continue // a value is not above 0, or the change is too small to be named
		}
		change := Change{
			Suite: f.Points[c.At].Suite, Found: f.Points[c.Found].Suite, Earliest: f.Points[c.Earliest].Suite, Latest: f.Points[c.Latest].Suite,
			Verdict: compare.Better, Ratio: c.Ratio, Statistic: c.Statistic, Threshold: c.Threshold,
		}
		if c.Ratio > 1 != f.HigherIsBetter {
			change.Verdict = compare.Worse
		}
		if c.High > 0 {
			change.Low, change.High = &c.Low, &c.High
		}
		from, to := 0, len(f.Points)
		if i > 0 {
			from = found[i-1].At
		}
		if i+1 < len(found) {
			to = found[i+1].At
		}
		change.Differences = differences(of.Name, pick(suites, f.Points[from:c.At]), pick(suites, f.Points[c.At:to]), targets)
		f.Changes = append(f.Changes, change)
	}
}

// pick returns the suites of points.
func pick(suites []result.Suite, points []Point) []result.Suite {
	out := make([]result.Suite, 0, len(points))
	for _, p := range points {
		out = append(out, suites[slices.IndexFunc(suites, func(s result.Suite) bool { return s.ID == p.Suite })])
	}
	return out
}

// differences lists what differs in a case between the suites before and after a change, besides what was measured.
func differences(name string, before, after []result.Suite, targets descriptor.List) []compare.Difference {
	only := compare.Selection{Case: name}
	a, errA := compare.NewSide("before", before, only, targets)
	b, errB := compare.NewSide("after", after, only, targets)
	if errA != nil || errB != nil {
		return []compare.Difference{} // there is no such case: not with points of it
	}
	return compare.New(a, b, compare.Settings{}).Differences
}

// Alert is a change that a suite has revealed.
type Alert struct {
	Case   string `json:"case"`
	Figure string `json:"figure"`
	Unit   string `json:"unit"`
	Change
}

// FoundIn returns the changes that a suite has revealed.
func (t *Trend) FoundIn(suite string) []Alert {
	var out []Alert
	for _, c := range t.Cases {
		for _, f := range c.Figures {
			for _, change := range f.Changes {
				if change.Found == suite {
					out = append(out, Alert{Case: c.Name, Figure: f.Name, Unit: f.Unit, Change: change})
				}
			}
		}
	}
	return out
}
