//go:build integration

package postgres

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/archivetest"
	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
)

// server serves all tests of the package that do not break it.
var server *postgrestest.Server

func TestMain(m *testing.M) {
	if url := os.Getenv(writerEnv); url != "" {
		if err := writeUntilKilled(url); err != nil {
			panic(err) // the parent sees it on our standard error
		}
		return
	}
	flag.Parse()
	os.Exit(withServer(m))
}

func withServer(m *testing.M) int {
	dir, err := os.MkdirTemp("", "archive")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = os.Chmod(dir, 0o755) // the server's user is another one
	}
	if err == nil {
		server, err = postgrestest.Start(context.Background(), dir, postgrestest.Options{Settings: map[string]string{"max_connections": "300", "fsync": "off"}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
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

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

var schemas, boots atomic.Int64

// urlOf is the URL of a schema of the server.
func urlOf(address, schema string) string {
	return "postgres://postgres@" + address + "/postgres?search_path=" + schema
}

// freshURL is the URL of a schema that does not exist.
func freshURL() string {
	return urlOf(server.Address(), fmt.Sprintf("test_%d", schemas.Add(1)))
}

// openURL opens an archive, and closes it at the test's end. It does not lead.
func openURL(tb testing.TB, url string) *Archive {
	tb.Helper()
	a, err := Open(tb.Context(), url, discard())
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, a.Close(context.WithoutCancel(tb.Context()))) })
	return a
}

// leading opens an archive that leads.
func leading(tb testing.TB, url string) *Archive {
	tb.Helper()
	a := openURL(tb, url)
	lead(tb, a)
	require.NoError(tb, a.Migrate(tb.Context()))
	return a
}

func lead(tb testing.TB, a *Archive) {
	tb.Helper()
	me := archive.Leader{Boot: fmt.Sprintf("boot-%d", boots.Add(1)), RPC: "127.0.0.1:7070", HTTP: "127.0.0.1:7071"}
	got, err := a.Lead(tb.Context(), me)
	require.NoError(tb, err)
	require.Equal(tb, me.Boot, got.Boot)
}

// schemaIn is the name of a schema for a test's directory, which names the archive in the conformance suite.
func schemaIn(dir string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(dir))
	return "d" + clean[max(0, len(clean)-60):]
}

func TestConformance(t *testing.T) {
	archivetest.Run(t, func(tb testing.TB, dir string) archivetest.Archive {
		return leading(tb, urlOf(server.Address(), schemaIn(dir)))
	})
}
