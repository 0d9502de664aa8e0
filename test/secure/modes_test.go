//go:build secure

package secure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// mode is a way to connect to a cluster.
type mode struct {
	name    string
	cluster string
	set     []string                          // properties over those of the client's folder
	java    []string                          // the same for HBase's own client
	shown   string                            // in results
	conf    func(*testing.T, *cluster) string // the client's folder; nil for that of the cluster
}

// modes lists what must work.
func modes() []mode {
	kerberos := func(name, protection string, encrypted, counter bool, shown string) mode {
		set := property("hbase.rpc.protection", protection, "hbase.client.netty.tls.enabled", encrypted, "hbase.rpc.crypto.encryption.aes.enabled", counter)
		return mode{name, "kerberos", set, slices.DeleteFunc(slices.Clone(set), func(word string) bool { return word == "-p" }), shown, nil}
	}
	return []mode{
		{"TLS 1.3", "tls", property("hbase.rpc.tls.enabledProtocols", "TLSv1.3"), []string{"hbase.rpc.tls.enabledProtocols=TLSv1.3"}, "TLS 1.3", nil},
		{"TLS 1.2", "tls", property("hbase.rpc.tls.enabledProtocols", "TLSv1.2"), []string{"hbase.rpc.tls.enabledProtocols=TLSv1.2"}, "TLS 1.2", nil},
		kerberos("authentication", "authentication", false, false, `"hbase.rpc.protection": "authentication"`),
		kerberos("integrity", "integrity", false, false, `"hbase.rpc.protection": "integrity"`),
		kerberos("privacy", "privacy", false, false, `"hbase.rpc.protection": "privacy"`),
		kerberos("privacy by AES in counter mode", "privacy", false, true, `"hbase.rpc.protection": "privacy"`),
		kerberos("privacy over TLS", "privacy", true, false, "TLS 1.3"),
		{"the RPC registry", "kerberos", property("hbase.rpc.protection", "integrity"), nil, `"hbase.client.registry.impl": "RpcConnectionRegistry"`, withoutZooKeeper},
	}
}

// Every kind of work is done in every mode.
func TestEveryModeWorks(t *testing.T) {
	for i, m := range modes() {
		t.Run(m.name, func(t *testing.T) { worksIn(t, m, fmt.Sprintf("mode%d", i)) })
	}
}

// worksIn loads a table and runs workloads A and E on it, looks at telemetry and at the table, and makes all actions.
func worksIn(t *testing.T, m mode, table string) {
	t.Helper()
	const records, ops, fields, length, rate = 2000, 4000, 3, 50, 2000 // each phase has several samples of telemetry
	c := share(t, m.cluster)
	h := testcluster.New(t)
	conf := c.file("client")
	if m.conf != nil {
		conf = m.conf(t, c)
	}
	agent := h.Agent("a", append([]string{"--hbase-conf", conf}, c.realm()...)...)
	h.Connected(1)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the agent's log:\n%s", agent.Log())
		}
	})
	base := slices.Concat([]string{"--hbase-conf", conf}, m.set, property("table", table, "columnfamily", "family"))
	rows := 0
	for _, run := range [][]string{
		slices.Concat([]string{"--phase", "load"}, property("hbase.splits", 4, "hbase.table.create", "recreate")),
		{"-P", testcluster.Workload("workloada")},
		{"-P", testcluster.Workload("workloade")},
	} {
		r := submit(t, h, m.shown, slices.Concat(base, run, property("recordcount", records, "operationcount", ops, "fieldcount", fields,
			"fieldlength", length, "dataintegrity", true, "maxscanlength", 20, "telemetry.interval", "250ms", "target", rate))...)
		faultless(t, r)
		rows += inserts(r)
	}
	require.Equal(t, fmt.Sprintf("reads=%d cells=%d", ops, ops*fields), strings.TrimSpace(c.java(t, m, table, records, ops)), "rows as HBase's own client reads them")
	h.AdministerHBase(base, table, rows)
}

// submit runs a benchmark to its end and requires success, that the servers were observed, and that the result shows a text.
func submit(t *testing.T, h *testcluster.Cluster, shown string, args ...string) result.Run {
	t.Helper()
	begin := time.Now()
	stdout, stderr, code := h.Ctl(slices.Concat([]string{"submit", "--db", "hbase", "--wait", "-o", "json", "--threads", "8"}, args)...)
	require.Zero(t, code, "%s%s", stderr, stdout)
	t.Logf("a run after %.1f s", time.Since(begin).Seconds())
	require.Contains(t, stdout, shown)
	r := testcluster.Parse(t, stdout)
	testcluster.RequireConsistent(t, r, 1)
	for _, w := range r.Warnings { // pages may lack a bean while HBase renews its own list
		require.NotContains(t, w, "; set hbase.", "the pages of the servers need no other setting")
	}
	require.True(t, slices.ContainsFunc(r.Phases, func(p result.Phase) bool {
		return slices.ContainsFunc(p.Observations, func(o result.Observation) bool { return strings.HasPrefix(o.Name, "hbase.") })
	}), "telemetry has figures of the servers")
	return r
}

// faultless requires that every operation succeeded and every value was as written.
func faultless(t *testing.T, r result.Run) {
	t.Helper()
	for _, p := range r.Phases {
		require.Empty(t, p.Errors, "errors of phase %s", p.Name)
		for _, o := range p.Operations {
			require.Contains(t, []string{"OK", "BATCHED_OK"}, o.Outcome, "%d operations %s", o.Count, o.Op)
		}
	}
}

// inserts counts the rows that a run made.
func inserts(r result.Run) int {
	n := 0
	for _, p := range r.Phases {
		for _, o := range p.Operations {
			if o.Op == "INSERT" {
				n += int(o.Count)
			}
		}
	}
	return n
}
