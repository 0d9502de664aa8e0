package draw

// Options are what charts need besides the result.
type Options struct {
	// Histograms are the histograms of runs by their ids. A run without an entry is drawn with the percentiles of its document.
	Histograms map[string]*Histograms
	// Limits are known limits of figures of telemetry, such as the IOPS that the disks of a host can do.
	Limits []FigureLimit
	// Servers is how many series a chart of telemetry shows at first; 0 means 12. The others are hidden.
	Servers int
}

// FigureLimit is a limit of a figure of telemetry, drawn as a line across its chart.
type FigureLimit struct {
	Figure string // as telemetry names it
	Value  float64
	Label  string
}

const someServers = 12

func (o Options) servers() int {
	if o.Servers > 0 {
		return o.Servers
	}
	return someServers
}
