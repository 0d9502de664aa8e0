//go:build databases

package mongodb_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/mongodb/mongodbtest"
	"github.com/benchd/benchd/test/targetkit"
	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) { os.Exit(testcluster.Main(m)) }

// process is a server as the common tests use it.
type process struct{ *mongodbtest.Server }

// Kill implements targetkit.Server.
func (p process) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Server.Kill())
}

// Restart implements targetkit.Server.
func (p process) Restart(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Server.Restart(t.Context()))
}

func start(t *testing.T, o mongodbtest.Options) process {
	t.Helper()
	s, err := mongodbtest.Start(t.Context(), t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return process{s}
}

const password = "a password: with % and @"

// secured starts a server that needs a user, and returns the folder of secrets with its password.
func secured(t *testing.T) (process, string) {
	t.Helper()
	secrets := filepath.Join(t.TempDir(), "secrets")
	require.NoError(t, os.Mkdir(secrets, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(secrets, "mongodb"), []byte(password+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(secrets, "wrong"), []byte("wrong\n"), 0o600))
	return start(t, mongodbtest.Options{User: "bench", Password: password}), secrets
}

func database(s process, more ...string) targetkit.Database {
	return targetkit.Database{
		Target: "mongodb", Set: append([]string{"-p", "mongodb.url=" + s.URL()}, more...),
		Fresh: []string{"-p", "mongodb.collection.create=recreate"}, Table: "usertable",
		Rows: func(t *testing.T) int {
			t.Helper()
			n, err := s.Count("usertable")
			require.NoError(t, err)
			return n
		},
	}
}

func TestWorkloads(t *testing.T) {
	s, secrets := secured(t)
	d := database(s, "-p", "mongodb.user=bench", "-p", "mongodb.password=file:mongodb")
	d.Agent = []string{"--secrets", secrets}
	targetkit.Workloads(t, d, targetkit.Size{Records: 300, Ops: 300, Threads: 4})
}

func TestAServerThatIsKilledUnderLoad(t *testing.T) {
	s := start(t, mongodbtest.Options{})
	targetkit.Survives(t, database(s), s, targetkit.Outage{
		Records: 600, Rate: 50, Threads: 4, Length: 30 * time.Second,
		// An insert whose connection broke may have been done: an upsert can be repeated.
		Flags: []string{"-p", "mongodb.upsert=true", "-p", "mongodb.timeout=3000"},
		Kinds: []string{"ERROR", "TIMEOUT", "SERVICE_UNAVAILABLE"},
	})
}

func TestMistakesEndARunBeforeItMeasures(t *testing.T) {
	s, secrets := secured(t)
	set := start(t, mongodbtest.Options{ReplicaSet: "rs0"})
	d := database(s)
	d.Agent = []string{"--secrets", secrets}
	user := []string{"-p", "mongodb.user=bench", "-p", "mongodb.password=file:mongodb"}
	with := func(flags ...string) []string { return append(append([]string{}, user...), flags...) }
	targetkit.Mistakes(t, d,
		targetkit.Mistake{Name: "host", Flags: with("-p", "mongodb.url=mongodb://127.0.0.1:1/ycsb"), Says: []string{"no MongoDB answers at 127.0.0.1:1", "connection refused", "correct mongodb.url"}},
		targetkit.Mistake{Name: "password", Flags: []string{"-p", "mongodb.user=bench", "-p", "mongodb.password=file:wrong"}, Says: []string{"authenticate as bench at " + s.Address(), "mongodb.password"}},
		targetkit.Mistake{Name: "no user", Says: []string{s.Address(), "mongodb.user"}},
		targetkit.Mistake{Name: "password in the url", Flags: []string{"-p", "mongodb.url=mongodb://bench:hush@" + s.Address() + "/ycsb"}, Says: []string{"mongodb.url", "mongodb.password=file:NAME"}},
		targetkit.Mistake{Name: "replica set", Flags: []string{"-p", "mongodb.url=mongodb://" + set.Address() + "/ycsb?replicaSet=other"}, Says: []string{`replica set "other"`, "write replicaSet=rs0"}},
		targetkit.Mistake{Name: "no replica set", Flags: with("-p", "mongodb.url=mongodb://"+s.Address()+"/ycsb?replicaSet=rs0"), Says: []string{"standalone", "remove replicaSet"}},
		targetkit.Mistake{Name: "sharding", Flags: with("-p", "mongodb.shard.key=hashed", "--phase", "load"), Says: []string{"needs a sharded cluster", "mongodb.url"}},
		targetkit.Mistake{Name: "write concern", Flags: with("-p", "mongodb.url=mongodb://"+s.Address()+"/ycsb?w=3"), Says: []string{"w=3 needs a replica set"}},
		targetkit.Mistake{Name: "collection", Flags: with("-p", "table=nowhere"), Says: []string{"collection ycsb.nowhere does not exist", "--phase load"}},
		targetkit.Mistake{Name: "TLS", Flags: with("-p", "mongodb.url="+s.URL()+"?tls=true"), Says: []string{"tls"}},
	)
}
