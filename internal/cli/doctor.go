package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/wire"
)

// Ask asks a coordinator about itself, for a doctor. Where there is no answer, instead says why.
func Ask(ctx context.Context, client *remote.Client, address string) (peer doctor.Peer, instead *doctor.Finding) {
	about, err := client.About(ctx)
	if err != nil {
		f := doctor.Unreachable(address, err)
		if errors.Is(err, wire.ErrNotFound) {
			f = doctor.Unanswered(address)
		}
		return peer, &f
	}
	return doctor.Peer{
		Address: address, Version: about.Version, Protocol: about.Protocol, Took: about.Took, Clock: Offset(about.Clock),
		Disk: doctor.Space{Free: about.DiskFree, Total: about.DiskSize}, Archive: about.Archive, Stuck: about.Stuck,
	}, nil
}

// Offset is what a coordinator reports about a clock, for a doctor.
func Offset(c remote.Clock) doctor.ClockOffset {
	of := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	return doctor.ClockOffset{Offset: of(c.OffsetMS), Uncertainty: of(c.UncertaintyMS), DriftPPM: c.DriftPPM}
}

// Diagnose prints what a doctor found, as a table or as JSON. The error has the exit code of the worst of it.
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
