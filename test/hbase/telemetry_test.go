//go:build hbase

package hbase

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// oneProcess is three region servers in one process, on ports that nobody knows beforehand.
const oneProcess = "three region servers in one process"

// observed returns the observations of a metric in a phase, by source.
func observed(p result.Phase, name string) map[string][][2]float64 {
	out := make(map[string][][2]float64)
	for _, o := range p.Observations {
		if o.Name == name {
			out[o.Source] = o.Points
		}
	}
	return out
}

// happened returns the texts of a phase's events of a kind.
func happened(p result.Phase, kind string) []string {
	var out []string
	for _, e := range p.Events {
		if e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return out
}

// total adds up the first, or the last, points of all servers.
func total(points map[string][][2]float64, last bool) float64 {
	var sum float64
	for _, p := range points {
		if last {
			sum += p[len(p)-1][1]
		} else {
			sum += p[0][1]
		}
	}
	return sum
}

// fall is the largest drop from one point to a later one, so a later rise does not hide it.
func fall(points [][2]float64) float64 {
	high, most := points[0][1], 0.0
	for _, p := range points {
		high = max(high, p[1])
		most = max(most, high-p[1])
	}
	return most
}

// jmx reads a bean of a region server over HTTP. HBase removes its beans for a moment when regions come or go, so jmx
// retries.
func jmx(ctx context.Context, s admin.Server) (map[string]any, error) {
	at := fmt.Sprintf("http://%s:%d/jmx?qry=%s", s.Host(), s.InfoPort, url.QueryEscape("Hadoop:service=HBase,name=RegionServer,sub=Server"))
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		beans, err := beansOf(ctx, at)
		switch {
		case err != nil:
			return nil, err
		case len(beans) == 1:
			return beans[0], nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("read %s: %d beans: %w", at, len(beans), ctx.Err())
		case <-tick.C:
		}
	}
}

// beansOf reads a page of beans.
func beansOf(ctx context.Context, at string) ([]map[string]any, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var page struct{ Beans []map[string]any }
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
		return nil, fmt.Errorf("read %s: %w", at, err)
	}
	return page.Beans, nil
}

// seen is what a test has read of a server's beans: each value of its request counter in order, and all counts of
// files.
type seen struct {
	requests []float64
	files    map[float64]bool
}

// look reads the beans of all servers until ctx ends. It reads often, because HBase may renew a value twice within a
// moment, for a reader and for its own sinks.
func look(ctx context.Context, servers []admin.Server) map[string]*seen {
	all := make(map[string]*seen)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, s := range servers {
			bean, err := jmx(ctx, s)
			if err != nil {
				continue
			}
			address := strings.Join(strings.Split(s.Name, ",")[:2], ":")
			one := all[address]
			if one == nil {
				one = &seen{files: make(map[float64]bool)}
				all[address] = one
			}
			requests, _ := bean["totalRequestCount"].(float64)
			files, _ := bean["storeFileCount"].(float64)
			one.files[files] = true
			if n := len(one.requests); n == 0 || one.requests[n-1] != requests {
				one.requests = append(one.requests, requests)
			}
		}
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
		}
	}
}

// TestTelemetryAgreesWithTheServers reads the servers' /jmx at the same time as benchd. Levels must be among those that
// the test has seen; a rate, multiplied by its time, must be the growth between two values of the counter that the test
// has seen. A sandbox reports new values at each look, a real HBase keeps them for ten seconds.
func TestTelemetryAgreesWithTheServers(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records = 3000
		const table = "telemetry"
		run(t, s, table, append(property("recordcount", records, "hbase.table.create", "recreate", "hbase.splits", 5), "--phase", "load", "--threads", "4")...)
		cluster, err := s.admin(t).Cluster(t.Context())
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		looked := make(chan map[string]*seen, 1)
		go func() { looked <- look(ctx, cluster.Servers) }()
		r := run(t, s, table, append(property("recordcount", records, "readproportion", 1, "updateproportion", 0, "operationcount", 0),
			"--threads", "4", "--duration", "45s")...)
		cancel()
		all := <-looked
		faultless(t, r)
		require.Empty(t, r.Warnings)
		p := r.Phases[len(r.Phases)-1]
		files, rates := observed(p, "hbase.regionserver.store_files"), observed(p, "hbase.regionserver.requests")
		require.Len(t, files, len(cluster.Servers), "all servers are found")
		matched := 0
		for source, points := range rates {
			require.NotNil(t, all[source], source)
			for _, point := range files[source] {
				require.True(t, all[source].files[point[1]], "%s had %v files at %v s", source, point[1], point[0])
			}
			for i := 1; i < len(points); i++ {
				grown := points[i][1] * (points[i][0] - points[i-1][0])
				if grown == 0 {
					continue
				}
				nearest := math.Inf(1)
				for k, to := range all[source].requests {
					for _, from := range all[source].requests[:k] {
						nearest = min(nearest, math.Abs(to-from-grown)/grown)
					}
				}
				require.Less(t, nearest, 0.1, "%s: %v requests until %v s; the test saw %v", source, grown, points[i][0], all[source].requests)
				matched++
			}
		}
		require.Positive(t, matched)
		require.NotEmpty(t, observed(p, "hbase.master.heap_used"))
		require.NotEmpty(t, observed(p, "host.cpu_busy_percent"))
	})
}

// TestServersInOneProcessAreFound checks that ports come only from the cluster, and that metrics of the shared process
// are not counted for each server.
func TestServersInOneProcessAreFound(t *testing.T) {
	on(t, []string{oneProcess}, func(t *testing.T, s *server) {
		const records = 2000
		r := run(t, s, "found", append(property("recordcount", records, "hbase.table.create", "recreate", "hbase.splits", 5, "readproportion", 1, "updateproportion", 0, "operationcount", 0),
			"--phase", "load,run", "--threads", "4", "--duration", "30s")...)
		faultless(t, r)
		p := r.Phases[len(r.Phases)-1]
		cluster, err := s.admin(t).Cluster(t.Context())
		require.NoError(t, err)
		regions := observed(p, "hbase.regionserver.regions")
		require.Len(t, regions, 3)
		for _, one := range cluster.Servers {
			points := regions[strings.Join(strings.Split(one.Name, ",")[:2], ":")]
			require.NotEmpty(t, points, one.Name)
			require.InDelta(t, one.Regions, points[len(points)-1][1], 1, "the balancer may move one")
		}
		require.Len(t, observed(p, "hbase.regionserver.requests"), 1, "the process counts for one of them")
		require.Len(t, observed(p, "hbase.regionserver.store_files"), 3, "the master reports the others")
		require.Len(t, r.Warnings, 2)
		for _, w := range r.Warnings {
			require.Contains(t, w, "which is in the same process")
		}
	})
}

// after runs a function once the cluster has served a number of operations of a table, during a run.
func after(t *testing.T, c *admin.Client, table string, operations uint64, do func(context.Context) error) chan error {
	t.Helper()
	done := make(chan error, 1)
	ctx := t.Context()
	go func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			var served uint64
			if cluster, err := c.Cluster(ctx); err == nil {
				for _, s := range cluster.Servers {
					for _, l := range s.RegionLoads {
						if strings.HasPrefix(l.Region, table+",") {
							served += l.Reads + l.Writes
						}
					}
				}
			}
			if served >= operations {
				done <- do(ctx)
				return
			}
			select {
			case <-ctx.Done():
				done <- ctx.Err()
				return
			case <-tick.C:
			}
		}
	}()
	return done
}

// renewed waits until the servers' JMX, which is kept for ten seconds, reports as many files as the servers report to
// the master.
func renewed(ctx context.Context, c *admin.Client) error {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		same := true
		cluster, err := c.Cluster(ctx)
		if err != nil {
			return err
		}
		for _, s := range cluster.Servers {
			bean, err := jmx(ctx, s)
			if err != nil {
				return err
			}
			same = same && bean["storeFileCount"] == float64(s.Stores)
		}
		if same {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// TestASplitInALoadIsAnEvent has regions that split by themselves when their files reach two megabytes, HBase's
// minimum.
func TestASplitInALoadIsAnEvent(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const table = "split"
		r := run(t, s, table, append(property("recordcount", 13500, "hbase.table.create", "recreate", "hbase.splits", 1,
			"hbase.table.filesize", 2<<20, "hbase.table.flushsize", 1<<20), "--phase", "load", "--threads", "4", "--target", "300")...)
		faultless(t, r)
		require.Equal(t, uint64(13500), s.rows(t, table))
		p := r.Phases[0]
		texts := happened(p, "split")
		require.NotEmpty(t, texts, "%v", p.Events)
		require.Contains(t, texts[0], "a region of "+table+" was split at user")
		for _, e := range p.Events {
			if e.Kind == "split" {
				require.Less(t, e.T, p.Seconds, "%s: during the load", e.Text)
				require.Positive(t, e.T)
			}
		}
		regions := observed(p, "hbase.regionserver.regions")
		require.Len(t, regions, 3)
		// HBase renews its JMX every ten seconds: the first points may be from before the table existed, and the last ones
		// from before the last split.
		require.Greater(t, total(regions, true), total(regions, false), "there are more regions than before: %v", regions)
	})
}

func TestAMajorCompactionIsSeenInTheFiles(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records = 2000
		const table = "compacted"
		c := s.admin(t)
		for i := range 2 { // one store file each; a third one would trigger a compaction
			run(t, s, table, append(property("recordcount", records, "hbase.table.create", []string{"recreate", "never"}[i], "hbase.splits", 3,
				"hbase.after.load", "flush"), "--phase", "load", "--threads", "4")...)
		}
		compacted := after(t, c, table, 3*records, func(ctx context.Context) error {
			if err := renewed(ctx, c); err != nil {
				return err
			}
			_, err := c.Compact(ctx, table, true)
			return err
		})
		r := run(t, s, table, append(property("recordcount", records, "readproportion", 1, "updateproportion", 0, "operationcount", 0),
			"--threads", "4", "--duration", "60s")...)
		require.NoError(t, <-compacted)
		p := r.Phases[len(r.Phases)-1]
		files := observed(p, "hbase.regionserver.store_files")
		require.Len(t, files, 3)
		fallen := 0.0
		for _, points := range files {
			fallen += fall(points)
		}
		require.GreaterOrEqual(t, fallen, 4.0, "four regions had two files and now have one: %v", files)
		texts := strings.Join(happened(p, "compaction"), "\n")
		require.Contains(t, texts, "compaction begins on")
		require.Contains(t, texts, "compaction has ended on")
	})
}
