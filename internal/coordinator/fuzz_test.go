package coordinator_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/wiretest"
)

// FuzzSession lets an agent send arbitrary data: pieces of the input, each after a byte with its length. Whatever it
// sends, the run of an honest agent completes with the right counts.
func FuzzSession(f *testing.F) {
	hello := &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Hello{Hello: &benchdv1.Hello{
		Protocol: wire.Protocol, Name: "evil", BootId: "b", Host: &benchdv1.HostFacts{Hostname: "h"},
		Held: []*benchdv1.HeldShard{{Id: wire.FromShard("20260101-aaaa.1", 0, 1), Phase: "measure", Recovered: true}},
	}}}
	var h latency.Histogram
	h.Record(5)
	window := &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Window{Window: wire.FromWindow(&latency.Window{
		ID: latency.WindowID{Run: "20260101-aaaa.1", Phase: "measure", Attempt: 1}, Loaded: []int64{5},
		Series: []latency.Series{{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &h, Service: &h}},
	})}}
	ended := &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_PhaseEnded{PhaseEnded: &benchdv1.PhaseEnded{
		Id: wire.FromShard("20260101-aaaa.1", 0, 1), Phase: "measure", Windows: 1 << 30, Final: true, Left: "so",
	}}}
	reply := &benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_ProbeReply{ProbeReply: &benchdv1.ProbeReply{Seq: 1, ReceivedAgentNs: -1 << 62}}}
	pack := func(messages ...*benchdv1.SessionRequest) []byte {
		var all []byte
		for _, m := range messages {
			b, err := proto.Marshal(m)
			require.NoError(f, err)
			require.Less(f, len(b), 256)
			all = append(append(all, byte(len(b))), b...)
		}
		return all
	}
	f.Add(pack(hello, window, ended, reply))
	f.Add(pack(hello, hello))
	f.Add(pack(window))
	f.Add([]byte{3, 1, 2, 3})
	f.Fuzz(func(t *testing.T, input []byte) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			a := newFakeAgent(h, "a", "honest").connect()
			id, err := h.submit(&benchdv1.SubmitRequest{Agents: 1, WaitAgents: wait(), Select: map[string]string{"honest": "yes"}}, "duration=1m")
			require.NoError(t, err)
			a.ready()
			start := a.begin()

			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			stream, err := h.conn.NewStream(ctx, &grpc.StreamDesc{StreamName: "Session", ServerStreams: true, ClientStreams: true},
				benchdv1.AgentService_Session_FullMethodName, grpc.ForceCodecV2(wiretest.Raw{}))
			require.NoError(t, err)
			for len(input) > 0 {
				n := min(int(input[0]), len(input)-1)
				if stream.SendMsg(input[1:1+n]) != nil {
					break
				}
				input = input[1+n:]
			}
			_ = stream.CloseSend()
			for stream.RecvMsg(nil) == nil { // until the coordinator ends the stream
			}

			a.window(start.GetId(), 0, 5, "OK", true)
			a.ended(start.GetId(), 1, 5)
			h.until(id, result.Complete)
			require.Equal(t, result.Reconcile{Issued: 5, Recorded: 5, Merged: 5, OK: true}, h.result(id).Reconcile)
		})
	})
}

// FuzzCalls lets a client send arbitrary data as the request of each call. Whatever it sends, the coordinator answers the next client.
func FuzzCalls(f *testing.F) {
	for _, m := range []proto.Message{
		&benchdv1.SubmitRequest{Agents: 1, Submission: &benchdv1.Submission{Properties: []*benchdv1.Setting{{Key: "db", Value: "null"}}}},
		&benchdv1.GetRequest{Id: "20260101-aaaa.1"},
		&benchdv1.ActRequest{Target: "null", Name: "x", Agent: "a"},
		&benchdv1.ImportRequest{Chunk: []byte("x")},
		&benchdv1.AuditRequest{Who: "a", Refused: true},
		&benchdv1.SubmissionRequest{Id: "S"},
		&benchdv1.AnnotateRequest{Id: "S", Note: new("n"), Tags: map[string]string{"a": "b"}, Untag: []string{"c"}},
		&benchdv1.WebhooksRequest{},
		&benchdv1.TestWebhookRequest{Name: "a"},
		&benchdv1.OpenConsoleRequest{},
	} {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			for _, service := range []grpc.ServiceDesc{benchdv1.RunService_ServiceDesc, benchdv1.EnrollService_ServiceDesc} {
				for _, method := range service.Methods {
					call(t, h, "/"+service.ServiceName+"/"+method.MethodName, input)
				}
				for _, stream := range service.Streams {
					call(t, h, "/"+service.ServiceName+"/"+stream.StreamName, input)
				}
			}
			_, err := h.runs.List(t.Context(), &benchdv1.ListRequest{})
			require.NoError(t, err)
		})
	})
}

// call sends a request of one message, and reads up to its end.
func call(t *testing.T, h *harness, method string, input []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	stream, err := h.conn.NewStream(ctx, &grpc.StreamDesc{StreamName: method, ServerStreams: true, ClientStreams: true}, method, grpc.ForceCodecV2(wiretest.Raw{}))
	require.NoError(t, err)
	_ = stream.SendMsg(input)
	_ = stream.CloseSend()
	for stream.RecvMsg(nil) == nil {
	}
}
