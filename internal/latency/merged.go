package latency

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Merged is the merge of the series of many windows, agents or phases. The zero value is empty and ready for use.
type Merged struct {
	byKey map[Key]*mergedSeries
	empty map[Key]*mergedSeries // those of earlier merges: the next ones need the same pages
}

// mergedSeries is a series with the memory for service times that differ from the response times.
type mergedSeries struct {
	Series
	service *Histogram // empty, or the series' own; nil if it was never needed
}

// Reset empties m and keeps its memory for the next merge.
func (m *Merged) Reset() {
	for key, sum := range m.byKey {
		sum.Response.Reset()
		if sum.Service != sum.Response {
			sum.Service.Reset()
			sum.Service = sum.Response
		}
		if m.empty == nil {
			m.empty = make(map[Key]*mergedSeries)
		}
		m.empty[key] = sum
	}
	clear(m.byKey)
}

// begin returns an empty series.
func (m *Merged) begin(key Key) *mergedSeries {
	sum := m.empty[key]
	if sum == nil {
		h := new(Histogram)
		sum = &mergedSeries{Series: Series{Key: key, Response: h, Service: h}}
	}
	m.byKey[key] = sum
	return sum
}

// Add merges series. A series without histograms, or with different numbers of response and service times, is an error,
// and then nothing is merged.
func (m *Merged) Add(series []Series) error {
	for i := range series {
		if err := series[i].Validate(); err != nil {
			return fmt.Errorf("merge: %w", err)
		}
	}
	if m.byKey == nil {
		m.byKey = make(map[Key]*mergedSeries)
	}
	for i := range series {
		if err := m.add(&series[i]); err != nil {
			return fmt.Errorf("merge series %s: %w", series[i].Key, err)
		}
	}
	return nil
}

func (m *Merged) add(s *Series) error {
	sum := m.byKey[s.Key]
	if sum == nil {
		sum = m.begin(s.Key)
	}
	// Both clocks share a histogram as long as no window has two.
	if sum.Service == sum.Response {
		if s.Service == s.Response {
			return sum.Response.Merge(s.Response)
		}
		if sum.service == nil {
			sum.service = new(Histogram)
		}
		sum.Service = sum.service
		if err := sum.Service.Merge(sum.Response); err != nil {
			return err
		}
	}
	if err := sum.Response.Merge(s.Response); err != nil {
		return err
	}
	return sum.Service.Merge(s.Service)
}

// Series returns copies of the merged series, ordered by key.
func (m *Merged) Series() []Series {
	series := make([]Series, 0, len(m.byKey))
	for _, key := range slices.SortedFunc(maps.Keys(m.byKey), Key.Compare) {
		sum := m.byKey[key]
		s := Series{Key: key, Response: sum.Response.Clone()}
		if s.Service = s.Response; sum.Service != sum.Response {
			s.Service = sum.Service.Clone()
		}
		series = append(series, s)
	}
	return series
}

// All yields the merged series, ordered by key. They are m's own: they may be read until m changes.
func (m *Merged) All(yield func(Series) bool) {
	for _, key := range slices.SortedFunc(maps.Keys(m.byKey), Key.Compare) {
		if !yield(m.byKey[key].Series) {
			return
		}
	}
}

// Validate reports a series that lacks a histogram, or that has different numbers of response and service times.
func (s *Series) Validate() error {
	switch {
	case s.Response == nil || s.Service == nil:
		return fmt.Errorf("series %s lacks a histogram", s.Key)
	case s.Response.Count() != s.Service.Count():
		return fmt.Errorf("series %s has %d response times but %d service times", s.Key, s.Response.Count(), s.Service.Count())
	}
	return nil
}

// Ops returns the number of operations in series. The parts of larger operations are not counted.
func Ops(series []Series) uint64 {
	var n uint64
	for i := range series {
		if series[i].Key.PartOf == "" {
			n += series[i].Response.Count()
		}
	}
	return n
}

// Compare orders keys by operation, outcome and the operation that they are a part of.
func (k Key) Compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Op, o.Op), cmp.Compare(k.Outcome, o.Outcome), cmp.Compare(k.PartOf, o.PartOf))
}

// String returns the key for messages.
func (k Key) String() string {
	if k.PartOf == "" {
		return k.Op + "/" + k.Outcome
	}
	return k.Op + "/" + k.Outcome + " of " + k.PartOf
}
