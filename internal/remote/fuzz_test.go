package remote

import (
	"context"
	"io"
	"net"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/spec"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/wiretest"
)

// answering returns a client of a coordinator that answers each call with the bytes of answer. A call that the client has given up may
// still read them.
func answering(t testing.TB, answer *atomic.Pointer[[]byte]) *Client {
	l := bufconn.Listen(1 << 20)
	server := grpc.NewServer(grpc.ForceServerCodecV2(wiretest.Raw{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		if err := stream.RecvMsg(nil); err != nil {
			return err
		}
		for range 2 {
			if err := stream.SendMsg(*answer.Load()); err != nil {
				return err
			}
			if method, _ := grpc.MethodFromServerStream(stream); !streams()[path.Base(method)] {
				break
			}
		}
		return nil
	}))
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	conn, err := grpc.NewClient("passthrough:///memory", append(wire.CheckResponses(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))...)
	require.NoError(t, err)
	c := New(conn, conn, "127.0.0.1:7070")
	c.patience = patience{answer: 5 * time.Second, gone: 0, pause: time.Millisecond}
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		server.Stop()
		require.NoError(t, <-served)
	})
	return c
}

// streams are the calls with several answers.
func streams() map[string]bool {
	all := make(map[string]bool)
	for _, s := range benchdv1.RunService_ServiceDesc.Streams {
		all[s.StreamName] = s.ServerStreams
	}
	return all
}

// FuzzAnswers lets a coordinator answer each call of benchctl with the input.
func FuzzAnswers(f *testing.F) {
	var h latency.Histogram
	h.Record(1500)
	series := wire.FromSeries(latency.Series{Key: latency.Key{Op: "READ", Outcome: "OK"}, Response: &h, Service: &h})
	for _, m := range []proto.Message{
		&benchdv1.AboutResponse{Version: "v1", Protocol: 1, ReceivedNs: 1, SentNs: 2, Listeners: []string{"gRPC"}, CertificateExpires: timestamppb.Now()},
		&benchdv1.AgentsResponse{Agents: []*benchdv1.AgentInfo{{Name: "a", Host: &benchdv1.HostFacts{Hostname: "h"}}}},
		&benchdv1.ListResponse{Suites: []*benchdv1.SuiteSummary{{Id: "S", Runs: 2}}},
		&benchdv1.WatchResponse{},
		&benchdv1.HistogramsResponse{Phase: "measure", EndNs: 1e9, Series: []*benchdv1.Series{series}},
		&benchdv1.AuditResponse{Line: []byte(`{"who":"anna"}`)},
		&benchdv1.WebhooksResponse{Webhooks: [][]byte{[]byte(`{"name":"chat"}`)}},
		&benchdv1.TestWebhookResponse{HttpStatus: 200},
		&benchdv1.OpenConsoleResponse{Scheme: "https", Host: "h", Port: 7071, Code: "C"},
		&benchdv1.PointsResponse{},
	} {
		b, err := proto.Marshal(m)
		require.NoError(f, err)
		f.Add(b)
	}
	var answer atomic.Pointer[[]byte]
	c := answering(f, &answer)
	f.Fuzz(func(t *testing.T, b []byte) {
		answer.Store(&b)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, _ = c.About(ctx)
		_, _ = c.Agents(ctx)
		_, _ = c.List(ctx)
		_, _ = c.Result(ctx, "S")
		_, _ = c.Advise(ctx, Request{})
		_, _ = c.Validate(ctx, spec.Submission{})
		_, _ = c.Act(ctx, ActionRequest{Action: load.Action{Name: "flush"}, Timeout: time.Second})
		_ = c.Watch(ctx, "S", false, Follower{Progress: func(Progress) {}, Lost: func(string) {}})
		_ = c.Histograms(ctx, "S.1", 0, func(report.Interval) error { return nil })
		_ = c.Logged(ctx, "S.1", func(latency.LoggedInterval) error { return nil })
		_, _ = c.Points(ctx, "S.1", func(report.Point) error { return nil })
		_ = c.Export(ctx, "S", io.Discard)
		_, _, _ = c.Webhooks(ctx)
		_, _, _ = c.TestWebhook(ctx, "chat")
		_, _ = c.OpenConsole(ctx)
		_ = c.Audit(ctx, audit.Query{}, func([]byte, audit.Record) error { return nil })
		require.NoError(t, ctx.Err(), "a call did not end")
	})
}
