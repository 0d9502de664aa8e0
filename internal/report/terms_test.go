package report_test

import (
	"bytes"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/table"
)

// differentTerms is a suite of an HBase and a sandbox, which do not do the same work.
func differentTerms() result.Suite {
	s := sideBySide(1)
	for i := range s.Runs {
		r := &s.Runs[i]
		r.Resolved = maps.Clone(r.Resolved)
		r.Resolved["db"], r.Resolved["clientbuffering"], r.Resolved["writebuffersize"] = []string{"hbase", "sandbox"}[i], []string{"true", "false"}[i], "2048"
		r.Provenance.Target = map[string]string{"target": "hbase", "hbase.version": "2.6.4", "conf.hbase.rootdir": "hdfs://nn/hbase", "conf.dfs.replication": "3"}
		if i == 1 {
			r.Provenance.Target = map[string]string{"target": "sandbox", "hbase.version": "2.6.4-benchd-sandbox", "conf.hbase.rootdir": ""}
		}
		r.Terms = nil
	}
	table.Conclude(&s, targets())
	return s
}

// termsDiffer are differences of terms, as package compare lists them.
func termsDiffer() []compare.Difference {
	return []compare.Difference{
		{What: "durability", A: "written to the WAL in memory of all replicas (SYNC_WAL, hflush)", B: "in memory: lost when the process ends", Cases: []string{}},
		{What: "replicas", A: "3: HDFS", B: "1", Cases: []string{}},
	}
}

func titles(b book.Book) (out []string) {
	for _, c := range b.Chapters {
		out = append(out, c.Title)
	}
	return out
}

// A report of several targets begins with what differs between them, before any figure.
func TestTermsOfSeveralTargetsComeFirst(t *testing.T) {
	s := differentTerms()
	b := report.SuiteBook(s, targets())
	require.Equal(t, "The targets do not do the same work. Terms that differ: durability, replicas.", b.Answer[0])
	require.Equal(t, "Terms", b.Chapters[0].Title)
	require.Contains(t, markdown(t, b), `
## Terms

The targets do not do the same work. Terms that differ: durability, replicas.

What the workload does on the target, from the settings of the servers at the beginning of a run and the properties of the case.

| target | database | durability | consistency | replicas | scans | updates |
| --- | --- | --- | --- | --- | --- | --- |
| north | hbase | written to the WAL in memory of all replicas (SYNC\_WAL, hflush); sent from a client buffer of 2048 bytes | strong: the server of the region answers | 3: HDFS | in the order of keys | only the written fields (Put) |
| south | sandbox | in memory: lost when the process ends | strong: the server of the region answers | 1 | in the order of keys | only the written fields (Put) |
`)
	for _, c := range b.Chapters {
		if c.Title == "Targets compared" {
			require.Equal(t, []string{
				"- durability of north: written to the WAL in memory of all replicas (SYNC_WAL, hflush); sent from a client buffer of 2048 bytes",
				"- durability of south: in memory: lost when the process ends", "- replicas of north: 3: HDFS", "- replicas of south: 1",
			}, c.Text[:4])
		}
	}
	var out bytes.Buffer
	require.NoError(t, report.SuiteTable(&out, s, report.Options{Targets: targets()}))
	golden(t, "terms.txt", out.String())
}

// Targets that insert batches of different sizes are compared by rows.
func TestTargetsWithDifferentBatchesAreComparedByRows(t *testing.T) {
	s := sideBySide(1)
	for i := range s.Runs {
		p := &s.Runs[i].Phases[0]
		p.Operations = p.Operations[:1]
		p.Operations[0].Op, p.Ops, p.Rows = "INSERT", 1000, []uint64{1000, 300_000}[i]
		p.Throughput = []float64{9000, 50}[i]
	}
	table.Conclude(&s, targets())
	b := report.SuiteBook(s, targets())
	require.Contains(t, b.Answer, "read only: south has the highest throughput, 15,000 rows/s; 1.67 times that of north (9,000); not tested: fewer than 4 runs of each.")
	text := markdown(t, b)
	require.Contains(t, text, "| read only | 9,000 | 15,000 | south | 1.67 |")
	require.Contains(t, text, "read only: in rows per second, because the batches of targets differ")
}

// Targets with the same terms are said to have them; a report of one target has them in its provenance.
func TestTermsThatAreTheSame(t *testing.T) {
	s := differentTerms()
	for i := range s.Runs {
		s.Runs[i].Resolved["db"], s.Runs[i].Resolved["clientbuffering"] = "sandbox", "false"
		s.Runs[i].Provenance.Target = s.Runs[1].Provenance.Target
		s.Runs[i].Terms = nil
	}
	table.Conclude(&s, targets())
	b := report.SuiteBook(s, targets())
	require.Equal(t, []string{"The terms of the targets are the same."}, b.Chapters[0].Text)
	require.NotContains(t, b.Answer[0], "terms")

	one := report.SuiteBook(aSuite(), targets())
	require.NotContains(t, titles(one), "Terms")
	for _, b := range []book.Book{one, report.RunBook(aSuite().Runs[1], targets())} {
		for _, c := range b.Chapters {
			if c.Title == "Provenance" {
				require.Equal(t, "Terms", c.Tables[0].Title)
				require.Equal(t, "sandbox", c.Tables[0].Rows[0][0].Text)
			}
		}
	}
}

// Cases of one target that do not do the same work have rows of their own, which name them.
func TestTermsThatDifferBetweenCases(t *testing.T) {
	s := aSuite()
	for i := range s.Runs {
		s.Runs[i].Resolved = map[string]string{"db": "sandbox", "clientbuffering": []string{"false", "true"}[i%2], "writebuffersize": "2048"}
		s.Runs[i].Terms = nil
	}
	table.Conclude(&s, targets())
	b := report.SuiteBook(s, targets())
	require.Equal(t, "Terms", b.Chapters[0].Title)
	terms := b.Chapters[0].Tables[0]
	require.Empty(t, b.Chapters[0].Text)
	require.Equal(t, "cases", terms.Columns[len(terms.Columns)-1].Head)
	require.Len(t, terms.Rows, 2)
	require.Contains(t, terms.Rows[1][6].Text, "r1 read threadcount=10")
}

// A comparison names the terms that differ before any figure, however many they are.
func TestTermsOfAComparisonComeFirst(t *testing.T) {
	c := comparison()
	c.Differences = append(termsDiffer(), c.Differences...)
	for _, name := range []string{"consistency", "scans", "updates", "durability", "replicas"} {
		c.Differences = append([]compare.Difference{{What: name, A: "x", B: "y", Cases: []string{"c"}}}, c.Differences...)
	}
	var out bytes.Buffer
	require.NoError(t, report.ComparisonTable(&out, c, report.Options{}))
	golden(t, "comparison-terms.txt", out.String())

	c = comparison()
	c.Differences = append(termsDiffer(), c.Differences...)
	b := report.ComparisonBook("A-vs-B", planned, []compare.Comparison{c})
	require.Equal(t, "A and B do not do the same work. Terms that differ: durability, replicas.", b.Answer[0])
	require.Equal(t, "Terms", b.Chapters[0].Title)
	require.Contains(t, markdown(t, b), `
| what | A | B | cases |
| --- | --- | --- | --- |
| durability | written to the WAL in memory of all replicas (SYNC\_WAL, hflush) | in memory: lost when the process ends | all |
| replicas | 3: HDFS | 1 | all |
`)
	require.Len(t, b.Chapters[len(b.Chapters)-1].Tables[0].Rows, len(c.Differences))
}
