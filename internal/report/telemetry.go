package report

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// brief is a column of the telemetry table: a summary of a figure that servers reported.
type brief struct {
	title, figure string
	each          bool // at the terminal, list the servers one by one
	format        func([]result.Observation) string
}

// briefs are the columns of targets, and those of the machines.
func briefs(targets descriptor.List) []brief {
	var all []brief
	for _, c := range targets.Telemetry() {
		all = append(all, brief{c.Title, c.Figure, c.Each, written(c.Form)})
	}
	return append(all,
		brief{title: "busiest CPU", figure: "cpu_busy_percent", format: busiest},
		brief{title: "busiest disk", figure: "disk_busy_percent", format: busiest},
	)
}

// written returns the function that formats a figure of servers.
func written(form descriptor.Form) func([]result.Observation) string {
	switch form {
	case descriptor.Rate:
		return func(o []result.Observation) string { return rate(sumOfMeans(o)) }
	case descriptor.BytesRate:
		return bytesPerSecond
	case descriptor.Percent:
		return func(o []result.Observation) string { return fixed(sumOfMeans(o)/float64(len(o)), 1) + " %" }
	case descriptor.Pauses:
		return func(o []result.Observation) string { return fixed(sumOfMeans(o)/float64(len(o))/10, 2) + " %" }
	case descriptor.Greatest:
		return func(o []result.Observation) string { return fixed(greatest(o), 0) }
	default:
		return fromTo
	}
}

// telemetryTable summarizes what targets and hosts reported over the measured phase of runs. The JSON has all of it.
func telemetryTable(runs []result.Run, targets descriptor.List) book.Table {
	all := briefs(targets)
	used := make([]bool, len(all))
	var rows [][]string
	for _, run := range runs {
		if len(run.Phases) == 0 {
			continue
		}
		phase := run.Phases[len(run.Phases)-1]
		row := []string{run.ID, run.Case}
		found := false
		for i, b := range all {
			text := none
			if o := observed(phase, b.figure); len(o) > 0 {
				text, found, used[i] = b.format(o), true, true
			}
			row = append(row, text)
		}
		if found {
			rows = append(rows, row)
		}
	}
	t := book.Table{Columns: names("run", "case")}
	for i, b := range all {
		if used[i] {
			t.Columns = append(t.Columns, figures("", b.title)...)
		}
	}
	for _, row := range rows {
		kept := row[:2:2]
		for i, text := range row[2:] {
			if used[i] {
				kept = append(kept, text)
			}
		}
		t.Rows = append(t.Rows, texts(kept...))
	}
	return t
}

// observed are the observations of a figure; a name without a prefix also matches hosts of any kind.
func observed(phase result.Phase, figure string) []result.Observation {
	var out []result.Observation
	for _, o := range phase.Observations {
		if len(o.Points) > 0 && (o.Name == figure || o.Name == result.HostFigures+figure || o.Name == result.NodeFigures+figure) {
			out = append(out, o)
		}
	}
	return out
}

func meanOf(o result.Observation) float64 {
	var sum float64
	for _, p := range o.Points {
		sum += p[1]
	}
	return sum / float64(len(o.Points))
}

func sumOfMeans(all []result.Observation) float64 {
	var sum float64
	for _, o := range all {
		sum += meanOf(o)
	}
	return sum
}

func greatest(all []result.Observation) float64 {
	most := all[0].Points[0][1]
	for _, o := range all {
		for _, p := range o.Points {
			most = max(most, p[1])
		}
	}
	return most
}

// fromTo is a sum over the servers at the start and at the end of the phase.
func fromTo(all []result.Observation) string {
	var first, last float64
	for _, o := range all {
		first += o.Points[0][1]
		last += o.Points[len(o.Points)-1][1]
	}
	if first == last {
		return fixed(first, 0)
	}
	return fixed(first, 0) + " → " + fixed(last, 0)
}

func bytesPerSecond(all []result.Observation) string {
	return bytesText(uint64(max(sumOfMeans(all), 0)))
}

// busiest is the highest mean, with its source.
func busiest(all []result.Observation) string {
	most := slices.MaxFunc(all, func(a, b result.Observation) int {
		if meanOf(a) < meanOf(b) {
			return -1
		}
		return 1
	})
	source := strings.TrimPrefix(most.Source, "http://")
	return fixed(meanOf(most), 0) + " % (" + printable(source) + ")"
}
