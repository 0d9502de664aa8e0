package report

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// addServers adds the targets' tables of servers.
func (b *maker) addServers(runs []result.Run, targets descriptor.List) {
	for _, s := range targets.Servers() {
		b.add("Servers", s.Text, serverTable(runs, s.Columns))
	}
}

// serverTable is what each server reported over the measured phase of runs.
func serverTable(runs []result.Run, shown []descriptor.TelemetryColumn) book.Table {
	t := book.Table{Columns: names("run", "case", "server")}
	for _, f := range shown {
		titles := []string{f.Title}
		if f.Form == descriptor.MeanAndMost {
			titles = []string{f.Title + ", mean", f.Title + ", most"}
		}
		t.Columns = append(t.Columns, figures("", titles...)...)
	}
	for _, run := range runs {
		if len(run.Phases) == 0 {
			continue
		}
		phase := run.Phases[len(run.Phases)-1]
		reported := make([]map[string][]result.Observation, len(shown))
		var sources []string
		for i, f := range shown {
			reported[i] = bySource(phase, f.Figure)
			for source := range reported[i] {
				if !slices.Contains(sources, source) {
					sources = append(sources, source)
				}
			}
		}
		slices.SortFunc(sources, cmp.Compare[string])
		for _, source := range sources {
			cells := []string{run.ID, run.Case, source}
			for i, f := range shown {
				cells = append(cells, ofServer(f.Form, reported[i][source])...)
			}
			t.Rows = append(t.Rows, texts(cells...))
		}
	}
	return t
}

// ofServer formats what one server reported for a figure.
func ofServer(form descriptor.Form, o []result.Observation) []string {
	switch {
	case form == descriptor.MeanAndMost:
		return meanAndMost(o)
	case len(o) == 0:
		return []string{none}
	}
	return []string{written(form)(o)}
}

// bySource are the observations of a figure, by their source.
func bySource(phase result.Phase, figure string) map[string][]result.Observation {
	out := make(map[string][]result.Observation)
	for _, o := range observed(phase, figure) {
		out[o.Source] = append(out[o.Source], o)
	}
	return out
}

// meanAndMost are the mean and the maximum of a figure in bytes.
func meanAndMost(o []result.Observation) []string {
	if len(o) == 0 {
		return []string{none, none}
	}
	return []string{bytesText(uint64(max(meanOf(o[0]), 0))), bytesText(uint64(max(greatest(o), 0)))}
}
