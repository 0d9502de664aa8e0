package workload

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
)

const usersTemplate = "{tenant:zipf(1000)}-{ts:reverse}-{seq:hash}"

// Eight agents load the rows of a template, each key once, and exactly the keys of the rows.
func TestAgentsLoadEachKeyOfATemplateOnce(t *testing.T) {
	for _, template := range []string{usersTemplate, "{salt(16)}-{seq:pad(9)}", "{device:cycle(100)}-{ts:per(100)}"} {
		cfg := core()
		cfg.KeyTemplate, cfg.RecordCount, cfg.InsertStart, cfg.InsertCount, cfg.FieldCount = template, 30_000, 7, 20_011, 1
		workers := []int{1, 2, 3, 1, 2, 3, 1, 4}
		loaded := make(map[string]int)
		for index := range workers {
			s := shard(t, cfg, true, index, workers...)
			for worker := range workers[index] {
				g := s.Generator(worker)
				for op := (Op{}); g.Next(&op); g.Done(&op, Outcome{Code: OK}) {
					before, twice := loaded[string(op.Key)]
					require.False(t, twice, "agents %d and %d load %s", before, index, op.Key)
					loaded[string(op.Key)] = index
				}
			}
		}
		require.Len(t, loaded, 20_011)
		names, err := cfg.Names()
		require.NoError(t, err)
		for n := int64(7); n < 7+20_011; n++ {
			_, ok := loaded[string(names.Append(nil, n))]
			require.True(t, ok)
		}
	}
}

// Eight agents insert in a run, with another seed than that of the load: no key twice, and none that was loaded. All reads
// go to rows that exist.
func TestAgentsInsertDisjointKeysOfATemplate(t *testing.T) {
	cfg := core()
	cfg.KeyTemplate, cfg.RequestDistribution, cfg.Proportions = usersTemplate, Latest, Proportions{Read: 0.5, Insert: 0.4, MultiGet: 0.1}
	cfg.FieldCount, cfg.FieldLength = 1, 1
	names, err := cfg.Names()
	require.NoError(t, err)
	exists := make(map[string]bool)
	for n := range cfg.RecordCount {
		exists[string(names.Append(nil, n))] = true
	}
	require.Len(t, exists, int(cfg.RecordCount))
	workers := []int{1, 2, 3, 1, 2, 3, 1, 4}
	for index := range workers {
		cfg.Seed = uint64(1000 + index)
		g := shard(t, cfg, false, index, workers...).Generator(0)
		var op Op
		for range 3000 {
			require.True(t, g.Next(&op))
			switch op.Kind {
			case Insert:
				require.False(t, exists[string(op.Key)], "%s is inserted twice", op.Key)
				exists[string(op.Key)] = true
			case Read:
				require.True(t, exists[string(op.Key)], "%s does not exist", op.Key)
			default:
				for _, key := range op.Keys {
					require.True(t, exists[string(key)], "%s does not exist", key)
				}
			}
			g.Done(&op, Outcome{Code: OK})
		}
	}
}

// The tenants of a template share the rows of a load by Zipf's law. Uniform requests have the shares of the loaded rows; other requests
// follow the popularity of the rows alone, whatever their tenant.
func TestTenantsOfATemplate(t *testing.T) {
	const tenants, rows = 50, 200_000
	share := make([]float64, tenants)
	var sum float64
	for i := range share {
		share[i] = math.Pow(float64(i+1), -0.99)
		sum += share[i]
	}
	count := func(keys func(yield func([]byte))) (counts [tenants]float64, total float64) {
		keys(func(key []byte) {
			tenant, err := strconv.Atoi(string(key[:bytes.IndexByte(key, '-')]))
			require.NoError(t, err)
			counts[tenant]++
			total++
		})
		return counts, total
	}
	requireShares := func(counts [tenants]float64, total float64) {
		var chi float64
		for i, n := range counts {
			expected := total * share[i] / sum
			chi += (n - expected) * (n - expected) / expected
		}
		require.Less(t, chi, 85.4, "χ² of 49 degrees of freedom exceeds it in 0.1 % of samples")
	}
	cfg := core()
	cfg.KeyTemplate, cfg.RecordCount, cfg.FieldCount, cfg.FieldLength = "{tenant:zipf(50)}-{seq:hash}", rows, 1, 1
	ops := func(load bool, n int) func(func([]byte)) {
		return func(yield func([]byte)) {
			g := shard(t, cfg, load, 0).Generator(0)
			var op Op
			for range n {
				require.True(t, g.Next(&op))
				yield(op.Key)
				g.Done(&op, Outcome{Code: OK})
			}
		}
	}
	counts, total := count(ops(true, rows))
	requireShares(counts, total)
	share, sum = counts[:], total
	cfg.Proportions, cfg.RequestDistribution = Proportions{Read: 1}, Uniform
	requireShares(count(ops(false, draws/5)))

	// The most popular row of the zipfian distribution has 3.8 % of all requests, and so has at least its tenant.
	cfg.RequestDistribution = Zipfian
	names, err := cfg.Names()
	require.NoError(t, err)
	hottest := keyspace.NewScrambled(0, rows).Place(0)
	tenant, _, _ := strings.Cut(string(names.Append(nil, hottest)), "-")
	i, err := strconv.Atoi(tenant)
	require.NoError(t, err)
	counts, total = count(ops(false, draws/5))
	require.Greater(t, counts[i]/total, 1/26.469-0.003)
}

func TestTemplatesAndRatiosDoNotAllocate(t *testing.T) {
	for _, template := range []string{usersTemplate, "{device:cycle(1000)}-{ts:per(1000),second}", "{id:base62(9)}{seq:hash,base62}"} {
		cfg := core()
		cfg.KeyTemplate, cfg.ValueRatio, cfg.Proportions, cfg.OperationCount = template, 0.5, everything(), 100_000
		cfg.FieldLengthDistribution, cfg.ValueSizes = Sample, &LengthSample{Lengths: []int64{0, 7, 20, 300}, Counts: []int64{1, 1, 2, 1}}
		for _, load := range []bool{false, true} {
			cfg.InsertCount, cfg.RecordCount = 100_000, 100_000
			g := shard(t, cfg, load, 0).Generator(0)
			var op Op
			require.Zero(t, testing.AllocsPerRun(2000, func() {
				g.Next(&op)
				g.Done(&op, Outcome{Code: OK})
			}), "%s, load %v", template, load)
		}
	}
}

// Integrity works with a template: what is written is verified, and another value is found.
func TestIntegrityOfTemplates(t *testing.T) {
	cfg := core()
	cfg.KeyTemplate, cfg.DataIntegrity, cfg.Proportions = usersTemplate, true, Proportions{Read: 1}
	written := make(map[string][][]byte)
	for _, op := range take(t, shard(t, cfg, true, 0).Generator(0), int(cfg.RecordCount)) {
		written[string(op.Key)] = op.Values
	}
	g := shard(t, cfg, false, 0).Generator(0)
	for i := range 1000 {
		var op Op
		require.True(t, g.Next(&op))
		values, ok := written[string(op.Key)]
		require.True(t, ok)
		for f, field := range op.Fields {
			value := bytes.Clone(values[f])
			if i%10 == 0 && f == 3 {
				value[50]++
			}
			op.Collect(field, value)
		}
		out, verified := g.Verify(&op)
		require.True(t, verified)
		require.Equal(t, i%10 != 0, out.Code == OK)
		g.Done(&op, Outcome{Code: OK})
	}
}

func TestMistakesInUserData(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`key.template="x" is invalid: column 1 of the template: two rows could have the same key: no part differs for every row; add {seq} or {seq:hash}, the key number, or {ts}, its time; correct it`: func(c *Config) { c.KeyTemplate = "x" },
		`key.template="{ts:day,step(24h)}" has times for 2913174 rows, and this workload may have up to 5000000; write a smaller step, a larger per, or an earlier start of ts, or set operationcount, which bounds the inserts`: func(c *Config) {
			c.KeyTemplate, c.RecordCount = "{ts:day,step(24h)}", 5_000_000
		},
		`key.template="{ts:day,step(24h)}" has times for 2913174 rows, and this workload may have up to 68719477736; write a smaller step, a larger per, or an earlier start of ts, or set operationcount, which bounds the inserts`: func(c *Config) {
			c.KeyTemplate, c.Proportions.Insert = "{ts:day,step(24h)}", 1
		},
		`key.template="é{seq}" conflicts with dataintegrity=true, which hashes values as ASCII text; write it with ASCII letters`: func(c *Config) {
			c.KeyTemplate, c.DataIntegrity = "é{seq}", true
		},
		`value.ratio=0.2 is out of range; write a ratio from 0.4 to 1: below it snappy and zstd do not agree, because snappy needs three bytes for each 64 that repeat`: func(c *Config) { c.ValueRatio = 0.2 },
		`value.ratio=0.5 conflicts with dataintegrity=true, whose values follow from key and field; remove one of them`: func(c *Config) {
			c.ValueRatio, c.DataIntegrity = 0.5, true
		},
		`value.sizes= is missing; name a file with sizes, or write another fieldlengthdistribution`: func(c *Config) { c.FieldLengthDistribution = Sample },
	} {
		cfg := core()
		change(&cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
	cfg := core()
	cfg.KeyTemplate, cfg.Proportions, cfg.OperationCount = "{ts:day,step(24h)}", Proportions{Insert: 1}, 1_000_000
	require.NoError(t, cfg.Validate(), "operationcount bounds the inserts")
}
