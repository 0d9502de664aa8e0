package descriptor

// Report is the content that a target adds to reports. Every field is optional.
type Report struct {
	// Caution returns a caution about the figures of a system with these facts, or "".
	Caution func(facts map[string]string) string
	// Facts are the facts beside the target's name.
	Facts []TitledFact
	// Telemetry are the columns of the telemetry table, over all servers.
	Telemetry []TelemetryColumn
	// Servers is the table of the individual servers.
	Servers Servers
}

// TitledFact is a fact with its title.
type TitledFact struct{ Name, Title string }

// TelemetryColumn is a figure that servers reported over a phase.
type TelemetryColumn struct {
	Title  string
	Figure string // as telemetry names it
	Form   Form
	// Each reports that the terminal also lists the individual servers, in descending order of the figure.
	Each bool
}

// Servers is a table with a line per server.
type Servers struct {
	Text    string // above the table
	Columns []TelemetryColumn
}

// Form is the format of a figure that servers reported over a phase.
type Form int

// The forms.
const (
	FromTo      Form = iota // the sums over the servers at the beginning and the end of the phase
	Rate                    // the sum of the servers' means
	BytesRate               // the same, in bytes
	Percent                 // the mean of the servers' means, which are in percent
	Pauses                  // the mean of the servers' means, in milliseconds per second, shown in percent
	Greatest                // the maximum of all servers
	MeanAndMost             // of one server, in bytes: the mean, and the maximum in a separate column
)

// Telemetry lists the telemetry columns of all targets, each once.
func (l List) Telemetry() []TelemetryColumn {
	return union(l, func(t Target) []TelemetryColumn { return t.Report.Telemetry }, itself[TelemetryColumn])
}

// Servers lists the server tables of all targets, each once.
func (l List) Servers() []Servers {
	return union(l, func(t Target) []Servers {
		if len(t.Report.Servers.Columns) == 0 {
			return nil
		}
		return []Servers{t.Report.Servers}
	}, func(s Servers) string { return s.Text })
}
