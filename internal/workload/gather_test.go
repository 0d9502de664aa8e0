package workload

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/keyspace"
)

// multiRows is a workload of mutations of five rows each, and reads.
func multiRows() Config {
	cfg := core()
	cfg.Proportions, cfg.MultiRowSize, cfg.RequestDistribution = Proportions{MultiRow: 0.7, Read: 0.3}, 5, Uniform
	return cfg
}

// sameRegion places keys in regions that end before the given ones.
func sameRegion(splits ...string) func(key []byte) func(key []byte) bool {
	region := func(key []byte) int {
		return len(slices.DeleteFunc(slices.Clone(splits), func(s string) bool { return string(key) < s }))
	}
	return func(key []byte) func([]byte) bool {
		of := region(key)
		return func(other []byte) bool { return region(other) == of }
	}
}

func TestTheRowsOfAMultiRowDifferAndAreInOnePlace(t *testing.T) {
	for _, distribution := range []Distribution{Uniform, Zipfian, Latest, Hotspot, Exponential} {
		for _, integrity := range []bool{false, true} {
			cfg := multiRows()
			cfg.RequestDistribution, cfg.DataIntegrity, cfg.WriteAllFields = distribution, integrity, integrity
			g := shard(t, cfg, false, 0).Generator(0)
			place := sameRegion("user2", "user4", "user7")
			g.Place(place)
			for _, op := range take(t, g, 500) {
				if op.Kind == Read {
					continue
				}
				require.Equal(t, MultiRow, op.Kind)
				require.Len(t, op.Keys, 5)
				seen := map[string]bool{}
				for i, key := range op.Keys {
					require.True(t, place(op.Keys[0])(key), "%s: %s", distribution, key)
					require.False(t, seen[string(key)], "%s: %s twice", distribution, key)
					seen[string(key)] = true
					if integrity {
						want := make([]byte, cfg.FieldLength)
						for f, field := range op.Fields {
							keyspace.FillIntegrity(want, key, field)
							require.Equal(t, want, op.Values[i*len(op.Fields)+f])
						}
					}
				}
				require.Len(t, op.Values, 5*len(op.Fields))
			}
		}
	}
}

// Where the regions are changes neither the other operations nor the first row of a mutation, nor its values.
func TestPlacesDoNotChangeOtherDraws(t *testing.T) {
	firsts := func(splits ...string) (out []string) {
		g := shard(t, multiRows(), false, 0).Generator(0)
		g.Place(sameRegion(splits...))
		for _, op := range take(t, g, 300) {
			key := op.Key
			if op.Kind == MultiRow {
				key = op.Keys[0]
			}
			out = append(out, fmt.Sprintf("%s %s %s", op.Kind, key, bytes.Join(op.Values, nil)))
		}
		return out
	}
	require.Equal(t, firsts(), firsts("user2", "user3", "user8"))
}

// The rows that a region has in a share of its requests are requested with that share, given the region.
func TestTheRowsOfAMultiRowFollowTheDistributionOfRequests(t *testing.T) {
	cfg := multiRows()
	cfg.Proportions, cfg.MultiRowSize, cfg.RecordCount = Proportions{MultiRow: 1}, 2, 20
	cfg.Ordered, cfg.ZeroPadding = true, 2
	cfg.RequestDistribution, cfg.HotspotDataFraction, cfg.HotspotOpnFraction = Hotspot, 0.5, 0.8 // rows 0 to 9 have 80 %
	g := shard(t, cfg, false, 0).Generator(0)
	g.Place(sameRegion("user05", "user15")) // of the rows 5 to 14 half are hot
	hot, all := 0, 0
	for _, op := range take(t, g, 20_000) {
		if first := string(op.Keys[0]); first >= "user10" && first < "user15" {
			all++
			if string(op.Keys[1]) < "user10" {
				hot++
			}
		}
	}
	// Five hot rows weigh 0.08 each, four other cold ones 0.02 each.
	require.InDelta(t, 0.4/0.48, float64(hot)/float64(all), 0.03)
}

func TestGatherDrawsRowsAgainThatLeftTheRegion(t *testing.T) {
	cfg := multiRows()
	cfg.Proportions, cfg.DataIntegrity = Proportions{MultiRow: 1}, true
	g := shard(t, cfg, false, 0).Generator(0)
	var op Op
	for range 100 {
		require.True(t, g.Next(&op))
		before := copied(&op)
		holds := sameRegion("user5")(op.Keys[0])
		require.True(t, op.Gather(holds))
		for i, key := range op.Keys {
			require.True(t, holds(key))
			if holds(before.Keys[i]) {
				require.Equal(t, before.Keys[i], key, "a row that is in the region stays")
			}
			want := make([]byte, cfg.FieldLength)
			keyspace.FillIntegrity(want, key, op.Fields[0])
			require.Equal(t, want, op.Values[i])
		}
		g.Done(&op, Outcome{Code: OK})
	}
	require.False(t, op.Gather(func(key []byte) bool { return string(key) == string(op.Keys[0]) }), "a region with one row")
}

func TestMultiRowsAllocateNothing(t *testing.T) {
	for _, distribution := range []Distribution{Uniform, Zipfian, Latest} {
		cfg := multiRows()
		cfg.RequestDistribution = distribution
		g := shard(t, cfg, false, 0).Generator(0)
		middle := []byte("user5")
		var low bool
		holds := func(key []byte) bool { return bytes.Compare(key, middle) < 0 == low }
		g.Place(func(key []byte) func([]byte) bool {
			low = bytes.Compare(key, middle) < 0
			return holds
		})
		var op Op
		require.Zero(t, testing.AllocsPerRun(2000, func() {
			g.Next(&op)
			g.Done(&op, Outcome{Code: OK})
		}), "%s", distribution)
	}
}

func TestMistakesOfMultiRows(t *testing.T) {
	for text, change := range map[string]func(*Config){
		"multirow.size=1 is too small; write 2 or more":                                              func(c *Config) { c.MultiRowSize = 1 },
		"multirow.size=5 is more than the 4 rows that are requested; lower it, or raise recordcount": func(c *Config) { c.RecordCount = 4 },
		"requestdistribution=sequential conflicts with multirowproportion: rows that follow in the order of their numbers are in different regions; write uniform or zipfian": func(c *Config) {
			c.RequestDistribution = Sequential
		},
		"multirow.size=500 makes one mutation up to 5e+08 bytes long with values of 100000 bytes and fieldcount=10, more than the maximum of 268435456; lower one of the three": func(c *Config) {
			c.MultiRowSize, c.FieldLength = 500, 100_000
		},
	} {
		cfg := multiRows()
		change(&cfg)
		require.EqualError(t, cfg.validate(false), text)
	}
}

func BenchmarkMultiRow(b *testing.B) {
	for _, regions := range []int{1, 10, 100} {
		b.Run(strconv.Itoa(regions), func(b *testing.B) {
			cfg := multiRows()
			cfg.Proportions, cfg.RecordCount, cfg.FieldLength = Proportions{MultiRow: 1}, 1_000_000, 1
			s, err := NewShard(cfg, false, 0, 1, []int{1})
			require.NoError(b, err)
			g := s.Generator(0)
			splits, err := cfg.Splits(regions)
			require.NoError(b, err)
			bounds := slices.Concat([][]byte{nil}, splits, [][]byte{nil})
			var start, stop []byte
			holds := func(key []byte) bool {
				return bytes.Compare(start, key) <= 0 && (stop == nil || bytes.Compare(key, stop) < 0)
			}
			g.Place(func(key []byte) func([]byte) bool {
				i := 1
				for i < len(bounds)-1 && bytes.Compare(bounds[i], key) <= 0 {
					i++
				}
				start, stop = bounds[i-1], bounds[i]
				return holds
			})
			var op Op
			for b.Loop() {
				g.Next(&op)
				g.Done(&op, Outcome{Code: OK})
			}
		})
	}
}
