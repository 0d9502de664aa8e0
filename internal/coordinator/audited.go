package coordinator

import (
	"google.golang.org/grpc"

	"github.com/benchd/benchd/internal/audit"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Audit streams the records of the audit log.
func (c *Coordinator) Audit(req *benchdv1.AuditRequest, stream grpc.ServerStreamingServer[benchdv1.AuditResponse]) error {
	if c.audit == nil {
		return wire.ToStatus(wire.Errorf(wire.ErrNotFound, "this coordinator keeps no audit log: start it without --audit=off"))
	}
	query := audit.Query{Who: req.GetWho(), Refused: req.GetRefused()}
	if since := req.GetSince(); since != nil {
		query.Since = since.AsTime()
	}
	recordAdmission(stream.Context())
	return wire.ToStatus(c.audit.Read(query, func(line []byte) error {
		return stream.Send(&benchdv1.AuditResponse{Line: line})
	}))
}
