package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/bottleneck"
	"github.com/benchd/benchd/internal/incident"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/quarantine"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// document returns a run's result, with the present note and tags of its suite. It is shared: callers must not change it.
func (s *Store) document(ctx context.Context, suite archive.Suite, of suiteKey, archived archive.RunRecord) (result.Run, error) {
	doc, err := s.computed(ctx, suite, of, archived)
	return annotated(doc, suite), err
}

func annotated(doc result.Run, suite archive.Suite) result.Run {
	doc.Note, doc.Tags = suite.Note, suite.Tags
	return doc
}

// sealedText returns the JSON of a sealed document; nil if there is none. If the suite was annotated since, the document is sealed again.
func (s *Store) sealedText(ctx context.Context, suite archive.Suite, run, key string) ([]byte, error) {
	text := s.sealed.text(ctx, run, key)
	if text == nil {
		return nil, nil
	}
	var kept struct {
		Note string            `json:"note"`
		Tags map[string]string `json:"tags"`
	}
	if json.Unmarshal(text, &kept) == nil && kept.Note == suite.Note && maps.Equal(kept.Tags, suite.Tags) {
		return text, nil
	}
	doc, _, ok := s.sealed.document(ctx, run, key)
	if !ok {
		return nil, nil
	}
	doc = annotated(doc, suite)
	s.sealed.keepDocument(ctx, key, doc)
	return json.Marshal(doc)
}

// computed returns a run's result, and recomputes only the parts that can have changed. It is shared: callers must not
// change it. A panic in its computation is returned as an error.
func (s *Store) computed(ctx context.Context, suite archive.Suite, of suiteKey, archived archive.RunRecord) (doc result.Run, err error) {
	guarded := func(build func() (result.Run, error)) (doc result.Run, err error) {
		err = quarantine.Guard(func() (err error) {
			doc, err = build()
			return err
		})
		return doc, err
	}
	if !archived.Status.Ended() {
		return guarded(func() (result.Run, error) {
			return s.buildNow(ctx, suite, archived)
		})
	}
	key := documentKey(of, archived)
	return s.documents.get(ctx, key, func() (doc result.Run, size int64, err error) {
		if doc, size, ok := s.sealed.document(ctx, archived.ID, key); ok {
			return doc, size, nil
		}
		doc, err = guarded(func() (doc result.Run, err error) {
			doc, size, err = s.compute(ctx, suite, archived, key)
			return doc, err
		})
		return doc, size, err
	})
}

// buildNow makes a run's result from all its windows.
func (s *Store) buildNow(ctx context.Context, suite archive.Suite, archived archive.RunRecord) (result.Run, error) {
	extents, err := s.archive.Extents(ctx, archived.ID)
	if err != nil {
		return result.Run{}, err
	}
	doc, _, err := s.build(ctx, suite, archived, extents, nil)
	return doc, err
}

// build makes the result of a run with phases of some extents from all its windows, which it counts. If also is not nil, it gets each of them.
func (s *Store) build(
	ctx context.Context, suite archive.Suite, archived archive.RunRecord, extents []archive.PhaseExtent, also func(*latency.Window) error,
) (doc result.Run, windows int, err error) {
	r, err := record.Open(s.reader, suite, archived)
	if err != nil {
		return result.Run{}, 0, err
	}
	if doc, ok := r.ForeignResult(); ok {
		return doc, 0, nil
	}
	b := r.Builder(lengthsOf(r, extents))
	for w, err := range s.archive.Windows(ctx, archived.ID) {
		if err != nil {
			return result.Run{}, 0, err
		}
		if _, err := b.Add(w); err != nil {
			return result.Run{}, 0, err
		}
		if also != nil {
			if err := also(w); err != nil {
				return result.Run{}, 0, err
			}
		}
		windows++
	}
	doc, err = s.complete(ctx, r, extents, b)
	return doc, windows, err
}

// complete makes the result of windows that a builder has, with what else the archive has of the run.
func (s *Store) complete(ctx context.Context, r *record.Run, extents []archive.PhaseExtent, b *result.Builder) (result.Run, error) {
	events, err := s.archive.Events(ctx, r.Archived.ID)
	if err != nil {
		return result.Run{}, err
	}
	notes := result.Notes{Events: make(map[string][]result.Event)}
	for _, e := range events {
		notes.Events[e.Phase] = append(notes.Events[e.Phase], result.Event{T: e.Offset.Seconds(), Kind: e.Kind, Text: e.Text})
	}
	if err := s.observations(ctx, r, extents, &notes); err != nil {
		return result.Run{}, err
	}
	doc, err := b.Document(r.Header(s.version), notes)
	r.AddActions(doc.Phases)
	for i := range doc.Phases {
		doc.Phases[i].Effects()
		doc.Phases[i].Incidents = incident.Of(&doc.Phases[i])
	}
	if len(doc.Phases) > 0 {
		first := &doc.Phases[0]
		first.Events = slices.Insert(first.Events, 0, actionsBefore(r, first.Name, events)...)
	}
	doc = doc.Settled()
	doc.Terms = s.reader.Targets().Terms(doc.Resolved, doc.Provenance.Target)
	if err == nil && doc.Status.Ended() {
		target, _ := s.reader.Targets().Find(doc.Resolved["db"])
		bottleneck.Conclude(&doc, target)
	}
	return doc, err
}

// actionsBefore are the events of actions before the first phase, such as the restore of a snapshot. Their times are negative: the
// phase starts at zero. They are no part of what the phase measures.
func actionsBefore(r *record.Run, phase string, events []archive.Event) (before []result.Event) {
	began, ok := r.Began(plan.PhaseName(phase))
	if !ok {
		return nil
	}
	start := r.State.Zero.Add(began)
	for _, e := range events {
		if e.Phase == "" && e.Kind == result.ByAction && e.At.Before(start) {
			before = append(before, result.Event{T: e.At.Sub(start).Seconds(), Kind: e.Kind, Text: e.Text})
		}
	}
	return before
}

// lengthsOf are how long the phases of a run have been, by their windows.
func lengthsOf(r *record.Run, extents []archive.PhaseExtent) map[plan.PhaseName]time.Duration {
	lengths := make(map[plan.PhaseName]time.Duration)
	for _, e := range extents {
		// Windows may be rolled up further than the phase's length requires: then the points are no finer.
		lengths[plan.PhaseName(e.Phase)] = max(e.Length, result.LengthFor(r.Settings.Interval, e.Rolled))
	}
	return lengths
}

// observations adds the observations of a run to the notes of its result.
func (s *Store) observations(ctx context.Context, r *record.Run, extents []archive.PhaseExtent, notes *result.Notes) error {
	if !r.Settings.Telemetry.On {
		return nil
	}
	observed, err := s.archive.Observations(ctx, r.Archived.ID)
	if err != nil {
		return err
	}
	var spans []result.Span
	for _, e := range extents {
		if began, ok := r.Began(plan.PhaseName(e.Phase)); ok {
			spans = append(spans, result.Span{Phase: e.Phase, Begin: began, End: began + e.Length})
		}
	}
	notes.Observe(observed, spans, r.Settings.Telemetry.Interval)
	return nil
}

// JSON returns the result of a suite or a run as JSON; for a suite of one run it is the run's.
func (s *Store) JSON(ctx context.Context, id string) ([]byte, error) {
	suite, runs, err := s.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	whole, err := suiteHeader(suite, runs)
	if err != nil {
		return nil, err
	}
	of, replaced := newSuiteKey(suite), record.ReplacedBy(runs)
	single := id != suite.ID || len(runs) == 1 && !whole.Plan.Searches()
	if single && runs[0].Status.Ended() && replaced[runs[0].ID] == "" && s.quarantine.Reason(suite.ID) == "" {
		if text, err := s.sealedText(ctx, suite, runs[0].ID, documentKey(of, runs[0])); text != nil || err != nil {
			return text, err
		}
	}
	for _, archived := range runs {
		doc, err := s.document(ctx, suite, of, archived)
		if _, is := errors.AsType[*quarantine.PanicError](err); is {
			s.quarantine.Add(suite.ID, "make the result of run "+archived.ID, err)
		}
		if err != nil {
			return nil, fmt.Errorf("make result of run %s: %w", archived.ID, err)
		}
		if reason := s.quarantine.Reason(suite.ID); reason != "" {
			doc.Warnings = append(slices.Clone(doc.Warnings), "suite "+suite.ID+" is "+reason)
		}
		doc.ReplacedBy = replaced[archived.ID]
		whole.Runs = append(whole.Runs, doc)
	}
	if single {
		return json.Marshal(whole.Runs[0])
	}
	table.Conclude(&whole, s.reader.Targets())
	return json.Marshal(whole)
}

// suiteHeader is the result of a suite without its runs.
func suiteHeader(suite archive.Suite, runs []archive.RunRecord) (result.Suite, error) {
	whole := result.Suite{
		Schema: result.Schema, Kind: "suite", ID: suite.ID, Name: suite.Name, Status: suite.Status, Runs: []result.Run{},
		Note: suite.Note, Tags: suite.Tags, Ran: []result.Turn{},
	}
	var err error
	if whole.Plan, err = record.Plan(suite); err != nil {
		return whole, err
	}
	for _, r := range runs {
		if !r.Started.IsZero() {
			of, _ := whole.Plan.Case(r.Case)
			whole.Ran = append(whole.Ran, result.Turn{Run: r.ID, Case: r.Case, Target: of.Target, Repeat: r.Repeat, Started: r.Started})
		}
	}
	slices.SortStableFunc(whole.Ran, func(a, b result.Turn) int { return a.Started.Compare(b.Started) })
	return whole, nil
}
