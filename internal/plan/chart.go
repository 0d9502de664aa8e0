package plan

// Chart is a chart of a suite's report that the suite's file asks for. It shows either figures of cases (Y) or telemetry of their runs.
type Chart struct {
	Title     string    `json:"title"`
	Scenarios []string  `json:"scenarios"`
	Kind      ChartKind `json:"kind,omitempty"` // empty: lines over numbers, bars otherwise
	// X is what the x axis shows: scenario, case, target, rows (of the dataset), or a setting. Empty: the number in which the cases
	// differ, or else the scenario or the case.
	X string `json:"x,omitempty"`
	// Y are the figures, spelled as columns of tables. Published figures of the same names are shown beside them.
	Y []string `json:"y,omitempty"`
	// Telemetry are figures of telemetry by their names; those joined by + are added up. Bars and lines show their means over the
	// measured phase.
	Telemetry []string `json:"telemetry,omitempty"`
	// By is what makes a series: target, a setting, or server for telemetry. Empty: the target if there are several.
	By        string           `json:"by,omitempty"`
	Only      []Setting        `json:"only,omitempty"` // the cases with these values; empty: all
	Limits    []ChartLimit     `json:"limits,omitempty"`
	Published []PublishedPoint `json:"published,omitempty"`
}

// ChartKind is how a Chart is drawn.
type ChartKind string

// The kinds.
const (
	LinesChart ChartKind = "lines"
	BarsChart  ChartKind = "bars"
	TimeChart  ChartKind = "time" // telemetry over the time of a run, a chart for each case
)

// ChartLimit is a line across a Chart.
type ChartLimit struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// PublishedPoint is a published value that belongs to no case of a suite.
type PublishedPoint struct {
	Name string  `json:"name"` // of its series
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
}

// The names of a Chart's X and By that are not columns of tables.
const (
	RowsOfDataset = "rows"
	EachServer    = "server"
)
