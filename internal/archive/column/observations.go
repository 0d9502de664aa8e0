package column

import (
	"slices"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/result"
)

// Figure distinguishes the figures of a run.
type Figure struct{ Name, Source string }

// Batch is a set of observations of a run as a row.
type Batch struct {
	From, To time.Duration
	Points   []byte
	New      []NewFigure // figures of the run that were unknown
}

// NewFigure is a figure as a row.
type NewFigure struct {
	Number             int
	Name, Source, Unit string
}

// Observing returns the observations that have points.
func Observing(observed []result.Observed) []result.Observed {
	return slices.DeleteFunc(slices.Clone(observed), func(o result.Observed) bool { return len(o.At) == 0 })
}

// NewBatch encodes observations, at least one, each with points. Figures that are not in known, the numbers of the run's figures, get the
// next numbers; those above MaxFigures are dropped.
func NewBatch(known map[Figure]int, observed []result.Observed) Batch {
	b := Batch{From: observed[0].At[0], To: observed[0].At[0]}
	figures, numbers := make([]result.Observed, 0, len(observed)), make([]int, 0, len(observed))
	for _, o := range observed {
		key := Figure{o.Name, o.Source}
		number, old := known[key]
		if !old {
			if number = len(known); number >= MaxFigures {
				continue
			}
			known[key] = number
			b.New = append(b.New, NewFigure{number, o.Name, o.Source, o.Unit})
		}
		figures, numbers = append(figures, o), append(numbers, number)
		b.From, b.To = min(b.From, o.At[0]), max(b.To, o.At[len(o.At)-1])
	}
	b.Points = encodePoints(b.From, figures, numbers)
	return b
}

// Observations are those of a run, collected from rows: first all figures, then the batches in their order.
type Observations struct {
	list []result.Observed
	at   map[int]int // index in list by number
}

// Figure adds a figure.
func (o *Observations) Figure(number int, f result.Observed) {
	if o.at == nil {
		o.at = make(map[int]int)
	}
	o.at[number] = len(o.list)
	o.list = append(o.list, f)
}

// Batch adds a batch. Its error is archive.ErrCorrupt, and names the run.
func (o *Observations) Batch(run string, from time.Duration, points []byte) error {
	figures, err := DecodePoints(from, points)
	if err != nil {
		return archive.Faultf(archive.ErrCorrupt, err, "read observations of run %s: %v", run, err)
	}
	for _, f := range figures {
		i, ok := o.at[f.Number]
		if !ok {
			return archive.Faultf(archive.ErrCorrupt, nil, "read observations of run %s: unknown figure %d", run, f.Number)
		}
		o.list[i].At = append(o.list[i].At, f.At...)
		o.list[i].Values = append(o.list[i].Values, f.Values...)
	}
	return nil
}

// All returns the figures in their order, each in the order of its instants.
func (o *Observations) All() []result.Observed {
	for i := range o.list {
		order(&o.list[i])
	}
	return o.list
}
