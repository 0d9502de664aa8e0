package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/benchd/benchd/internal/wire"
)

// FuzzStatus reads the error of a peer, with its details.
func FuzzStatus(f *testing.F) {
	for _, err := range []error{wire.ErrNotFound, wire.ErrNotAllowed, wire.ErrUnauthenticated, wire.ErrLimit, wire.ErrTarget} {
		b, err := proto.Marshal(status.Convert(wire.ToStatus(wire.Errorf(err, "why"))).Proto())
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s spb.Status
		if proto.Unmarshal(b, &s) != nil || s.GetCode() == 0 {
			return
		}
		err := status.ErrorProto(&s)
		_ = wire.Unanswered(err)
		_ = wire.Reason(err)
		require.Error(t, wire.ToStatus(wire.FromStatus(err)))
	})
}
