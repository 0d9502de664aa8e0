package timetable

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/trend"
	"github.com/benchd/benchd/internal/wire"
)

const (
	// Most bounds the schedules of a coordinator.
	Most = 256
	// mostOutcomes bounds those that a schedule keeps.
	mostOutcomes = 20
	// MostAlerts bounds those that Show returns.
	MostAlerts = 100
	// look bounds the wait for a due time: the wall clock may be set meanwhile.
	look = time.Minute
	// again is how long the table waits before it writes to a full archive again.
	again = 10 * time.Second
)

// Archive keeps schedules, and has the suites that they have submitted.
type Archive interface {
	Schedules(ctx context.Context) ([]archive.Schedule, error)
	PutSchedule(ctx context.Context, s archive.Schedule, alerts []schedule.Alert) error
	RemoveSchedule(ctx context.Context, name string) error
	Alerts(ctx context.Context, schedule string, most int) ([]schedule.Alert, error)
	Suites(ctx context.Context) ([]archive.SuiteSummary, error)
}

// Owner is who has submitted a schedule, by the certificate that the peer used last.
type Owner struct {
	identity.Identity
	Until time.Time `json:"until,omitzero"` // when the certificate expires; zero without one
}

// Order asks for the suite of a schedule.
type Order struct {
	Schedule string
	Suite    string // its id
	Request  []byte
	Owner    Owner
	Patience time.Duration // with agents that are not connected
}

// Config configures a Table. All fields must be set.
type Config struct {
	Archive    Archive
	Clock      *clock.Source
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	// NewID returns an id for a suite, with the day.
	NewID func(now time.Time) string
	// Submit submits the suite of a schedule. Without an error it is archived.
	Submit func(ctx context.Context, order Order) error
	// Trend makes the trend of suites of a schedule, the oldest first.
	Trend func(ctx context.Context, name string, suites []archive.SuiteSummary) (trend.Trend, error)
	// Announce announces changes that a suite has revealed, before they are archived. The returned function is called with whether they were.
	Announce func(suite string, changes []trend.Alert) (settle func(archived bool))
	// Changed returns a channel that is closed when a suite may have ended.
	Changed func() <-chan struct{}
	// Go runs a function in a goroutine that ends with the context of Run.
	Go func(func())
}

// Table has the schedules of a coordinator.
type Table struct {
	config  Config
	metrics *metrics
	poked   chan struct{}                     // has a value when a due time may have changed
	owners  atomic.Pointer[map[string]string] // the serial numbers of the owners' certificates, by identity.Peer

	mu      sync.Mutex // also held while a schedule is written
	entries map[string]*entry
}

// entry is a schedule.
type entry struct {
	archive.Schedule
	when       schedule.Schedule
	state      state
	unsaved    bool // it has changed since it was written
	submitting bool // by this process
	evaluating bool
}

// state is what the archive keeps of a schedule for this package alone.
type state struct {
	Owner    Owner              `json:"owner"`
	Begun    *schedule.Outcome  `json:"begun,omitempty"` // of the suite that is being submitted, and may be archived
	Outcomes []schedule.Outcome `json:"outcomes"`        // the newest first
	Pending  []string           `json:"pending"`         // suites whose trend is not evaluated
}

// Open reads the schedules of an archive. One that this build cannot read is logged and left alone.
func Open(ctx context.Context, config Config) (*Table, error) {
	t := &Table{config: config, metrics: newMetrics(config.Registerer), poked: make(chan struct{}, 1), entries: make(map[string]*entry)}
	records, err := config.Archive.Schedules(ctx)
	if err != nil {
		return nil, fmt.Errorf("read schedules: %w", err)
	}
	for _, r := range records {
		e := &entry{Schedule: r}
		e.when, err = schedule.Parse(r.Recurs)
		if err == nil {
			err = json.Unmarshal(r.State, &e.state)
		}
		if err != nil {
			config.Logger.Error("a schedule is not readable by this build, and waits", "schedule", r.Name, "error", err)
			continue
		}
		t.entries[r.Name] = e
		t.metrics.show(e)
	}
	t.indexOwners()
	return t, nil
}

// Submission is a schedule to keep.
type Submission struct {
	Name    string
	When    schedule.Schedule
	Owner   Owner
	By      string // the owner's name for people
	Request []byte
	Replace bool // one of the same name, which allowed permits
}

// Put keeps a schedule, and returns its first due time. One that it replaces keeps its outcomes and alerts.
func (t *Table) Put(ctx context.Context, s Submission, allowed func(owner identity.Identity) error) (time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.config.Clock.Wall().UTC().Truncate(time.Second)
	e := &entry{state: state{Owner: s.Owner}}
	old, exists := t.entries[s.Name]
	switch {
	case exists && !s.Replace:
		return time.Time{}, wire.Errorf(wire.ErrBadSpec, "there is a schedule %q of %s already: replace it with --replace, or submit this one with another --name", s.Name, old.Owner)
	case exists:
		if err := allowed(old.state.Owner.Identity); err != nil {
			return time.Time{}, err
		}
		e.state, e.submitting, e.evaluating = old.state, old.submitting, old.evaluating
		e.state.Owner = s.Owner
	case len(t.entries) >= Most:
		return time.Time{}, wire.Errorf(wire.ErrLimit, "there are %d schedules, the maximum: delete some with `benchctl schedule delete`", Most)
	}
	e.when = s.When
	e.Schedule = archive.Schedule{Name: s.Name, Recurs: s.When.String(), Owner: s.By, Created: now, Next: s.When.Next(now, now), Request: s.Request}
	if err := t.write(ctx, e, nil); err != nil {
		return time.Time{}, err
	}
	if exists { // the goroutine that submits or evaluates its suite has the old one
		*old = *e
		e = old
	}
	t.entries[s.Name] = e
	t.indexOwners()
	t.metrics.show(e)
	t.poke()
	return e.Next, nil
}

// Pause passes over due times until Resume.
func (t *Table) Pause(ctx context.Context, name string, allowed func(owner identity.Identity) error) error {
	return t.change(ctx, name, allowed, func(e *entry) { e.Paused = true })
}

// Resume continues with the next due time, which it returns.
func (t *Table) Resume(ctx context.Context, name string, allowed func(owner identity.Identity) error) (next time.Time, err error) {
	err = t.change(ctx, name, allowed, func(e *entry) {
		if e.Paused {
			e.Paused, e.Next = false, e.when.Next(e.Created, t.config.Clock.Wall())
		}
		next = e.Next
	})
	return next, err
}

// change changes a copy of a schedule, and keeps it when it is archived.
func (t *Table) change(ctx context.Context, name string, allowed func(owner identity.Identity) error, do func(*entry)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.find(name, allowed)
	if err != nil {
		return err
	}
	changed := *e
	do(&changed)
	if err := t.write(ctx, &changed, nil); err != nil {
		return err
	}
	*e = changed
	t.metrics.show(e)
	t.poke()
	return nil
}

// Delete deletes a schedule with its alerts. Its suites remain.
func (t *Table) Delete(ctx context.Context, name string, allowed func(owner identity.Identity) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.find(name, allowed); err != nil {
		return err
	}
	if err := t.config.Archive.RemoveSchedule(ctx, name); err != nil {
		return err
	}
	delete(t.entries, name)
	t.indexOwners()
	t.metrics.forget(name)
	return nil
}

// Start submits the suite of a schedule now, and returns its id.
func (t *Table) Start(ctx context.Context, name, by string, allowed func(owner identity.Identity) error) (string, error) {
	now := t.config.Clock.Wall().UTC()
	o := schedule.Outcome{Due: now, At: now, By: by}
	e, order, err := t.beginNow(ctx, name, &o, allowed)
	if err != nil {
		return "", err
	}
	err = t.config.Submit(ctx, order)
	ctx = context.WithoutCancel(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	e.submitting, e.state.Begun = false, nil
	if err != nil {
		if t.entries[name] == e {
			t.save(ctx, e)
		}
		return "", err
	}
	o.Kind = schedule.Submitted
	t.note(ctx, e, o)
	return o.Suite, nil
}

// beginNow begins a submission that a user asks for.
func (t *Table) beginNow(ctx context.Context, name string, o *schedule.Outcome, allowed func(identity.Identity) error) (*entry, Order, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.find(name, allowed)
	if err != nil {
		return nil, Order{}, err
	}
	suites, err := t.config.Archive.Suites(ctx)
	if err != nil {
		return nil, Order{}, err
	}
	if left := t.settle(ctx, e, suites); left != nil {
		return nil, Order{}, wire.Errorf(wire.ErrNotAllowed, "the suite that was due at %s is about to be submitted: wait for its end", left.Due.Format(time.DateTime))
	}
	if busy := e.busy(suites); busy != "" {
		return nil, Order{}, wire.Errorf(wire.ErrNotAllowed, "%s: wait for its end, or cancel it", busy)
	}
	order, err := t.begin(ctx, e, o, e.Next, suites)
	order.Patience = 0 // the user waits for the answer
	return e, order, err
}

// find returns a schedule that the caller may change. The caller holds t.mu.
func (t *Table) find(name string, allowed func(owner identity.Identity) error) (*entry, error) {
	e, ok := t.entries[name]
	if !ok {
		return nil, unknown(name)
	}
	return e, allowed(e.state.Owner.Identity)
}

func unknown(name string) error {
	return wire.Errorf(wire.ErrNotFound, "unknown schedule %q: `benchctl schedule` lists them", name)
}

// write archives a schedule with its newest alerts. The caller holds t.mu.
func (t *Table) write(ctx context.Context, e *entry, alerts []schedule.Alert) error {
	text, err := json.Marshal(e.state)
	if err != nil {
		return fmt.Errorf("encode schedule %s: %w", e.Name, err)
	}
	record := e.Schedule
	record.State = text
	if err := t.config.Archive.PutSchedule(ctx, record, alerts); err != nil {
		return fmt.Errorf("keep schedule %s: %w", e.Name, err)
	}
	e.Schedule, e.unsaved = record, false
	return nil
}

// poke wakes Run.
func (t *Table) poke() {
	select {
	case t.poked <- struct{}{}:
	default:
	}
}

// sorted returns the schedules by their names. The caller holds t.mu.
func (t *Table) sorted() []*entry {
	names := slices.Sorted(maps.Keys(t.entries))
	list := make([]*entry, len(names))
	for i, name := range names {
		list[i] = t.entries[name]
	}
	return list
}
