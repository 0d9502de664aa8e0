package coordinator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/coordinator/roster"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// Bounds of a search for advice in the archive, so that it stays cheap in a large one.
const (
	adviceSuites  = 300             // the newest ones that are looked at
	adviceResults = 200             // results of runs that are read
	adviceOthers  = 30              // of these, of runs of other cases, for the rates of agents
	advicePause   = 4 * time.Second // of searching
)

// Advise reports what earlier runs show of the cases of a submission.
func (c *Coordinator) Advise(ctx context.Context, req *benchdv1.AdviseRequest) (*benchdv1.AdviseResponse, error) {
	suite, _, err := c.parse(req.GetSubmission(), nil)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	agents := c.roster.Matching(req.GetSelect())
	s := newAdviceSearch(c, *suite, int(req.GetAgents()), agents)
	advised, err := s.advice(ctx)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	text, err := json.Marshal(advised)
	if err != nil {
		return nil, wire.ToStatus(fmt.Errorf("encode advice: %w", err))
	}
	return &benchdv1.AdviseResponse{Advice: text}, nil
}

// adviceSearch collects the earlier runs that concern the cases of a suite.
type adviceSearch struct {
	c      *Coordinator
	cases  []advice.Case
	agents []string
	works  map[string]bool // of the cases
	rates  map[string]bool // kinds of targets of cases with a rate
	kinds  map[string]bool // of targets of all cases

	earlier []advice.Earlier
	read    int
	others  int
	partial bool
}

func newAdviceSearch(c *Coordinator, suite plan.Suite, want int, agents []*roster.Agent) *adviceSearch {
	s := &adviceSearch{c: c, works: make(map[string]bool), rates: make(map[string]bool), kinds: make(map[string]bool)}
	for _, a := range agents {
		s.agents = append(s.agents, a.Name)
	}
	outline := plan.Outlined(suite, want)
	for i, one := range suite.Cases {
		n := cmp.Or(one.Agents, want, len(agents))
		planned := advice.Case{
			Name: one.Name, Identity: advice.Identify(c.config.Reader.Keys(), one.Properties, n), Settings: one.Settings, Agents: n,
			Repeats: one.Repeats, Seconds: outline.Cases[i].Seconds,
		}
		s.cases = append(s.cases, planned)
		s.works[planned.Identity.Work] = true
		s.kinds[one.Settings.DB] = true
		if advice.PeakRate(one.Settings) > 0 {
			s.rates[one.Settings.DB] = true
		}
	}
	return s
}

// advice searches the newest suites, for a bounded time.
func (s *adviceSearch) advice(ctx context.Context) (advice.Advice, error) {
	suites, err := s.c.archive.Suites(ctx)
	if err != nil {
		return advice.Advice{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, advicePause)
	defer cancel()
	looked := 0
	for _, one := range suites {
		if looked == adviceSuites || s.read == adviceResults {
			s.partial = true
			break
		}
		err := s.suite(bounded, one.ID)
		switch {
		case bounded.Err() != nil && ctx.Err() == nil:
			s.partial = true
		case errors.Is(err, wire.ErrNotFound): // it has been removed meanwhile
		case err != nil:
			return advice.Advice{}, err
		}
		if s.partial {
			break
		}
		looked++
	}
	a := advice.New(s.cases, s.earlier, s.agents)
	a.Looked, a.Partial = looked, s.partial
	return a, nil
}

// suite adds the runs of a suite that concern a case.
func (s *adviceSearch) suite(ctx context.Context, id string) error {
	suite, runs, err := s.c.results.Find(ctx, id)
	if err != nil {
		return err
	}
	if s.c.quarantine.Reason(id) != "" {
		return nil
	}
	for _, run := range runs {
		db := run.Properties["db"]
		if run.Status != result.Complete || !s.kinds[db] {
			continue
		}
		opened, err := record.Open(s.c.config.Reader, suite, run)
		if err != nil {
			continue // of a version with other settings
		}
		shards := make(map[int]bool)
		for _, a := range run.Agents {
			shards[a.Shard] = true
		}
		identity := advice.Identify(s.c.config.Reader.Keys(), opened.Asked(), len(shards))
		switch {
		case s.works[identity.Work]:
		case s.rates[db] && s.others < adviceOthers:
			s.others++
		default:
			continue
		}
		if s.read == adviceResults {
			s.partial = true
			return nil
		}
		s.read++
		doc, err := s.c.results.Run(ctx, suite, run)
		if err != nil {
			return err
		}
		target, _ := s.c.config.Reader.Targets().Find(db)
		s.earlier = append(s.earlier, advice.NewEarlier(identity, run.Started, run.Ended, doc, target.Columns))
	}
	return nil
}
