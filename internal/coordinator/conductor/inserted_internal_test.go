package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
)

// What one shard has not told of, or a lost one can no longer insert, nobody may read.
func TestTheSmallestWatermarkIsOfAllShards(t *testing.T) {
	var in inserted
	tell := func(shard int, watermark int64) {
		in.note(&latency.Window{ID: latency.WindowID{Shard: shard}, Watermark: watermark})
	}
	require.Zero(t, in.smallest(2))
	tell(0, 1100)
	require.Zero(t, in.smallest(2), "shard 1 has told nothing")
	tell(1, 0)
	require.Zero(t, in.smallest(2), "a window of the load tells nothing")
	tell(1, 1051)
	require.EqualValues(t, 1051, in.smallest(2))
	tell(1, 1021)
	require.EqualValues(t, 1051, in.smallest(2), "windows may come out of order")
	for watermark := int64(1200); watermark < 9000; watermark += 1000 {
		tell(0, watermark)
	}
	require.EqualValues(t, 1051, in.smallest(2), "shard 1 was lost")
}
