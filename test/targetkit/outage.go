package targetkit

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// Outage is a load and a run in which the server is killed and started again.
type Outage struct {
	Records int // rows of the load
	Rate    int // operations a second that are offered; the server must be able to do twice as many
	Threads int
	Length  time.Duration // of the run; at least 20 s longer than the server takes to start
	Flags   []string      // of both, such as those of durability
	// Kinds are the outcomes that failed operations may have; default ERROR, TIMEOUT and UNEXPECTED_STATE.
	Kinds []string
}

// back bounds how long operations may fail after the server serves again.
const back = 10 * time.Second

// Survives kills the server under a load that insists on every row, and under a run of reads, updates and inserts. Failures
// must be named by kind, operations succeed within 10 s of the server being back, and every acknowledged row is there, as
// another client counts them and as a read of all rows finds them.
func Survives(t *testing.T, d Database, s Server, o Outage) {
	t.Helper()
	h := d.cluster(t, 1)
	base := slices.Concat(o.Flags, []string{"--threads", text(o.Threads)}, property("recordcount", o.Records), property("fieldlength", 50))
	insist := slices.Concat(property("core_workload_insertion_retry_limit", 1000), property("core_workload_insertion_retry_interval", 1))
	// The load takes about 12 s and the time of the outage.
	id := d.begin(t, h, slices.Concat(base, d.Fresh, insist, []string{"--phase", "load", "--target", text(o.Records / 12)})...)
	outage(t, h, id, s, 4*time.Second)
	ends(t, h, id)
	require.Equal(t, o.Records, d.Rows(t), "rows after a load with an outage, as another client counts them")
	d.readAll(t, h, base, o.Records)

	id = d.begin(t, h, slices.Concat(base, property("readproportion", "0.4"), property("updateproportion", "0.3"), property("insertproportion", "0.3"),
		property("limit.errors", "100%"), property("limit.notfound", "100%"), []string{"--target", text(o.Rate), "--duration", o.Length.String()})...)
	served := outage(t, h, id, s, 5*time.Second)
	ends(t, h, id)
	r := h.Show(id)
	p := r.Phases[len(r.Phases)-1]
	kinds := o.Kinds
	if kinds == nil {
		kinds = []string{"ERROR", "TIMEOUT", "UNEXPECTED_STATE"}
	}
	failures(t, p, kinds, served)
	rows := d.Rows(t)
	require.GreaterOrEqual(t, rows, o.Records+inserted(r, "OK"), "acknowledged rows, as another client counts them")
	require.LessOrEqual(t, rows, o.Records+inserted(r, append(kinds, "OK")...), "rows that were inserted at all")
	d.readAll(t, h, base, o.Records)
}

// begin submits a run, and returns its id once it works.
func (d Database) begin(t *testing.T, h *testcluster.Cluster, flags ...string) string {
	t.Helper()
	id := h.Submit(slices.Concat([]string{"--db", d.Target}, d.Set, flags)...)
	h.Until(id, "running")
	h.Running()
	return id
}

// outage kills the server after a time and starts it again two seconds later. It returns when the server served again, in
// seconds of the run's newest phase.
func outage(t *testing.T, h *testcluster.Cluster, id string, s Server, after time.Duration) (served float64) {
	t.Helper()
	<-time.After(after)
	s.Kill(t)
	<-time.After(2 * time.Second)
	began := time.Now()
	s.Restart(t)
	t.Logf("the server serves again %.1f s after it was started", time.Since(began).Seconds())
	r := h.Show(id)
	return r.Phases[len(r.Phases)-1].Seconds
}

// ends waits until a run is complete.
func ends(t *testing.T, h *testcluster.Cluster, id string) {
	t.Helper()
	testcluster.Eventually(t, 2*time.Minute, func() bool { return h.Status(id) != "running" }, "run %s should end", id)
	require.Equal(t, "complete", h.Status(id))
}

// failures requires that a phase had failures of these kinds, each with a message, and none later than 10 s after the server
// was back; then operations succeeded again.
func failures(t *testing.T, p result.Phase, kinds []string, served float64) {
	t.Helper()
	var failed uint64
	for _, o := range p.Operations {
		if good(o.Outcome) || o.Op == "CLEANUP" {
			continue
		}
		require.Contains(t, kinds, o.Outcome, "%d operations %s", o.Count, o.Op)
		failed += o.Count
	}
	require.Positive(t, failed, "operations that failed while the server was away")
	require.NotEmpty(t, p.Errors)
	for _, e := range p.Errors {
		t.Logf("%s %s: %s", e.Op, e.Outcome, e.Message)
		require.NotEmpty(t, e.Message)
	}
	limit, done := served+back.Seconds(), uint64(0)
	for _, point := range p.Series {
		if point.T < limit {
			continue
		}
		for _, o := range point.Operations {
			if o.Op == "CLEANUP" {
				continue
			}
			require.True(t, good(o.Outcome), "%d operations %s %s at %.0f s; the server was back at %.0f s", o.Count, o.Op, o.Outcome, point.T, served)
			done += o.Count
		}
	}
	require.Positive(t, done, "operations later than 10 s after the server was back at %.0f s", served)
}

// good reports whether the server has answered. A run may choose the row of an insert that failed, which is not there.
func good(outcome string) bool { return outcome == "OK" || outcome == "NOT_FOUND" }

// readAll reads every loaded row once.
func (d Database) readAll(t *testing.T, h *testcluster.Cluster, base []string, rows int) {
	t.Helper()
	r := d.submit(t, h, "a read of all rows", 1, slices.Concat(base, property("requestdistribution", "sequential"), property("operationcount", rows),
		property("readproportion", 1), property("updateproportion", 0))...)
	faultless(t, r, "a read of all rows")
	require.EqualValues(t, rows, whole(r.Phases[len(r.Phases)-1]))
}
