package column

import (
	"database/sql"
	"fmt"
	"math"

	"github.com/benchd/benchd/internal/latency"
)

// Figures are a histogram's exact figures as columns. A sum of more than 292 years does not fit and is capped; the histogram
// itself has the exact sum.
func Figures(h *latency.Histogram) (sum, lowest, highest, overflow int64) {
	return int64(min(h.Sum(), math.MaxInt64)), h.Min(), h.Max(), int64(h.Overflow())
}

// Measurement is a row of table measurement, without the reference to its window.
type Measurement struct {
	Key      latency.Key
	Count    int64
	Response Histogram
	Service  Histogram // NULLs if it equals the response
}

// Histogram is a histogram as columns: its exact figures, for people's queries, and its encoding.
type Histogram struct {
	Sum, Lowest, Highest, Overflow sql.NullInt64
	Blob                           []byte
}

// Series decodes the row. If the figures differ from their histogram, the row is damaged.
func (m *Measurement) Series(decode func([]byte) (*latency.Histogram, error)) (latency.Series, error) {
	s := latency.Series{Key: m.Key}
	var err error
	if s.Response, err = m.Response.histogram(decode, m.Count); err != nil {
		return s, fmt.Errorf("decode response times of %s: %w", m.Key, err)
	}
	if m.Service.null() {
		s.Service = s.Response
		return s, nil
	}
	if s.Service, err = m.Service.histogram(decode, m.Count); err != nil {
		return s, fmt.Errorf("decode service times of %s: %w", m.Key, err)
	}
	return s, nil
}

func (c *Histogram) null() bool {
	return !c.Sum.Valid && !c.Lowest.Valid && !c.Highest.Valid && !c.Overflow.Valid && len(c.Blob) == 0
}

func (c *Histogram) histogram(decode func([]byte) (*latency.Histogram, error), count int64) (*latency.Histogram, error) {
	h, err := decode(c.Blob)
	if err != nil {
		return nil, err
	}
	sum, lowest, highest, overflow := Figures(h)
	if int64(h.Count()) != count || !c.Sum.Valid || sum != c.Sum.Int64 || !c.Lowest.Valid || lowest != c.Lowest.Int64 ||
		!c.Highest.Valid || highest != c.Highest.Int64 || !c.Overflow.Valid || overflow != c.Overflow.Int64 {
		return nil, fmt.Errorf("the histogram holds %d samples from %d to %d ns, the columns say %d from %d to %d ns",
			h.Count(), lowest, highest, count, c.Lowest.Int64, c.Highest.Int64)
	}
	return h, nil
}
