//go:build databases

package postgres_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/test/targetkit"
)

// start starts a server, and stops it at the test's end.
func start(t *testing.T, o postgrestest.Options) process {
	t.Helper()
	dir := t.TempDir()
	for parent := dir; len(parent) > len(os.TempDir()); parent = filepath.Dir(parent) { // the server's user is another one
		require.NoError(t, os.Chmod(parent, 0o755))
	}
	s, err := postgrestest.Start(t.Context(), dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return process{s}
}

// process is the server for the kit.
type process struct{ *postgrestest.Server }

// Kill implements targetkit.Server.
func (p process) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Server.Kill())
}

// Restart implements targetkit.Server.
func (p process) Restart(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Server.Restart(context.Background()))
}

// database describes the server to the kit, with further properties in pairs.
func (p process) database(pairs ...string) targetkit.Database {
	d := targetkit.Database{
		Target: "postgres", Set: []string{"-p", "postgres.host=" + p.Address()}, Fresh: []string{"-p", "postgres.table.create=recreate"}, Table: "usertable",
		Rows: func(t *testing.T) int {
			t.Helper()
			n, err := p.Count("usertable")
			require.NoError(t, err)
			return n
		},
	}
	for i := 0; i < len(pairs); i += 2 {
		d.Set = append(d.Set, "-p", pairs[i]+"="+pairs[i+1])
	}
	return d
}

func TestSmokeWorkloads(t *testing.T) {
	t.Parallel()
	targetkit.Workloads(t, start(t, postgrestest.Options{}).database(), targetkit.Size{Records: 2000, Ops: 4000, Threads: 8})
}

// A pooler that keeps sessions changes nothing.
func TestWorkloadsBehindAPooler(t *testing.T) {
	t.Parallel()
	targetkit.Workloads(t, behind(t, start(t, postgrestest.Options{}), "session"), targetkit.Size{Records: 2000, Ops: 4000, Threads: 8})
}

// behind describes a server behind PgBouncer with a pool_mode to the kit.
func behind(t *testing.T, p process, mode string) targetkit.Database {
	t.Helper()
	pooler, err := postgrestest.StartPooler(t.Context(), p.Server)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pooler.Stop()) })
	return p.database("postgres.host", pooler.Address(), "postgres.database", mode)
}

func TestWorkloadsOnDocuments(t *testing.T) {
	t.Parallel()
	targetkit.Workloads(t, start(t, postgrestest.Options{}).database("postgres.form", "jsonb"), targetkit.Size{Records: 2000, Ops: 4000, Threads: 8})
}

// With synchronous_commit=on no acknowledged row is missing after the death of the server.
func TestSurvives(t *testing.T) {
	for _, form := range []string{"columns", "jsonb"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s := start(t, postgrestest.Options{})
			targetkit.Survives(t, s.database("postgres.form", form), s, targetkit.Outage{
				Records: 4000, Rate: 400, Threads: 8, Length: 30 * time.Second, Flags: []string{"-p", "postgres.upsert=true"},
				Kinds: []string{"SERVICE_UNAVAILABLE", "TIMEOUT"},
			})
		})
	}
}

func TestMistakes(t *testing.T) {
	ca := certstest.NewCA(t)
	pair := ca.Issue(t, certstest.Leaf{Hosts: []string{"127.0.0.1"}})
	files := pair.Write(t, t.TempDir(), ca)
	secrets := t.TempDir()
	require.NoError(t, os.Chmod(secrets, 0o700))
	for name, password := range map[string]string{"right": "correct horse", "wrong": "battery"} {
		require.NoError(t, os.WriteFile(filepath.Join(secrets, name), []byte(password+"\n"), 0o600))
	}
	plain := start(t, postgrestest.Options{Password: "correct horse"})
	secure := start(t, postgrestest.Options{Password: "correct horse", Cert: files.Cert, Key: files.Key})
	_, err := plain.SQL(`CREATE TABLE documents (ycsb_key varchar(255) PRIMARY KEY, ycsb_value jsonb NOT NULL); CREATE TABLE strange (id int);
CREATE TABLE unkeyed (ycsb_key text, field0 text); CREATE ROLE weak LOGIN PASSWORD 'correct horse'; CREATE TABLE forbidden (ycsb_key text PRIMARY KEY, field0 text)`)
	require.NoError(t, err)

	d := plain.database("postgres.password", "file:right")
	d.Agent = []string{"--secrets", secrets}
	p := func(pairs ...string) (flags []string) {
		for i := 0; i < len(pairs); i += 2 {
			flags = append(flags, "-p", pairs[i]+"="+pairs[i+1])
		}
		return flags
	}
	t.Run("without TLS", func(t *testing.T) {
		targetkit.Mistakes(t, d,
			targetkit.Mistake{Name: "port", Flags: p("postgres.host", "127.0.0.1:1"), Says: []string{"connect to PostgreSQL 127.0.0.1:1: connection refused: start the server, or set postgres.host"}},
			targetkit.Mistake{Name: "host", Flags: p("postgres.host", "nowhere.invalid"), Says: []string{"connect to PostgreSQL nowhere.invalid:5432", "check postgres.host"}},
			targetkit.Mistake{Name: "an address that is not allowed", Flags: p("postgres.host", "192.0.2.1"), Says: []string{"192.0.2.1"}},
			targetkit.Mistake{Name: "password", Flags: p("postgres.password", "file:wrong"), Says: []string{"as postgres: wrong password, or no such role: check postgres.user and postgres.password"}},
			targetkit.Mistake{Name: "no password", Flags: p("postgres.password", ""), Says: []string{"the server asks for a password: set postgres.password=file:NAME"}},
			targetkit.Mistake{Name: "no secret", Flags: p("postgres.password", "file:none"), Says: []string{"postgres.password", "none"}},
			targetkit.Mistake{Name: "role", Flags: p("postgres.user", "nobody"), Says: []string{"as nobody: wrong password, or no such role"}},
			targetkit.Mistake{Name: "database", Flags: p("postgres.database", "missing"), Says: []string{"database missing does not exist: create it (createdb missing), or set postgres.database"}},
			targetkit.Mistake{Name: "table", Flags: p("table", "nothing"), Says: []string{"table nothing does not exist: load it first"}},
			targetkit.Mistake{Name: "form", Flags: p("table", "documents"), Says: []string{"table documents has documents, not a column for each field: set postgres.form=jsonb"}},
			targetkit.Mistake{Name: "another table", Flags: p("table", "strange"), Says: []string{"table strange has no column ycsb_key"}},
			targetkit.Mistake{Name: "no key", Flags: p("table", "unkeyed", "fieldcount", "1"), Says: []string{"has no unique index", "ADD PRIMARY KEY"}},
			targetkit.Mistake{Name: "no privilege", Flags: p("table", "forbidden", "fieldcount", "1", "postgres.user", "weak"), Says: []string{"role weak may not use table forbidden: GRANT SELECT, UPDATE ON forbidden TO weak"}},
			targetkit.Mistake{Name: "TLS", Flags: p("postgres.sslmode", "require"), Says: []string{"the server has no TLS: switch it on there (ssl=on), or set postgres.sslmode=disable"}},
			targetkit.Mistake{Name: "workers", Flags: append(p("table", "forbidden", "fieldcount", "1"), "--threads", "120"), Says: []string{"too many clients", "raise max_connections of the server, or lower threadcount"}},
		)
	})
	t.Run("with TLS", func(t *testing.T) {
		targetkit.Mistakes(t, withAgent(secure.database("postgres.password", "file:right"), d.Agent),
			targetkit.Mistake{Name: "no TLS", Flags: nil, Says: []string{"set postgres.sslmode=require if the server wants TLS"}},
			targetkit.Mistake{Name: "authority", Flags: p("postgres.sslmode", "verify-full"), Says: []string{"its certificate is not accepted", "--target-tls-ca"}},
			targetkit.Mistake{Name: "authority, whatever the name", Flags: p("postgres.sslmode", "verify-ca"), Says: []string{"its certificate is not accepted", "--target-tls-ca"}},
			targetkit.Mistake{
				Name: "name of the host", Flags: p("postgres.sslmode", "verify-full", "postgres.host", "localhost:"+port(secure)),
				Agent: append([]string{"--target-tls-ca", files.CA}, d.Agent...), Says: []string{"its certificate is not accepted", "localhost"},
			},
		)
	})
	t.Run("a silent server", func(t *testing.T) {
		silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { require.NoError(t, silent.Close()) }()
		targetkit.Mistakes(t, d, targetkit.Mistake{Name: "any", Flags: p("postgres.host", silent.Addr().String()), Says: []string{"no answer within 8s: check postgres.host and the network"}})
	})
}

func withAgent(d targetkit.Database, flags []string) targetkit.Database {
	d.Agent = flags
	return d
}

func port(p process) string { return p.Address()[len("127.0.0.1:"):] }
