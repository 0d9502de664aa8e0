//go:build integration

package archives

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/test/testcluster"
)

// A database that cannot have the archive ends a coordinator, and a copy, with one line that names the database, the flag or the argument, and the
// cure, and has no password.
func TestMistakesOfADatabaseAreExplained(t *testing.T) {
	ca := certstest.NewCA(t)
	files := ca.Issue(t, certstest.Leaf{Hosts: []string{"db.example"}}).Write(t, t.TempDir(), ca)
	plain, _ := startIn(t, postgrestest.Options{Password: "correct-horse"})
	secure, _ := startIn(t, postgrestest.Options{Cert: files.Cert, Key: files.Key})
	for _, statements := range []string{
		`CREATE ROLE poor LOGIN PASSWORD 'correct-horse'; CREATE ROLE "full-up" LOGIN CONNECTION LIMIT 0 PASSWORD 'correct-horse'`,
		`CREATE ROLE reader LOGIN SUPERUSER PASSWORD 'correct-horse'; ALTER ROLE reader SET default_transaction_read_only = on`,
		`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
	} {
		_, err := plain.SQL(statements)
		require.NoError(t, err)
	}
	empty := t.TempDir()
	require.NoError(t, inSQLite(empty).open(t).Close(t.Context()))
	for _, mistake := range []struct{ user, server, rest, want string }{
		{"postgres:wrong-horse", plain.Address(), "/postgres", "the server does not let user postgres in: check the name, the password in PGPASSWORD or ~/.pgpass, and pg_hba.conf ("},
		{"postgres", plain.Address(), "/postgres", "the server does not let user postgres in: no password was given: set PGPASSWORD, or add a line to ~/.pgpass ("},
		{"postgres:correct-horse", plain.Address(), "/bench-1", `there is no such database: create it (CREATE DATABASE "bench-1" OWNER postgres), or name another one (`},
		{"poor:correct-horse", plain.Address(), "/postgres", "user poor lacks a privilege: let it create schema benchd (GRANT CREATE ON DATABASE postgres TO poor), or own it ("},
		{"full-up:correct-horse", plain.Address(), "/postgres", "it has no free connection: raise max_connections"},
		{"reader:correct-horse", plain.Address(), "/postgres", "the server accepts no writes, such as a replica: give the primary's address, "},
		{"postgres:correct-horse", plain.Address(), "/latin", "the encoding of the database is LATIN1: create one with "},
		{"postgres:correct-horse", plain.Address(), "/postgres?sslmode=require", "it has no TLS: turn ssl on in its configuration, or connect without, by sslmode=disable in the URL ("},
		{"postgres:correct-horse", plain.Address(), "/postgres?strong=yes", "the server does not have a parameter of the URL: remove it ("},
		{"postgres:correct-horse", "127.0.0.1:1", "/postgres", "nothing listens there: check the address, and whether the server runs ("},
		{"postgres", secure.Address(), "/postgres?sslmode=disable", "if it requires TLS, remove sslmode=disable from the URL ("},
		{"postgres", secure.Address(), "/postgres?sslmode=verify-ca", "its certificate comes from an unknown authority: name the authority's file with sslrootcert=FILE in the URL ("},
		{"postgres", secure.Address(), "/postgres?sslmode=verify-full&sslrootcert=" + files.CA, "its certificate is for another host: give the host that is in it ("},
	} {
		url := "postgres://" + mistake.user + "@" + mistake.server + mistake.rest
		database, _, _ := strings.Cut(mistake.rest, "?")
		for place, args := range map[string][]string{
			"--archive": {"coordinator", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log-level", "error", "--archive", url},
			"TO":        {"archive", "copy", "--log-level", "error", empty, url},
		} {
			_, stderr, code := testcluster.Run(t, time.Minute, "benchd", args...)
			require.Equal(t, 5, code, "%s: %s", url, stderr)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			require.Regexp(t, "^benchd: "+place+": (open|create) archive in PostgreSQL "+mistake.server+database+": ", stderr)
			require.Contains(t, stderr, mistake.want)
			require.NotContains(t, stderr, "-horse")
		}
	}
}
