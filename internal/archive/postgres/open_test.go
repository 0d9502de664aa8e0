//go:build integration

package postgres

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/archive/column"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
)

// startOwn starts a server of a test's own.
func startOwn(tb testing.TB, o postgrestest.Options) *postgrestest.Server {
	tb.Helper()
	dir := tb.TempDir()
	for parent := dir; len(parent) > len(os.TempDir()); parent = filepath.Dir(parent) { // the server's user is another one
		require.NoError(tb, os.Chmod(parent, 0o755))
	}
	s, err := postgrestest.Start(tb.Context(), dir, o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Stop()) })
	return s
}

// sql executes a statement as the superuser.
func sql(t *testing.T, statement string, args ...any) {
	t.Helper()
	_, err := server.SQL(fmt.Sprintf(statement, args...))
	require.NoError(t, err)
}

func TestOpenNamesTheCure(t *testing.T) {
	t.Parallel()
	address := server.Address()
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	sql(t, `CREATE ROLE poor LOGIN; CREATE ROLE reader LOGIN SUPERUSER; ALTER ROLE reader SET default_transaction_read_only = on`)
	sql(t, `CREATE SCHEMA foreign1; CREATE TABLE foreign1.mine (a int)`)
	sql(t, `CREATE SCHEMA foreign2; CREATE TABLE foreign2.migration (id int)`)
	sql(t, `CREATE SCHEMA foreign3; CREATE TABLE foreign3.migration (version bigint, name text); INSERT INTO foreign3.migration VALUES (0, 'something else')`)
	sql(t, `CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`)
	sql(t, `CREATE SCHEMA foreign4; CREATE TABLE foreign4.suite (id int); CREATE TABLE foreign4.migration (version bigint, name text, at timestamptz)`)
	newer, private := freshURL(), freshURL()
	_, schema, _ := strings.Cut(newer, "search_path=")
	require.NoError(t, openURL(t, newer).Close(t.Context()))
	require.NoError(t, openURL(t, private).Close(t.Context()))
	_, privateSchema, _ := strings.Cut(private, "search_path=")
	readable := freshURL()
	require.NoError(t, openURL(t, readable).Close(t.Context()))
	_, readableSchema, _ := strings.Cut(readable, "search_path=")
	sql(t, `GRANT USAGE ON SCHEMA %s TO poor`, readableSchema)
	sql(t, `INSERT INTO %s.migration (version, name, at) VALUES (999, 'future', now())`, schema)
	for name, test := range map[string]struct {
		url, text string
		kind      error
	}{
		"not a URL":          {"postgres://u:se/cret@h/db", "special characters of a password are percent-encoded", nil},
		"another scheme":     {"mysql://u:secret@h/db", `invalid URL with scheme "mysql"`, nil},
		"a key and value":    {"host=127.0.0.1 password=secret", "invalid URL", nil},
		"a bad setting":      {"postgres://u:secret@h/db?sslmode=secret", "sslmode is invalid", nil},
		"a bad number":       {"postgres://u:secret@h/db?connect_timeout=secret", "invalid URL (invalid connect_timeout): want postgres://", nil},
		"a bad port":         {"postgres://u:secret@h:99999/db", "invalid URL (invalid port", nil},
		"a bad schema":       {"postgres://u@h/db?search_path=a,b", "want the name of one schema", nil},
		"nobody listens":     {"postgres://u:secret@127.0.0.1:1/db", "PostgreSQL 127.0.0.1:1/db: nothing listens there: check the address, and whether the server runs (dial tcp 127.0.0.1:1: connect: connection refused)", nil},
		"no such host":       {"postgres://u:secret@nowhere.invalid/db", "its host has no address: check the name", nil},
		"no such database":   {"postgres://postgres:secret@" + address + "/nothing", "CREATE DATABASE nothing OWNER postgres", nil},
		"no such user":       {"postgres://stranger:secret@" + address + "/postgres", "does not let user stranger in", nil},
		"no TLS":             {"postgres://postgres:secret@" + address + "/postgres?sslmode=require", "it has no TLS: turn ssl on in its configuration", nil},
		"no privilege":       {"postgres://poor:secret@" + address + "/postgres", "user poor lacks a privilege: let it create schema benchd (GRANT CREATE ON DATABASE postgres TO poor), or own it (ALTER SCHEMA benchd OWNER TO poor)", archive.ErrNotWritable},
		"a replica":          {"postgres://reader:secret@" + address + "/postgres", "the server accepts no writes", archive.ErrNotWritable},
		"tables of others":   {urlOf(address, "foreign1"), `schema "foreign1" belongs to another program`, archive.ErrNotArchive},
		"other migrations":   {urlOf(address, "foreign2"), `schema "foreign2" belongs to another program`, archive.ErrNotArchive},
		"of another program": {urlOf(address, "foreign3"), `schema "foreign3" belongs to another program`, archive.ErrNotArchive},
		"tables beside it":   {urlOf(address, "foreign4"), `schema "foreign4" belongs to another program`, archive.ErrNotArchive},
		"no right to it":     {"postgres://poor:secret@" + address + "/postgres?search_path=" + privateSchema, fmt.Sprintf("user poor may not read schema %q of user postgres: connect as postgres, or give another schema", privateSchema), archive.ErrNotWritable},
		"no right to tables": {"postgres://poor:secret@" + address + "/postgres?search_path=" + readableSchema, fmt.Sprintf("user poor may not read schema %q of user postgres", readableSchema), archive.ErrNotWritable},
		"another encoding":   {"postgres://postgres@" + address + "/latin", "the encoding of the database is LATIN1: create one with ENCODING 'UTF8'", archive.ErrNotWritable},
		"a newer benchd":     {newer, "was written by a newer benchd (it has version 999, this benchd supports up to", archive.ErrNewer},
	} {
		_, err := Open(t.Context(), test.url, discard())
		require.ErrorContains(t, err, test.text, name)
		require.NotContains(t, err.Error(), "secret", name)
		require.NotContains(t, err.Error(), "cret@", name)
		if test.kind != nil {
			require.ErrorIs(t, err, test.kind, name)
			require.ErrorContains(t, err, net.JoinHostPort(host, port), name)
		}
	}
}

func TestAServerThatIsTooOldIsRefused(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]features{
		"": {"120000", "PostgreSQL 12.0", "UTF8", "off"},
		`its version "PostgreSQL 11.22 on x86_64" is too old: benchd needs PostgreSQL 12 or newer`: {"110022", "PostgreSQL 11.22 on x86_64", "UTF8", "off"},
		"the encoding of the database is SQL_ASCII":                                                {"150000", "PostgreSQL 15.0", "SQL_ASCII", "off"},
		"the server accepts no writes":                                                             {"150000", "PostgreSQL 15.0", "UTF8", "on"},
	} {
		if err := f.check(); want != "" {
			require.ErrorContains(t, err, want)
		} else {
			require.NoError(t, err)
		}
	}
}

// The attempts of a connection are one line, and each of them is in it once.
func TestOneLineHasEachReasonOnce(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), "postgres://u@127.0.0.1:1,127.0.0.1:2/", discard())
	require.EqualError(t, err, "open archive in PostgreSQL 127.0.0.1:1,127.0.0.1:2/u: nothing listens there: check the address, and whether the server runs "+
		"(dial tcp 127.0.0.1:1: connect: connection refused; dial tcp 127.0.0.1:2: connect: connection refused)")
	_, err = Open(t.Context(), "postgres://postgres@"+server.Address()+",127.0.0.1:1/nothing", discard())
	require.ErrorContains(t, err, "("+server.Address()+`: FATAL: database "nothing" does not exist (SQLSTATE 3D000))`)
}

// A password from the URL works, a wrong one is not in the error.
func TestThePasswordIsNotPrinted(t *testing.T) {
	t.Parallel()
	s := startOwn(t, postgrestest.Options{Password: "right-one"})
	for password, cure := range map[string]string{
		"wrong-one": "check the name, the password in PGPASSWORD or ~/.pgpass, and pg_hba.conf (FATAL: password authentication failed for user",
		"":          "no password was given: set PGPASSWORD, or add a line to ~/.pgpass (FATAL: ",
	} {
		_, err := Open(t.Context(), "postgres://postgres:"+password+"@"+s.Address()+"/postgres", discard())
		require.ErrorContains(t, err, cure)
		require.NotContains(t, err.Error(), "-one")
	}
	a := openURL(t, "postgres://postgres:right-one@"+s.Address()+"/postgres")
	require.NotContains(t, a.Path(), "right-one")
	require.NoError(t, a.Close(t.Context()))
}

// A peer that accepts connections and says nothing does not hold Open.
func TestOpenEndsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, silent.Close()) }()
	_, err = Open(t.Context(), "postgres://u@"+silent.Addr().String()+"/db?sslmode=disable&connect_timeout=1", discard())
	require.ErrorContains(t, err, silent.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, "postgres://u@"+silent.Addr().String()+"/db?sslmode=disable", discard())
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Coordinators that start at the same instant apply each migration once.
func TestManyOpenTheSameSchema(t *testing.T) {
	t.Parallel()
	for range 5 {
		url := freshURL()
		var group errgroup.Group
		archives := make([]*Archive, 8)
		for i := range archives {
			group.Go(func() (err error) {
				archives[i], err = Open(t.Context(), url, discard())
				return err
			})
		}
		err := group.Wait()
		for _, a := range archives {
			if a != nil {
				t.Cleanup(func() { require.NoError(t, a.Close(context.WithoutCancel(t.Context()))) })
			}
		}
		require.NoError(t, err)
		list, err := column.Migrations(migrationFiles)
		require.NoError(t, err)
		var rows int
		require.NoError(t, archives[0].reader.QueryRow(t.Context(), `SELECT count(*) FROM migration`).Scan(&rows))
		require.Len(t, list, rows-1)
		require.NoError(t, archives[0].reader.QueryRow(t.Context(), `SELECT count(*) FROM lease`).Scan(&rows))
		require.Equal(t, 1, rows)
	}
}

// A server that is killed and starts again loses nothing acknowledged; the archive goes on by itself.
func TestTheServerRestarts(t *testing.T) {
	t.Parallel()
	s := startOwn(t, postgrestest.Options{})
	a := leading(t, urlOf(s.Address(), "benchd"))
	run := archivetest.Create(t, a, "S")
	window := func(seq int) latency.Window {
		return archivetest.WindowOf(latency.WindowID{Run: run, Phase: "measure", Attempt: 1, Seq: seq}, 5)
	}
	for turn, stop := range []func() error{s.Stop, s.Kill} {
		archivetest.Add(t, a, window(3*turn))
		require.Len(t, archivetest.WindowsIn(t, a, run), 3*turn+1)
		require.NoError(t, stop())
		_, err := a.AddWindows(t.Context(), []latency.Window{window(3*turn + 1)})
		require.Error(t, err)
		_, err = a.Suites(t.Context())
		require.ErrorContains(t, err, "nothing listens there")
		require.Error(t, a.Renew(t.Context()))
		require.NotErrorIs(t, a.Renew(t.Context()), archive.ErrFenced, "it may still lead")
		require.NoError(t, s.Restart(t.Context()))
		require.NoError(t, a.Renew(t.Context()))
		require.Equal(t, []bool{false, true, true}, archivetest.Add(t, a, window(3*turn), window(3*turn+1), window(3*turn+2)))
	}
	require.NoError(t, s.Stop())
	require.NoError(t, s.Restart(t.Context()))
	require.Len(t, archivetest.WindowsIn(t, a, run), 6, "a reader goes on, too")
	archivetest.Add(t, a, window(6))
	require.NoError(t, s.Stop())
	require.NoError(t, s.Restart(t.Context()))
	archivetest.Add(t, a, window(7))
}

// A user who may only read an archive cannot lead, and learns that and the cure at once, and not when the leader fails.
func TestAReaderIsNoStandby(t *testing.T) {
	t.Parallel()
	url := freshURL()
	require.NoError(t, openURL(t, url).Close(t.Context()))
	_, schema, _ := strings.Cut(url, "search_path=")
	sql(t, `CREATE ROLE people LOGIN; GRANT USAGE ON SCHEMA %[1]s TO people; GRANT SELECT ON ALL TABLES IN SCHEMA %[1]s TO people`, schema)
	_, err := Open(t.Context(), strings.Replace(url, "postgres@", "people@", 1), discard())
	require.ErrorIs(t, err, archive.ErrNotWritable)
	require.ErrorContains(t, err, "user people lacks a privilege: connect as the user to whom the tables of schema "+schema+" belong (")
}
