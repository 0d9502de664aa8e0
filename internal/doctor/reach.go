package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
)

// reachWithin is how long a target may take to answer.
const reachWithin = 10 * time.Second

// Reach opens a target as an agent does for a run, reads its facts, and closes it.
func Reach(ctx context.Context, t descriptor.Target, open load.Driver, s load.Settings) Finding {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	begin := clock.Mono()
	facts, err := visit(ctx, open, s)
	f := checkTarget(t, begin.Elapsed(), err)
	if err != nil || t.Examine == nil {
		return f
	}
	shown := t.Examine(facts)
	f.Found += shown.Found
	if shown.Cure != "" {
		return f.but(Warn, shown.Cure)
	}
	return f
}

func visit(ctx context.Context, open load.Driver, s load.Settings) (facts map[string]string, err error) {
	target, err := open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if o, is := target.(load.Observer); is {
		if facts, err = o.Facts(ctx); err != nil {
			return nil, fmt.Errorf("read the facts of the target: %w", err)
		}
	}
	return facts, nil
}

// Reached checks the result of an agent's query for a target's servers.
func Reached(agent string, t descriptor.Target, servers int, took time.Duration, err error) Finding {
	f := checkTarget(t, took, err)
	f.Agent = agent
	if err == nil {
		f.Found += fmt.Sprintf(", reports %d servers", servers)
	}
	return f
}

// checkTarget checks the result of opening a target.
func checkTarget(t descriptor.Target, took time.Duration, err error) Finding {
	f := found(nameTarget, "answers within %s", round(took)).at(t.Name)
	if err != nil {
		f.Found = strings.ReplaceAll(err.Error(), "\n", "; ")
		where := "-p"
		if t.Site.Flag != "" {
			where += " or --" + t.Site.Flag
		}
		return f.but(Bad, "let this machine reach the target, start it, or name the right one with "+where+", as the error suggests")
	}
	return f
}
