package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protodelim"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
)

// Histograms streams a run's windows, merged over its agents.
func (c *Coordinator) Histograms(req *benchdv1.HistogramsRequest, stream grpc.ServerStreamingServer[benchdv1.HistogramsResponse]) error {
	return wire.ToStatus(c.histograms(stream.Context(), req.GetId(), stream.Send))
}

func (c *Coordinator) histograms(ctx context.Context, id string, send func(*benchdv1.HistogramsResponse) error) error {
	r, err := c.oneRun(ctx, id)
	if err != nil {
		return err
	}
	t, err := c.newTransfer("read histograms of run " + r.Archived.ID)
	if err != nil {
		return err
	}
	defer t.close()
	if err := c.histogramsOf(ctx, r, func(m *benchdv1.HistogramsResponse) error {
		_, err := protodelim.MarshalTo(t.out, m)
		return err
	}); err != nil {
		return err
	}
	in, err := t.written()
	if err != nil {
		return fmt.Errorf("read histograms of run %s: %w", r.Archived.ID, err)
	}
	for {
		m := new(benchdv1.HistogramsResponse)
		switch err := (protodelim.UnmarshalOptions{MaxSize: -1}).UnmarshalFrom(in, m); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read histograms of run %s: %w", r.Archived.ID, err)
		}
		if err := within(ctx, stallWithin, func() error { return send(m) }); err != nil {
			return err
		}
	}
}

func (c *Coordinator) histogramsOf(ctx context.Context, r *record.Run, send func(*benchdv1.HistogramsResponse) error) error {
	lengths, err := c.lengths(ctx, r)
	if err != nil {
		return err
	}
	m := merger{interval: r.Settings.Interval, step: func(phase string) time.Duration {
		return result.PointLength(r.Settings.Interval, lengths[plan.PhaseName(phase)])
	}, send: func(phase string, iv *interval) error {
		began, _ := r.Began(plan.PhaseName(phase))
		msg := &benchdv1.HistogramsResponse{
			Phase: phase, PhaseStart: wire.FromTime(r.Zero().Add(began)),
			StartNs: int64(iv.start), EndNs: int64(iv.end), Tail: iv.tail,
		}
		for _, s := range iv.merged.Series() {
			msg.Series = append(msg.Series, wire.FromSeries(s))
		}
		return send(msg)
	}}
	for w, err := range c.archive.Windows(ctx, r.Archived.ID) {
		if err != nil {
			return err
		}
		if err := m.add(w); err != nil {
			return err
		}
	}
	return m.flush()
}

// oneRun finds a run by its id, or by that of a suite that has no other.
func (c *Coordinator) oneRun(ctx context.Context, id string) (*record.Run, error) {
	suite, runs, err := c.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(runs) != 1 {
		return nil, wire.Errorf(wire.ErrNotFound, "suite %s has %d runs: name one of them, such as %s.1", id, len(runs), id)
	}
	return record.Open(c.config.Reader, suite, runs[0])
}

// merger merges windows that come in the order of the archive: by phase, and then by the instant at which they begin. Long phases
// have intervals of several windows each, as in the series of their results: those can be rolled up.
type merger struct {
	interval time.Duration // of windows
	step     func(phase string) time.Duration
	send     func(phase string, iv *interval) error

	phase string
	every time.Duration // the phase's step
	index int64         // of the step that the newest windows begin in
	open  map[intervalKey]*interval
}

type intervalKey struct {
	start time.Duration
	tail  bool
}

// interval is what all agents measured from start to end.
type interval struct {
	start, end time.Duration
	tail       bool
	merged     latency.Merged
}

func (m *merger) add(w *latency.Window) error {
	if w.ID.Phase != m.phase {
		if err := m.flush(); err != nil {
			return err
		}
		m.phase, m.every, m.index = w.ID.Phase, max(m.step(w.ID.Phase), 1), -1
	}
	key, index := intervalKey{w.Start, w.Tail}, int64(w.Start/m.every)
	if m.every > m.interval && !w.Tail {
		key.start = time.Duration(index) * m.every
	}
	if index != m.index {
		if err := m.flush(); err != nil {
			return err
		}
		m.index = index
	}
	iv := m.open[key]
	if iv == nil {
		iv = &interval{start: w.Start, tail: w.Tail}
		if m.open == nil {
			m.open = make(map[intervalKey]*interval)
		}
		m.open[key] = iv
	}
	iv.start, iv.end = min(iv.start, w.Start), max(iv.end, w.End)
	return iv.merged.Add(w.Series)
}

// flush sends what is complete.
func (m *merger) flush() error {
	keys := slices.SortedFunc(maps.Keys(m.open), func(a, b intervalKey) int { return cmp.Compare(a.start, b.start) })
	for _, key := range keys {
		if err := m.send(m.phase, m.open[key]); err != nil {
			return err
		}
	}
	clear(m.open)
	return nil
}
