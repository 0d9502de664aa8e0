// Package mapdb is a target for tests: a map in memory. It is a minimal example of a target: a description, a driver, telemetry, and an
// actor for its actions; each of them may need a password.
package mapdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/workload"
)

// name is the target's name.
const name = "map"

// Password is the password that the map accepts. It also accepts who gives none.
const Password = "canary-of-the-map"

// password is the property that refers to it.
const password = "map.password"

var (
	errFull     = errors.New("the map is full (map.capacity)")
	errNotOwn   = errors.New("the map has no such operation")
	errPassword = errors.New("the map does not accept the password (" + password + ")")
)

// login checks a resolved password.
func login(given secret.Value, err error) error {
	if err == nil && given.Reveal() != "" && given.Reveal() != Password {
		err = errPassword
	}
	return err
}

// Target makes a target with its own map, which all agents of the process share.
func Target() target.Target {
	m := &table{rows: make(map[string]map[string]string)}
	return target.Target{Target: describe(), Open: m.open, Act: m.act, Watch: m.watch}
}

func describe() descriptor.Target {
	return descriptor.Target{
		Name:       name,
		Operations: []workload.Kind{workload.Read, workload.Update, workload.Insert, workload.ReadModifyWrite, workload.Delete},
		Keys: []property.Key{
			{Name: "map.capacity", Kind: property.Int, Default: "0", Max: 1e9, Doc: "rows that the map takes; 0 is no bound"},
			{Name: "map.clear", Kind: property.Bool, Default: "false", Doc: "drop all rows before a run"},
			{Name: password, Kind: property.Secret, Doc: "password of the map, by reference"},
		},
		Check: func(c descriptor.Case) {
			if c.Sound("map.capacity") && c.Changed("map.capacity") && c.Value("phase") == "run" {
				c.Warn("map.capacity", "has no effect without a load")
			}
		},
		Stores:  true,
		Watched: true,
		Filling: []string{"map.clear"},
		Empties: func(v property.Values) bool { return v.Bool("map.clear") },
		Columns: []descriptor.Column{{Name: "map_rows", Unit: "rows", Read: descriptor.Fact("map.rows")}},
		Report:  descriptor.Report{Facts: []descriptor.TitledFact{{Name: "map.rows", Title: "rows"}}},
		Actions: []descriptor.Action{
			{Name: "clear", Verb: descriptor.Verb{Short: "Drop all rows", Example: "  benchctl admin map clear"}},
			{Name: "count", Verb: descriptor.Verb{Short: "Count the rows", Example: "  benchctl admin map count"}},
		},
		Between: []string{"count"},
		Probe:   "count",
		Examine: func(facts map[string]string) descriptor.Finding {
			return descriptor.Finding{Found: ", a map of " + facts["map.rows"] + " rows"}
		},
		Admin: descriptor.Admin{Short: "Count and clear a map"},
	}
}

// table is the map: fields and values by key.
type table struct {
	mu   sync.Mutex
	rows map[string]map[string]string
}

func (m *table) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.rows)
}

func (m *table) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.rows)
}

// open is the load.Driver.
func (m *table) open(_ context.Context, s load.Settings) (load.Target, error) {
	v, err := property.Read(s.Properties, describe().Keys)
	if err != nil {
		return nil, fmt.Errorf("read settings of target map: %w", err)
	}
	if err := login(s.Secret(password)); err != nil {
		return nil, err
	}
	return &opened{table: m, capacity: v.Int("map.capacity"), fresh: v.Bool("map.clear")}, nil
}

// opened is the map of one run.
type opened struct {
	*table
	capacity int
	fresh    bool
}

var (
	_ load.Admin    = (*opened)(nil)
	_ load.Observer = (*opened)(nil)
)

// Prepare implements load.Admin.
func (o *opened) Prepare(context.Context) error {
	if o.fresh {
		o.clear()
	}
	return nil
}

// Facts implements load.Observer.
func (o *opened) Facts(context.Context) (map[string]string, error) {
	return map[string]string{"target": name, "map.rows": strconv.Itoa(o.count())}, nil
}

// Open implements load.Target.
func (o *opened) Open(context.Context, int) (load.Session, error) { return session{o}, nil }

// Close implements load.Target.
func (*opened) Close() error { return nil }

type session struct{ *opened }

// Close implements load.Session.
func (session) Close(context.Context) error { return nil }

// Do implements load.Session.
func (s session) Do(ctx context.Context, op *workload.Op) workload.Outcome {
	if err := ctx.Err(); err != nil {
		return workload.Outcome{Code: workload.Timeout, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[string(op.Key)]
	switch op.Kind {
	case workload.Insert:
		return s.insert(op)
	case workload.Read, workload.Update, workload.Delete:
		if row == nil {
			return workload.Outcome{Code: workload.NotFound}
		}
	default:
		return workload.Outcome{Code: workload.NotImplemented, Err: errNotOwn}
	}
	out := workload.Outcome{Code: workload.OK, Rows: 1, Bytes: int64(len(op.Key))}
	switch op.Kind {
	case workload.Update:
		set(row, op.Fields, op.Values)
	case workload.Delete:
		delete(s.rows, string(op.Key))
	default:
		for field, value := range row {
			out.Bytes += int64(len(value))
			if op.Collect != nil {
				op.Collect([]byte(field), []byte(value))
			}
		}
	}
	return out
}

// insert writes the rows of an insert.
func (s session) insert(op *workload.Op) workload.Outcome {
	keys := op.Keys
	if keys == nil {
		keys = [][]byte{op.Key}
	}
	out := workload.Outcome{Code: workload.OK}
	for i, key := range keys {
		if _, there := s.rows[string(key)]; !there && s.capacity > 0 && len(s.rows) >= s.capacity {
			return workload.Outcome{Code: workload.Error, Err: errFull}
		}
		row := make(map[string]string, len(op.Fields))
		set(row, op.Fields, op.Values[i*len(op.Fields):])
		s.rows[string(key)] = row
		out.Rows++
		out.Bytes += int64(len(key))
	}
	return out
}

func set(row map[string]string, fields, values [][]byte) {
	for i, field := range fields {
		row[string(field)] = string(values[i])
	}
}

// watch is the observe.Opener.
func (m *table) watch(properties map[string]string, with observe.Access) (observe.Source, error) {
	if err := login(with.Secret(properties, password)); err != nil {
		return nil, err
	}
	return source{m}, nil
}

type source struct{ *table }

// Close implements observe.Source.
func (source) Close() {}

// Look implements observe.Source.
func (s source) Look(context.Context) observe.Look {
	return observe.Look{Groups: []observe.Group{{
		Key: "map", Source: name, At: clock.Mono(), Live: true,
		Readings: []observe.Reading{{Name: "map.rows", Unit: "1", Kind: observe.Level, Value: float64(s.count())}},
	}}}
}

// act is the load.OpenActor.
func (m *table) act(_ context.Context, s load.Settings) (load.Actor, error) {
	if err := login(s.Secret(password)); err != nil {
		return nil, load.Mark(load.ErrNotReached, err)
	}
	return actor{m}, nil
}

type actor struct{ *table }

// Close implements load.Actor.
func (actor) Close() error { return nil }

// Act implements load.Actor.
func (a actor) Act(_ context.Context, what load.Action) (load.Answer, error) {
	switch what.Name {
	case "count":
		return load.Answer{Columns: []string{"rows"}, Rows: [][]any{{a.count()}}}, nil
	case "clear":
		a.clear()
		return load.Answer{Text: []string{"all rows are dropped"}}, nil
	}
	return load.Answer{}, load.Mark(load.ErrAction, fmt.Errorf("target map cannot %q", what.Name))
}
