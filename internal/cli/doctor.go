package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/security"
	"github.com/benchd/benchd/internal/wire"
)

// Ask queries a coordinator for a doctor. If it does not answer, instead is the finding that names the reason.
func Ask(ctx context.Context, client *remote.Client, address string) (peer doctor.Peer, instead *doctor.Finding) {
	about, err := client.About(ctx)
	if err != nil {
		f := doctor.Unreachable(address, err)
		if errors.Is(err, wire.ErrNotFound) {
			f = doctor.Unanswered(address)
		}
		return peer, &f
	}
	listeners := make([]doctor.Listener, len(about.Listeners))
	for i, l := range about.Listeners {
		listeners[i] = doctor.Listener{Text: l, Open: security.Unprotected(l)}
	}
	return doctor.Peer{
		Listeners: listeners, Expires: about.Expires,
		Address: address, Version: about.Version, Protocol: about.Protocol, Took: about.Took, Clock: Offset(about.Clock),
		Disk: doctor.Space{Free: about.DiskFree, Total: about.DiskSize}, Archive: about.Archive, Stuck: about.Stuck,
	}, nil
}

// Offset converts a coordinator's report about a clock, for a doctor.
func Offset(c remote.Clock) doctor.ClockOffset {
	of := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	return doctor.ClockOffset{Offset: of(c.OffsetMS), Uncertainty: of(c.UncertaintyMS), DriftPPM: c.DriftPPM}
}

// Diagnose prints the findings of a doctor as a table or as JSON. The error has the exit code of the worst finding.
func Diagnose(c *Context, findings []doctor.Finding, format string) error {
	report := doctor.NewReport(c.Version, findings)
	if format == "json" {
		enc := json.NewEncoder(c.Out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(report); err != nil {
			return fmt.Errorf("print JSON: %w", err)
		}
	} else if err := report.Text(c.Out); err != nil {
		return err
	}
	switch {
	case report.OutOfReach():
		return &Error{Code: Unavailable}
	case report.Verdict == doctor.Bad:
		return &Error{Code: Failed}
	}
	return nil
}
