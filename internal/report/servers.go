package report

import (
	"cmp"
	"slices"

	"github.com/benchd/benchd/internal/result"
)

// serversText says what the table of servers holds.
const serversText = "Of each region server over the measured phase: its regions as the phase began and as it ended, its heap and its memstore."

// serverTable is the heap, the memstore and the regions of each region server over the measured phase of runs.
func serverTable(runs []result.Run) result.Table {
	const server = "hbase.regionserver."
	t := result.Table{Columns: columns("run", "case", "server", "regions", "heap, mean", "heap, most", "memstore, mean", "memstore, most")}
	for i := range t.Columns[3:] {
		t.Columns[3+i].Figure = true
	}
	for _, run := range runs {
		if len(run.Phases) == 0 {
			continue
		}
		phase := run.Phases[len(run.Phases)-1]
		heap, memstore, regions := bySource(phase, server+"heap_used"), bySource(phase, server+"memstore_size"), bySource(phase, server+"regions")
		var sources []string
		for _, figure := range []map[string][]result.Observation{heap, memstore, regions} {
			for source := range figure {
				if !slices.Contains(sources, source) {
					sources = append(sources, source)
				}
			}
		}
		slices.SortFunc(sources, cmp.Compare[string])
		for _, source := range sources {
			held := none
			if o := regions[source]; o != nil {
				held = fromTo(o)
			}
			t.Rows = append(t.Rows, textRow(append(append([]string{run.ID, run.Case, source, held}, meanAndMost(heap[source])...), meanAndMost(memstore[source])...)...))
		}
	}
	return t
}

// bySource are the observations of a figure, by who reported them.
func bySource(phase result.Phase, figure string) map[string][]result.Observation {
	out := make(map[string][]result.Observation)
	for _, o := range observed(phase, figure) {
		out[o.Source] = append(out[o.Source], o)
	}
	return out
}

// meanAndMost are the mean and the greatest of a figure in bytes.
func meanAndMost(o []result.Observation) []string {
	if len(o) == 0 {
		return []string{none, none}
	}
	return []string{bytesText(uint64(max(meanOf(o[0]), 0))), bytesText(uint64(max(greatest(o), 0)))}
}
