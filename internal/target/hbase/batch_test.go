package hbase_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/workload"
)

// hold withholds answers until release, and reports each request that has come.
func hold(t *testing.T, f *fake) (came chan *request, release func()) {
	t.Helper()
	came = make(chan *request, 100)
	wait := make(chan struct{})
	release = sync.OnceFunc(func() { close(wait) })
	t.Cleanup(release) // before the fake stops, which waits for its answers
	f.do(func(r *request) *reply {
		a := f.handle(r)
		a.wait = wait
		came <- r
		return a
	})
	return came, release
}

// start begins a read and returns a channel for its outcome.
func start(ctx context.Context, s load.Session, key string) chan workload.Outcome {
	out := make(chan workload.Outcome, 1)
	go func() { out <- s.Do(ctx, read(key)) }()
	return out
}

func gathered(t *testing.T, target *hbase.Table, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return target.Gathered() == n }, tolerance.Patience, time.Millisecond)
}

// When the operation of a batch's leader ends, the others keep their time, their answers and the connection.
func TestALeadersTimeoutDoesNotEndTheBatch(t *testing.T) {
	f := newFake(t)
	f.put("b", map[string]string{"f": "v"})
	target, first := open(t, settings(t, "hbase.batch.size", "2", "hbase.batch.delay", "10s", "hbase.client.operation.timeout", "60000"), one(f.addr()))
	second, err := target.Open(t.Context(), 1)
	require.NoError(t, err)
	came, release := hold(t, f)

	ctx, cancel := context.WithCancel(t.Context())
	leader := start(ctx, first, "a")
	gathered(t, target, 1)
	follower := start(t.Context(), second, "b")
	<-came
	cancel()
	require.Equal(t, workload.Timeout, (<-leader).Code)
	release()
	require.Equal(t, workload.Outcome{Code: workload.OK, Rows: 1, Bytes: 2}, <-follower)
	require.Equal(t, 1, f.connections())
	require.Len(t, f.requests(), 1, "nothing is sent again")
	require.Zero(t, target.Counts()["retry"])
}

// Without a delay, a batch collects operations while a request is under way.
func TestABatchWithoutDelayCollectsDuringARequest(t *testing.T) {
	f := newFake(t)
	target, first := open(t, settings(t, "hbase.batch.size", "100"), one(f.addr()))
	hbase.GatherWithin(target, time.Minute)
	came, release := hold(t, f)
	outs := []chan workload.Outcome{start(t.Context(), first, "k")}
	<-came
	for w := range 8 {
		s, err := target.Open(t.Context(), w+1)
		require.NoError(t, err)
		outs = append(outs, start(t.Context(), s, fmt.Sprint("k", w)))
	}
	gathered(t, target, 8)
	release()
	for _, out := range outs {
		require.Equal(t, workload.NotFound, (<-out).Code)
	}
	require.Len(t, f.requests(), 2, "one under way, and one with all that waited")
	var m pb.MultiRequest
	require.NoError(t, proto.Unmarshal(f.requests()[1].param, &m))
	require.Len(t, m.GetRegionAction()[0].GetAction(), 8)
}

// An unanswered request does not hold up the others for its whole time.
func TestABatchDoesNotWaitLongForARequestUnderWay(t *testing.T) {
	f := newFake(t)
	target, first := open(t, settings(t, "hbase.batch.size", "100"), one(f.addr()))
	came, release := hold(t, f)
	leader := start(t.Context(), first, "k")
	<-came
	s, err := target.Open(t.Context(), 1)
	require.NoError(t, err)
	other := start(t.Context(), s, "l")
	<-came
	release()
	require.Equal(t, workload.NotFound, (<-leader).Code)
	require.Equal(t, workload.NotFound, (<-other).Code)
}
