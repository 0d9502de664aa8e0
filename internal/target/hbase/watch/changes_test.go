package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

const (
	whole  = "usertable,user1,1700000000000.aaaa."
	lower  = "usertable,user1,1700000009999.bbbb."
	upper  = "usertable,user1,x,1700000009999.cccc."
	beside = "usertable,,1700000000000.dddd."
)

// cluster has one server with these regions, and others without.
func cluster(files int, names []string, others ...string) *admin.Cluster {
	c := &admin.Cluster{Servers: []admin.Server{{Name: "rs1,16020,1", Regions: len(names)}}}
	for _, n := range names {
		c.Servers[0].RegionLoads = append(c.Servers[0].RegionLoads, admin.Load{Region: n, Files: files})
	}
	for _, o := range others {
		c.Servers = append(c.Servers, admin.Server{Name: o})
	}
	return c
}

func texts(events []observe.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.Kind+": "+e.Text)
	}
	return out
}

func TestChangesOfAClusterBecomeEvents(t *testing.T) {
	split := "split: a region of usertable was split at user1,x: aaaa into bbbb and cccc (3 regions, 2 before)"
	for name, test := range map[string]struct {
		seen []*admin.Cluster
		want []string
	}{
		"nothing":              {[]*admin.Cluster{cluster(1, []string{beside, whole}), cluster(1, []string{beside, whole})}, []string{}},
		"a split":              {[]*admin.Cluster{cluster(1, []string{beside, whole}), cluster(1, []string{beside, lower, upper})}, []string{split}},
		"the parent is gone":   {[]*admin.Cluster{cluster(1, []string{beside, whole}), cluster(1, []string{beside}), cluster(1, []string{beside, upper, lower})}, []string{"split: a region of usertable was split at user1,x: aaaa into bbbb and cccc (3 regions, 1 before)"}},
		"halves one by one":    {[]*admin.Cluster{cluster(1, []string{whole}), cluster(1, []string{lower}), cluster(1, []string{lower, upper})}, []string{"split: a region of usertable was split at user1,x: aaaa into bbbb and cccc (2 regions, 1 before)"}},
		"a table is created":   {[]*admin.Cluster{cluster(1, []string{"t,,1.e."}), cluster(1, []string{"t,,1.e.", lower, upper})}, []string{}},
		"a table is recreated": {[]*admin.Cluster{cluster(1, []string{whole}), cluster(1, []string{lower, upper, "usertable,,1700000009999.eeee."})}, []string{}},
		"regions were there":   {[]*admin.Cluster{cluster(1, []string{whole, lower, upper})}, []string{}},
		"a server comes":       {[]*admin.Cluster{cluster(1, nil), cluster(1, nil, "rs2,16020,1")}, []string{"server: region server rs2:16020 has joined: 2 now"}},
		"a server is lost":     {[]*admin.Cluster{cluster(1, nil, "rs2,16020,1"), cluster(1, nil)}, []string{"server: region server rs2:16020 is lost: 1 left"}},
		"a server restarts":    {[]*admin.Cluster{cluster(1, nil, "rs2,16020,1"), cluster(1, nil, "rs2,16020,2")}, []string{"server: region server rs2:16020 was restarted"}},
		"flushes without JMX":  {[]*admin.Cluster{cluster(1, []string{whole}), cluster(2, []string{whole})}, []string{"flush: 1 flush on rs1:16020 within 0 s"}},
		"an invalid name":      {[]*admin.Cluster{cluster(1, []string{"x"}), cluster(1, []string{"x", "y,z", ""})}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, at := newChanges(), clock.Mono()
			for _, now := range test.seen {
				c.cluster(now, at)
				at = at.Add(3 * time.Second)
			}
			require.Equal(t, test.want, texts(c.take(at.Add(quietFor))))
		})
	}
}

func TestCompactionsBeginAndEnd(t *testing.T) {
	c, at := newChanges(), clock.Mono()
	report := func(second int, compactions, bytes, queue, flushes, flushed float64) []string {
		now := at.Add(time.Duration(second) * time.Second)
		c.counters(&observe.Group{Key: "jmx server", Source: "rs1:16020", At: now, Readings: []observe.Reading{
			{Name: server + "compactions", Value: compactions},
			{Name: server + "compacted", Value: bytes},
			{Name: server + "compaction_queue", Value: queue},
			{Name: server + "flushes", Value: flushes},
			{Name: server + "flushed", Value: flushed},
		}})
		return texts(c.take(now))
	}
	require.Empty(t, report(0, 5, 0, 0, 3, 0))
	require.Equal(t, []string{"compaction: compaction begins on rs1:16020"}, report(1, 5, 0, 2, 3, 0))
	require.Empty(t, report(5, 7, 3<<20, 0, 13, 64<<20))
	require.Empty(t, report(12, 7, 3<<20, 0, 13, 64<<20), "it may only pause")
	require.Equal(t, []string{
		"compaction: compaction has ended on rs1:16020 after 4 s: 2 compactions, 3.0 MB", "flush: 10 flushes on rs1:16020 within 0 s, 64.0 MB",
	}, report(18, 7, 3<<20, 0, 13, 64<<20))
	require.Empty(t, report(19, 1, 0, 0, 1, 0), "counters of a restarted server give no events")
}
