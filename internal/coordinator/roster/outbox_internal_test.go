package roster

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

func probeOf(seq int) *benchdv1.SessionResponse {
	return &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Probe{Probe: &benchdv1.Probe{Seq: uint64(seq)}}}
}

// Each message is taken once and in its order, also while others are queued.
func TestAnOutboxKeepsTheOrder(t *testing.T) {
	const messages = 900
	o := newOutbox()
	var putting sync.WaitGroup
	putting.Go(func() {
		for i := range messages {
			if !o.put(probeOf(i)) {
				t.Error("the outbox is full")
			}
		}
	})
	var taken []*benchdv1.SessionResponse
	for next := 0; next < messages; {
		<-o.ready
		taken = o.take(taken)
		for _, m := range taken {
			require.EqualValues(t, next, m.GetProbe().GetSeq())
			next++
		}
	}
	putting.Wait()
	require.Empty(t, o.take(nil))
}

// An outbox that nobody empties has a bound, and room again when it is emptied.
func TestAnOutboxIsBounded(t *testing.T) {
	o := newOutbox()
	for i := range mostQueued {
		require.True(t, o.put(probeOf(i)))
	}
	require.False(t, o.put(probeOf(mostQueued)))
	taken := o.take(nil)
	require.Len(t, taken, mostQueued)
	require.True(t, o.put(probeOf(0)))
	require.Len(t, o.take(taken), 1)
	require.LessOrEqual(t, cap(o.queued), keptRoom, "the room for many is given back")
}
