package doctor

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/benchd/benchd/internal/load"
)

const (
	// Target is the name under which agents examine their own machine: a target of actions, not of load.
	Target = "machine"
	// Action is the only action on it.
	Action = "examine"
)

// Open makes the load.OpenActor that examines a machine for a use.
func Open(m Machine, use Use) load.OpenActor {
	return func(context.Context, load.Settings) (load.Actor, error) { return actor{m, use}, nil }
}

type actor struct {
	machine Machine
	use     Use
}

// Act examines the machine. The answer is a table whose lines FromAnswer reads.
func (a actor) Act(ctx context.Context, what load.Action) (load.Answer, error) {
	if what.Name != Action {
		return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("unknown action %q of a machine: want %s", what.Name, Action))
	}
	answer := load.Answer{Columns: []string{"name", "on", "found", "verdict", "cure"}}
	for _, f := range a.machine.Examine(ctx, a.use) {
		answer.Rows = append(answer.Rows, []any{f.Name, f.On, f.Found, string(f.Verdict), f.Cure})
	}
	return answer, nil
}

// Close does nothing.
func (actor) Close() error { return nil }

// FromAnswer reads the findings of an agent on its machine. Columns unknown to this build are left out.
func FromAnswer(agent string, answer load.Answer) ([]Finding, error) {
	findings := make([]Finding, 0, len(answer.Rows))
	for _, row := range answer.Rows {
		fields := make(map[string]any, len(row))
		for i, v := range row[:min(len(row), len(answer.Columns))] {
			fields[answer.Columns[i]] = v
		}
		text, err := json.Marshal(fields)
		f := Finding{}
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err != nil {
			return nil, fmt.Errorf("read the findings of agent %s: %w", agent, err)
		}
		if f.Agent = agent; f.Verdict.rank() == Bad.rank() {
			f.Verdict = Bad // a verdict unknown to this build may be a bad one
		}
		findings = append(findings, f)
	}
	return findings, nil
}

// WhileServing accepts that the processors of an agent that serves a run are busy.
func WhileServing(run string, findings []Finding) []Finding {
	for i, f := range findings {
		if f.Name == nameIdle && (f.Verdict == Warn || f.Verdict == Bad) {
			f = f.but(OK, "")
			f.Found += ", while it serves run " + run
			findings[i] = f
		}
	}
	return findings
}

// Silent is the finding on an agent that did not examine its machine; refused is set if its build cannot.
func Silent(agent string, refused bool, err error) Finding {
	f := unknown("machine", err, "install the coordinator's release on it, or run `benchd doctor` there")
	if !refused {
		f = f.but(Warn, "check that its process is running, and run `benchd doctor` on its machine")
	}
	f.Agent = agent
	return f
}
