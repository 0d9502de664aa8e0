package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/postgres/client"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

// The cure of a failed connection is a change of the property that the user has set.
func TestErrorsOfConnectingNameThePropertyOfTheAddress(t *testing.T) {
	for _, test := range []struct {
		properties map[string]string
		dial       *outbound.Dialer
		want       string
	}{
		{map[string]string{"postgres.host": "127.0.0.1:1"}, outbound.Any(), "connect to PostgreSQL 127.0.0.1:1: connection refused: start the server, or set postgres.host"},
		{map[string]string{"db.url": "jdbc:postgresql://127.0.0.1:1/ycsb"}, outbound.Any(), "connect to PostgreSQL 127.0.0.1:1: connection refused: start the server, or set db.url"},
		{map[string]string{"db.url": "jdbc:postgresql://192.0.2.1/ycsb"}, nil, "db.url"},
	} {
		settings, err := postgresspec.Read(test.properties)
		require.NoError(t, err)
		connector, err := client.New(client.Config{Settings: settings, Dial: test.dial})
		require.NoError(t, err)
		_, err = connector.Connect(t.Context())
		require.ErrorContains(t, err, test.want)
	}
}
