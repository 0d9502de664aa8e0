package scripts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// suite is a checkout with a file in each folder that the suite covers, none of them passed.
func suite(t *testing.T) (c *checkout, folders []string) {
	t.Helper()
	c = newCheckout(t, "covered")
	stdout, stderr, code := c.run("scripts/covered", "--list", "hbase")
	require.Zero(t, code, stderr)
	folders = lines(stdout)
	for _, folder := range folders {
		if folder == "scripts/hbase" || folder == "scripts/with-hbase" {
			c.write(folder, "a script")
		} else {
			c.write(folder+"/file", "a file")
		}
	}
	c.commit()
	return c, folders
}

func TestEachCoveredFolderExists(t *testing.T) {
	c := newCheckout(t, "covered")
	for _, suite := range []string{"hbase", "hbase-secure"} {
		stdout, stderr, code := c.run("scripts/covered", "--list", suite)
		require.Zero(t, code, stderr)
		folders := lines(stdout)
		require.Greater(t, len(folders), 5)
		for _, folder := range folders {
			_, err := os.Stat(filepath.Join("..", "..", folder))
			require.NoError(t, err, "correct the list in scripts/covered")
		}
	}
}

func TestCoveredFoldersDifferUntilTheSuiteHasPassed(t *testing.T) {
	c, folders := suite(t)
	stdout, _, code := c.run("scripts/covered", "hbase")
	require.Equal(t, 1, code)
	require.Len(t, lines(stdout), len(folders), "nothing has passed")

	_, stderr, code := c.run("scripts/covered", "--record", "hbase", "false")
	require.NotZero(t, code, "the exit code is the command's: %s", stderr)
	require.NoFileExists(t, filepath.Join(c.dir, "test", "passed", "hbase"), "it failed")

	stdout, stderr, code = c.run("scripts/covered", "--record", "hbase", "true")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "test/passed/hbase is written: commit it")
	stdout, _, code = c.run("scripts/covered", "hbase")
	require.Zero(t, code, stdout)

	c.write("elsewhere/file", "a file")
	c.commit()
	stdout, _, code = c.run("scripts/covered", "hbase")
	require.Zero(t, code, "neither that change nor the commit of the pass is covered: %s", stdout)

	c.write("test/hbase/file", "changed")
	stdout, _, code = c.run("scripts/covered", "hbase")
	require.Equal(t, 1, code)
	require.Equal(t, []string{"test/hbase has changes that are not committed"}, lines(stdout))
	c.commit()
	stdout, _, code = c.run("scripts/covered", "hbase")
	require.Equal(t, 1, code)
	require.Equal(t, []string{"test/hbase has changed since make test-hbase passed on all of it"}, lines(stdout))
}

// A database that is added needs no line in the script.
func TestFoldersOfDatabasesAreFoundByTheirTests(t *testing.T) {
	c := newCheckout(t, "covered")
	c.write("configs/suites/r5-nosql.yaml", "a suite")
	c.commit()
	_, stderr, code := c.run("scripts/covered", "databases")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "has the tag databases")

	c.write("internal/target/treedb/watch/watch_real_test.go", "//go:build databases\n\npackage watch\n")
	c.write("internal/target/hbase/hbase_test.go", "//go:build hbase\n\npackage hbase\n")
	c.write("test/targetkit/kit.go", "package targetkit\n")
	c.write("test/mixed/mixed_test.go", "//go:build databases && linux\n\npackage mixed\n")
	c.commit()
	stdout, stderr, code := c.run("scripts/covered", "--list", "databases")
	require.Zero(t, code, stderr)
	require.Equal(t, []string{"configs/suites/r5-nosql.yaml", "internal/target/treedb", "test/mixed", "test/targetkit"}, lines(stdout))

	_, stderr, code = c.run("scripts/covered", "--record", "databases", "true")
	require.Zero(t, code, stderr)
	_, _, code = c.run("scripts/covered", "databases")
	require.Zero(t, code)
	c.write("internal/target/leafdb/leafdb_real_test.go", "//go:build databases\n\npackage leafdb\n")
	c.commit()
	stdout, _, code = c.run("scripts/covered", "databases")
	require.Equal(t, 1, code)
	require.Equal(t, []string{"internal/target/leafdb has changed since make test-databases passed on all of it"}, lines(stdout))
}

func TestASelectionOfNoTestIsAnError(t *testing.T) {
	c := newCheckout(t, "selected")
	c.write("internal/target/treedb/treedb_real_test.go", "//go:build databases\n\npackage treedb\n\nfunc TestSmoke(t *testing.T) {}\nfunc TestLoad(t *testing.T) {}\n")
	c.write("internal/target/leafdb/watch/watch_test.go", "//go:build databases\n\npackage watch\n\nfunc TestFigures(t *testing.T) {}\n")
	c.write("internal/target/leafdb/leafdb_test.go", "package leafdb\n\nfunc TestSmoke(t *testing.T) {}\n")
	all := []string{"./internal/target/leafdb", "./internal/target/leafdb/watch", "./internal/target/treedb"}
	for _, test := range []struct {
		args    []string
		problem string
	}{
		{args: append([]string{""}, all...)},
		{args: append([]string{"Load|Figures/part"}, all...)},
		{args: []string{"^TestSmoke", "--each", "./internal/target/treedb"}},
		{[]string{""}, "no test has the tag databases"},
		{[]string{"", "./internal/target/leafdb"}, "no test with the tag databases"},
		{append([]string{"Smok3"}, all...), "no test with the tag databases matches Smok3"},
		{append([]string{"^TestSmoke", "--each"}, all...), "no test of leafdb with the tag databases matches ^TestSmoke"},
	} {
		_, stderr, code := c.run("scripts/selected", append([]string{"databases"}, test.args...)...)
		require.Equal(t, test.problem == "", code == 0, "%q: %s", test.args, stderr)
		require.Contains(t, stderr, test.problem)
	}
}

func TestAPassIsRecordedOnlyForTheCommitThatPassed(t *testing.T) {
	for name, test := range map[string]struct{ before, during string }{
		"changes before":    {before: "changed"},
		"changes meanwhile": {during: "echo changed >test/hbase/file"},
		"a new file":        {during: "echo new >test/hbase/new"},
		"another commit":    {during: "echo changed >test/hbase/file && git commit -q --no-gpg-sign -am changed"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := suite(t)
			if test.before != "" {
				c.write("test/hbase/file", test.before)
			}
			_, stderr, code := c.run("scripts/covered", "--record", "hbase", "bash", "-c", test.during)
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, "not written down")
			require.NoFileExists(t, filepath.Join(c.dir, "test", "passed", "hbase"))
		})
	}
}

func TestACoveredFolderThatIsGoneIsAnError(t *testing.T) {
	c, _ := suite(t)
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, "test", "java")))
	c.commit()
	_, stderr, code := c.run("scripts/covered", "hbase")
	require.Equal(t, 2, code)
	require.Contains(t, stderr, "test/java is not in the commit")
}
