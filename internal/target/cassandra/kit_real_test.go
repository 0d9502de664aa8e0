//go:build databases

package cassandra_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/cassandra/cassandratest"
	"github.com/benchd/benchd/test/targetkit"
)

// database describes a server to the kit.
func database(s *cassandratest.Server) targetkit.Database {
	d := targetkit.Database{
		Target: "cassandra", Table: "usertable", Fresh: []string{"-p", "cassandra.table.create=recreate"},
		Rows: func(t *testing.T) int {
			t.Helper()
			n, err := s.Count(t.Context(), "ycsb.usertable")
			require.NoError(t, err)
			return n
		},
	}
	for name, value := range s.Properties() {
		if name != "db" {
			d.Set = append(d.Set, "-p", name+"="+value)
		}
	}
	return d
}

// server is a server as the kit kills it.
type server struct{ *cassandratest.Server }

// Kill implements targetkit.Server.
func (s server) Kill(t *testing.T) {
	t.Helper()
	s.Server.Kill()
}

// Restart implements targetkit.Server.
func (s server) Restart(t *testing.T) {
	t.Helper()
	require.NoError(t, s.Server.Restart(t.Context()))
}

func TestWorkloads(t *testing.T) {
	targetkit.Workloads(t, database(shared), targetkit.Size{Records: 2000, Ops: 2000, Threads: 8})
}

// With commitlog_sync batch a write is acknowledged after the sync. With periodic, the default, a process that is killed loses what it
// acknowledged in its last 100 ms: a node replays its log up to the last marker, and writes one every 100 ms.
func TestSurvives(t *testing.T) {
	s, err := cassandratest.Start(t.Context(), t.TempDir(), cassandratest.Options{Settings: map[string]string{"commitlog_sync": "batch", "commitlog_sync_period": ""}})
	require.NoError(t, err)
	defer s.Kill()
	targetkit.Survives(t, database(s), server{s}, targetkit.Outage{
		Records: 2000, Rate: 150, Threads: 8, Length: 70 * time.Second,
		Flags: []string{"-p", "cassandra.readtimeoutmillis=3000"}, Kinds: []string{"ERROR", "TIMEOUT", "SERVICE_UNAVAILABLE"},
	})
}

func TestMistakes(t *testing.T) {
	p := func(settings ...string) []string {
		var flags []string
		for _, s := range settings {
			flags = append(flags, "-p", s)
		}
		return flags
	}
	open(t, settings(shared, workloadOf(3), "table", "few"))
	load := func(flags ...string) []string { return append([]string{"--phase", "load"}, flags...) }
	targetkit.Mistakes(t, database(shared),
		targetkit.Mistake{Name: "port", Flags: p("port=1"), Says: []string{"127.0.0.1:1", "connection refused", "is it running there"}},
		targetkit.Mistake{Name: "host", Flags: p("hosts=nowhere.invalid"), Says: []string{"nowhere.invalid", "check hosts"}},
		targetkit.Mistake{Name: "silent host", Flags: p("hosts=10.255.255.1", "cassandra.connecttimeoutmillis=3000"), Says: []string{"10.255.255.1"}},
		targetkit.Mistake{Name: "keyspace", Flags: p("cassandra.keyspace=nowhere"), Says: []string{"keyspace does not exist: nowhere", "correct cassandra.keyspace"}},
		targetkit.Mistake{Name: "table", Flags: load(p("cassandra.table.create=never", "table=nowhere", "cassandra.keyspace=system_traces")...), Says: []string{"system_traces.nowhere", "load it first"}},
		targetkit.Mistake{Name: "datacenter", Flags: p("cassandra.datacenter=dc9"), Says: []string{`"dc9"`, "cassandra.datacenter"}},
		targetkit.Mistake{Name: "datacenter of the replication", Flags: load(p("cassandra.keyspace=other", "cassandra.replication=dc9:1")...), Says: []string{`no datacenter "dc9"`, "correct cassandra.replication"}},
		targetkit.Mistake{Name: "consistency", Flags: load(p("cassandra.keyspace=three", "cassandra.replication=3")...), Says: []string{"consistency level QUORUM", "needs 2 live replicas, and there are 1", "cassandra.writeconsistencylevel"}},
		targetkit.Mistake{Name: "no TLS", Flags: p("cassandra.useSSL=true"), Says: []string{"has no TLS on this port", "cassandra.useSSL"}},
		targetkit.Mistake{Name: "protocol", Flags: p("port=" + jolokiaPort()), Says: []string{"Cassandra at"}},
		targetkit.Mistake{Name: "more fields", Flags: p("table=few"), Says: []string{"table ycsb.few has no column field3 (it has field0, field1, field2)", "correct fieldcount"}},
	)
}

func jolokiaPort() string { return shared.Properties()["cassandra.jolokia.port"] }

// A server with TLS and passwords refuses others, and serves those who have both.
func TestSecurity(t *testing.T) {
	s, err := cassandratest.Start(t.Context(), t.TempDir(), cassandratest.Options{Password: true, TLS: true})
	require.NoError(t, err)
	defer s.Kill()
	t.Setenv("BENCHD_SECRET_CASSANDRA", cassandratest.Password)
	t.Setenv("BENCHD_SECRET_WRONG", "wrong")
	d := database(s)
	d.Agent = []string{"--target-tls-ca", s.CA}
	targetkit.Workloads(t, d, targetkit.Size{Records: 200, Ops: 200, Threads: 4})
	targetkit.Mistakes(t, d,
		targetkit.Mistake{Name: "password", Flags: []string{"-p", "cassandra.password=env:BENCHD_SECRET_WRONG"}, Says: []string{`user "cassandra" is refused`, "cassandra.password"}},
		targetkit.Mistake{Name: "no user", Flags: []string{"-p", "cassandra.username=", "-p", "cassandra.password="}, Says: []string{"requires a user", "cassandra.username"}},
		targetkit.Mistake{Name: "authority", Agent: []string{}, Says: []string{"--target-tls-ca"}},
		targetkit.Mistake{Name: "without TLS", Flags: []string{"-p", "cassandra.useSSL=false"}, Says: []string{"cassandra.useSSL=true"}},
	)
}
