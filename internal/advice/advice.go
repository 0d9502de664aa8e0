package advice

import (
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
)

// Case is a case that is about to run.
type Case struct {
	Name     string
	Identity Identity
	Settings plan.Settings
	Agents   int // 0 if unknown
	Repeats  int
	Seconds  float64 // of a run, as planned; 0 if unknown
}

// Earlier is an earlier run.
type Earlier struct {
	Identity Identity
	Suite    string
	Started  time.Time
	Ended    time.Time
	Result   result.Run
	Figures  figure.Values
}

// NewEarlier returns an earlier run; columns are those of its target.
func NewEarlier(identity Identity, started, ended time.Time, r result.Run, columns []descriptor.Column) Earlier {
	suite, _, _ := strings.Cut(r.ID, ".")
	return Earlier{Identity: identity, Suite: suite, Started: started, Ended: ended, Result: r, Figures: figure.New(columns).Values(r.Measurement())}
}

// Advice is what earlier runs show of the cases of a suite, as JSON has it.
type Advice struct {
	Suites  []string `json:"suites"`            // that it rests on, the newest first
	Looked  int      `json:"suites_looked_at"`  // the newest ones of the archive
	Partial bool     `json:"partial,omitempty"` // the archive has further suites or runs, which were not read
	Effect  float64  `json:"effect"`            // that the repeats are for, as a share
	Power   float64  `json:"power"`             // the probability to show it
	Cases   []OfCase `json:"cases"`
	Seconds float64  `json:"seconds"` // of all runs whose length is known
	Unknown int      `json:"runs_of_unknown_length"`
}

// OfCase is what earlier runs show of a case.
type OfCase struct {
	Case    string    `json:"case"`
	Suites  []string  `json:"suites"` // with complete runs of this case, the newest first
	Runs    int       `json:"runs"`   // of the case
	Time    *Duration `json:"time"`   // null if it is unknown
	Repeats []Repeats `json:"repeats"`
	// DeviationRuns is how many runs the deviations rest on: repeats of the same length, in suites with several. Below
	// LeastRuns they are not known.
	DeviationRuns int   `json:"deviation_runs"`
	Rate          *Rate `json:"rate"` // null for a closed loop without a rate
}

// Settings of the advice.
const (
	Effect = 0.05
	Power  = stats.RepeatsPower
)

// New says what earlier runs, the newest first, show of cases. agents are the names of those that may run them.
func New(cases []Case, earlier []Earlier, agents []string) Advice {
	a := Advice{Suites: []string{}, Effect: Effect, Power: Power, Cases: make([]OfCase, 0, len(cases))}
	gap := gaps(earlier)
	for _, c := range cases {
		same := slices.DeleteFunc(slices.Clone(earlier), func(e Earlier) bool { return e.Identity.Work != c.Identity.Work })
		one := OfCase{Case: c.Name, Suites: suitesOf(same), Runs: len(same), Time: durationOf(c, same, gap)}
		one.Repeats, one.DeviationRuns = repeatsOf(c, same)
		one.Rate = rateOf(c, earlier, same, agents)
		for _, s := range one.Suites {
			if !slices.Contains(a.Suites, s) {
				a.Suites = append(a.Suites, s)
			}
		}
		if one.Time != nil {
			a.Seconds += one.Time.Seconds * float64(max(c.Repeats, 1))
		} else {
			a.Unknown += max(c.Repeats, 1)
		}
		a.Cases = append(a.Cases, one)
	}
	slices.SortFunc(a.Suites, newestFirst(earlier))
	return a
}

func suitesOf(runs []Earlier) []string {
	out := []string{}
	for _, e := range runs {
		if !slices.Contains(out, e.Suite) {
			out = append(out, e.Suite)
		}
	}
	return out
}

// newestFirst orders suites as the earlier runs are ordered.
func newestFirst(earlier []Earlier) func(a, b string) int {
	place := make(map[string]int)
	for i, e := range earlier {
		if _, known := place[e.Suite]; !known {
			place[e.Suite] = i
		}
	}
	return func(a, b string) int { return place[a] - place[b] }
}
