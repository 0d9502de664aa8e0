//go:build databases

package databases

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/target/cassandra/cassandratest"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbtest"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbtest"
	"github.com/benchd/benchd/test/testcluster"
)

func TestMain(m *testing.M) { os.Exit(testcluster.Main(m)) }

// products are the databases of the published comparison, in the order of its suite.
func products() []string { return []string{"sequoiadb", "mongodb", "hbase", "cassandra"} }

// servers starts the four databases, and returns the properties of their addresses. One after another, because the start of each takes a
// processor.
func servers(t *testing.T) map[string]string {
	t.Helper()
	cassandra, err := cassandratest.Start(t.Context(), t.TempDir(), cassandratest.Options{})
	require.NoError(t, err)
	t.Cleanup(cassandra.Stop)
	mongodb, err := mongodbtest.Start(t.Context(), t.TempDir(), mongodbtest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, mongodb.Stop()) })
	sequoiadb, err := sequoiadbtest.Start(t.Context(), t.TempDir(), sequoiadbtest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sequoiadb.Stop()) })
	all := make(map[string]string)
	for _, properties := range []map[string]string{cassandra.Properties(), mongodb.Properties(), sequoiadb.Properties(""), startHBase(t)} {
		maps.Copy(all, properties)
	}
	delete(all, "db") // each target of the suite has its own
	return all
}

// startHBase starts a real HBase with one region server in a folder of its own.
func startHBase(t *testing.T) map[string]string {
	t.Helper()
	script := filepath.Join(testcluster.Root(), "scripts", "hbase")
	dir := filepath.Join(testcluster.Root(), "bin", "hbase", fmt.Sprintf("test-%d-%d", os.Getpid(), time.Now().UnixNano()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own context has ended
		defer cancel()
		if out, err := exec.CommandContext(ctx, script, "down", "--purge", "--dir", dir).CombinedOutput(); err != nil {
			t.Errorf("stop HBase in %s: %v: %s", dir, err, out)
		}
	})
	stdout, stderr, code := testcluster.Command(t, 5*time.Minute, script, "up", "--servers", "1", "--free-ports", "--heap", "1g", "--wait", "240", "--dir", dir)
	require.Zero(t, code, stderr)
	_, quorum, _ := strings.Cut(strings.TrimSpace(stdout), "=")
	return map[string]string{"hbase.zookeeper.quorum": quorum}
}

// The trial of the published comparison of four databases runs on all of them from one submission. Its report has a row for each in
// every table, and states first what one workload does on each.
func TestFourDatabasesInOneSuite(t *testing.T) {
	began := time.Now()
	args := []string{"run", "-f", filepath.Join(testcluster.Root(), "configs", "suites", "r5-nosql.yaml"), "--trial", "-q", "-o", "json"}
	for name, value := range servers(t) {
		args = append(args, "-p", name+"="+value)
	}
	t.Logf("the servers are up after %.0f s", time.Since(began).Seconds())
	stdout, stderr, code := testcluster.Run(t, 5*time.Minute, "benchctl", args...)
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "warning:")
	t.Logf("the suite has ended after %.0f s", time.Since(began).Seconds())
	var s result.Suite
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	require.Equal(t, result.Complete, s.Status)
	for _, r := range s.Runs {
		require.True(t, r.Reconcile.OK, r.Case)
		for _, p := range r.Phases {
			// On a busy machine the servers' own time limits may end some operations, and FerretDB has answered some updates with an error.
			for _, o := range p.Operations {
				few := (o.Outcome == "TIMEOUT" || o.Outcome == "ERROR") && 100*o.Count < p.Ops
				require.True(t, result.Good(o.Outcome) || few, "%s: %d %s %s of %d: %v", r.Case, o.Count, o.Op, o.Outcome, p.Ops, p.Errors)
			}
		}
	}

	require.Len(t, s.Tables, 7)
	for _, table := range s.Tables {
		require.Len(t, table.Rows, len(products()), table.Title)
		for i, row := range table.Rows {
			require.Equal(t, products()[i], row.Cells[0].Text, table.Title)
			measured := slices.IndexFunc(table.Columns, func(c result.Column) bool { return strings.HasPrefix(c.Name, "throughput_") && !c.Published })
			require.NotNil(t, row.Cells[measured].Number, "%s of %s", table.Title, row.Cells[0].Text)
			require.Positive(t, *row.Cells[measured].Number)
		}
	}
	for _, terms := range s.Terms {
		require.Equal(t, terms.Target, terms.DB)
		for _, term := range terms.Each() {
			require.NotEmpty(t, term.Text, "%s of %s", term.Name, terms.DB)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, s.ID+".json")
	require.NoError(t, os.WriteFile(file, []byte(stdout), 0o600))
	reports(t, file, dir)
	compared(t, file)
}

// reports checks the reports of the suite for people.
func reports(t *testing.T, file, dir string) {
	t.Helper()
	for _, lang := range []string{"en", "zh"} {
		out := filepath.Join(dir, lang)
		require.NoError(t, os.Mkdir(out, 0o700))
		_, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "report", file, "--format", "md,html,xlsx", "--lang", lang, "--out", out)
		require.Zero(t, code, stderr)
		for _, format := range []string{"md", "html", "xlsx"} {
			found, err := filepath.Glob(filepath.Join(out, "*."+format))
			require.NoError(t, err)
			require.Len(t, found, 1, format)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "en", "*.md"))
	require.NoError(t, err)
	content, err := os.ReadFile(found[0])
	require.NoError(t, err)
	text := string(content)
	require.Regexp(t, `(?m)^- The targets do not do the same work\. Terms that differ: durability`, text)
	terms, results, _ := strings.Cut(text, "\n## Results\n")
	require.Contains(t, terms, "\n## Terms\n", "before any table of figures")
	for _, product := range products() {
		require.Contains(t, terms, "\n| "+product+" | ", "its terms")
		require.GreaterOrEqual(t, strings.Count(results, "\n| "+product+" | "), 7, "its rows")
	}
}

// compared checks that a comparison of two of the databases names their terms before any figure.
func compared(t *testing.T, file string) {
	t.Helper()
	stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", "compare", file+"@mongodb", file+"@cassandra")
	require.Zero(t, code, stderr)
	before, _, _ := strings.Cut(stdout, "\nfigure ")
	for _, name := range []string{"durability", "consistency", "scans"} {
		require.Contains(t, before, "\ndiffers  "+name+": ")
	}
}
