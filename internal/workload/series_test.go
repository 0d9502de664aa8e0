package workload

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seriesConfig is YCSB's default with few series.
func seriesConfig() Config {
	return Config{
		RecordCount: 1000, FieldCount: 3, FieldLength: 2, RequestDistribution: Uniform, MinScanLength: 1, MaxScanLength: 9,
		Series: &Series{
			Start: 1_500_000_000, Interval: 60, Units: Seconds, Tags: []int{1, 2, 3}, TagKeyLength: 2, TagValueLength: 3, Values: Floats,
			DelayedSeries: 0.1, DelayedIntervals: 5, TimestampKey: "YCSBTS", ValueKey: "YCSBV", PairDelimiter: "=", DeleteDelimiter: ":", SpanDelimiter: ",",
			GroupKey: "YCSBGB", DownsampleKey: "YCSBDS",
		},
	}
}

func seriesGenerator(t *testing.T, c Config, load bool, workers []int, shard, worker int) *Generator {
	t.Helper()
	s, err := NewShard(c, load, shard, len(workers), workers)
	require.NoError(t, err)
	return s.Generator(worker)
}

// point writes a data point as testdata/series/Trace.java does.
func point(op *Op) string {
	var b strings.Builder
	b.Write(op.Key)
	for i, field := range op.Fields {
		switch string(field) {
		case "YCSBTS":
			fmt.Fprintf(&b, " %s=%d", field, int64(binary.BigEndian.Uint64(op.Values[i])))
		case "YCSBV":
			fmt.Fprintf(&b, " %s=%d bytes", field, len(op.Values[i]))
		default:
			fmt.Fprintf(&b, " %s=%s", field, op.Values[i])
		}
	}
	return b.String()
}

// shape writes the fields of a query in the same way, without what is random.
func shape(op *Op) string {
	var fields []string
	for _, f := range op.Fields {
		text := string(f)
		if !strings.HasPrefix(text, "YCSBDS") {
			text = regexp.MustCompile(`[0-9]+`).ReplaceAllString(text, "N")
			text = regexp.MustCompile(`=[A-Za-z]+`).ReplaceAllString(text, "=T")
		}
		fields = append(fields, text)
	}
	slices.Sort(fields)
	return fmt.Sprintf("%s %d [%s]", op.Kind, len(op.Key), strings.Join(fields, ", "))
}

// The data points and queries are those that YCSB's class sends to a database, recorded by testdata/series/Trace.java.
func TestTimeSeriesAreThoseOfYCSB(t *testing.T) {
	recorded, err := os.ReadFile("testdata/series/ycsb.txt")
	require.NoError(t, err)
	var got strings.Builder
	run := func(name string, threads, points int, change func(c *Config)) {
		c := seriesConfig()
		change(&c)
		load := c.Proportions.Sum() == 0
		for thread := range threads {
			fmt.Fprintf(&got, "# %s, thread %d\n", name, thread)
			g := seriesGenerator(t, c, load, []int{threads}, 0, thread)
			for range points {
				var op Op
				require.True(t, g.Next(&op))
				if load {
					require.Equal(t, Insert, op.Kind)
					got.WriteString(point(&op) + "\n")
				} else {
					got.WriteString(shape(&op) + "\n")
				}
				g.Done(&op, Outcome{})
			}
		}
	}
	run("plain", 2, 30, func(c *Config) { c.Series.DelayedSeries = 0 })
	run("delayed", 1, 40, func(c *Config) { c.Series.DelayedSeries, c.Series.DelayedIntervals = 0.5, 4 })
	run("one value last", 1, 20, func(c *Config) { c.Series.Tags, c.Series.Interval = []int{2, 1, 3}, 5 })
	run("all one", 1, 8, func(c *Config) {
		c.Series.Tags, c.Series.Units, c.Series.Interval = []int{1, 1, 1}, Minutes, 2
	})
	run("hours, milliseconds apart", 1, 8, func(c *Config) {
		c.Series.Tags, c.Series.Units, c.Series.Interval, c.Series.DelayedSeries = []int{1, 1, 2}, Hours, 1, 1
	})
	run("milliseconds", 3, 5, func(c *Config) {
		c.Series.Tags, c.Series.Units, c.Series.Interval = []int{1, 2, 1}, Milliseconds, 250
	})
	reads := func(c *Config) { c.Proportions.Read = 1 }
	spans := func(c *Config) {
		c.Series.Span, c.Series.DownsampleFunction, c.Series.DownsampleInterval = 3600, "sum", 600
	}
	run("reads", 1, 1, reads)
	run("reads of spans", 1, 1, func(c *Config) { reads(c); spans(c) })
	run("scans of spans", 1, 1, func(c *Config) { c.Proportions.Scan = 1; spans(c) })
	require.Equal(t, string(recorded), got.String())
}

// The series of all workers of several agents are disjoint, and together they are all series, whatever the order.
func TestWorkersWriteTheirOwnSeries(t *testing.T) {
	c := seriesConfig()
	c.FieldCount, c.RecordCount, c.Series.DelayedSeries, c.Series.RandomOrder, c.Seed = 20, 12000, 0, true, 7
	workers, seen := []int{2, 1, 3}, make(map[string]int)
	for shard, n := range workers {
		for worker := range n {
			g := seriesGenerator(t, c, true, workers, shard, worker)
			for op := (Op{}); g.Next(&op); g.Done(&op, Outcome{}) {
				if strings.Contains(point(&op), "YCSBTS=1500000000 ") {
					seen[point(&op)]++
				}
			}
		}
	}
	require.Len(t, seen, 20*6)
	for name, n := range seen {
		require.Equal(t, 1, n, name)
	}
}

// A load that is continued by another agent writes the data points that are left.
func TestALoadOfSeriesContinues(t *testing.T) {
	c := seriesConfig()
	c.Series.Sparsity, c.Seed = 0.9, 3
	all, rest := seriesGenerator(t, c, true, []int{2}, 0, 1), seriesGenerator(t, c, true, []int{2}, 0, 1)
	var op Op
	for range 123 {
		require.True(t, all.Next(&op))
		all.Done(&op, Outcome{})
	}
	rest.GoOn(all.Loaded())
	for {
		var other Op
		more := all.Next(&op)
		require.Equal(t, more, rest.Next(&other))
		if !more {
			break
		}
		require.Equal(t, point(&op), point(&other))
		require.Equal(t, op.Values, other.Values)
		all.Done(&op, Outcome{})
		rest.Done(&other, Outcome{})
	}
}

func TestQueriesAndChangesOfSeries(t *testing.T) {
	c := seriesConfig()
	c.Proportions = Proportions{Delete: 1, Update: 1, Insert: 1, Read: 1, Scan: 1}
	c.Series.GroupFunction, c.Series.GroupBy, c.Series.Span, c.Series.RandomSpan = "sum", []bool{false, true, false}, 600, true
	c.Series.Values, c.Series.RandomTimestamps = MixedNumbers, true
	g := seriesGenerator(t, c, false, []int{1}, 0, 0)
	removed := regexp.MustCompile(`^A[A-C]:AA=AAA:AB:AC=AA[A-C]:YCSBTS=15[0-9]{8},15[0-9]{8}$`)
	query := regexp.MustCompile(`^(READ|SCAN) 2 \[AA=T, AB, AC=T, YCSBGB=T, YCSBTS=T,N\]$`)
	last := c.Series.Start + 60*(c.RecordCount/18+1)
	kinds := make(map[Kind]int)
	var op Op
	for range 5000 {
		require.True(t, g.Next(&op))
		kinds[op.Kind]++
		switch op.Kind {
		case Delete:
			require.Regexp(t, removed, string(op.Key))
		case Read, Scan:
			require.Regexp(t, query, shape(&op))
		default:
			at := int64(binary.BigEndian.Uint64(op.Values[3]))
			require.True(t, at > c.Series.Start-600 && at < last, "%s", point(&op))
			v := binary.BigEndian.Uint64(op.Values[4])
			float, number := math.Float64frombits(v), int64(v)
			require.True(t, float > 0 && float < 100_000 || number >= math.MinInt32 && number <= math.MaxInt32)
		}
		g.Done(&op, Outcome{})
	}
	require.Len(t, kinds, 5)
	require.Zero(t, testing.AllocsPerRun(2000, func() { g.Next(&op); g.Done(&op, Outcome{}) }))
}

func TestMistakesInSeriesAreFoundTogether(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		"recordcount=17 is less than the number of time series, 18; raise it": func(c *Config) { c.RecordCount = 17 },
		"fieldcount=3000 is more than there are names of 2 letters":           func(c *Config) { c.FieldCount, c.RecordCount = 3000, 1e6 },
		"tagcardinality=0 is too small":                                       func(c *Config) { c.Series.Tags[1] = 0 },
		"tagcount=0 is out of range":                                          func(c *Config) { c.Series.Tags = nil },
		"timestampinterval=0 is too small":                                    func(c *Config) { c.Series.Interval = 0 },
		"sparsity=1 is out of range":                                          func(c *Config) { c.Series.Sparsity = 1 },
		"delayedintervals=0 is too small":                                     func(c *Config) { c.Series.DelayedIntervals = 0 },
		"groupbykeys=1 is not the number of tags":                             func(c *Config) { c.Series.GroupFunction, c.Series.GroupBy = "sum", []bool{true} },
		"downsamplinginterval=0 is too small":                                 func(c *Config) { c.Series.DownsampleFunction = "sum" },
		"valuekey=YCSBTS is also timestampkey":                                func(c *Config) { c.Series.ValueKey = "YCSBTS" },
		"dataintegrity=true is not possible with TimeSeriesWorkload":          func(c *Config) { c.DataIntegrity = true },
		"appendproportion=1 is not possible with TimeSeriesWorkload":          func(c *Config) { c.Proportions.Append = 1 },
		"requestdistribution=latest is not possible":                          func(c *Config) { c.RequestDistribution = Latest },
	} {
		c := seriesConfig()
		c.Proportions.Read = 1
		change(&c)
		require.ErrorContains(t, c.Validate(), want)
	}
	c := seriesConfig()
	_, err := NewShard(c, true, 0, 2, []int{2, 2})
	require.ErrorContains(t, err, "each of 4 threads writes its own time series, but there are 3 keys: raise fieldcount, or use fewer threads")
}
