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
