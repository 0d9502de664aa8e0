package result

import (
	"encoding/json"
	"fmt"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/stats"
)

// Case summarizes the runs of a case.
type Case struct {
	Name      string           `json:"name"`
	Scenario  string           `json:"scenario"`
	Axes      []plan.Setting   `json:"axes"` // the settings that differ between the cases of its scenario
	Dataset   string           `json:"dataset,omitempty"`
	Target    string           `json:"target,omitempty"`
	Fills     bool             `json:"fills,omitempty"` // it only writes the rows that others use
	Repeats   int              `json:"repeats"`         // as planned
	Phase     string           `json:"phase,omitempty"` // that the figures are of
	Loop      string           `json:"loop,omitempty"`  // law 2
	Runs      []string         `json:"runs"`            // that the figures include
	LeftOut   []LeftOut        `json:"left_out"`        // the other runs of the case
	Figures   []Figure         `json:"figures"`
	Published []map[string]any `json:"published,omitempty"` // the authors' figures, never ours
	// Capacity is the result of the case's search; null if it has none. Figures are then those of the confirmation runs.
	Capacity *Capacity `json:"capacity,omitempty"`
	// Bottleneck is what limited the throughput of its runs.
	Bottleneck string `json:"bottleneck,omitempty"`
}

// LeftOut is a run that the figures of its case exclude.
type LeftOut struct {
	Run     string `json:"run"`
	Status  Status `json:"status"`
	Because string `json:"because"`
}

// Figure is one figure of a case over its repeats. Name is spelled as in plan.Table. A percentile has a median over the
// repeats and no mean, because percentiles are not averaged (law 1).
type Figure struct {
	Name   string     `json:"name"`
	Unit   string     `json:"unit"`
	Values []*float64 `json:"values"` // of each run, in the order of Case.Runs; null where a run has none
	// Odd are the runs whose value lies far from the median (stats.Odd). They are not left out.
	Odd []string `json:"odd,omitempty"`
	stats.Spread
}

// Table is a table of the suite's report: measured figures beside published ones.
type Table struct {
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes,omitempty"`
}

// Column is a column of a Table.
type Column struct {
	Name      string `json:"name"` // as the suite's file has it
	Unit      string `json:"unit,omitempty"`
	Published bool   `json:"published,omitempty"` // the authors' figures, never ours
	Figure    bool   `json:"figure,omitempty"`    // a figure, not a setting or name that identifies the case
}

// RowKind is the kind of a row: where its figures come from.
type RowKind string

// The kinds of rows.
const (
	OneRun  RowKind = "run"  // of one run
	OfRuns  RowKind = "case" // over the runs of a case: means, medians of percentiles, the least min, the greatest max
	Highest RowKind = "peak" // of the case of a scenario with the highest mean throughput
)

// Row is a row of a Table.
type Row struct {
	Kind   RowKind `json:"kind"`
	Case   string  `json:"case"`
	Run    string  `json:"run,omitempty"`
	Runs   int     `json:"runs"` // how many its figures include
	Status Status  `json:"status,omitempty"`
	Cells  []Cell  `json:"cells"`
}

// Cell is the value of a row in a column: a number, a text or nothing. In JSON it is a number, a string or null.
type Cell struct {
	Number *float64
	Text   string
}

// Empty reports whether the cell has no value.
func (c Cell) Empty() bool { return c.Number == nil && c.Text == "" }

// MarshalJSON writes the cell's value.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.Number != nil:
		return json.Marshal(*c.Number)
	case c.Text != "":
		return json.Marshal(c.Text)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Cell) UnmarshalJSON(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("read cell: %w", err)
	}
	*c = Cell{}
	switch v := v.(type) {
	case nil:
	case float64:
		c.Number = &v
	case string:
		c.Text = v
	default:
		return fmt.Errorf("read cell: %T is neither a number nor a string", v)
	}
	return nil
}
