package coordinator

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

// InProcess is a connection to a coordinator in this process. A call passes the same guard, checks of messages and audit log as one
// from the network. Its peer is the one that the context has from As or AsProcess: no message or header of the caller can name another.
type InProcess struct{ c *Coordinator }

// Conn returns a connection to the coordinator's services for benchctl.
func (c *Coordinator) Conn() InProcess { return InProcess{c} }

// inProcessPeer is the peer of a call from this process. No listener makes one.
type inProcessPeer struct {
	who   identity.Identity
	until time.Time // when its certificate expires; zero without one
}

// AuthType returns the name of this kind of authentication.
func (inProcessPeer) AuthType() string { return "in process" }

// As returns the context of an HTTP request whose calls are made as its peer, whose identity the server of the request has put into the
// context, from its connection or its session. It ends when the session of the peer ends, and when its certificate expires or is revoked. leave ends it.
func (p InProcess) As(r *http.Request) (ctx context.Context, leave func()) {
	who, until := p.c.HTTPPeer(r), untilOf(r)
	ctx, leave = p.c.certified.enter(r.Context(), who, until)
	return withPeer(ctx, textAddr(r.RemoteAddr), inProcessPeer{who: who, until: until}), leave
}

// HTTPPeer returns who sends an HTTP request. In plain text a peer has no identity. It is trusted as far as gRPC trusts such peers, too: if gRPC
// asks for an identity, the operating system names the user of the peer's process. The user of this process and root are admins, and
// all others anonymous.
func (c *Coordinator) HTTPPeer(r *http.Request) identity.Identity {
	who := identity.From(r.Context())
	if who.Role != identity.Trusted || c.config.Open {
		return who
	}
	if at, is := r.Context().Value(http.LocalAddrContextKey).(net.Addr); is && !forwarded(r) {
		if local, err := security.LocalPeer(at.String(), r.RemoteAddr); err == nil {
			return local.Identity()
		}
	}
	return identity.Identity{Role: identity.Anonymous}
}

// forwarded reports whether a proxy passes a request on: then the peer's process is the proxy, and the user another.
func forwarded(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"}, func(name string) bool { return r.Header.Get(name) != "" })
}

// AsProcess returns a context whose calls are made by this process itself, for readers that the guard has admitted before.
func (InProcess) AsProcess(ctx context.Context) context.Context {
	return withPeer(ctx, textAddr("this process"), inProcessPeer{who: identity.Identity{Role: identity.Trusted}})
}

func withPeer(ctx context.Context, from net.Addr, info inProcessPeer) context.Context {
	return peer.NewContext(ctx, &peer.Peer{Addr: from, AuthInfo: info})
}

// textAddr is an address as text.
type textAddr string

// Network returns the name of the network.
func (textAddr) Network() string { return "tcp" }

// String returns the address.
func (a textAddr) String() string { return string(a) }

// Invoke makes a call with one answer.
func (p InProcess) Invoke(ctx context.Context, method string, request, answer any, _ ...grpc.CallOption) error {
	for i := range benchdv1.RunService_ServiceDesc.Methods {
		one := &benchdv1.RunService_ServiceDesc.Methods[i]
		if method != "/"+benchdv1.RunService_ServiceDesc.ServiceName+"/"+one.MethodName {
			continue
		}
		got, err := one.Handler(p.c, ctx, func(into any) error { return copyMessage(into, request) }, guarded)
		if err != nil {
			return wire.ToStatus(err)
		}
		return copyMessage(answer, got)
	}
	return wire.NotServed("there is no call " + method)
}

// guarded is the chain of a server's interceptors for unary calls.
func guarded(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	return recoverCall(ctx, request, info, func(ctx context.Context, request any) (any, error) {
		return guardCall(ctx, request, info, func(ctx context.Context, request any) (any, error) {
			return wire.CheckRequest(ctx, request, info, handle)
		})
	})
}

// NewStream opens a stream. Its handler runs in a goroutine, which ends with the stream: the caller reads to the end, or cancels ctx.
func (p InProcess) NewStream(ctx context.Context, _ *grpc.StreamDesc, method string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	for i := range benchdv1.RunService_ServiceDesc.Streams {
		one := &benchdv1.RunService_ServiceDesc.Streams[i]
		if method != "/"+benchdv1.RunService_ServiceDesc.ServiceName+"/"+one.StreamName {
			continue
		}
		s := &pipe{
			ctx: ctx, desc: one, requests: make(chan proto.Message), answers: make(chan proto.Message), closed: make(chan struct{}), done: make(chan struct{}),
		}
		info := &grpc.StreamServerInfo{FullMethod: method, IsClientStream: one.ClientStreams, IsServerStream: one.ServerStreams}
		began := p.c.task(func() {
			defer close(s.done)
			s.err = wire.ToStatus(recoverStream(p.c, serverEnd{s}, info, func(srv any, stream grpc.ServerStream) error {
				return guardStream(srv, stream, info, func(srv any, stream grpc.ServerStream) error {
					return wire.CheckRequests(srv, stream, info, one.Handler)
				})
			}))
		})
		if !began {
			return nil, wire.ToStatus(wire.Errorf(wire.ErrUnreachable, "the coordinator is stopping"))
		}
		return clientEnd{s}, nil
	}
	return nil, wire.NotServed("there is no stream " + path.Base(method))
}

// pipe is a stream in memory. Messages are copied by their receiver.
type pipe struct {
	ctx               context.Context //nolint:containedctx // gRPC asks a stream for its context
	desc              *grpc.StreamDesc
	requests, answers chan proto.Message
	closing           sync.Once
	closed            chan struct{} // by the client, after its last request
	done              chan struct{} // closed behind the handler
	err               error         // of the handler, when done is closed
}

// pass passes a message on, unless the stream ends first.
func (s *pipe) pass(to chan<- proto.Message, m any) error {
	message, is := m.(proto.Message)
	if !is {
		return errNotMessage
	}
	select {
	case to <- message:
		return nil
	case <-s.done:
		return io.EOF // the answer has the reason
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

var errNotMessage = errors.New("pass on a message: it is not one of protobuf")

func copyMessage(into, from any) error {
	to, is := into.(proto.Message)
	message, too := from.(proto.Message)
	if !is || !too {
		return errNotMessage
	}
	proto.Reset(to)
	proto.Merge(to, message)
	return nil
}

// serverEnd is the handler's end of a stream.
type serverEnd struct{ s *pipe }

func (e serverEnd) Context() context.Context   { return e.s.ctx }
func (serverEnd) SetHeader(metadata.MD) error  { return nil }
func (serverEnd) SendHeader(metadata.MD) error { return nil }
func (serverEnd) SetTrailer(metadata.MD)       {}
func (e serverEnd) SendMsg(m any) error        { return e.s.pass(e.s.answers, m) }
func (e serverEnd) RecvMsg(m any) error {
	select {
	case request := <-e.s.requests:
		return copyMessage(m, request)
	case <-e.s.closed:
		return io.EOF
	case <-e.s.ctx.Done():
		return context.Cause(e.s.ctx)
	}
}

// clientEnd is the caller's end of a stream.
type clientEnd struct{ s *pipe }

func (e clientEnd) Context() context.Context   { return e.s.ctx }
func (clientEnd) Header() (metadata.MD, error) { return nil, nil }
func (clientEnd) Trailer() metadata.MD         { return nil }

// SendMsg returns nil where a handler has ended without the only request of a stream: RecvMsg has the reason.
func (e clientEnd) SendMsg(m any) error {
	err := e.s.pass(e.s.requests, m)
	if errors.Is(err, io.EOF) && !e.s.desc.ClientStreams {
		return nil
	}
	return err
}

func (e clientEnd) CloseSend() error { e.s.closing.Do(func() { close(e.s.closed) }); return nil }

func (e clientEnd) RecvMsg(m any) error {
	select {
	case answer := <-e.s.answers:
		return copyMessage(m, answer)
	case <-e.s.done:
		if e.s.err == nil {
			return io.EOF
		}
		return e.s.err
	}
}
