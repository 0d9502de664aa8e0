package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/foreign"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/record"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results"
	"github.com/benchd/benchd/internal/wire"
)

// Bounds on the results of one import.
const (
	maxForeignRuns  = 500
	maxForeignState = 64 << 20 // bytes of their documents together, about
)

// importForeign stores files of another program as a suite of one case. It reads and converts one run at a time, so that no more than
// the files of a run are in memory.
func (c *Coordinator) importForeign(ctx context.Context, header *benchdv1.ForeignImport, from io.Reader) (string, error) {
	if err := c.beginTransfer("import files"); err != nil {
		return "", err
	}
	defer c.transfers.Add(-1)
	stated, err := toStated(header)
	if err != nil {
		return "", err
	}
	var runs []result.Run
	size := 0
	for files := header.GetFiles(); len(files) > 0; {
		own := 1
		for own < len(files) && files[own].GetRepeat() == files[0].GetRepeat() {
			own++
		}
		if len(runs) == maxForeignRuns {
			return "", wire.Errorf(wire.ErrBadSpec, "import files: more than %d runs: import them as several suites", maxForeignRuns)
		}
		content, err := readForeign(files[:own], from)
		if err != nil {
			return "", err
		}
		run, err := results.ForeignResult(content, stated)
		if err != nil {
			return "", err
		}
		for _, p := range run.Phases {
			size += 1<<10 + 200*len(p.Operations) + 400*len(p.Combined)
			for _, point := range p.Series {
				size += 100 + 200*len(point.Operations)
			}
		}
		if size > maxForeignState {
			return "", wire.Errorf(wire.ErrBadSpec, "import files: their results have more than %d MiB: import them as several suites", maxForeignState>>20)
		}
		runs, files = append(runs, run), files[own:]
	}
	if len(runs) == 0 {
		return "", wire.Errorf(wire.ErrBadSpec, "import files: there is no file")
	}
	return c.storeForeign(ctx, header, runs)
}

func toStated(header *benchdv1.ForeignImport) (foreign.Stated, error) {
	s := foreign.Stated{Loop: header.GetLoop(), Phase: header.GetPhase(), Unit: time.Duration(header.GetUnitNs())}
	return s, wrongSpec(s.Validate())
}

func wrongSpec(err error) error {
	if err == nil {
		return nil
	}
	return wire.Errorf(wire.ErrBadSpec, "import files: %v", err)
}

// readForeign reads the files of a run.
func readForeign(files []*benchdv1.ForeignFile, from io.Reader) ([]foreign.File, error) {
	var total uint64
	for _, f := range files {
		total = min(total+f.GetBytes(), foreign.MaxBytes+1)
	}
	if len(files) > foreign.MaxFiles || total > foreign.MaxBytes {
		return nil, wire.Errorf(wire.ErrBadSpec, "import files: a run has %d files of more than %d bytes together: at most %d files of %d MiB are read",
			len(files), total, foreign.MaxFiles, foreign.MaxBytes>>20)
	}
	out := make([]foreign.File, len(files))
	for i, f := range files {
		content, err := io.ReadAll(io.LimitReader(from, int64(f.GetBytes())))
		if err == nil && uint64(len(content)) < f.GetBytes() {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, fmt.Errorf("receive file %q: %w", f.GetName(), err)
		}
		out[i] = foreign.File{Name: f.GetName(), Content: content}
	}
	return out, nil
}

// storeForeign archives results of another program under a new id.
func (c *Coordinator) storeForeign(ctx context.Context, header *benchdv1.ForeignImport, runs []result.Run) (string, error) {
	stored := archive.Suite{
		Name: cmp.Or(header.GetName(), header.GetFiles()[0].GetName()), Note: header.GetNote(), Tags: header.GetTags(),
		Created: c.clock.Wall().UTC(), SubmittedBy: by(ctx, header.GetSubmittedBy()),
	}
	for {
		stored.ID = newID(stored.Created)
		suite, records, err := record.NewForeign(stored, header.GetCase(), runs)
		if err != nil {
			return "", err
		}
		err = c.archive.CreateSuite(ctx, suite, records)
		switch {
		case errors.Is(err, archive.ErrExists):
			continue
		case errors.Is(err, archive.ErrFull):
			return "", wire.Errorf(wire.ErrFull, "%v", err)
		case err != nil:
			return "", err
		}
		c.log.Info("foreign results are imported", "suite", suite.ID, "runs", len(records), "by", suite.SubmittedBy)
		return suite.ID, nil
	}
}
