package conductor

import (
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/record"
)

// announceEvery is the minimum interval between two announcements of the watermark to the agents.
const announceEvery = time.Second

// inserted tracks how far the shards of a run have come with their inserts. It is rebuilt from the archived windows, and
// belongs to the conductor's loop.
type inserted struct {
	run    *record.Run
	agents *shardAgents

	below map[int]int64 // by shard, the key number below which all its rows exist
	sent  int64
	at    clock.Instant // when sent was sent
}

// note records the watermark of a window. Windows may come in any order.
func (in *inserted) note(w *latency.Window) {
	if w.Watermark == 0 {
		return
	}
	if in.below == nil {
		in.below = make(map[int]int64)
	}
	in.below[w.ID.Shard] = max(in.below[w.ID.Shard], w.Watermark)
}

// smallest returns the key number below which the rows of all shards exist; 0 if it is unknown. A lost shard counts with
// its last watermark: the rest of its rows will never exist.
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

// announce sends the smallest watermark to all agents when it has grown, so that they can read the inserts of others.
// With dealt inserts, workers read only their own.
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

// send sends the watermark to one agent, which may have missed it while it was away.
func (in *inserted) send(shard int) {
	if in.sent > 0 {
		in.agents.send(shard, &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Watermark{
			Watermark: &benchdv1.Watermark{Run: in.run.Archived.ID, Key: in.sent},
		}})
	}
}
