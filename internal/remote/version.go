package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Protocol is the version of the protocol that this client speaks.
const Protocol = wire.Protocol

// About is what a coordinator reports about itself.
type About struct {
	Version            string
	Protocol           uint32
	Took               time.Duration // the quickest answer
	Clock              Clock         // the coordinator's, to this machine's
	DiskFree, DiskSize uint64        // of its archive's disk; the size is 0 if unknown
	Archive            uint64        // bytes
	Stuck              bool          // the archive accepts no windows
	Listeners          []string      // how each is secured
	Expires            time.Time     // of its certificates; zero without some
	Peer               Peer          // this client
	Time               time.Time     // when the coordinator answered, by the clock of its runs
}

// Peer is who a client is, as its coordinator knows it. It is empty where the coordinator asks nobody for an identity.
type Peer struct{ Name, Role string }

// State asks a coordinator about itself once, without its clock.
func (c *Client) State(ctx context.Context) (About, error) {
	m, err := ask(ctx, c, c.service.About, &benchdv1.AboutRequest{})
	if err != nil {
		return About{}, err
	}
	return aboutOf(m), nil
}

func aboutOf(m *benchdv1.AboutResponse) About {
	about := About{
		Version: m.GetVersion(), Protocol: m.GetProtocol(), Stuck: m.GetArchiveStuck(),
		DiskFree: m.GetDiskFreeBytes(), DiskSize: m.GetDiskTotalBytes(), Archive: m.GetArchiveBytes(),
		Listeners: m.GetListeners(), Peer: Peer{Name: m.GetPeerName(), Role: m.GetPeerRole()}, Time: time.Unix(0, m.GetSentNs()),
	}
	if m.GetCertificateExpires() != nil {
		about.Expires = m.GetCertificateExpires().AsTime()
	}
	return about
}

// roundTrips is the number of requests to measure a coordinator's clock: the quickest answers are the most accurate.
const roundTrips = 12

// About asks a coordinator about itself, often enough to measure its clock. For a coordinator of an older build, which does
// not know the request, it returns wire.ErrNotFound.
func (c *Client) About(ctx context.Context) (About, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	var known clock.Estimator
	var about About
	ours := clock.NewSource(clock.Skew{})
	// The first answer waits for the connection, so its time does not count.
	for i := range roundTrips + 1 {
		sent := ours.Now()
		m, err := c.service.About(ctx, &benchdv1.AboutRequest{})
		received := ours.Now()
		if wire.Unanswered(err) {
			return About{}, wire.Errorf(wire.ErrNotFound, "the coordinator at %s is too old to report its state: install the same release on both", c.where)
		}
		if err != nil {
			return About{}, c.translate(err)
		}
		took := about.Took
		about = aboutOf(m)
		about.Took = took
		if i == 0 {
			continue
		}
		known.Add(clock.Probe{Sent: sent, Received: received, PeerReceived: m.GetReceivedNs(), PeerSent: m.GetSentNs()})
		if took := time.Duration(received - sent); about.Took == 0 || took < about.Took {
			about.Took = took
		}
	}
	now := ours.Now()
	est, ok := known.Estimate(now)
	if !ok {
		return About{}, fmt.Errorf("compare clocks with the coordinator at %s: its answers have invalid times", c.where)
	}
	about.Clock = Clock{OffsetMS: float64(est.Offset(now)) / 1e6, UncertaintyMS: est.Bound / 1e6}
	return about, nil
}
