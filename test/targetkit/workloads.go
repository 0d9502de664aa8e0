package targetkit

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// Size is the size of the runs of Workloads.
type Size struct {
	Records, Ops int // rows of a load, operations of each workload
	Threads      int
}

// Workloads runs a load and each of YCSB's workloads a to f, with a check of every value that is read. No operation may fail,
// and another client must count the rows that the runs say they wrote.
func Workloads(t *testing.T, d Database, size Size) {
	t.Helper()
	h := d.cluster(t, 2)
	rows := 0
	// D and E both insert the rows after the loaded ones.
	for _, work := range []string{"load", "a", "b", "c", "f", "d", "load", "e"} {
		flags := slices.Concat(property("recordcount", size.Records), property("operationcount", size.Ops))
		if work == "load" {
			rows = 0
			flags = slices.Concat(flags, []string{"--phase", "load"}, d.Fresh)
		} else {
			flags = slices.Concat(flags, []string{"-P", testcluster.Workload("workload" + work)})
		}
		flags = slices.Concat(flags, property("fieldlength", 50), property("maxscanlength", 20), property("dataintegrity", true))
		began := time.Now()
		r := d.submit(t, h, "workload "+work, 2, slices.Concat([]string{"--threads", strconv.Itoa(size.Threads)}, flags)...)
		faultless(t, r, work)
		rows += inserted(r, "OK", "BATCHED_OK")
		require.Equal(t, rows, d.Rows(t), "rows after %s, as another client counts them", work)
		t.Logf("%s after %.1f s: %.0f operations a second", work, time.Since(began).Seconds(), r.Phases[len(r.Phases)-1].Throughput)
		if work != "load" {
			require.EqualValues(t, size.Ops, whole(r.Phases[len(r.Phases)-1]), "operations of workload %s", work)
		}
	}
}

// cluster starts a coordinator and agents, whose logs a failed test shows.
func (d Database) cluster(t *testing.T, agents int) *testcluster.Cluster {
	t.Helper()
	h := testcluster.New(t)
	for i := range agents {
		h.Agent("agent-"+strconv.Itoa(i), d.Agent...)
	}
	h.Connected(agents)
	return h
}

// submit runs a benchmark to its end, and requires that it is complete and consistent.
func (d Database) submit(t *testing.T, h *testcluster.Cluster, what string, agents int, flags ...string) result.Run {
	t.Helper()
	stdout, stderr, code := h.Ctl(slices.Concat([]string{"submit", "--db", d.Target, "--wait", "-o", "json"}, d.Set, flags)...)
	require.Zero(t, code, "%s: %s%s", what, stderr, stdout)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, agents)
	return r
}

// faultless requires that every operation succeeded and every value was as written.
func faultless(t *testing.T, r result.Run, work string) {
	t.Helper()
	for _, p := range r.Phases {
		require.Empty(t, p.Errors, "errors of phase %s of %s", p.Name, work)
		for _, o := range p.Operations {
			require.Contains(t, []string{"OK", "BATCHED_OK"}, o.Outcome, "%s: %d operations %s", work, o.Count, o.Op)
		}
	}
}

// inserted counts the rows that a run inserted with one of the outcomes.
func inserted(r result.Run, outcomes ...string) int {
	n := 0
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			if o.Op == "INSERT" && slices.Contains(outcomes, o.Outcome) {
				n += int(o.Count)
			}
		}
	}
	return n
}

// whole counts a phase's operations, those with parts once, and without the ends and the checks of sessions.
func whole(p result.Phase) uint64 {
	var n uint64
	for _, o := range p.Operations {
		if o.PartOf == nil && o.Op != "CLEANUP" && o.Op != "VERIFY" {
			n += o.Count
		}
	}
	return n
}

// property is a flag that sets a property.
func property(name string, value any) []string { return []string{"-p", name + "=" + text(value)} }

func text(value any) string {
	switch v := value.(type) {
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	case time.Duration:
		return v.String()
	}
	return strings.TrimSpace(value.(string))
}
