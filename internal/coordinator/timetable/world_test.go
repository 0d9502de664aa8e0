package timetable_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/coordinator/timetable"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/trend"
)

// world is an archive in memory with a coordinator that executes suites.
type world struct {
	t        *testing.T
	registry *prometheus.Registry
	skew     clock.Skew
	clock    *clock.Source

	mu        sync.Mutex
	schedules map[string]archive.Schedule
	alerts    []schedule.Alert
	suites    []archive.SuiteSummary // the newest first
	changed   chan struct{}
	full      bool          // the archive is
	refuse    error         // submissions
	slow      time.Duration // before a submission archives its suite
	lost      time.Duration // after that, until it returns
	orders    []timetable.Order
	reveal    map[string][]trend.Change // changes of a figure, by the suite that reveals them
	announced []string

	tasks sync.WaitGroup
	stop  context.CancelFunc
	*timetable.Table
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, schedules: map[string]archive.Schedule{}, changed: make(chan struct{}), reveal: map[string][]trend.Change{}}
	return w
}

// start starts a coordinator, and crash ends one.
func (w *world) start() {
	w.registry = prometheus.NewPedanticRegistry()
	ctx, stop := context.WithCancel(w.t.Context())
	w.stop, w.clock = stop, clock.NewSource(w.skew)
	table, err := timetable.Open(ctx, timetable.Config{
		Archive: w, Clock: w.clock, Logger: slog.New(slog.DiscardHandler), Registerer: w.registry,
		NewID: w.newID, Submit: w.submit, Trend: w.trend, Announce: w.announce,
		Changed: func() <-chan struct{} {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.changed
		},
		Go: func(do func()) { w.tasks.Go(do) },
	})
	require.NoError(w.t, err)
	w.Table = table
	w.tasks.Go(func() { table.Run(ctx) })
}

func (w *world) crash() {
	w.stop()
	w.tasks.Wait()
}

// newID numbers the suites.
func (w *world) newID(time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("s%d", len(w.suites)+1)
}

func (w *world) submit(ctx context.Context, o timetable.Order) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(w.slow):
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = append(w.orders, o)
	if w.refuse != nil {
		return w.refuse
	}
	w.suites = append([]archive.SuiteSummary{{Suite: archive.Suite{
		ID: o.Suite, Name: o.Schedule, Status: result.Running, Created: w.clock.Wall().UTC(), Tags: map[string]string{plan.ScheduleTag: o.Schedule},
	}}}, w.suites...)
	lost := w.lost
	w.mu.Unlock()
	defer w.mu.Lock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(lost):
		return nil
	}
}

// ordered returns the orders so far.
func (w *world) ordered() []timetable.Order {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.orders)
}

// set changes the world.
func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// end ends the suite that was submitted last.
func (w *world) end(status result.Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.suites[0].Status = status
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *world) trend(_ context.Context, name string, suites []archive.SuiteSummary) (trend.Trend, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	newest := suites[len(suites)-1].ID
	return trend.Trend{Of: name, Test: "a test", Cases: []trend.Case{{Name: "reads", Figures: []trend.Figure{{Name: "throughput_ops", Unit: "ops/s", Changes: w.reveal[newest]}}}}}, nil
}

func (w *world) announce(suite string, changes []trend.Alert) func(bool) {
	return func(archived bool) {
		w.announced = append(w.announced, fmt.Sprintf("%s %d %v", suite, len(changes), archived))
	}
}

func (w *world) Schedules(context.Context) ([]archive.Schedule, error) {
	var list []archive.Schedule
	for _, s := range w.schedules {
		list = append(list, s)
	}
	return list, nil
}

func (w *world) PutSchedule(_ context.Context, s archive.Schedule, alerts []schedule.Alert) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.full {
		return archive.ErrFull
	}
	w.schedules[s.Name] = s
	w.alerts = append(w.alerts, alerts...)
	return nil
}

func (w *world) RemoveSchedule(_ context.Context, name string) error {
	delete(w.schedules, name)
	return nil
}

func (w *world) Alerts(context.Context, string, int) ([]schedule.Alert, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.alerts, nil
}

func (w *world) Suites(context.Context) ([]archive.SuiteSummary, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]archive.SuiteSummary(nil), w.suites...), nil
}

func anyone(identity.Identity) error { return nil }

var ann = identity.Identity{Role: identity.Operator, Name: "ann", Serial: "7"}

// keep keeps an hourly schedule.
func (w *world) keep() time.Time {
	hourly, err := schedule.Every(time.Hour)
	require.NoError(w.t, err)
	next, err := w.Put(w.t.Context(), timetable.Submission{Name: "nightly", When: hourly, Owner: timetable.Owner{Identity: ann}, By: "ann", Request: []byte("request")}, anyone)
	require.NoError(w.t, err)
	return next
}

// outcomes returns what became of the due times, the oldest first.
func (w *world) outcomes() []string {
	d, err := w.Show(w.t.Context(), "nightly")
	require.NoError(w.t, err)
	var out []string
	for _, o := range d.Outcomes {
		text := o.Due.Format("15:04 ") + string(o.Kind)
		if o.Suite != "" {
			text += " " + o.Suite
		}
		if o.Missed > 0 {
			text += fmt.Sprintf(" missed %d", o.Missed)
		}
		out = append([]string{text}, out...)
	}
	return out
}

// wait lets time pass in the bubble, which begins at midnight.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func in(t *testing.T, do func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.start()
		defer func() { w.crash() }()
		do(t, w)
	})
}
