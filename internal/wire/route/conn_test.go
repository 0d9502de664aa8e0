package route_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
	"github.com/benchd/benchd/internal/wire/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// network has the coordinators of a test by their addresses.
type network struct {
	t *testing.T

	mu        sync.Mutex
	listeners map[string]*bufconn.Listener
	calls     []string
}

func newNetwork(t *testing.T) *network {
	return &network{t: t, listeners: make(map[string]*bufconn.Listener)}
}

func (n *network) called(address, call string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, address+" "+call)
}

// take returns the calls since the last time.
func (n *network) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	calls := n.calls
	n.calls = nil
	return calls
}

// leader starts a coordinator that answers, until the returned function is called.
func (n *network) leader(address string) (stop func()) {
	s := grpc.NewServer()
	benchdv1.RegisterRunServiceServer(s, &leader{network: n, address: address})
	return n.serve(address, s)
}

// standby starts a coordinator that names another one as the leader.
func (n *network) standby(address, of string) (stop func()) {
	return n.serve(address, grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		n.called(address, "refuses "+method[len("/benchd.v1.RunService/"):])
		return wire.ToStatus(&wire.StandbyError{Leader: of})
	})))
}

func (n *network) serve(address string, s *grpc.Server) (stop func()) {
	l := bufconn.Listen(1 << 16)
	n.mu.Lock()
	n.listeners[address] = l
	n.mu.Unlock()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l)
	}()
	stop = sync.OnceFunc(func() {
		n.mu.Lock()
		delete(n.listeners, address)
		n.mu.Unlock()
		s.Stop()
		<-served
	})
	n.t.Cleanup(stop)
	return stop
}

// dial is the Dial of the network. The address x:1 is refused.
func (n *network) dial(address string) (*grpc.ClientConn, error) {
	if address == "x:1" {
		return nil, errors.New("x needs certificates")
	}
	return grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			n.mu.Lock()
			l := n.listeners[address]
			n.mu.Unlock()
			if l == nil {
				return nil, errors.New("connection refused")
			}
			return l.DialContext(ctx)
		}))
}

// client returns a client of some addresses.
func (n *network) client(addresses ...string) (*route.Conn, benchdv1.RunServiceClient) {
	c := route.NewConn(addresses, n.dial)
	n.t.Cleanup(func() { require.NoError(n.t, c.Close()) })
	return c, benchdv1.NewRunServiceClient(c)
}

type leader struct {
	benchdv1.UnimplementedRunServiceServer

	network *network
	address string
}

func (l *leader) About(context.Context, *benchdv1.AboutRequest) (*benchdv1.AboutResponse, error) {
	l.network.called(l.address, "About")
	return nil, wire.ToStatus(wire.Errorf(wire.ErrDenied, "you may not"))
}

func (l *leader) Cancel(_ context.Context, r *benchdv1.CancelRequest) (*benchdv1.CancelResponse, error) {
	l.network.called(l.address, "Cancel "+r.GetId())
	if r.GetId() == "bad" {
		return nil, wire.ToStatus(wire.Errorf(wire.ErrUnreachable, "the coordinator is stopping"))
	}
	return &benchdv1.CancelResponse{}, nil
}

func (l *leader) Get(r *benchdv1.GetRequest, stream grpc.ServerStreamingServer[benchdv1.GetResponse]) error {
	l.network.called(l.address, "Get "+r.GetId())
	for range 2 {
		if err := stream.Send(&benchdv1.GetResponse{Chunk: []byte(l.address)}); err != nil {
			return err
		}
	}
	if r.GetId() == "bad" {
		return wire.ToStatus(&wire.StandbyError{Leader: "a"})
	}
	return nil
}

func (l *leader) Upload(stream grpc.ClientStreamingServer[benchdv1.UploadRequest, benchdv1.UploadResponse]) error {
	for {
		if _, err := stream.Recv(); err != nil {
			l.network.called(l.address, "Upload")
			return stream.SendAndClose(&benchdv1.UploadResponse{})
		}
	}
}

func cancel(c benchdv1.RunServiceClient, id string) error {
	_, err := c.Cancel(context.Background(), &benchdv1.CancelRequest{Id: id})
	return wire.FromStatus(err)
}

// get returns what a stream of a result has, and its error.
func get(c benchdv1.RunServiceClient, id string) (string, error) {
	stream, err := c.Get(context.Background(), &benchdv1.GetRequest{Id: id})
	if err != nil {
		return "", wire.FromStatus(err)
	}
	text := ""
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return text, wire.FromStatus(err)
		}
		text += string(m.GetChunk())
	}
}

func TestCallsGoToTheLeader(t *testing.T) {
	n := newNetwork(t)
	n.standby("a", "c:1")
	n.leader("c:1")
	conn, client := n.client("a", "b")
	require.NoError(t, cancel(client, "1"))
	require.Equal(t, []string{"a refuses Cancel", "c:1 Cancel 1"}, n.take(), "c is not in the list")
	require.Equal(t, "c:1", conn.Address())
	require.NoError(t, cancel(client, "2"))
	require.Equal(t, []string{"c:1 Cancel 2"}, n.take())
}

func TestStreamsGoToTheLeader(t *testing.T) {
	n := newNetwork(t)
	n.standby("a", "c:1")
	n.leader("c:1")
	_, client := n.client("b", "a", "c:1")
	text, err := get(client, "1")
	require.NoError(t, err)
	require.Equal(t, "c:1c:1", text)
	require.Equal(t, []string{"a refuses Get", "c:1 Get 1"}, n.take())
}

func TestUploadsAreSentToTheLeaderOnly(t *testing.T) {
	n := newNetwork(t)
	n.standby("a", "b:1")
	n.leader("b:1")
	_, client := n.client("a", "b:1")
	for range 2 {
		stream, err := client.Upload(t.Context())
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, stream.Send(&benchdv1.UploadRequest{}))
		}
		_, err = stream.CloseAndRecv()
		require.NoError(t, err)
	}
	require.Equal(t, []string{"a refuses About", "b:1 About", "b:1 Upload", "b:1 Upload"}, n.take())
}

func TestACallThatTheLeaderMayHaveReceivedIsNotRepeated(t *testing.T) {
	n := newNetwork(t)
	n.leader("a")
	n.leader("b")
	_, client := n.client("a", "b")
	require.EqualError(t, cancel(client, "bad"), "the coordinator is stopping")
	require.Equal(t, []string{"a Cancel bad"}, n.take())
	text, err := get(client, "bad")
	require.ErrorIs(t, err, wire.ErrUnreachable)
	require.Equal(t, "bb", text)
	require.Equal(t, []string{"b Get bad"}, n.take(), "the next call begins elsewhere, and a stream with answers is not repeated")
}

func TestClientsFollowFromLeaderToLeader(t *testing.T) {
	n := newNetwork(t)
	stop := n.leader("a")
	standby := n.standby("b", "a")
	_, client := n.client("a", "b")
	require.NoError(t, cancel(client, "1"))
	stop()
	require.ErrorIs(t, cancel(client, "2"), wire.ErrUnreachable)
	standby()
	n.leader("b")
	require.Eventually(t, func() bool { return cancel(client, "3") == nil }, tolerance.Patience, 10*time.Millisecond)
	calls := n.take()
	require.Equal(t, []string{"b Cancel 3"}, calls[len(calls)-1:])
}

func TestTheErrorOfAllAddressesNamesEach(t *testing.T) {
	n := newNetwork(t)
	n.standby("b", "")
	n.standby("c", "x:1")
	_, client := n.client("a", "b", "c")
	for _, err := range []error{cancel(client, "1"), func() error { _, err := get(client, "1"); return err }()} {
		require.ErrorIs(t, err, wire.ErrStandby)
		for _, part := range []string{
			"a: connection refused", "b: it is a standby, and no coordinator leads now; ", "c: it is a standby of x:1; x:1: x needs certificates",
		} {
			require.ErrorContains(t, err, part)
		}
	}
	_, alone := n.client("b")
	require.ErrorIs(t, cancel(alone, "1"), wire.ErrStandby)
}
