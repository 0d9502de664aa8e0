package remote

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/suggest"
	"github.com/benchd/benchd/internal/trend"
	"github.com/benchd/benchd/internal/wire"
)

// Recurring names the suites of a trend.
type Recurring struct {
	Name string            // empty: all that have the tags
	Tags map[string]string // that they have
	Last int               // only the latest ones
}

// String describes the suites: their name and tags.
func (r Recurring) String() string {
	words := make([]string, 0, len(r.Tags)+1)
	if r.Name != "" {
		words = append(words, r.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Tags)) {
		words = append(words, key+"="+r.Tags[key])
	}
	return strings.Join(words, " ")
}

// Trend reads the ended suites of a name, or with some tags, and makes their trend.
func (c *Client) Trend(ctx context.Context, of Recurring, settings trend.Settings, targets descriptor.List) (trend.Trend, error) {
	all, err := c.List(ctx)
	if err != nil {
		return trend.Trend{}, err
	}
	chosen := of.choose(all)
	if len(chosen) == 0 {
		return trend.Trend{}, of.none(all)
	}
	suites := make([]trend.Suite, 0, len(chosen))
	for _, summary := range chosen {
		text, err := c.Result(ctx, summary.ID)
		if err != nil {
			return trend.Trend{}, err
		}
		run, suite, err := result.Read(result.WithoutSeries(text))
		if err != nil {
			return trend.Trend{}, err
		}
		if suite == nil {
			suite = &result.Suite{ID: summary.ID, Name: summary.Name, Status: run.Status, Runs: []result.Run{run}}
		}
		suites = append(suites, trend.Suite{Suite: *suite, Submitted: summary.Created})
	}
	found := trend.Of(of.String(), suites, settings, targets)
	if len(found.Cases) > 0 {
		return found, nil
	}
	none, because := fmt.Sprintf("no suite of %s has a complete run", of), ""
	if settings.Case != "" {
		return found, wire.Errorf(wire.ErrNotFound, "%s of a case %q", none, settings.Case)
	}
	if left := found.Suites[len(found.Suites)-1].LeftOut; len(left) > 0 {
		because = fmt.Sprintf("; run %s is left out: %s", left[0].Run, left[0].Because)
	}
	return found, wire.Errorf(wire.ErrNotFound, "%s%s", none, because)
}

// choose returns the latest of the ended suites that are wanted, in the order of their submission.
func (r Recurring) choose(all []Suite) []Suite {
	var chosen []Suite
	for _, s := range all { // newest first
		wanted := s.Status.Ended() && (r.Name == "" || s.Name == r.Name)
		for key, value := range r.Tags {
			wanted = wanted && s.Tags[key] == value
		}
		if wanted && len(chosen) < r.Last {
			chosen = append(chosen, s)
		}
	}
	slices.Reverse(chosen)
	return chosen
}

// none names the nearest name where no suite is wanted.
func (r Recurring) none(all []Suite) error {
	if near := suggest.Nearest(r.Name, SuiteNames(all)); r.Name != "" && near != "" && near != r.Name {
		return wire.Errorf(wire.ErrNotFound, "no ended suite %s (did you mean %q?)", r, near)
	}
	return wire.Errorf(wire.ErrNotFound, "no ended suite %s: `benchctl list` lists them with their names", r)
}

// SuiteNames returns the names of suites, each once.
func SuiteNames(all []Suite) []string {
	var names []string
	for _, s := range all {
		if s.Name != "" && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}
