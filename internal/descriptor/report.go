package descriptor

// Report is what reports show of a target beside its figures. All of it is optional.
type Report struct {
	// Caution returns what a reader must know of the figures of a system with these facts; empty for nothing.
	Caution func(facts map[string]string) string
	// Facts are the facts beside the target's name.
	Facts []TitledFact
	// Telemetry are the columns of the table of telemetry, of all servers together.
	Telemetry []TelemetryColumn
	// Servers is the table of the servers one by one.
	Servers Servers
}

// TitledFact is a fact with the words before its value.
type TitledFact struct{ Name, Title string }

// TelemetryColumn is what servers reported of a figure over a phase.
type TelemetryColumn struct {
	Title  string
	Figure string // as telemetry names it
	Form   Form
	// Each says that at the terminal the servers are also named one by one, those with the most first.
	Each bool
}

// Servers is a table with a line for each server.
type Servers struct {
	Text    string // above the table
	Columns []TelemetryColumn
}

// Form is how a report writes what servers reported of a figure over a phase.
type Form int

// The forms.
const (
	FromTo      Form = iota // the sum over the servers as the phase began and as it ended
	Rate                    // the sum of the servers' means
	BytesRate               // the same, in bytes
	Percent                 // the mean of the servers' means, which are in percent
	Pauses                  // the mean of the servers' means, which are in milliseconds of each second, in percent
	Greatest                // the greatest that a server reported
	MeanAndMost             // of one server, in bytes: the mean, and in a column of its own the greatest
)

// Telemetry lists the columns of telemetry of all targets, each once.
func (l List) Telemetry() []TelemetryColumn {
	return union(l, func(t Target) []TelemetryColumn { return t.Report.Telemetry }, itself[TelemetryColumn])
}

// Servers lists the tables of servers of all targets, each once.
func (l List) Servers() []Servers {
	return union(l, func(t Target) []Servers {
		if len(t.Report.Servers.Columns) == 0 {
			return nil
		}
		return []Servers{t.Report.Servers}
	}, func(s Servers) string { return s.Text })
}
