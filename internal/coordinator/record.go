package coordinator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/archive"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/lifecycle"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
)

// record is what the coordinator must know of a run to go on with it after a restart. It is archived as JSON
// beside the run, whole, at every step.
type record struct {
	Life *lifecycle.State `json:"life"`

	// What the run asks for.
	Want   int               `json:"want"` // agents
	Select map[string]string `json:"select,omitempty"`

	// Epoch is the coordinator's clock at the run's time zero, in Unix nanoseconds; 0 before the first start.
	Epoch int64 `json:"epoch,omitempty"`
	// Zero is the date of the run's time zero, and Noted that of the last event of its timeline.
	Zero  time.Time `json:"zero,omitzero"`
	Noted time.Time `json:"noted,omitzero"`
	// Begun is when phases that were told to start begin, in the run's time.
	Begun map[plan.PhaseName]time.Duration `json:"begun,omitempty"`
	// Sends are the first operations of the agents in the phase that is judged for skew.
	Sends []result.FirstSend `json:"sends,omitempty"`

	Build  string            `json:"build,omitempty"` // of the coordinator that handed the shards out
	Agents []result.Agent    `json:"agents,omitempty"`
	Target map[string]string `json:"target,omitempty"`
	Losses []result.Loss     `json:"losses,omitempty"`

	// Deed is the action on the target that is under way; Deeds counts those that were ordered.
	Deed  *deed `json:"deed,omitempty"`
	Deeds int   `json:"deeds,omitempty"`

	// Warnings are what could not be watched, and why.
	Warnings []string `json:"warnings,omitempty"`

	// Asked is what was asked for of the properties that the run has otherwise, because of the rows that are there.
	Asked map[string]string `json:"asked,omitempty"`
	// InsertedBelow is the key number below which the rows are there that the run was to insert; 0 where it is not known.
	InsertedBelow int64 `json:"inserted_below,omitempty"`

	// Timed are the actions that were begun while the run was measured.
	Timed []timed `json:"timed,omitempty"`

	// Steady is what became of a warm-up until it is steady; nil without one, and as long as it goes on.
	Steady *result.Verdict `json:"steady,omitempty"`
}

// run is a run with all that was archived of it.
type run struct {
	archived archive.RunRecord
	suite    archive.Suite
	record   record
	settings plan.Settings
	phases   []plan.Phase
	ycsb     report.YCSB // how YCSB's output is wanted; results keep what that needs
}

// newRun makes the archive's record of a queued run.
func newRun(suite string, planned plan.Run, c plan.Case, want int, labels map[string]string, policy lifecycle.Policy) (archive.RunRecord, error) {
	rec := record{Life: lifecycle.New(planned.ID, planned.Phases, policy), Want: want, Select: labels}
	out := archive.RunRecord{
		ID: planned.ID, Suite: suite, Case: planned.Case, Repeat: planned.Repeat, Status: result.Queued,
		Properties: planned.Properties(c),
	}
	var err error
	out.State, err = json.Marshal(rec)
	return out, err
}

// openRun reads a run back; reader knows its target.
func openRun(reader *spec.Reader, suite archive.Suite, archived archive.RunRecord) (*run, error) {
	r := &run{suite: suite, archived: archived}
	if err := json.Unmarshal(archived.State, &r.record); err != nil {
		return nil, fmt.Errorf("read state of run %s: %w", archived.ID, err)
	}
	if r.record.Life == nil {
		return nil, fmt.Errorf("read state of run %s: it is empty", archived.ID)
	}
	settings, err := reader.Resolve(archived.Properties)
	if err != nil {
		return nil, fmt.Errorf("read settings of run %s: %w", archived.ID, err)
	}
	if r.ycsb, err = report.ParseYCSB(archived.Properties); err != nil {
		return nil, fmt.Errorf("read settings of run %s: %w", archived.ID, err)
	}
	r.settings, r.phases = settings, r.record.Life.Phases
	return r, nil
}

// archive writes the run's record down in the form that the archive keeps.
func (r *run) toArchive() (archive.RunRecord, error) {
	life := r.record.Life
	r.archived.Status, r.archived.Reason = life.Status, life.Reason
	r.archived.Agents = r.archived.Agents[:0]
	for _, a := range r.record.Agents {
		r.archived.Agents = append(r.archived.Agents, archive.Agent{Name: a.Name, Shard: a.Shard, Attempt: a.Attempt})
	}
	if r.record.Epoch != 0 {
		r.archived.Started = r.zero()
	}
	var err error
	r.archived.State, err = json.Marshal(r.record)
	return r.archived, err
}

// shards cuts the run over its agents; an agent's shard is the one with its index.
func (r *run) shards() ([]plan.Shard, error) {
	names := make([]string, len(r.record.Life.Shards))
	for i, sh := range r.record.Life.Shards {
		names[i] = sh.Agent
	}
	planned := plan.Run{ID: r.archived.ID, Case: r.archived.Case, Repeat: r.archived.Repeat, Seed: r.settings.Workload.Seed, Phases: r.phases}
	shards, err := plan.Shards(planned, plan.Case{Name: r.archived.Case, Properties: r.archived.Properties, Settings: r.settings}, names)
	for i := range shards {
		shards[i].Attempt = r.record.Life.Shards[i].Attempt
	}
	return shards, err
}

// began is when a phase began in the run's time: a phase that joins another one begins where that one ends.
func (r *run) began(name plan.PhaseName) (time.Duration, bool) {
	if at, ok := r.record.Begun[name]; ok {
		return at, true
	}
	var at time.Duration
	known := false
	for _, p := range r.phases {
		if b, ok := r.record.Begun[p.Name]; ok {
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

// header is the part of the result that is not made from windows.
func (r *run) header(version string) result.Run {
	life := r.record.Life
	h := result.Run{
		Schema: result.Schema, Kind: "run", ID: r.archived.ID, Name: r.suite.Name, Case: r.archived.Case, Repeat: r.archived.Repeat,
		Status: life.Status, Reason: life.Reason, Violated: life.Violated,
		Spec: r.suite.Spec, Resolved: r.archived.Properties, Note: r.suite.Note, Tags: r.suite.Tags,
		Provenance: result.Provenance{
			Benchd: cmp.Or(r.record.Build, version), SubmittedBy: r.suite.SubmittedBy, Created: r.suite.Created,
			Seed: r.settings.Workload.Seed, Target: r.record.Target, Agents: r.record.Agents,
		},
	}
	h.Warnings = r.record.Warnings
	h.RowGap = r.rowGap()
	h.Start = r.start()
	if v := r.steady(); v != nil {
		h.Verdicts = []result.Verdict{*v}
	}
	return h
}

// start is how well the agents began together; nil before they have.
func (r *run) start() *result.Start {
	if r.record.Epoch == 0 || len(r.record.Sends) == 0 {
		return nil
	}
	return result.NewStart(r.zero().Add(r.record.Begun[r.skewPhase()]), r.record.Sends)
}

// steady is what became of a warm-up until it is steady, also where the run ended in it.
func (r *run) steady() *result.Verdict {
	if r.record.Steady != nil || !r.record.Life.Status.Ended() {
		return r.record.Steady
	}
	for _, p := range r.phases {
		if _, begun := r.record.Begun[p.Name]; begun && p.Until == plan.Steady {
			return steadyVerdict(false, "not reached: the run ended in its warm-up", r.settings.Interval)
		}
	}
	return nil
}

// skewPhase is the phase whose start is judged: the last that was started by an instant of its own, so that a
// run with a load tells of the start of what was measured.
func (r *run) skewPhase() plan.PhaseName {
	var last plan.PhaseName
	for _, p := range r.phases {
		if _, ok := r.record.Begun[p.Name]; ok && !p.Joined {
			last = p.Name
		}
	}
	return last
}

// submitted is a submission as results show it, word for word.
type submitted struct {
	Files      []submittedFile   `json:"files"`
	Properties []submittedOption `json:"properties"`
	Flags      []submittedOption `json:"flags"`
	Suite      *submittedFile    `json:"suite,omitempty"`
	Includes   []submittedFile   `json:"includes,omitempty"` // what the suite file includes
	Trial      bool              `json:"trial,omitempty"`
	Variables  []submittedOption `json:"variables,omitempty"`
}

type submittedFile struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

type submittedOption struct {
	Origin string `json:"origin"`
	Key    string `json:"key"`
	Value  string `json:"value"`
}

func asSubmitted(reader *spec.Reader, m *benchdv1.Submission) submitted {
	s := submitted{Files: []submittedFile{}, Properties: options(m.GetProperties(), "-p"), Flags: options(m.GetFlags(), "")}
	for _, f := range m.GetFiles() {
		s.Files = append(s.Files, submittedFile{Name: f.GetName(), Content: string(f.GetContent())})
	}
	if f := m.GetSuite(); f != nil {
		s.Suite = &submittedFile{Name: f.GetName(), Content: string(f.GetContent())}
		s.Trial, s.Variables = m.GetTrial(), options(m.GetVariables(), "--var")
		for _, name := range reader.Includes(wire.ToSubmission(m)) {
			s.Includes = append(s.Includes, submittedFile{Name: name, Content: string(m.GetAttachments()[name])})
		}
	}
	return s
}

func options(settings []*benchdv1.Setting, origin string) []submittedOption {
	out := []submittedOption{}
	for _, s := range settings {
		out = append(out, submittedOption{Origin: cmp.Or(s.GetOrigin(), origin), Key: s.GetKey(), Value: s.GetValue()})
	}
	return out
}
