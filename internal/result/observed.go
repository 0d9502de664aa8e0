package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Observed is the course of one figure that a target or a host reported: its values at ascending instants of the run's
// time.
type Observed struct {
	Name, Source, Unit string
	At                 []time.Duration
	Values             []float64
}

// Happening is something that happened to the target, at an instant of the run's time.
type Happening struct {
	At         time.Duration
	Kind, Text string
}

// Observations are what was observed over some time.
type Observations struct {
	Figures    []Observed
	Happenings []Happening
	Warnings   []string // what could not be observed, and why
}

// The kinds of Happenings.
const (
	HappenedSplit      = "split"
	HappenedCompaction = "compaction"
	HappenedFlush      = "flush"
	HappenedServer     = "server"
	HappenedTelemetry  = "telemetry" // something about the observation itself
)

// AgentEvent is the kind of the events of agents, such as the loss of one.
const AgentEvent = "agent"

// CompactionEnds begins the text of the event that compactions have ended. The one before reports their begin.
const CompactionEnds = "compaction has ended"

// CompactionEnded reports whether an event is the end of compactions.
func CompactionEnded(e Event) bool {
	return e.Kind == HappenedCompaction && strings.HasPrefix(e.Text, CompactionEnds)
}

// HappeningKinds are all kinds of Happenings.
func HappeningKinds() []string {
	return []string{HappenedSplit, HappenedCompaction, HappenedFlush, HappenedServer, HappenedTelemetry}
}

// PollTime is the name of the figure that every poll of the target has: how long the poll took. Its gaps are the gaps of
// the telemetry.
const PollTime = "telemetry.poll_time"

// The names of machines' figures begin with one of these prefixes: for an agent's own host, or for a node that a
// Prometheus endpoint reports.
const (
	HostFigures = "host."
	NodeFigures = "node."
)

// Long runs are polled as often as short ones, but from poll number WholeLooks on, so many polls become one point.
const (
	WholeLooks    = wholePoints
	LooksOfAPoint = 10
)

// Span is the interval of a phase in the run's time.
type Span struct {
	Phase      string
	Begin, End time.Duration
}

// Observe splits observations into phases, for Notes. In a phase of more than 10 000 intervals, points are means over
// the same lengths as those of its series. A gap much longer than interval, the time between two polls, becomes an event
// of the phase.
func (n *Notes) Observe(observed []Observed, spans []Span, interval time.Duration) {
	if n.Events == nil {
		n.Events = make(map[string][]Event)
	}
	if n.Observations == nil {
		n.Observations = make(map[string][]Observation)
	}
	for _, span := range spans {
		var looks []time.Duration
		for _, o := range observed {
			from, _ := slices.BinarySearch(o.At, span.Begin)
			to, _ := slices.BinarySearch(o.At, span.End+1)
			if from >= to {
				continue
			}
			if o.Name == PollTime {
				looks = append(looks, o.At[from:to]...)
			}
			n.Observations[span.Phase] = append(n.Observations[span.Phase], Observation{
				Name: o.Name, Source: o.Source, Unit: o.Unit,
				Points: thin(o.At[from:to], o.Values[from:to], span, PointLength(interval, span.End-span.Begin)),
			})
		}
		slices.SortFunc(n.Observations[span.Phase], func(a, b Observation) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source))
		})
		n.Events[span.Phase] = append(n.Events[span.Phase], gaps(looks, span, interval)...)
		slices.SortStableFunc(n.Events[span.Phase], func(a, b Event) int { return cmp.Compare(a.T, b.T) })
	}
}

// thin makes the points of a phase: all, or means over a length.
func thin(at []time.Duration, values []float64, span Span, length time.Duration) [][2]float64 {
	points := make([][2]float64, 0, min(len(at), wholePoints))
	whole := length <= 0 || len(at) <= wholePoints
	for i := 0; i < len(at); {
		end := i + 1
		for !whole && end < len(at) && (at[end]-span.Begin)/length == (at[i]-span.Begin)/length {
			end++
		}
		var t, v float64
		for k := i; k < end; k++ {
			t += (at[k] - span.Begin).Seconds()
			v += values[k]
		}
		n := float64(end - i)
		points = append(points, [2]float64{math.Round(t/n*1e3) / 1e3, v / n})
		i = end
	}
	return points
}

// gaps are the stretches of a phase without observation. A phase that was never observed has no telemetry, and no gap in
// it.
func gaps(looks []time.Duration, span Span, interval time.Duration) []Event {
	if len(looks) == 0 {
		return nil
	}
	slices.Sort(looks)
	var out []Event
	before := span.Begin
	for _, at := range append(looks, span.End) {
		usual := interval
		if at > time.Duration(WholeLooks)*interval {
			usual *= LooksOfAPoint
		}
		if at-before > max(3*usual, 10*time.Second) {
			out = append(out, Event{
				T: (before - span.Begin).Seconds(), Kind: HappenedTelemetry,
				Text: fmt.Sprintf("no telemetry for %.0f s: the target was not watched", (at - before).Seconds()),
			})
		}
		before = at
	}
	return out
}
