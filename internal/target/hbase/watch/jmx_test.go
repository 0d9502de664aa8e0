package watch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
)

const fabricated = `{
  "beans" : [ {
    "name" : "Hadoop:service=HBase,name=RegionServer,sub=Server",
    "modelerType" : "RegionServer,sub=Server",
    "tag.serverName" : "rs1,16020,1700000000000",
    "tag.quoted" : "a \"}], b",
    "nested" : { "used" : 1, "list" : [ 1, { "x" : null } ] },
    "totalRequestCount" : 1200,
    "readRequestCount" : 1000,
    "blockCacheMissCount" : 25,
    "blockCacheHitCount" : 75,
    "storeFileCount" : 12,
    "memStoreSize" : 1.5E3,
    "percentFilesLocal" : "NaN"
  } ]
}`

func TestAttributesOfABean(t *testing.T) {
	b := serverBeans()[0]
	var v values
	found, err := b.read([]byte(fabricated), clock.Mono(), &v)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "rs1,16020,1700000000000", v.server)
	require.Equal(t, []observe.Reading{
		{Name: "hbase.regionserver.requests", Unit: "1/s", Kind: observe.Counter, Value: 1200},
		{Name: "hbase.regionserver.requests_read", Unit: "1/s", Kind: observe.Counter, Value: 1000},
		{Name: "hbase.regionserver.block_cache_hit_percent", Unit: "percent", Kind: observe.Share, Value: 75, Of: 100},
		{Name: "hbase.regionserver.block_cache_misses", Unit: "1/s", Kind: observe.Counter, Value: 25},
		{Name: "hbase.regionserver.store_files", Unit: "1", Value: 12},
		{Name: "hbase.regionserver.memstore_size", Unit: "bytes", Value: 1500},
	}, b.readings(&v), "a missing attribute is not zero")

	readings := b.readings(&v)
	found, err = b.read(regexp.MustCompile(`: ([0-9.E]+)`).ReplaceAll([]byte(fabricated), []byte(`: "$1"`)), clock.Mono(), &v)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, readings, b.readings(&v), "HBase 1.4 writes numbers as strings")

	found, err = b.read([]byte(`{"beans":[]}`), clock.Mono(), &v)
	require.NoError(t, err)
	require.False(t, found)
	require.Empty(t, b.readings(&v), "nothing of the bean before is left")
}

// The processor time of a process is a share of that of the processors that it may use, also if their number changes.
func TestProcessorTimeIsAShareOfTheProcessors(t *testing.T) {
	beans := serverBeans()
	b := beans[slices.IndexFunc(beans, func(b *bean) bool { return b.key == "os" })]
	rates := observe.NewRates()
	var v values
	begin := clock.Mono()
	rates.Since(begin.Add(-time.Second))
	var got []float64
	for _, read := range []struct{ second, cpu, processors int }{{0, 70, 2}, {10, 75, 2}, {20, 95, 2}, {30, 105, 4}, {40, 145, 4}} {
		at := begin.Add(time.Duration(read.second) * time.Second)
		found, err := b.read(fmt.Appendf(nil, `{"beans":[{"ProcessCpuTime":%d000000000,"SystemCpuLoad":0.5,"AvailableProcessors":%d}]}`, read.cpu, read.processors), at, &v)
		require.NoError(t, err)
		require.True(t, found)
		for _, s := range rates.Take(nil, &observe.Group{Key: "jmx os", Source: "rs", At: at, Live: true, Readings: b.readings(&v)}) {
			require.Equal(t, "hbase.regionserver.cpu_percent", s.Name)
			got = append(got, s.Value)
		}
	}
	require.InDeltaSlice(t, []float64{25, 100, 25, 100}, got, 1e-9)
}

func TestPagesWithoutBeansAreRefused(t *testing.T) {
	for _, page := range []string{
		"", "<html>", "[]", `{"beans":1}`, `{"other":[]}`, `{"beans":[{"a"`, `{"beans":[{"a":1`, `{"beans":[{"a":"`, `{"beans":[{"a":1 "b":2}]}`,
		`{"beans":[{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}]}`,
	} {
		_, err := attributes([]byte(page), func(_, _ []byte) {})
		require.ErrorIs(t, err, errJSON, page)
	}
}

func TestReadingABeanDoesNotAllocateForOtherAttributes(t *testing.T) {
	b := serverBeans()[0]
	page := []byte(strings.Replace(fabricated, `"nested"`, strings.Repeat(`"unknownAttribute":1234567,`, 300)+`"nested"`, 1))
	var v values
	allocations := testing.AllocsPerRun(100, func() {
		_, err := b.read(page, clock.Mono(), &v)
		require.NoError(t, err)
	})
	require.LessOrEqual(t, allocations, 16.0)
}

func FuzzBeans(f *testing.F) {
	f.Add([]byte(fabricated))
	f.Add([]byte(`{"beans":[{}]}`))
	f.Add([]byte(`{"beans":[{"a":{"b":[]}}]}`))
	f.Fuzz(func(t *testing.T, page []byte) {
		got := map[string]string{}
		_, err := attributes(page, func(name, value []byte) { got[string(name)] = string(value) })
		var all struct{ Beans []map[string]json.RawMessage }
		if !json.Valid(page) || err != nil || json.Unmarshal(page, &all) != nil || len(all.Beans) == 0 {
			return
		}
		for name, value := range got {
			if strings.ContainsAny(name, `\`) || bytes.ContainsAny(page, "\x7f") {
				return // spelled in another way
			}
			if want, ok := all.Beans[0][name]; ok && json.Valid([]byte(value)) && strings.Count(string(page), `"`+name+`"`) == 1 {
				require.JSONEq(t, string(want), value)
			}
		}
	})
}
