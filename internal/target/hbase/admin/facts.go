package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Facts describes the target of a benchmark: the cluster's version and servers, the table with its regions, and the relevant
// settings. A fact that cannot be read has an entry NAME.gap with the error instead; a run does not need it.
func (c *Client) Facts(ctx context.Context, table string) map[string]string {
	facts := map[string]string{"target": "hbase"}
	gap := func(name string, err error) { facts[name+".gap"] = oneLine(err) }

	cluster, err := c.Cluster(ctx)
	if err != nil {
		gap("hbase.cluster", err)
		cluster.Master = c.Master()
	}
	c.clusterFacts(ctx, cluster, facts, gap)
	if table == "" {
		return facts
	}
	facts["hbase.table"] = table
	if described, err := c.Describe(ctx, table); err != nil {
		gap("hbase.table.descriptor", err)
	} else {
		facts["hbase.table.descriptor"] = described.String()
	}
	regions, err := c.Regions(ctx, table)
	if err != nil {
		gap("hbase.table.regions", err)
		return facts
	}
	facts["hbase.table.regions"] = strconv.Itoa(len(regions))
	facts["hbase.table.regions.per_server"] = perServer(regions)
	tableSize(cluster, regions, facts)
	return facts
}

func (c *Client) clusterFacts(ctx context.Context, cluster Cluster, facts map[string]string, gap func(string, error)) {
	facts["hbase.master"] = cluster.Master
	if len(cluster.Servers) == 0 {
		return
	}
	facts["hbase.version"] = cluster.Version
	facts["hbase.cluster.id"] = cluster.ID
	facts["hbase.servers"] = strconv.Itoa(len(cluster.Servers))
	facts["hbase.balancer"] = strconv.FormatBool(cluster.Balancer)
	facts["hbase.regions.in_transition"] = strconv.Itoa(cluster.InTransition)
	var names, heaps []string
	regions := 0
	for _, s := range cluster.Servers {
		names = append(names, s.Name)
		heaps = append(heaps, fmt.Sprintf("%d MB", s.MaxHeapMB))
		regions += s.Regions
	}
	facts["hbase.server.names"] = strings.Join(names, " ")
	facts["hbase.server.heap"] = strings.Join(slices.Compact(heaps), ", ")
	facts["hbase.regions"] = strconv.Itoa(regions)
	if len(cluster.Dead) > 0 {
		facts["hbase.servers.dead"] = strconv.Itoa(len(cluster.Dead))
	}
	// All servers of a cluster should have the same settings: take those of the first that answers.
	var err error
	for _, s := range cluster.Servers {
		var settings map[string]string
		if settings, err = c.settings(ctx, s.Host(), s.InfoPort); err == nil {
			maps.Copy(facts, prefixed(settings))
			return
		}
	}
	gap("hbase.settings", err)
}

func prefixed(settings map[string]string) map[string]string {
	out := make(map[string]string, len(settings))
	for k, v := range settings {
		out["conf."+k] = v
	}
	return out
}

// perServer lists the servers' numbers of regions, in descending order.
func perServer(regions []Region) string {
	counts := make(map[string]int)
	for _, r := range regions {
		counts[r.Server]++
	}
	numbers := slices.Sorted(maps.Values(counts))
	slices.Reverse(numbers)
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, " ")
}

// tableSize adds up the sizes of a table's regions that the servers last reported.
func tableSize(cluster Cluster, regions []Region, facts map[string]string) {
	ours := make(map[string]bool, len(regions))
	for _, r := range regions {
		ours[r.Name] = true
	}
	files, filesMB, memstoreMB, seen := 0, uint64(0), uint64(0), 0
	for _, s := range cluster.Servers {
		for _, l := range s.RegionLoads {
			if ours[l.Region] {
				seen, files, filesMB, memstoreMB = seen+1, files+l.Files, filesMB+l.FilesMB, memstoreMB+l.MemstoreMB
			}
		}
	}
	if seen == 0 {
		return // the servers have not reported since the table was created
	}
	facts["hbase.table.store_files"] = strconv.Itoa(files)
	facts["hbase.table.store_files_mb"] = strconv.FormatUint(filesMB, 10)
	facts["hbase.table.memstore_mb"] = strconv.FormatUint(memstoreMB, 10)
}

func oneLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
