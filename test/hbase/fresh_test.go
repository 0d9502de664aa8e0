//go:build hbase

package hbase

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// Repeats of a case that makes values longer and adds rows, on three tables: one is restored from a snapshot before each repeat, one
// keeps what the repeats leave, and the third one is emptied before each repeat that fills it.
const freshSuite = `
suite: fresh state
order: abba
properties:
  {db: hbase, hbase.zookeeper.quorum: "%s", columnfamily: family, threads.total: 2, fieldcount: 1, fieldlength: 4000,
   requestdistribution: uniform, readproportion: 0.48, updateproportion: 0, appendproportion: 0.5, insertproportion: 0.02, operationcount: 800}
targets:
  restored: {table: fresh_restored}
  inherited: {table: fresh_inherited}
  emptied: {table: fresh_emptied}
datasets:
  rows: {properties: {recordcount: 10, hbase.table.create: recreate, after.load: "flush,snapshot replace=true"}}
scenarios:
  - name: append
    dataset: rows
    targets: [restored, inherited]
    per-target: {restored: {before.run: restore}}
    repeats: 4
  - name: insert
    dataset: rows
    targets: [emptied]
    properties: {readproportion: 0, appendproportion: 0, insertproportion: 1, operationcount: 300}
    repeats: 3
    before: [truncate]
`

// With a restored table every repeat finds the rows of the snapshot, and does the same work: the bytes that it moves hardly differ.
// Without it each repeat finds more, and moves more.
func TestRepeatsFromTheSameStateAgree(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		file := filepath.Join(t.TempDir(), "fresh.yaml")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, freshSuite, s.quorum), 0o600))
		stdout, stderr, code := testcluster.Run(t, 10*time.Minute, "benchctl", "run", "-f", file, "-q", "-o", "json")
		require.Zero(t, code, stderr)
		var suite result.Suite
		require.NoError(t, json.Unmarshal([]byte(stdout), &suite))

		bytes, inserts, noted := map[string][]float64{}, map[string][]uint64{}, map[string]int{}
		for _, r := range suite.Runs {
			i := slices.IndexFunc(r.Phases, func(p result.Phase) bool { return p.Name == string(plan.Measure) })
			if i < 0 {
				continue
			}
			p := r.Phases[i]
			bytes[r.Case] = append(bytes[r.Case], float64(p.Bytes))
			var n uint64
			for _, o := range p.Operations {
				if o.Op == "INSERT" && o.Outcome == "OK" {
					n += o.Count
				}
			}
			inserts[r.Case] = append(inserts[r.Case], n)
			t.Logf("%s: %.0f ops/s, %.1f MB", r.Case, p.Throughput, float64(p.Bytes)/1e6)
			for _, e := range p.Events {
				if strings.Contains(e.Text, "; it has 10 rows, as the snapshot") || strings.HasSuffix(e.Text, "table fresh_emptied is empty") {
					noted[r.Case]++
				}
			}
		}
		restored, inherited := bytes["append on restored"], bytes["append on inherited"]
		require.Len(t, restored, 4)
		require.Len(t, inherited, 4)
		require.Less(t, slices.Max(restored), 1.25*slices.Min(restored), "%v", restored)
		require.Greater(t, slices.Max(inherited), 2.5*slices.Min(inherited), "%v", inherited)
		require.Equal(t, map[string]int{"append on restored": 4, "insert": 3}, noted, "the rows were counted")

		sum := func(list []uint64) (n uint64) {
			for _, one := range list {
				n += one
			}
			return n
		}
		last := func(name string) uint64 { return inserts[name][len(inserts[name])-1] }
		require.Equal(t, 10+last("append on restored"), s.rows(t, "fresh_restored"))
		require.Equal(t, 10+sum(inserts["append on inherited"]), s.rows(t, "fresh_inherited"))
		require.Equal(t, last("insert"), s.rows(t, "fresh_emptied"))
	})
}
