//go:build integration

package archives

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/test/testcluster"
)

// startPostgres starts a server of the test's own, and returns the URL of its database.
func startPostgres(t *testing.T, settings map[string]string) (url, folder string) {
	t.Helper()
	server, folder := startIn(t, postgrestest.Options{Settings: settings})
	return "postgres://postgres@" + server.Address() + "/postgres", folder
}

// startIn starts a server in a folder of its own.
func startIn(t *testing.T, o postgrestest.Options) (server *postgrestest.Server, folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, path := range []string{filepath.Dir(folder), folder} { // the server's user is another one
		require.NoError(t, os.Chmod(path, 0o755))
	}
	server, err := postgrestest.Start(t.Context(), folder, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	return server, folder
}

// documents are what benchctl prints and writes of some suites.
func documents(t *testing.T, c *testcluster.Cluster, suites []string) (all map[string]string) {
	t.Helper()
	all = make(map[string]string)
	for _, id := range suites {
		for _, args := range [][]string{{"show", id}, {"show", id, "-o", "json"}} {
			stdout, stderr, code := c.Ctl(args...)
			require.Zero(t, code, "%v: %s", args, stderr)
			all[strings.Join(args, " ")] = stdout
		}
		out := t.TempDir()
		_, stderr, code := c.Ctl("report", id, "--format", "json,csv,hlog,md", "--out", out)
		require.Zero(t, code, stderr)
		require.NoError(t, filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			all["report "+strings.TrimPrefix(path, out)] = string(text)
			return err
		}))
	}
	return all
}

func stop(t *testing.T, p *testcluster.Process) {
	t.Helper()
	p.Signal(os.Interrupt)
	require.Zero(t, p.Exit(testcluster.Patience))
}

// copyArchive copies an archive, and requires that nothing is there before.
func copyArchive(t *testing.T, from, to string) {
	t.Helper()
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchd", "archive", "copy", from, to)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "(there already: 0)")
	require.Contains(t, stdout, "every row of the copy is the same")
}

// An archive moves from SQLite to PostgreSQL, and back. What users see of it stays the same, and a run in progress goes on.
func TestAnArchiveMovesToPostgresAndBack(t *testing.T) {
	url, _ := startPostgres(t, nil)
	c := testcluster.New(t)
	c.Agents("a1", "a2")
	suites := []string{
		c.Submit("-p", "recordcount=1000", "-p", "null.service=1ms", "--agents", "2", "--duration", "3s", "--interval", "250ms", "--note", "before 移动", "--tag", "rack=7"),
		c.Submit("-p", "recordcount=1000", "-p", "null.error.share=10%", "--agents", "2", "--duration", "2s", "--interval", "250ms"),
	}
	stdout, stderr, code := c.Ctl("submit", "-f", filepath.Join(testcluster.Root(), "configs", "suites", "first.yaml"), "--trial")
	require.Zero(t, code, stderr)
	suites = append(suites, strings.TrimSpace(stdout))
	for _, id := range suites {
		c.Until(id, "complete")
	}
	before := documents(t, c, suites)
	going := c.Submit("-p", "recordcount=1000", "-p", "null.service=1ms", "--agents", "2", "--duration", "8s", "--interval", "250ms")
	queued := c.Submit("-p", "recordcount=1000", "-p", "null.service=1ms", "--agents", "2", "--duration", "1s", "--interval", "250ms")
	c.Until(going, "running")
	stop(t, c.Coordinator)
	copyArchive(t, c.Dir, url)

	first := c.Dir
	c.Flags, c.Dir = []string{"--archive", url}, t.TempDir()
	c.Open()
	require.Equal(t, before, documents(t, c, suites))
	suites = append(suites, going, queued)
	c.Until(going, "complete")
	require.True(t, c.Show(going).Reconcile.OK)
	c.Until(queued, "complete")
	after := documents(t, c, suites)
	_, stderr, code = testcluster.Run(t, time.Minute, "benchd", "archive", "copy", url, t.TempDir())
	require.NotZero(t, code)
	require.Contains(t, stderr, "it is in use by")
	stop(t, c.Coordinator)
	_, stderr, code = testcluster.Run(t, time.Minute, "benchd", "archive", "copy", url, first)
	require.NotZero(t, code, "the suites there have not ended, as they were before")
	require.Contains(t, stderr, "copy into an empty archive")

	c.Flags, c.Dir = nil, filepath.Join(t.TempDir(), "back")
	copyArchive(t, url, c.Dir)
	c.Open()
	require.Equal(t, after, documents(t, c, suites))
}
