package coordinator

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
)

// tellEvery is how often at most agents are told how far all of them have come with their inserts.
const tellEvery = time.Second

// inserted is how far the shards of a run have come with their inserts. It is rebuilt from the archive's windows, and
// belongs to the conductor's loop.
type inserted struct {
	below map[int]int64 // by shard, the key number below which its rows are there
	told  int64
	at    clock.Instant // of telling
}

// note takes what a window tells. Windows may come in any order.
func (in *inserted) note(w *latency.Window) {
	if w.Watermark == 0 {
		return
	}
	if in.below == nil {
		in.below = make(map[int]int64)
	}
	in.below[w.ID.Shard] = max(in.below[w.ID.Shard], w.Watermark)
}

// smallest is the key number below which the rows of all shards are there; 0 if it is not known. A shard that was lost
// counts with what it had inserted: the rows that it still had to insert will never be there.
func (in *inserted) smallest(shards int) int64 {
	if len(in.below) < shards {
		return 0
	}
	var smallest int64
	for _, key := range in.below {
		if smallest == 0 || key < smallest {
			smallest = key
		}
	}
	return smallest
}

// tellInserted tells all agents of the run what they may read beside their own inserts, when that has grown. Where
// inserts are dealt out, workers read no others.
func (cd *conductor) tellInserted(now clock.Instant) {
	shards := cd.run.State.Life.Shards
	if len(shards) < 2 || cd.run.Settings.Workload.DealInserts || now.Sub(cd.inserted.at) < tellEvery {
		return
	}
	key := cd.inserted.smallest(len(shards))
	if key <= cd.inserted.told {
		return
	}
	cd.inserted.told, cd.inserted.at = key, now
	for i, sh := range shards {
		if sh.Held() {
			cd.sendInserted(i)
		}
	}
}

// sendInserted tells one agent. One that was away may have missed it.
func (cd *conductor) sendInserted(shard int) {
	if cd.inserted.told > 0 {
		cd.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Watermark{
			Watermark: &benchdv1.Watermark{Run: cd.id, Key: cd.inserted.told},
		}})
	}
}
