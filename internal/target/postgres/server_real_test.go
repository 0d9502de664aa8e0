//go:build databases

package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/postgres"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/internal/workload"
	"github.com/benchd/benchd/test/testcluster"
)

// server serves all tests of the package that do not break it.
var server *postgrestest.Server

func TestMain(m *testing.M) {
	os.Exit(withServer(m))
}

func withServer(m *testing.M) int {
	dir, err := os.MkdirTemp("", "postgres")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = os.Chmod(dir, 0o755) // the server's user is another one
	}
	if err == nil {
		server, err = postgrestest.Start(context.Background(), dir, postgrestest.Options{Settings: map[string]string{"max_connections": "40"}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := testcluster.Main(m)
	if err := server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// properties returns the properties of a case on the server, with more of them in pairs.
func properties(pairs ...string) map[string]string {
	p := server.Properties()
	for i := 0; i < len(pairs); i += 2 {
		p[pairs[i]] = pairs[i+1]
	}
	return p
}

// settings returns what an agent passes to the driver.
func settings(tb testing.TB, p map[string]string) load.Settings {
	tb.Helper()
	w, err := spec.Workload(maps.Clone(p))
	require.NoError(tb, err)
	return load.Settings{Properties: p, Workload: w, Run: "S.1"}
}

// open prepares a table and opens a session on it.
func open(tb testing.TB, p map[string]string) (load.Target, load.Session) {
	tb.Helper()
	target, err := postgres.Open(context.Background(), settings(tb, p))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, target.Close()) })
	require.NoError(tb, target.(load.Admin).Prepare(context.Background()))
	session, err := target.Open(context.Background(), 0)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, session.Close(context.Background())) })
	return target, session
}

func b(texts ...string) [][]byte {
	var all [][]byte
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

// do executes an operation that must succeed.
func do(tb testing.TB, s load.Session, op *workload.Op) workload.Outcome {
	tb.Helper()
	out := s.Do(context.Background(), op)
	require.NoError(tb, out.Err, op.Kind)
	require.Equal(tb, workload.OK, out.Code, op.Kind)
	return out
}

// fields reads a row.
func fields(tb testing.TB, s load.Session, key string, names ...string) map[string]string {
	tb.Helper()
	got := make(map[string]string)
	do(tb, s, &workload.Op{Kind: workload.Read, Key: []byte(key), Fields: b(names...), Collect: func(field, value []byte) {
		got[string(field)] = string(value)
	}})
	return got
}
