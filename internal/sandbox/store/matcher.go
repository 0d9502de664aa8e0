package store

import (
	"bytes"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Columns selects all columns of a family, or the named ones.
type Columns struct {
	Family     string
	Qualifiers [][]byte // empty means all
}

// Read is the selection of a Get or a Scan in each row.
type Read struct {
	Columns     []Columns // empty means all families
	Times       protocol.TimeRange
	MaxVersions int           // 0 means 1
	Filter      filter.Filter // may be nil; used only by this read
	Limit       int           // maximum number of cells per family; 0 means no limit
	Offset      int           // number of cells per family to skip first
	Raw         bool          // include markers and the values that they hide
}

// step is where a walk continues after a cell.
type step uint8

const (
	nextCell step = iota
	nextColumn
	toColumn // to the qualifier in matcher.wanted
	nextFamily
	nextRow
	toHint // to the cell in matcher.hint
)

// matcher selects cells one by one in HBase's order. It has HBase's precedence: markers, expiry, time range, the
// family's versions, the filter, the request's versions.
type matcher struct {
	families []Family
	read     *Read
	columns  []Columns // read's columns, sorted
	now      int64
	versions int

	conf     *Family
	family   []byte
	selected *Columns
	at       int     // index of the next selected qualifier
	hidden   int64   // values of the family up to this timestamp are hidden
	hiddenAt []int64 // and those with these timestamps
	given    int     // cells of the family that were returned

	onwards []byte // a filter's hint at the family's empty qualifier: no column before this one

	inColumn   bool
	closed     bool // only markers of the column are of interest now
	qualifier  []byte
	columnUpTo int64
	columnAt   []int64
	counted    int // versions seen
	passed     int // versions taken

	wanted []byte
	hint   protocol.Cell
}

const never = -1 << 63

func (m *matcher) reset(families []Family, read *Read, now int64) {
	m.families, m.read, m.now, m.versions = families, read, now, max(read.MaxVersions, 1)
	m.columns = m.columns[:0]
	for _, c := range read.Columns {
		// The columns of a family that is named twice are merged; if one of the two names none, all columns are selected.
		i, found := slices.BinarySearchFunc(m.columns, c.Family, func(have Columns, name string) int { return strings.Compare(have.Family, name) })
		if !found {
			m.columns = slices.Insert(m.columns, i, c)
			have := &m.columns[i]
			if !slices.IsSortedFunc(have.Qualifiers, bytes.Compare) {
				have.Qualifiers = slices.SortedFunc(slices.Values(have.Qualifiers), bytes.Compare)
			}
			continue
		}
		have := &m.columns[i]
		if len(have.Qualifiers) == 0 || len(c.Qualifiers) == 0 {
			have.Qualifiers = nil
			continue
		}
		have.Qualifiers = slices.SortedFunc(slices.Values(slices.Concat(have.Qualifiers, c.Qualifiers)), bytes.Compare)
	}
	m.startRow()
}

// release drops references to the request's memory.
func (m *matcher) release() {
	clear(m.columns)
	m.families, m.read, m.conf, m.selected, m.wanted, m.hint = nil, nil, nil, nil, nil, protocol.Cell{}
}

func (m *matcher) startRow() { m.family, m.conf, m.inColumn = m.family[:0], nil, false }

// startFamily finds the family's settings and the request's selection; both are nil if the family is not selected.
func (m *matcher) startFamily(name []byte) {
	m.family = append(m.family[:0], name...)
	m.conf, m.selected, m.at, m.inColumn = nil, nil, 0, false
	m.hidden, m.hiddenAt, m.given, m.onwards = never, m.hiddenAt[:0], 0, m.onwards[:0]
	for i := range m.families {
		if m.families[i].Name == string(name) {
			m.conf = &m.families[i]
		}
	}
	if len(m.columns) == 0 || m.conf == nil {
		return
	}
	for i := range m.columns {
		if m.columns[i].Family == string(name) {
			m.selected = &m.columns[i]
			return
		}
	}
	m.conf = nil
}

// classify decides on a cell. lives is the cell's own TTL in milliseconds, or 0.
//
// Family markers are at the empty qualifier, among that column's own values, so a walk leaves that column only step by
// step.
func (m *matcher) classify(c *protocol.Cell, lives int64) (take bool, then step) {
	take, then = m.decide(c, lives)
	if then == nextFamily && m.last() {
		then = nextRow
	}
	if len(c.Qualifier) != 0 {
		return take, then
	}
	switch then {
	case nextColumn:
		m.closed = true
		return take, nextCell
	case toColumn:
		return take, nextCell
	case toHint:
		if bytes.Equal(m.hint.Row, c.Row) && bytes.Equal(m.hint.Family, c.Family) {
			m.closed = len(m.hint.Qualifier) > 0
			m.onwards = append(m.onwards[:0], m.hint.Qualifier...)
			return take, nextCell
		}
	case nextCell, nextFamily, nextRow:
	}
	return take, then
}

// last reports whether no later family is selected.
func (m *matcher) last() bool {
	if n := len(m.columns); n > 0 {
		return string(m.family) >= m.columns[n-1].Family
	}
	n := len(m.families)
	return n > 0 && string(m.family) >= m.families[n-1].Name
}

func (m *matcher) decide(c *protocol.Cell, lives int64) (take bool, then step) {
	if !bytes.Equal(c.Family, m.family) {
		m.startFamily(c.Family)
	}
	if m.conf == nil {
		return false, nextFamily
	}
	if !m.inColumn || !bytes.Equal(c.Qualifier, m.qualifier) {
		m.inColumn, m.closed = true, false
		m.qualifier = append(m.qualifier[:0], c.Qualifier...)
		m.columnUpTo, m.columnAt, m.counted, m.passed = never, m.columnAt[:0], 0, 0
	}
	m.remember(c)
	if then, ok := m.wants(c.Qualifier); !ok {
		return false, then
	}
	if m.closed {
		return false, nextCell
	}
	if bytes.Compare(c.Qualifier, m.onwards) < 0 {
		m.wanted = m.onwards
		return false, toColumn
	}
	if m.read.Raw {
		return m.classifyRaw(c, lives)
	}
	if c.Type.IsDelete() {
		return false, nextCell
	}
	if c.Timestamp <= m.hidden || c.Timestamp <= m.columnUpTo {
		return false, nextColumn
	}
	if slices.Contains(m.hiddenAt, c.Timestamp) || slices.Contains(m.columnAt, c.Timestamp) {
		return false, nextCell
	}
	return m.classifyValue(c, lives)
}

// remember records markers.
func (m *matcher) remember(c *protocol.Cell) {
	switch c.Type {
	case protocol.TypeDeleteFamily:
		m.hidden = max(m.hidden, c.Timestamp)
	case protocol.TypeDeleteFamilyVersion:
		m.hiddenAt = append(m.hiddenAt, c.Timestamp)
	case protocol.TypeDeleteColumn:
		m.columnUpTo = max(m.columnUpTo, c.Timestamp)
	case protocol.TypeDelete:
		m.columnAt = append(m.columnAt, c.Timestamp)
	case protocol.TypePut:
	}
}

// wants reports whether the column is selected and, if not, where the next selected one is.
func (m *matcher) wants(qualifier []byte) (then step, ok bool) {
	if m.selected == nil || len(m.selected.Qualifiers) == 0 {
		return nextCell, true
	}
	wanted := m.selected.Qualifiers
	for m.at < len(wanted) {
		switch order := bytes.Compare(wanted[m.at], qualifier); {
		case order == 0:
			return nextCell, true
		case order > 0:
			m.wanted = wanted[m.at]
			return toColumn, false
		default:
			m.at++
		}
	}
	return nextFamily, false
}

func (m *matcher) classifyRaw(c *protocol.Cell, lives int64) (take bool, then step) {
	if m.read.Times.After(c.Timestamp) || m.read.Times.Before(c.Timestamp) || m.expired(c, m.conf.TTL.Milliseconds()) || m.expired(c, lives) {
		return false, nextCell
	}
	return m.applyFilter(c, c.Type.IsDelete(), false)
}

func (m *matcher) expired(c *protocol.Cell, lives int64) bool {
	return lives > 0 && c.Timestamp < m.now-lives
}

func (m *matcher) classifyValue(c *protocol.Cell, lives int64) (take bool, then step) {
	if m.expired(c, lives) {
		return false, nextCell
	}
	old := m.expired(c, m.conf.TTL.Milliseconds())
	switch {
	case old && m.conf.MinVersions == 0:
		return false, nextColumn
	case m.read.Times.After(c.Timestamp):
		return false, nextCell
	case m.read.Times.Before(c.Timestamp):
		return false, nextColumn
	}
	m.counted++
	if m.counted > m.conf.MaxVersions || old && m.counted > m.conf.MinVersions {
		return false, nextColumn
	}
	return m.applyFilter(c, false, m.counted == m.conf.MaxVersions)
}

// applyFilter calls the filter, and applies the request's own limits. free cells do not count as versions; last reports
// that no older version can be taken.
func (m *matcher) applyFilter(c *protocol.Cell, free, last bool) (take bool, then step) {
	verdict := filter.Include
	if m.read.Filter != nil {
		if m.read.Filter.AllRemaining() {
			return false, nextFamily // the rest of the row is not taken
		}
		verdict = m.read.Filter.FilterCell(c)
	}
	if !verdict.Takes() {
		return false, m.follow(verdict, c)
	}
	if !free {
		m.passed++
		if m.passed > m.versions {
			if verdict == filter.IncludeNextRow {
				return false, nextFamily
			}
			return false, nextColumn
		}
		// The filter gets one version more than the request takes, as in HBase: a match there can let the row pass.
		last = last || m.passed == m.versions && m.read.Filter == nil && !m.read.Raw
	}
	m.given++
	if m.given <= m.read.Offset {
		return false, nextCell
	}
	if m.read.Limit > 0 && m.given > m.read.Offset+m.read.Limit {
		return false, nextFamily
	}
	switch {
	case verdict == filter.IncludeNextRow:
		return true, nextFamily
	case verdict == filter.IncludeNextColumn || last:
		return true, nextColumn
	default:
		return true, nextCell
	}
}

func (m *matcher) follow(verdict filter.Verdict, c *protocol.Cell) step {
	switch verdict {
	case filter.NextColumn:
		return nextColumn
	case filter.NextRow:
		return nextFamily // HBase reads each family separately, and its filters rely on that
	case filter.SeekHint:
		if hint, ok := m.read.Filter.Hint(c); ok {
			m.hint = hint
			return toHint
		}
		return nextCell
	case filter.Skip, filter.Include, filter.IncludeNextColumn, filter.IncludeNextRow:
	}
	return nextCell
}
