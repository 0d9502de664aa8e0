package notice

import (
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/figure"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/trend"
)

// Schema is the version of the JSON form. Fields are only ever added.
const Schema = 1

// Test is the event of a notice that an admin asks for, to try a receiver. It is about no suite.
const Test Event = "test"

// Notice is what a receiver gets: an event, and what it must know of its suite.
type Notice struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"` // "notice"
	// ID is the same for all receivers, and for each time that the notice is sent.
	ID      string    `json:"id"`
	Event   Event     `json:"event"`
	Created time.Time `json:"created"`
	Text    string    `json:"text"` // the notice in one line
	Link    string    `json:"link,omitempty"`
	Suite   *Suite    `json:"suite,omitempty"` // null in a test
	// Limits are the violated limits: of the run of LimitViolated, or of all runs of the suite.
	Limits  []Limit       `json:"limits"`
	Changes []trend.Alert `json:"changes"`
}

// Suite is the suite of a notice.
type Suite struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Note        string            `json:"note,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Status      result.Status     `json:"status"`
	SubmittedBy string            `json:"submitted_by"`
	Created     time.Time         `json:"created"`
	Runs        []Run             `json:"runs"`      // the last MaxRuns of them
	RunCount    int               `json:"run_count"` // all of them
	Cases       []Case            `json:"cases"`
}

// MaxRuns bounds the runs of a notice, and its cases: a receiver with further interest reads the result.
const MaxRuns = 100

// Run is a run of the suite.
type Run struct {
	ID         string        `json:"id"`
	Case       string        `json:"case"`
	Repeat     int           `json:"repeat,omitempty"`
	Status     result.Status `json:"status"`
	Reason     string        `json:"reason,omitempty"`
	ReplacedBy string        `json:"replaced_by,omitempty"`
}

// Case has the figures of a case over its complete runs: throughput, and the 99th percentile of each operation.
type Case struct {
	Name    string   `json:"case"`
	Loop    string   `json:"loop,omitempty"`
	Runs    int      `json:"runs"`
	Figures []Figure `json:"figures"`
}

// Figure is a figure: the mean over the runs, or the median of a percentile.
type Figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Limit is a violated limit. Reason has the limit, the measured figure and where it was measured.
type Limit struct {
	Run    string `json:"run"`
	Case   string `json:"case"`
	Reason string `json:"reason"`
}

// Of makes the notice of an occasion from its suite, whose cases have been concluded; see table.Conclude.
func Of(id string, at time.Time, o Occasion, suite result.Suite) Notice {
	n := Notice{
		Schema: Schema, Kind: "notice", ID: id, Event: o.Event, Created: at.UTC(), Limits: []Limit{}, Changes: []trend.Alert{},
		Suite: &Suite{
			ID: suite.ID, Name: suite.Name, Note: suite.Note, Tags: suite.Tags, Status: suite.Status, Runs: []Run{}, RunCount: len(suite.Runs), Cases: []Case{},
		},
	}
	n.Changes = append(n.Changes, o.Changes...)
	for i, r := range suite.Runs {
		n.Suite.SubmittedBy, n.Suite.Created = r.Provenance.SubmittedBy, r.Provenance.Created.UTC()
		if r.Violated && r.ReplacedBy == "" && (o.Run == "" || o.Run == r.ID) && len(n.Limits) < MaxRuns {
			n.Limits = append(n.Limits, Limit{Run: r.ID, Case: r.Case, Reason: r.Reason})
		}
		if i >= len(suite.Runs)-MaxRuns {
			n.Suite.Runs = append(n.Suite.Runs, Run{ID: r.ID, Case: r.Case, Repeat: r.Repeat, Status: r.Status, Reason: r.Reason, ReplacedBy: r.ReplacedBy})
		}
	}
	for _, c := range suite.Cases {
		if !c.Fills && len(c.Runs) > 0 && len(n.Suite.Cases) < MaxRuns {
			n.Suite.Cases = append(n.Suite.Cases, summary(c))
		}
	}
	n.Text = n.text(o)
	return n
}

// NewTest makes a notice that an admin asks for.
func NewTest(id string, at time.Time) Notice {
	return Notice{
		Schema: Schema, Kind: "notice", ID: id, Event: Test, Created: at.UTC(), Limits: []Limit{}, Changes: []trend.Alert{},
		Text: "benchd: this is a test of a webhook",
	}
}

func summary(c result.Case) Case {
	s := Case{Name: c.Name, Loop: c.Loop, Runs: len(c.Runs), Figures: []Figure{}}
	for _, f := range c.Figures {
		p99 := strings.HasSuffix(f.Name, "_p99_us") && !strings.Contains(f.Name, "_service_")
		value := f.Mean
		if f.Median != nil {
			value = f.Median
		}
		if (f.Name == figure.Throughput || p99) && value != nil {
			s.Figures = append(s.Figures, Figure{Name: f.Name, Unit: f.Unit, Value: *value})
		}
	}
	return s
}

// text is the notice in one line.
func (n *Notice) text(o Occasion) string {
	name := n.Suite.ID
	if n.Suite.Name != "" {
		name = n.Suite.Name + " (" + n.Suite.ID + ")"
	}
	switch {
	case n.Event == LimitViolated && len(n.Limits) > 0:
		return fmt.Sprintf("benchd: run %s of suite %s violated a limit: %s", o.Run, name, n.Limits[0].Reason)
	case n.Event == LimitViolated:
		return fmt.Sprintf("benchd: run %s of suite %s violated a limit", o.Run, name)
	case n.Event == ChangeFound:
		var changes []string
		for _, c := range n.Changes {
			changes = append(changes, fmt.Sprintf("%s of %s is %s since suite %s (× %.3g)", c.Figure, c.Case, c.Verdict, c.Suite, c.Ratio))
		}
		return fmt.Sprintf("benchd: suite %s reveals a change: %s", name, strings.Join(changes, "; "))
	}
	text := fmt.Sprintf("benchd: suite %s has ended: %s", name, n.Suite.Status)
	if len(n.Limits) > 0 {
		text += "; violated limits: " + n.Limits[0].Reason
		if more := len(n.Limits) - 1; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
	}
	return text
}
