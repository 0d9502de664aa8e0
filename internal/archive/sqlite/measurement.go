package sqlite

import (
	"database/sql"
	"fmt"
	"math"

	"github.com/benchd/benchd/internal/latency"
)

// figures are a histogram's exact figures as columns. A sum of more than 292 years does not fit and is capped; the histogram
// itself has the exact sum.
func figures(h *latency.Histogram) (sum, lowest, highest, overflow int64) {
	return int64(min(h.Sum(), math.MaxInt64)), h.Min(), h.Max(), int64(h.Overflow())
}

// measurementRow is a row of table measurement. It is reused for reading many rows, one after another.
type measurementRow struct {
	decode   func([]byte) (*latency.Histogram, error)
	key      latency.Key
	count    int64
	response histogramColumns
	service  histogramColumns // NULLs if it equals the response
}

type histogramColumns struct {
	sum, lowest, highest, overflow sql.NullInt64
	blob                           sql.RawBytes
}

// into returns the destinations of a row's columns.
func (m *measurementRow) into() []any {
	return []any{
		&m.key.Op, &m.key.Outcome, &m.key.PartOf, &m.count,
		&m.response.sum, &m.response.lowest, &m.response.highest, &m.response.overflow,
		&m.service.sum, &m.service.lowest, &m.service.highest, &m.service.overflow,
		&m.response.blob, &m.service.blob,
	}
}

// series decodes the row. The columns beside a histogram are for people's queries; if they differ from it, the row is
// damaged.
func (m *measurementRow) series() (latency.Series, error) {
	s := latency.Series{Key: m.key}
	var err error
	if s.Response, err = m.response.histogram(m.decode, m.count); err != nil {
		return s, fmt.Errorf("decode response times of %s: %w", m.key, err)
	}
	if m.service.null() {
		s.Service = s.Response
		return s, nil
	}
	if s.Service, err = m.service.histogram(m.decode, m.count); err != nil {
		return s, fmt.Errorf("decode service times of %s: %w", m.key, err)
	}
	return s, nil
}

func (c *histogramColumns) null() bool {
	return !c.sum.Valid && !c.lowest.Valid && !c.highest.Valid && !c.overflow.Valid && len(c.blob) == 0
}

func (c *histogramColumns) histogram(decode func([]byte) (*latency.Histogram, error), count int64) (*latency.Histogram, error) {
	h, err := decode(c.blob)
	if err != nil {
		return nil, err
	}
	sum, lowest, highest, overflow := figures(h)
	if int64(h.Count()) != count || !c.sum.Valid || sum != c.sum.Int64 || !c.lowest.Valid || lowest != c.lowest.Int64 ||
		!c.highest.Valid || highest != c.highest.Int64 || !c.overflow.Valid || overflow != c.overflow.Int64 {
		return nil, fmt.Errorf("the histogram holds %d samples from %d to %d ns, the columns say %d from %d to %d ns",
			h.Count(), lowest, highest, count, c.lowest.Int64, c.highest.Int64)
	}
	return h, nil
}
