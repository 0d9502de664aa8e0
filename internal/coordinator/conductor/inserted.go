package conductor

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/record"
)

// announceEvery is how often at most agents hear how far all of them have come with their inserts.
const announceEvery = time.Second

// inserted is how far the shards of a run have come with their inserts. It is rebuilt from the archive's windows, and
// belongs to the conductor's loop.
type inserted struct {
	run    *record.Run
	agents *shardAgents

	below map[int]int64 // by shard, the key number below which its rows are there
	sent  int64
	at    clock.Instant // of sending
}

// note takes a window. Windows may come in any order.
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

// announce sends all agents of the run what they may read beside their own inserts, when that has grown. Where inserts are
// dealt out, workers read no others.
func (in *inserted) announce(now clock.Instant) {
	shards := in.run.State.Life.Shards
	if len(shards) < 2 || in.run.Settings.Workload.DealInserts || now.Sub(in.at) < announceEvery {
		return
	}
	key := in.smallest(len(shards))
	if key <= in.sent {
		return
	}
	in.sent, in.at = key, now
	for i := range shards {
		if shards[i].Held() {
			in.send(i)
		}
	}
}

// send sends it to one agent. One that was away may have missed it.
func (in *inserted) send(shard int) {
	if in.sent > 0 {
		in.agents.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Watermark{
			Watermark: &benchdv1.Watermark{Run: in.run.Archived.ID, Key: in.sent},
		}})
	}
}
