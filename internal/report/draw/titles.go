package draw

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// titled is a figure of telemetry, without the prefix that says whose it is.
type titled struct{ figure, title string }

// leading are the figures that explain a throughput, in the order in which they are drawn. All others come behind them.
func leading() []titled {
	return []titled{
		{"cpu_busy_percent", "CPU busy"},
		{"cpu_percent", "CPU of the process"},
		{"load1", "Load, mean of 1 minute"},
		{"node_load1", "Load, mean of 1 minute"},
		{"node_load5", "Load, mean of 5 minutes"},
		{"memory_used_percent", "Memory in use"},
		{"heap_used", "Heap in use"},
		{"net_received", "Network, received"},
		{"net_sent", "Network, sent"},
		{"net_received_percent", "Network, received, of the interface's speed"},
		{"net_sent_percent", "Network, sent, of the interface's speed"},
		{"disk_busy_percent", "Disk busy"},
		{"disk_read", "Disk, read"},
		{"disk_written", "Disk, written"},
		{"disk_operations", "Disk operations"},
		{"block_cache_hit_percent", "Cache hit ratio"},
		{"requests", "Requests"},
		{"call_queue", "Request queue"},
		{"handlers_active", "Active handlers"},
		{"memstore_size", "Memory of unflushed writes"},
		{"flushed", "Flushed"},
		{"compacted", "Compacted"},
		{"compaction_queue", "Compaction queue"},
		{"store_files", "Store files"},
		{"gc_time", "Garbage collection"},
		{"regions", "Regions"},
		{"regions_in_transition", "Regions in transition"},
	}
}

// lowestFirst reports whether the low values of a figure are the ones to watch.
func lowestFirst(figure string) bool {
	return slices.Contains([]string{"block_cache_hit_percent", "files_local_percent", "memory_available"}, figure)
}

// rankOf is the position of a figure in the list of leading ones; their number for the others.
func rankOf(figure string) int {
	all := leading()
	if i := slices.IndexFunc(all, func(t titled) bool { return t.figure == figure }); i >= 0 {
		return i
	}
	return len(all)
}

// splitFigure splits the name of a figure into whose it is and which it is.
func splitFigure(name string) (whose, figure string) {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[:at+1], name[at+1:]
	}
	return "", name
}

// figureTitle is the title of a figure: Disk busy (machines of the agents).
func figureTitle(name string) string {
	whose, figure := splitFigure(name)
	var title string
	if all := leading(); rankOf(figure) < len(all) {
		title = all[rankOf(figure)].title
	} else {
		title = strings.ReplaceAll(strings.TrimSuffix(figure, "_percent"), "_", " ")
		if title != "" {
			title = strings.ToUpper(title[:1]) + title[1:]
		}
	}
	switch whose {
	case "":
		return title
	case result.HostFigures:
		return title + " (machines of the agents)"
	case result.NodeFigures:
		return title + " (watched machines)"
	}
	return title + " (" + ofServers(strings.TrimSuffix(whose, ".")) + ")"
}

// ofServers is the title of the servers that a target's figures are of, by the last word of their prefix.
func ofServers(whose string) string {
	word := whose[strings.LastIndexByte(whose, '.')+1:]
	switch word {
	case "regionserver":
		return "region servers"
	case "region":
		return "regions"
	}
	return word
}

// unitOf is a unit of telemetry as charts show it.
func unitOf(unit string) string {
	switch unit {
	case "percent":
		return "%"
	case "1":
		return ""
	}
	return unit
}
