package wire

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
)

// CheckRequest makes a server refuse messages that Check refuses before its code sees them; CheckRequests does the same for
// streams.
func CheckRequest(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if err := checkAny(req); err != nil {
		return nil, ToStatus(err)
	}
	return handle(ctx, req)
}

// CheckRequests is CheckRequest for streams.
func CheckRequests(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	return handle(srv, checkedServerStream{stream})
}

type checkedServerStream struct{ grpc.ServerStream }

func (s checkedServerStream) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	return ToStatus(checkAny(m))
}

// CheckResponses are the options with which a client refuses messages that Check refuses.
func CheckResponses() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if err := invoke(ctx, method, req, reply, conn, opts...); err != nil {
				return err
			}
			return ToStatus(checkAny(reply))
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			stream, err := open(ctx, desc, conn, method, opts...)
			if err != nil {
				return nil, err
			}
			return checkedClientStream{stream}, nil
		}),
	}
}

type checkedClientStream struct{ grpc.ClientStream }

func (s checkedClientStream) RecvMsg(m any) error {
	if err := s.ClientStream.RecvMsg(m); err != nil {
		return err
	}
	return ToStatus(checkAny(m))
}

// checkAny accepts values that are not messages: a test may send bytes. The most frequent messages of agents are checked
// only once, where ToWindow and ToObservations decode them.
func checkAny(m any) error {
	if request, is := m.(*benchdv1.SessionRequest); is && (request.GetWindow() != nil || request.GetObservations() != nil) {
		return nil
	}
	if message, is := m.(proto.Message); is {
		return Check(message)
	}
	return nil
}
