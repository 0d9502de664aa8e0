package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// Run is a run with its archived data.
type Run struct {
	Archived archive.RunRecord
	Suite    archive.Suite
	State    State
	Settings plan.Settings
	Phases   []plan.Phase
	YCSB     report.YCSB // format of YCSB's output; results keep its data

	reader *spec.Reader // of its properties
}

// Ask is what a submission requests besides its suite.
type Ask struct {
	Agents int               // of each run whose case does not set it
	Select map[string]string // labels that the agents must have
	OnLoss lifecycle.Policy
}

// Open reads a run from its record; reader must have its target.
func Open(reader *spec.Reader, suite archive.Suite, archived archive.RunRecord) (*Run, error) {
	r := &Run{Suite: suite, Archived: archived, reader: reader}
	if err := json.Unmarshal(archived.State, &r.State); err != nil {
		return nil, fmt.Errorf("read state of run %s: %w", archived.ID, err)
	}
	if r.State.Life == nil {
		return nil, fmt.Errorf("read state of run %s: it is empty", archived.ID)
	}
	r.Phases = r.State.Life.Phases
	if r.State.Foreign != nil {
		return r, nil // it has no settings of benchd
	}
	settings, err := reader.Resolve(archived.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of run %s: %w", archived.ID, err)
	}
	if r.YCSB, err = report.ParseYCSB(archived.Properties); err != nil {
		return nil, fmt.Errorf("read settings of run %s: %w", archived.ID, err)
	}
	r.Settings = settings
	return r, nil
}

// newRun returns the archive's record of a queued run.
func newRun(suite string, planned plan.Run, c plan.Case, ask Ask) (archive.RunRecord, error) {
	state := State{Life: lifecycle.New(planned.ID, planned.Phases, ask.OnLoss), Want: ask.Agents, Select: ask.Select}
	out := archive.RunRecord{
		ID: planned.ID, Suite: suite, Case: planned.Case, Repeat: planned.Repeat, Status: result.Queued,
		Properties: planned.Properties(c),
	}
	var err error
	out.State, err = json.Marshal(state)
	return out, err
}

// again returns the record of a run that replaces this one: with the same requested properties and seed.
func (r *Run) again(id string) (archive.RunRecord, error) {
	state := State{Life: lifecycle.New(id, r.Phases, r.State.Life.Policy), Want: r.State.Want, Select: r.State.Select}
	out := archive.RunRecord{
		ID: id, Suite: r.Archived.Suite, Case: r.Archived.Case, Repeat: r.Archived.Repeat, Status: result.Queued, Properties: r.Asked(),
	}
	var err error
	if out.State, err = json.Marshal(state); err != nil {
		return out, fmt.Errorf("encode run %s: %w", id, err)
	}
	return out, nil
}

// ToArchive returns the archive's record of the run.
func (r *Run) ToArchive() (archive.RunRecord, error) {
	life := r.State.Life
	r.Archived.Status, r.Archived.Reason = life.Status, life.Reason
	r.Archived.Agents = r.Archived.Agents[:0]
	for _, a := range r.State.Agents {
		r.Archived.Agents = append(r.Archived.Agents, archive.Agent{Name: a.Name, Shard: a.Shard, Attempt: a.Attempt})
	}
	if r.State.Epoch != 0 {
		r.Archived.Started = r.Zero()
	}
	var err error
	r.Archived.State, err = json.Marshal(r.State)
	return r.Archived, err
}

// Shards divides the run over its agents; an agent's shard is the one with its index.
func (r *Run) Shards() ([]plan.Shard, error) {
	names := make([]string, len(r.State.Life.Shards))
	for i, sh := range r.State.Life.Shards {
		names[i] = sh.Agent
	}
	planned := plan.Run{ID: r.Archived.ID, Case: r.Archived.Case, Repeat: r.Archived.Repeat, Seed: r.Settings.Workload.Seed, Phases: r.Phases}
	shards, err := plan.Shards(planned, plan.Case{Name: r.Archived.Case, Properties: r.Archived.Properties, Settings: r.Settings}, names)
	for i := range shards {
		shards[i].Attempt = r.State.Life.Shards[i].Attempt
	}
	return shards, err
}

// SuiteOf returns the id of a run's suite; of a suite's id, that id itself.
func SuiteOf(id string) string {
	suite, _, _ := strings.Cut(id, ".")
	return suite
}

// Zero returns the date of the run's time zero.
func (r *Run) Zero() time.Time {
	if r.State.Zero.IsZero() { // archived by an earlier version
		return time.Unix(0, r.State.Epoch)
	}
	return r.State.Zero
}

// Began returns when a phase started in the run's time: a phase that joins another one starts where that one ends.
func (r *Run) Began(name plan.PhaseName) (time.Duration, bool) {
	if at, ok := r.State.Begun[name]; ok {
		return at, true
	}
	var at time.Duration
	known := false
	for _, p := range r.Phases {
		if b, ok := r.State.Begun[p.Name]; ok {
			at, known = b, true
		} else if !p.Joined {
			known = false
		}
		if p.Name == name {
			return at, known
		}
		if p.Duration == 0 || p.Announced() {
			known = false
		}
		at += p.Duration
	}
	return 0, false
}

// PhaseAt returns the phase at an instant of the run's time, and the time since its start; empty before the first.
func (r *Run) PhaseAt(at time.Duration) (plan.PhaseName, time.Duration) {
	var in plan.PhaseName
	var since time.Duration
	for _, p := range r.Phases {
		if began, ok := r.Began(p.Name); ok && began <= at {
			in, since = p.Name, at-began
		}
	}
	return in, since
}

// intended returns how many operations are intended in a phase until d after its start. A schedule counts from the start
// of the segment, so a phase that joins another continues its schedule.
func (r *Run) intended(name plan.PhaseName) func(time.Duration) float64 {
	if card, speed := r.Settings.Trace, r.Settings.Speed; card != nil {
		return func(d time.Duration) float64 {
			before := r.since(name)
			return card.Intended(time.Duration(float64(before+d)*speed)) - card.Intended(time.Duration(float64(before)*speed))
		}
	}
	var rates []pacing.Rate
	for _, g := range r.Settings.GroupsIn(name) {
		rates = append(rates, g.Settings.PacingOf(name).Rate)
	}
	return r.intendedBy(name, rates...)
}

// intendedBy is intended for operations at some rates together.
func (r *Run) intendedBy(name plan.PhaseName, rates ...pacing.Rate) func(time.Duration) float64 {
	return func(d time.Duration) (sum float64) {
		before := r.since(name)
		for _, rate := range rates {
			sum += rate.Area((before + d).Seconds()) - rate.Area(before.Seconds())
		}
		return sum
	}
}

// groups describes the groups of workers of a phase; nil for a run without groups.
func (r *Run) groups(name plan.PhaseName) []result.GroupInfo {
	var out []result.GroupInfo
	for _, g := range r.Settings.Groups {
		info := result.GroupInfo{Name: g.Name, Loop: string(g.Loop())}
		if shards := len(r.State.Life.Shards); shards > 0 {
			workers, _ := plan.Workers(g.Settings, shards) // validated when the run was submitted
			for _, n := range workers {
				info.Workers += n
			}
		}
		if g.Loop() == plan.Open {
			info.Intended = r.intendedBy(name, g.Settings.Pacing.Rate)
		}
		out = append(out, info)
	}
	return out
}

// since returns how long after its segment's start a phase starts; 0 while that is unknown.
func (r *Run) since(name plan.PhaseName) time.Duration {
	var segment time.Duration
	for _, p := range r.Phases {
		began, ok := r.Began(p.Name)
		if ok && !p.Joined {
			segment = began
		}
		if p.Name == name && ok {
			return began - segment
		}
	}
	return 0
}

// EndedAt returns when the last shard ended, in the run's time; false if one has not ended, or was lost.
func (r *Run) EndedAt() (last time.Duration, ok bool) {
	for _, sh := range r.State.Life.Shards {
		n := len(sh.Ended) - 1
		if n < 0 || !sh.Ended[n].Final || sh.Lost != "" {
			return 0, false
		}
		began, known := r.Began(sh.Ended[n].Phase)
		if !known {
			return 0, false
		}
		last, ok = max(last, began+sh.Ended[n].At), true
	}
	return last, ok
}
