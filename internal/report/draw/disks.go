package draw

import (
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// DiskOperations is a figure that is made of two metrics of a node_exporter: the reads and writes per second of all disks of a
// machine. Limits of IOPS are limits of it.
const DiskOperations = result.NodeFigures + "disk_operations"

// diskMetrics are the metrics that DiskOperations is the sum of.
func diskMetrics() []string {
	return []string{"node_disk_reads_completed_total", "node_disk_writes_completed_total"}
}

// diskOperations adds up the operations of the disks of each machine. It is nil if they were not reported.
func diskOperations(all []*figureOfRun) *figureOfRun {
	sums := make(map[string]map[float64]float64)
	for _, f := range all {
		if !slices.Contains(diskMetrics(), f.name) {
			continue
		}
		for _, r := range f.sources {
			if virtualDisk(r.source) {
				continue
			}
			machine := machineOf(r.source)
			if sums[machine] == nil {
				sums[machine] = make(map[float64]float64)
			}
			for i, at := range r.at {
				sums[machine][at] += r.v[i]
			}
		}
	}
	if len(sums) == 0 {
		return nil
	}
	f := &figureOfRun{name: DiskOperations, unit: "1/s", how: "Reads and writes per second of all disks of a machine together, from " + strings.Join(diskMetrics(), " and ") + "."}
	for _, machine := range slices.Sorted(maps.Keys(sums)) {
		r := &reported{source: machine}
		for _, at := range slices.Sorted(maps.Keys(sums[machine])) {
			r.at, r.v = append(r.at, at), append(r.v, sums[machine][at])
		}
		f.sources = append(f.sources, r)
	}
	return f
}

// virtualDisk reports whether a source is a block device that consists of others, whose operations count already.
func virtualDisk(source string) bool {
	_, device, _ := strings.Cut(source, `device="`)
	return slices.ContainsFunc([]string{"dm-", "md", "loop", "ram", "zram", "sr"}, func(p string) bool { return strings.HasPrefix(device, p) })
}
