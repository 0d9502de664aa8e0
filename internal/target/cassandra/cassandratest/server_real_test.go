//go:build databases

package cassandratest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/cassandra/cassandratest"
)

func TestAServerWithEverythingStarts(t *testing.T) {
	s, err := cassandratest.Start(t.Context(), t.TempDir(), cassandratest.Options{Password: true, TLS: true, Jolokia: true})
	require.NoError(t, err)
	defer s.Kill()
	n, err := s.Count(t.Context(), "system.local")
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
