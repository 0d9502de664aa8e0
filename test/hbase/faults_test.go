//go:build hbase

package hbase

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/hbase/admin"
	"github.com/benchd/benchd/test/testcluster"
)

// length is how long a run lasts. A variable sets it, so that a make target can run longer.
func length(t *testing.T, variable string, otherwise time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, variable)
	return d
}

// meta is the encoded name of the region of hbase:meta.
const meta = "1588230740"

// Regions move, one is split, and the region server of hbase:meta is killed, while three agents read, write, insert and
// scan: failures are counted, the series shows the dip, throughput recovers, and no acknowledged write is lost.
func TestARegionServerDiesUnderLoad(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		death(t, s, length(t, "BENCHD_TEST_FAULTS", 100*time.Second))
	})
	t.Run(sandbox, func(t *testing.T) {
		death(t, own(t, sandbox), length(t, "BENCHD_TEST_FAULTS", 30*time.Second))
	})
}

func death(t *testing.T, s *server, lasts time.Duration) {
	t.Helper()
	const records, fields, size, agents = 30_000, 10, 100, 3
	const table = "faults"
	h := testcluster.New(t)
	h.Agents("a", "b", "c")
	base := property("recordcount", records, "fieldcount", fields, "fieldlength", size, "dataintegrity", true)
	faultless(t, submit(t, h, agents, s, table, slices.Concat(base, property("hbase.splits", 20, "hbase.table.create", "recreate"),
		[]string{"--phase", "load", "--threads", "8"})...))

	id := h.Submit(slices.Concat(s.flags(table), base, property("readproportion", 0.4, "updateproportion", 0.3,
		"insertproportion", 0.2, "scanproportion", 0.1, "maxscanlength", 50, "operationcount", 0),
		[]string{"--threads", "8", "--duration", lasts.String()})...)
	now := func() float64 {
		r := h.Show(id)
		if len(r.Phases) == 0 || len(r.Phases[0].Series) == 0 {
			return 0
		}
		return r.Phases[0].Series[len(r.Phases[0].Series)-1].T
	}
	until := func(at float64) {
		t.Helper()
		testcluster.Eventually(t, 2*time.Minute, func() bool { return now() >= at }, "the run should reach second %.0f", at)
	}

	c := s.admin(t)
	quiet := lasts.Seconds() / 8
	until(quiet)
	regions, err := c.Regions(t.Context(), table)
	require.NoError(t, err)
	split := regions[len(regions)/2]
	require.NoError(t, c.Split(t.Context(), split.Encoded, append(slices.Clone(split.StartKey), '5')))
	moves := 0
	for ; moves == 0 || now() < 2*quiet; moves++ {
		shuffle(t, c, table, 1)
	}
	victim := busiest(t, c, table)
	if s.name != sandbox { // the worst case: without hbase:meta nobody can look up regions
		move, err := hrpc.NewMoveRegion(t.Context(), []byte(meta), hrpc.WithDestinationRegionServer(victim))
		require.NoError(t, err)
		require.NoError(t, gohbase.NewAdminClient(s.quorum).MoveRegion(move))
	}
	killed := now()
	t.Logf("split a region, moved %d", moves)
	require.Less(t, killed, lasts.Seconds()/2, "this machine is too busy: half of the run was over before a region server was killed")
	s.kill(t, victim)
	if s.revive != nil {
		defer s.revive(t) // for the other tests of this server
	}
	t.Logf("killed %s in second %.0f", victim, killed)
	testcluster.Eventually(t, lasts+2*time.Minute, func() bool { return h.Status(id) != "running" }, "the run should end")

	r := h.Show(id)
	p := r.Phases[0]
	for _, e := range p.Errors {
		t.Logf("%s %s at %s: %s", e.Op, e.Outcome, e.Agent, e.Message)
	}
	testcluster.RequireConsistent(t, r, agents)
	var failed, failedInserts uint64
	for _, o := range p.Operations {
		t.Logf("%s %s: %d, at most %.1f ms", o.Op, o.Outcome, o.Count, o.Max/1000)
		require.NotEqual(t, "NOT_FOUND", o.Outcome, "a written row is missing")
		require.NotEqual(t, "UNEXPECTED_STATE", o.Outcome, "a row differs from what was written")
		if o.Outcome != "OK" {
			failed += o.Count
			if o.Op == "INSERT" {
				failedInserts += o.Count
			}
		}
	}
	require.Equal(t, failed > 0, len(p.Errors) > 0, "failures have causes: %v", p.Errors)
	dip(t, s, p, quiet, killed)
	acknowledged(t, s, r, table, records, fields, size, failedInserts)
}

// shuffle moves some regions of a table to other servers.
func shuffle(t *testing.T, c *admin.Client, table string, n int) {
	t.Helper()
	cluster, err := c.Cluster(t.Context())
	require.NoError(t, err)
	regions, err := c.Regions(t.Context(), table)
	require.NoError(t, err)
	for range n {
		r := regions[rand.IntN(len(regions))]
		others := slices.DeleteFunc(slices.Clone(cluster.Servers), func(s admin.Server) bool { return s.Name == r.Server })
		require.NotEmpty(t, others)
		_, err := c.Move(t.Context(), r.Encoded, others[rand.IntN(len(others))].Name)
		require.NoError(t, err)
	}
}

// busiest returns the server with most of a table's regions.
func busiest(t *testing.T, c *admin.Client, table string) string {
	t.Helper()
	regions, err := c.Regions(t.Context(), table)
	require.NoError(t, err)
	count := map[string]int{}
	most := ""
	for _, r := range regions {
		count[r.Server]++
		if count[r.Server] > count[most] {
			most = r.Server
		}
	}
	require.Greater(t, len(count), 1, "the regions are on several servers")
	return most
}

// dip requires that the series shows the death, and that throughput is back for some seconds after it. When that begins
// depends on HBase and the machine.
func dip(t *testing.T, s *server, p result.Phase, quiet, killed float64) {
	t.Helper()
	const back = 5 // seconds
	var before, after []float64
	for _, point := range p.Series {
		rate := float64(point.Ops) / point.Seconds
		switch {
		case point.Tail:
		case point.T >= 1 && point.T < quiet:
			before = append(before, rate)
		case point.T >= killed:
			after = append(after, rate)
		}
	}
	t.Logf("ops/s before: %.0f, since the death: %.0f", before, after)
	slices.Sort(before)
	usual := before[len(before)/2]
	lowest := 0
	if s.name != sandbox { // the sandbox's server is back before the series shows it
		lowest = slices.Index(after, slices.Min(after))
		require.Less(t, after[lowest], usual/2, "the dip")
	}
	var best, sum float64
	for i, rate := range after[lowest:] {
		if sum += rate; i >= back {
			sum -= after[lowest+i-back]
		}
		best = max(best, sum)
	}
	require.Greater(t, best/back, 0.4*usual, "throughput is back")
}

// acknowledged requires that every row whose insert was acknowledged exists, to its last byte. Each shard's inserts
// took every third number in order; a failed one may have taken effect or not.
func acknowledged(t *testing.T, s *server, r result.Run, table string, records, fields, size int, failed uint64) {
	t.Helper()
	require.Equal(t, fmt.Sprintf("rows=%d not_found=0 mismatches=0", records),
		s.fixture(t, "verify", table, 0, records, fields, size), "the rows of the load")
	var good, missing uint64
	for _, a := range r.Provenance.Agents {
		var tried uint64
		for _, o := range r.Phases[0].Operations {
			for _, share := range o.Agents {
				if o.Op == "INSERT" && share.Name == a.Name {
					tried += share.Count
					if o.Outcome == "OK" {
						good += share.Count
					}
				}
			}
		}
		args := []string{"Fixture", "verify", s.quorum, table, family}
		for _, n := range []int{records + a.Shard, int(tried), fields, size, len(r.Provenance.Agents)} {
			args = append(args, strconv.Itoa(n))
		}
		stdout, _ := java(t, 3*time.Minute, args...)
		var rows, lost, wrong uint64
		_, err := fmt.Sscanf(stdout[max(0, lastLine(stdout)):], "rows=%d not_found=%d mismatches=%d", &rows, &lost, &wrong)
		require.NoError(t, err, stdout)
		require.Equal(t, tried, rows)
		require.Zero(t, wrong)
		missing += lost
	}
	t.Logf("%d rows were inserted and acknowledged, %d inserts failed; %d of these are missing", good, failed, missing)
	require.Positive(t, good)
	require.LessOrEqual(t, missing, failed, "a row whose insert was acknowledged is lost")
	n := s.rows(t, table)
	require.Equal(t, uint64(records)+good+failed-missing, n, "rows by a scan")
}

// lastLine returns the start of a text's last line.
func lastLine(text string) int {
	for i := len(text) - 2; i >= 0; i-- {
		if text[i] == '\n' {
			return i + 1
		}
	}
	return 0
}

// Scans return every row once although regions move to other servers meanwhile.
func TestScansAreCompleteWhileRegionsMove(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records, each = 20_000, 2000
		const table = "scanned"
		base := append(property("recordcount", records, "fieldcount", 1, "insertorder", "ordered", "zeropadding", 8,
			"hbase.splits", 10), "--threads", "8")
		h := testcluster.New(t)
		h.Agents("a", "b")
		faultless(t, submit(t, h, 2, s, table, slices.Concat(base, property("hbase.table.create", "recreate"), []string{"--phase", "load"})...))

		// They begin in the first half of the table, so that each finds as many rows as it asks for.
		id := h.Submit(slices.Concat(s.flags(table), base, property("readproportion", 0, "updateproportion", 0, "scanproportion", 1,
			"minscanlength", each, "maxscanlength", each, "requestdistribution", "hotspot", "hotspotdatafraction", 0.5,
			"hotspotopnfraction", 1, "hbase.client.scanner.caching", 100, "operationcount", 0), []string{"--duration", "15s"})...)
		testcluster.Eventually(t, testcluster.Patience, func() bool { return h.Status(id) == "running" }, "the run should begin")
		c := s.admin(t)
		moves := 0
		for ; h.Status(id) == "running"; moves++ {
			shuffle(t, c, table, 1)
		}
		r := h.Show(id)
		testcluster.RequireConsistent(t, r, 2)
		faultless(t, r)
		scans := count(r, "SCAN", "OK")
		t.Logf("%d scans of %d rows while regions moved %d times", scans, each, moves)
		require.Greater(t, scans, uint64(20))
		require.Greater(t, moves, 1)
		require.Equal(t, scans*each, r.Phases[0].Rows, "rows that scans returned")
	})
}
