package workload

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run that inserts after the rows of others requests its known rows and its own: the rows in between may not exist.
func TestRowsBetweenTheRangeAndTheInsertsAreNotRequested(t *testing.T) {
	for _, distribution := range []Distribution{Uniform, Zipfian, Latest, Hotspot, Exponential} {
		for _, dealt := range []bool{false, true} {
			t.Run(fmt.Sprint(distribution, dealt), func(t *testing.T) {
				cfg := core()
				cfg.RecordCount, cfg.InsertBase, cfg.OperationCount = 1000, 5000, 20_000
				cfg.Proportions, cfg.RequestDistribution, cfg.DealInserts = Proportions{Read: 0.7, Insert: 0.3}, distribution, dealt
				cfg.Ordered = true
				all := []*Shard{shard(t, cfg, false, 0, 2, 1, 1), shard(t, cfg, false, 1, 2, 1, 1)}
				there := make(map[int64]bool)
				for n := range cfg.RecordCount {
					there[n] = true
				}
				highest, news := int64(0), 0
				generators := []*Generator{all[0].Generator(0), all[1].Generator(0)}
				var op Op
				for i := range 10_000 {
					g := generators[i%2]
					require.True(t, g.Next(&op))
					n := number(op.Key)
					out := Outcome{Code: OK}
					switch op.Kind {
					case Read:
						require.True(t, there[n], "row %d", n)
						if n >= cfg.RecordCount {
							news++
						}
					default:
						require.GreaterOrEqual(t, n, cfg.InsertBase)
						require.False(t, there[n], "row %d is inserted twice", n)
						if highest = max(highest, n); i%7 == 0 {
							out.Code = Timeout
						} else {
							there[n] = true
						}
					}
					g.Done(&op, out)
					if i%500 == 0 {
						smallest := min(all[0].Watermark(), all[1].Watermark())
						require.GreaterOrEqual(t, smallest, cfg.InsertBase)
						all[0].SetWatermark(smallest)
						all[1].SetWatermark(smallest)
					}
				}
				require.Equal(t, int64(len(there))-cfg.RecordCount, all[0].InsertedRows()+all[1].InsertedRows())
				require.Equal(t, highest+1, max(all[0].InsertedBelow(), all[1].InsertedBelow()))
				if distribution == Latest || distribution == Zipfian {
					require.Positive(t, news, "new rows are asked for, as they would be without a gap")
				}
			})
		}
	}
}

func TestAShardThatInsertsNothingIsBelowItsBase(t *testing.T) {
	cfg := core()
	cfg.RecordCount, cfg.Proportions = 1000, Proportions{Read: 1}
	require.EqualValues(t, 1000, shard(t, cfg, false, 0, 1, 1).InsertedBelow())
}
