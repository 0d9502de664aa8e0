//go:build hbase

package hbase

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Rows written by YCSB's formulas and HBase's own client are read by benchd, and the reverse: no row is missing, no
// byte differs.
func TestTablesAreInterchangeableWithYCSB(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const records, fields, length = 20_000, 10, 100
		base := property("recordcount", records, "fieldcount", fields, "fieldlength", length, "dataintegrity", true)
		read := func(table string, settings ...any) {
			t.Helper()
			r := run(t, s, table, slices.Concat(base, property(settings...), []string{"--threads", "16"})...)
			faultless(t, r)
			require.EqualValues(t, records, count(r, "READ", "OK"))
			require.EqualValues(t, records, count(r, "VERIFY", "OK"))
		}
		everyRow := []any{"readproportion", 1, "updateproportion", 0, "operationcount", records, "requestdistribution", "sequential"}

		theirs, ours := "of_java", "of_benchd"
		// benchd makes the empty table; HBase's client writes its rows.
		faultless(t, run(t, s, theirs, slices.Concat(base, property("insertcount", 1, "hbase.splits", 6, "hbase.table.create", "recreate"),
			[]string{"--phase", "load"})...))
		require.Equal(t, "rows=20000", s.fixture(t, "write", theirs, 0, records, fields, length))
		read(theirs, everyRow...)

		faultless(t, run(t, s, ours, slices.Concat(base, property("hbase.splits", 6, "hbase.table.create", "recreate"),
			[]string{"--phase", "load", "--threads", "16"})...))
		require.Equal(t, "rows=20000 not_found=0 mismatches=0", s.fixture(t, "verify", ours, 0, records, fields, length))
		// The same after updates.
		faultless(t, run(t, s, ours, slices.Concat(base, property("readproportion", 0, "updateproportion", 0.5,
			"readmodifywriteproportion", 0.5, "operationcount", records), []string{"--threads", "16"})...))
		require.Equal(t, "rows=20000 not_found=0 mismatches=0", s.fixture(t, "verify", ours, 0, records, fields, length))
	})
}

// The sandbox answers HBase's official client as a real HBase does, call by call.
func TestTheSandboxAnswersLikeHBase(t *testing.T) {
	var answers [2]string
	for i, kind := range []string{three, sandbox} {
		on(t, []string{kind}, func(t *testing.T, s *server) {
			stdout, code := java(t, 6*time.Minute, "Answers", s.quorum)
			require.Zero(t, code, stdout)
			answers[i] = stdout
		})
	}
	require.Greater(t, strings.Count(answers[0], "\n"), 100)
	require.Equal(t, answers[0], answers[1])
}

// The exceptions that end an operation at once are those of the HBase that runs here, from the jars of its
// processes.
func TestFinalExceptionsAreThoseOfHBase(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		jars, err := os.ReadFile(filepath.Join(s.dir, "conf", "classpath"))
		require.NoError(t, err)
		stdout, code := java(t, 6*time.Minute, "Finals", strings.TrimSpace(string(jars)))
		require.Zero(t, code, stdout)
		var names []string
		for class := range strings.FieldsSeq(stdout) {
			names = append(names, class[strings.LastIndexAny(class, ".$")+1:])
		}
		slices.Sort(names)
		require.Equal(t, slices.Compact(names), protocol.Finals()) // RowTooBigException is listed twice
	})
}

// HBase's official client gets the same answers from the real HBase and the sandbox.
func TestTheOfficialClient(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		stdout, code := java(t, 6*time.Minute, "ClientTest", s.quorum)
		require.Zero(t, code, stdout)
		require.Regexp(t, `\n\d+ checks passed\n$`, stdout)
	})
}
