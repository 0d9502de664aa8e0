package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/postgres/client"
)

// A connection whose session has statements of another one, or lacks its own, is behind a pooler that gives each transaction another session.
func TestAPoolerWithoutSessionsIsNamed(t *testing.T) {
	t.Parallel()
	for _, state := range []string{client.DuplicateStatement, client.NoStatement} {
		outcome := ended(&pgconn.PgError{Message: "no good", Code: state})
		require.EqualError(t, outcome.Err, "no good (SQLSTATE "+state+"); a pooler in front of the server must keep sessions: set pool_mode=session there, or postgres.host to the server itself")
	}
}
