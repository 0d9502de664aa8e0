package wire

import (
	"fmt"
	"slices"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
)

// Bounds on what an agent may observe in one message.
const (
	MaxFigures    = 4096
	MaxPoints     = 1 << 17 // of all figures together
	maxHappenings = 256
	maxNotices    = 64
	maxNotice     = 512 // bytes, of an event or a warning
	maxUnit       = 32
)

// FromObservations encodes what was observed for a shard's run.
func FromObservations(id *benchdv1.ShardId, o result.Observations) *benchdv1.Observations {
	m := &benchdv1.Observations{Id: id}
	for _, f := range o.Figures {
		at := make([]int64, len(f.At))
		for i, t := range f.At {
			at[i] = int64(t)
		}
		m.Figures = append(m.Figures, &benchdv1.Observed{
			Name: Text(f.Name), Source: Text(f.Source), Unit: Text(f.Unit), AtRunNs: at, Values: f.Values,
		})
	}
	for _, h := range o.Happenings {
		m.Happenings = append(m.Happenings, &benchdv1.Happening{AtRunNs: int64(h.At), Kind: h.Kind, Text: notice(h.Text)})
	}
	for _, w := range o.Warnings {
		m.Warnings = append(m.Warnings, notice(w))
	}
	return m
}

// ToObservations decodes and checks an agent's observations.
func ToObservations(m *benchdv1.Observations) (result.Observations, error) {
	var o result.Observations
	if err := Check(m); err != nil {
		return o, err
	}
	if m.GetId() == nil {
		return o, fmt.Errorf("observations without identity: %w", errMalformed)
	}
	points := 0
	for _, f := range m.GetFigures() {
		if points += len(f.GetAtRunNs()); points > MaxPoints {
			return o, fmt.Errorf("observations of more than %d points: %w", MaxPoints, errMalformed)
		}
		one, err := toObserved(f)
		if err != nil {
			return o, err
		}
		o.Figures = append(o.Figures, one)
	}
	for _, h := range m.GetHappenings() {
		if !slices.Contains(result.HappeningKinds(), h.GetKind()) {
			return o, fmt.Errorf("happening of kind %q at %d: %w", Text(h.GetKind()), h.GetAtRunNs(), errMalformed)
		}
		o.Happenings = append(o.Happenings, result.Happening{At: time.Duration(h.GetAtRunNs()), Kind: h.GetKind(), Text: notice(h.GetText())})
	}
	for _, w := range m.GetWarnings() {
		o.Warnings = append(o.Warnings, notice(w))
	}
	return o, nil
}

func toObserved(m *benchdv1.Observed) (result.Observed, error) {
	o := result.Observed{Name: m.GetName(), Source: m.GetSource(), Unit: m.GetUnit(), Values: m.GetValues()}
	if o.Name == "" || len(o.Name) > maxName || len(o.Source) > 2*maxName || len(o.Unit) > maxUnit || len(m.GetAtRunNs()) != len(o.Values) {
		return o, fmt.Errorf("figure %q with %d instants and %d values: %w", Text(o.Name), len(m.GetAtRunNs()), len(o.Values), errMalformed)
	}
	before := int64(-1)
	for _, at := range m.GetAtRunNs() {
		if at <= before {
			return o, fmt.Errorf("figure %q at %d: %w", o.Name, at, errMalformed)
		}
		before = at
		o.At = append(o.At, time.Duration(at))
	}
	return o, nil
}

// notice makes a single line from a peer's text.
func notice(s string) string {
	if len(s) > maxNotice {
		s = s[:maxNotice] + "…"
	}
	return Text(s)
}
