package book

// Chart is a picture of figures. Its JSON form is what the page of the HTML report draws.
type Chart struct {
	Title string `json:"title"`
	How   string `json:"how"` // how its figures were computed, in one line
	Kind  Kind   `json:"kind"`
	// Group joins charts that share their x axis: zooming and pointing in one of them shows the same in all. It is the same for
	// all charts over the time of a run, or of several runs on one axis. Empty: the chart is on its own.
	Group  string   `json:"group,omitempty"`
	X      Axis     `json:"x"`
	Y      []Axis   `json:"y"` // the left one, and the right one if there are two
	Series []Series `json:"series,omitempty"`
	Marks  []Mark   `json:"marks,omitempty"`
	Limits []Limit  `json:"limits,omitempty"`
	Heat   *Heat    `json:"heat,omitempty"` // of kind Density
}

// Kind is how a chart is drawn.
type Kind string

// The kinds.
const (
	Time    Kind = "time"    // lines over seconds; interactive, with many points
	Lines   Kind = "lines"   // lines with their points over a number: threads, offered rate, throughput, percentile
	Bars    Kind = "bars"    // groups of bars over categories
	Density Kind = "density" // a heat map over seconds: how many operations took how long
)

// Axis is an axis of a chart.
type Axis struct {
	Title      string   `json:"title"`
	Unit       string   `json:"unit,omitempty"` // of the values: s, ops/s, µs, %, or the unit of telemetry
	Scale      Scale    `json:"scale,omitempty"`
	Categories []string `json:"categories,omitempty"` // of Bars, on the x axis: names of cases, scenarios or targets
	Max        float64  `json:"max,omitempty"`        // the end of the axis if it is fixed, such as 100 %
}

// Scale is the scale of an axis.
type Scale string

// The scales. Linear is the default, and begins at 0 on a y axis.
const (
	Linear     Scale = ""
	Log        Scale = "log"
	Percentile Scale = "percentile" // the x axis of a percentile curve: 0, 90, 99, 99.9, 99.99 at equal distances
)

// Series is a series of a chart.
type Series struct {
	Name string `json:"name"`
	// Verbatim: the name is that of a case, server, agent or target, and is not translated.
	Verbatim  bool  `json:"verbatim,omitempty"`
	Axis      int   `json:"axis,omitempty"` // index of Chart.Y
	Style     Style `json:"style,omitempty"`
	Published bool  `json:"published,omitempty"` // the authors' figures, never measured here
	// X are the positions: seconds, values of the axis, or the indexes of categories. Empty: those of the first series.
	X []float64 `json:"x,omitempty"`
	Y []float64 `json:"y"` // NaN: no value, and a gap in a line
	// Low and High bound each value: an interval, which Chart.How describes. Empty: none.
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Runs are the values of the repeats at each position, drawn as small points. Empty: none.
	Runs   [][]float64 `json:"runs,omitempty"`
	Hidden bool        `json:"hidden,omitempty"` // shown only when the reader asks for it, where a format can do that
}

// Style is how a series is drawn, if not as the chart's kind says.
type Style string

// The styles.
const (
	Default Style = ""
	Dashed  Style = "dashed" // a line that is not measured: offered, fitted
	Points  Style = "points" // without a line
	Steps   Style = "steps"
)

// Mark is something that happened on the x axis: a line, or a span if To is beyond From.
type Mark struct {
	From  float64  `json:"from"`
	To    float64  `json:"to,omitempty"`
	Kind  MarkKind `json:"kind"`
	Label string   `json:"label"` // a few words
	Text  string   `json:"text,omitempty"`
}

// MarkKind is what a Mark stands for.
type MarkKind string

// The kinds of marks.
const (
	Action MarkKind = "action" // an action or fault that the suite asked for
	Event  MarkKind = "event"  // an event of the cluster or of an agent
	Dip    MarkKind = "dip"    // from the start of a dip until the recovery
	Phase  MarkKind = "phase"  // a phase, or a case where several share a time axis
	Chosen MarkKind = "chosen" // the answer: the number of threads or the rate to use, the knee, a plateau
)

// Limit is a line across a chart at a value of a y axis.
type Limit struct {
	Value float64 `json:"value"`
	Axis  int     `json:"axis,omitempty"`
	Label string  `json:"label"`
}

// Heat counts operations by time and response time.
type Heat struct {
	X []float64 `json:"x"` // bounds of the columns, seconds: one more than columns
	Y []float64 `json:"y"` // bounds of the rows, µs, ascending: one more than rows
	// Counts has a list for each column, with the number of operations of each row.
	Counts [][]uint64 `json:"counts"`
}
