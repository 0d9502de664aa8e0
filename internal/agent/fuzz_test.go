package agent_test

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/agent"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/wiretest"
)

// FuzzSession lets a coordinator send arbitrary data: pieces of the input, each after a byte with its length. Whatever it sends, the
// agent ends when it is asked to.
func FuzzSession(f *testing.F) {
	id := wire.FromShard("20260101-aaaa.1", 0, 1)
	pack := func(messages ...*benchdv1.SessionResponse) []byte {
		var all []byte
		for _, m := range messages {
			b, err := proto.Marshal(m)
			require.NoError(f, err)
			require.Less(f, len(b), 256)
			all = append(append(all, byte(len(b))), b...)
		}
		return all
	}
	prepare := &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Prepare{Prepare: &benchdv1.Prepare{
		Id: id, Shards: 1, Workers: 2, Steward: true, Phases: []*benchdv1.Phase{{Name: "measure", DurationNs: int64(20 * time.Millisecond)}},
		Properties: map[string]string{"db": "null", "recordcount": "9", "interval": "100ms", "threadcount": "2", "null.service": "1ms"},
	}}}
	start := &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Start{Start: &benchdv1.Start{Id: id, Phase: "measure", AtRunNs: 1, Timebase: &benchdv1.Timebase{Run: id.GetRun()}}}}
	probe := &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Probe{Probe: &benchdv1.Probe{Seq: 1 << 63}}}
	stop := &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Stop{Stop: &benchdv1.Stop{Id: id, Reason: "so"}}}
	ack := &benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Ack{Ack: &benchdv1.Ack{Id: id, Phase: "measure", Seq: 1 << 31}}}
	f.Add(pack(prepare, start, probe, ack, stop))
	f.Add(pack(prepare, prepare, start))
	f.Add([]byte{3, 1, 2, 3})
	welcome, err := proto.Marshal(&benchdv1.SessionResponse{Message: &benchdv1.SessionResponse_Welcome{Welcome: &benchdv1.Welcome{Version: "test"}}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, input []byte) {
		b := &fakeCoordinator{t: t, listener: bufconn.Listen(1 << 20)}
		sent := make(chan struct{}, 1)
		serve(t, b.listener, func(_ any, stream grpc.ServerStream) error {
			left := input
			failed := stream.SendMsg(welcome)
			for failed == nil && len(left) > 0 {
				n := min(int(left[0]), len(left)-1)
				failed = stream.SendMsg(left[1 : 1+n])
				left = left[1+n:]
			}
			select {
			case sent <- struct{}{}:
			default: // an earlier stream has sent it
			}
			for failed == nil {
				failed = stream.RecvMsg(nil)
			}
			return failed
		})
		r := newRig(t, b, func(c *agent.Config) { c.Spool = filepath.Join(t.TempDir(), "spool") })
		select {
		case <-sent:
		case <-time.After(tolerance.Patience):
			require.Fail(t, "the agent does not connect")
		}
		time.AfterFunc(5*time.Millisecond, r.end)
		_ = r.result()
	})
}

// serve serves any stream by a handler.
func serve(t *testing.T, l net.Listener, handle grpc.StreamHandler) {
	server := grpc.NewServer(grpc.ForceServerCodecV2(wiretest.Raw{}), grpc.UnknownServiceHandler(handle))
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
}
