package coordinator

import (
	"context"

	"github.com/benchd/benchd/internal/doctor"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/wire"
)

// About describes the coordinator.
func (c *Coordinator) About(ctx context.Context, _ *benchdv1.AboutRequest) (*benchdv1.AboutResponse, error) {
	about := &benchdv1.AboutResponse{
		ReceivedNs: c.clock.Now(), Version: c.config.Version, Protocol: wire.Protocol, ArchiveStuck: c.ingest.stuck.Load(),
	}
	size, err := c.archive.Size(ctx)
	if err != nil {
		return nil, wire.ToStatus(err)
	}
	about.ArchiveBytes = uint64(max(size, 0))
	if disk, err := doctor.SpaceOf(c.config.DataDir); err == nil {
		about.DiskFreeBytes, about.DiskTotalBytes = disk.Free, disk.Total
	} else {
		c.log.Debug("read free space of the archive's disk", "error", err)
	}
	if who := identity.From(ctx); who.Role != identity.Trusted {
		about.PeerName, about.PeerRole = who.Name, string(who.Role)
	}
	about.Listeners = c.config.Listeners
	if c.config.Certificates != nil {
		about.CertificateExpires = wire.FromTime(c.config.Certificates.Expires())
	}
	about.SentNs = c.clock.Now()
	return about, nil
}
