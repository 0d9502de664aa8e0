//go:build databases

package cassandra_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/benchd/benchd/internal/target/cassandra/cassandratest"
	"github.com/benchd/benchd/test/testcluster"
)

// shared is the server that most tests of this package share.
var shared *cassandratest.Server

func TestMain(m *testing.M) { os.Exit(withServer(m)) }

func withServer(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cassandra")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // with Maven and PyPI on a bare machine
	defer cancel()
	if shared, err = cassandratest.Start(ctx, dir, cassandratest.Options{Jolokia: true}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.Kill()
	return testcluster.Main(m)
}
