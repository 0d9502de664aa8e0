package model

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/target/null/nullspec"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/workload"
)

const ops = 400_000

// traceOf writes a trace in which some keys are very popular, and sizes are skewed.
func traceOf(t *testing.T) (*trace.File, []trace.Entry) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.2, 3, 20_000)
	kinds := []workload.Kind{workload.Read, workload.Read, workload.Read, workload.Update, workload.Update, workload.Scan, workload.Delete}
	var file bytes.Buffer
	w, err := trace.NewWriter(&file)
	require.NoError(t, err)
	all := make([]trace.Entry, ops)
	at := 0.0
	for i := range all {
		at += r.ExpFloat64() * 50_000 * (1.2 + math.Sin(float64(i)/50_000))
		all[i] = trace.Entry{
			At: int64(at), Kind: kinds[r.IntN(len(kinds))], Key: fmt.Appendf(nil, "k%d", zipf.Uint64()),
			Size: 1 + int(50*math.Exp(0.8*r.NormFloat64())),
		}
		if all[i].Kind == workload.Scan {
			all[i].Size, all[i].Rows = 0, 1+r.IntN(20)
		}
		require.NoError(t, w.Add(all[i]))
	}
	_, err = w.Close(trace.Info{})
	require.NoError(t, err)
	f, err := trace.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	return f, all
}

// generated draws operations by the files of a model, as agents do, and returns the case.
func generated(t *testing.T, m Model, scale Scale) (spec.Submission, []workload.Op, *spec.Reader) {
	t.Helper()
	reader := spec.NewReader(nullspec.Target())
	s := spec.Submission{Attachments: map[string][]byte{}}
	for _, f := range m.Files("dir", scale) {
		if f.Name == PropertiesFile {
			s.Files = []spec.File{{Name: f.Name, Content: []byte(f.Text)}}
		} else {
			s.Attachments["dir/"+f.Name] = []byte(f.Text)
		}
	}
	s.Properties = []spec.Setting{{Key: "db", Value: "null"}, {Key: "seed", Value: "7"}}
	suite, warnings, err := reader.Parse(s)
	require.NoError(t, err)
	require.Empty(t, warnings)
	settings, err := reader.Resolve(suite.Cases[0].Properties)
	require.NoError(t, err)
	shard, err := workload.NewShard(settings.Workload, false, 0, 1, []int{1})
	require.NoError(t, err)
	g := shard.Generator(0)
	out := make([]workload.Op, ops)
	for i := range out {
		var op workload.Op
		require.True(t, g.Next(&op))
		out[i] = workload.Op{Kind: op.Kind, Key: bytes.Clone(op.Key), ScanLength: op.ScanLength}
		if len(op.Values) > 0 {
			out[i].Delta = int64(len(op.Values[0])) // its size
		}
	}
	return s, out, reader
}

// top returns the shares of the most popular keys.
func top(keys map[string]int, n, of int) []float64 {
	counts := slices.Sorted(maps.Values(keys))
	slices.Reverse(counts)
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = float64(counts[i]) / float64(of)
	}
	return shares
}

func quartiles(sizes []int) (q [3]float64) {
	slices.Sort(sizes)
	for i := range q {
		q[i] = float64(sizes[len(sizes)*(i+1)/4])
	}
	return q
}

// The model generates the mix of its trace, the shares of the hundred most popular keys and the quartiles of sizes within 5 %.
func TestAModelReproducesItsTrace(t *testing.T) {
	file, entries := traceOf(t)
	m, err := Of(file)
	require.NoError(t, err)
	_, generated, _ := generated(t, m, Scale{Rate: 1, Rows: 1})

	wantMix, gotMix := map[workload.Kind]int{}, map[workload.Kind]int{}
	wantKeys, gotKeys := map[string]int{}, map[string]int{}
	var wantSizes, gotSizes []int
	for i := range ops {
		e, op := entries[i], generated[i]
		wantMix[e.Kind]++
		gotMix[op.Kind]++
		wantKeys[string(e.Key)]++
		gotKeys[string(op.Key)]++
		if e.Kind == workload.Update {
			wantSizes = append(wantSizes, e.Size)
		}
		if op.Kind == workload.Update {
			gotSizes = append(gotSizes, int(op.Delta))
		}
	}
	for kind, n := range wantMix {
		require.InEpsilon(t, n, gotMix[kind], 0.05, kind)
	}
	want, got := top(wantKeys, 100, ops), top(gotKeys, 100, ops)
	worst, sumWant, sumGot := 0.0, 0.0, 0.0
	for i := range want {
		worst = max(worst, math.Abs(got[i]/want[i]-1))
		sumWant, sumGot = sumWant+want[i], sumGot+got[i]
	}
	require.Less(t, worst, 0.05, "the share of each of the hundred most popular keys")
	require.InEpsilon(t, sumWant, sumGot, 0.05)
	wantQ, gotQ := quartiles(wantSizes), quartiles(gotSizes)
	for i := range wantQ {
		require.InEpsilon(t, wantQ[i], gotQ[i], 0.05, "quartile %d of sizes", i+1)
	}
	t.Logf("top 100: %.4f of the trace, %.4f of the model, worst key %.2f %%; quartiles %v and %v", sumWant, sumGot, 100*worst, wantQ, gotQ)
	require.Equal(t, 20, m.Scans[len(m.Scans)-1])
}

func TestAModelIsScaled(t *testing.T) {
	file, _ := traceOf(t)
	m, err := Of(file)
	require.NoError(t, err)
	one, _, reader := generated(t, m, Scale{Rate: 1, Rows: 1})
	more, ops, _ := generated(t, m, Scale{Rate: 3, Rows: 10})
	area := func(s spec.Submission) (operations float64, rows int64) {
		suite, _, err := reader.Parse(s)
		require.NoError(t, err)
		c := suite.Cases[0].Settings
		return c.Pacing.Rate.Area(file.Card.Length.Seconds()), c.Workload.RecordCount
	}
	wantOps, rows := area(one)
	require.InEpsilon(t, wantOps, float64(file.Card.Ops), 0.001)
	gotOps, moreRows := area(more)
	require.InEpsilon(t, 3*wantOps, gotOps, 0.001)
	require.Equal(t, 10*rows, moreRows)
	keys := map[string]int{}
	for _, op := range ops {
		keys[string(op.Key)]++
	}
	hottest := float64(m.Popularity[0].Requests) / float64(file.Card.Ops)
	require.InEpsilon(t, hottest, top(keys, 1, len(ops))[0], 0.05, "the most popular key stays as popular")
}

func TestFilesNameEachOther(t *testing.T) {
	file, _ := traceOf(t)
	m, err := Of(file)
	require.NoError(t, err)
	files := m.Files("a/b", Scale{Rate: 1, Rows: 1})
	require.Len(t, files, 3)
	for _, f := range files[1:] {
		require.Contains(t, files[0].Text, "=a/b/"+f.Name+"\n")
	}
}
