// Package mirror copies an archive into another one, of any kind, and checks the copy.
//
//  1. Copy transfers suite after suite, the oldest first, then the schedules with their alerts. Suites that the other archive has
//     already are compared, so that an interrupted copy continues.
//  2. Small records of the coordinator are copied if both archives keep them (archive.Keeper). Others stay where they are, and are counted.
//     Results (archive.KeptResults) are left out: the other coordinator computes them from its own windows.
//  3. Each suite is read back from the copy, and compared with what was written, row by row.
package mirror

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/schedule"
)

// Source is an archive that is copied. Nobody may write to it meanwhile.
type Source interface {
	Suites(ctx context.Context) ([]archive.SuiteSummary, error)
	Copy(ctx context.Context, suite string, to io.Writer) error
	Schedules(ctx context.Context) ([]archive.Schedule, error)
	Alerts(ctx context.Context, schedule string, most int) ([]schedule.Alert, error)
}

// Target is the archive that becomes the copy. Nobody else may write to it meanwhile.
type Target interface {
	Source
	Take(ctx context.Context, from io.Reader) (string, error)
	PutSchedule(ctx context.Context, s archive.Schedule, alerts []schedule.Alert) error
	Remove(ctx context.Context, suite string) error
}

// Progress is how far a copy is.
type Progress struct {
	Suites, Of int   // done, and all
	There      int   // of those done, which the copy had already
	Runs       int   // of the suites done
	Schedules  int   // done
	Records    int   // small records of the coordinator that were copied
	Left       int   // those that the copy cannot keep
	Bytes      int64 // written, compressed
}

// Copy copies an archive, and calls report after each suite and at the end. The other archive may have some of the suites already, but no others:
// archive.ErrExists. A suite that differs in the copy is archive.ErrDamaged. Errors name the archives FROM and TO, as the command does.
func Copy(ctx context.Context, from Source, to Target, report func(Progress)) (Progress, error) {
	var p Progress
	suites, err := from.Suites(ctx)
	if err != nil {
		return p, fmt.Errorf("list the suites to copy: %w", err)
	}
	slices.Reverse(suites) // the oldest first: the copy numbers them in the order of their submission
	have, err := to.Suites(ctx)
	if err != nil {
		return p, fmt.Errorf("list the suites of the copy: %w", err)
	}
	slices.Reverse(have)
	if err := compatible(suites, have); err != nil {
		return p, err
	}
	p.Of = len(suites)
	for i, s := range suites {
		n, err := one(ctx, from, to, s.ID, i < len(have))
		if err != nil {
			return p, err
		}
		if i < len(have) {
			p.There++
		}
		p.Suites, p.Runs, p.Bytes = i+1, p.Runs+s.Runs, p.Bytes+n
		report(p)
	}
	if p.Schedules, err = schedules(ctx, from, to); err != nil {
		return p, err
	}
	if p.Records, p.Left, err = records(ctx, from, to); err != nil {
		return p, err
	}
	report(p)
	return p, nil
}

// compatible checks that the copy has the first suites of the archive, and no others: new ones are appended behind them.
func compatible(suites, have []archive.SuiteSummary) error {
	for i, s := range have {
		switch {
		case i >= len(suites):
			return archive.Faultf(archive.ErrExists, nil, "copy the archive: TO has suite %s, which FROM does not have: copy into an empty archive", s.ID)
		case suites[i].ID != s.ID:
			return archive.Faultf(archive.ErrExists, nil, "copy the archive: suite number %d of TO is %s, and that of FROM is %s: copy into an empty archive", i+1, s.ID, suites[i].ID)
		}
	}
	return nil
}

// one copies a suite unless it is there, and compares it with the copy.
func one(ctx context.Context, from Source, to Target, id string, there bool) (int64, error) {
	written := &digest{sum: sha256.New()}
	var err error
	if there {
		err = from.Copy(ctx, id, written)
	} else {
		err = transfer(ctx, from, to, id, written)
	}
	if err != nil {
		return 0, fmt.Errorf("copy suite %s: %w", id, err)
	}
	read := &digest{sum: sha256.New()}
	if err := to.Copy(ctx, id, read); err != nil {
		return 0, fmt.Errorf("read suite %s back: %w", id, err)
	}
	switch same := bytes.Equal(written.sum.Sum(nil), read.sum.Sum(nil)); {
	case same && there:
		return 0, nil
	case same:
		return written.size, nil
	case there:
		return 0, archive.Faultf(archive.ErrExists, nil, "copy suite %s: TO has it with other rows: copy into an empty archive", id)
	}
	failed := archive.Faultf(archive.ErrDamaged, nil, "copy suite %s: its rows in the copy are not those that were written: this is a bug of benchd; the suite was removed from the copy", id)
	if err := to.Remove(ctx, id); err != nil {
		failed = errors.Join(failed, fmt.Errorf("remove it from the copy: %w", err))
	}
	return 0, failed
}

// transfer writes a suite into the copy while it is read.
func transfer(ctx context.Context, from Source, to Target, id string, written io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, in := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := from.Copy(ctx, id, io.MultiWriter(in, written))
		_ = in.CloseWithError(err) // always nil
		sent <- err
	}()
	_, err := to.Take(ctx, out)
	if err == nil {
		// The writer has sent all rows: what it still writes is nothing, or the end of the compression.
		_, err = io.Copy(io.Discard, out)
	}
	_ = out.CloseWithError(errors.Join(err, errTaken)) // always nil
	if sending := <-sent; sending != nil && !errors.Is(sending, errTaken) {
		return sending // the cause of what the other one found
	}
	return err
}

var errTaken = errors.New("the copy reads no further")

// digest sums and counts what is written to it.
type digest struct {
	sum  hash.Hash
	size int64
}

func (d *digest) Write(b []byte) (int, error) {
	d.size += int64(len(b))
	return d.sum.Write(b) //nolint:wrapcheck // it never fails
}

// schedules copies the schedules with their alerts, and compares them.
func schedules(ctx context.Context, from Source, to Target) (int, error) {
	list, err := from.Schedules(ctx)
	if err != nil {
		return 0, fmt.Errorf("list the schedules to copy: %w", err)
	}
	for _, s := range list {
		want, err := from.Alerts(ctx, s.Name, math.MaxInt32)
		if err != nil {
			return 0, fmt.Errorf("copy schedule %s: %w", s.Name, err)
		}
		have, err := to.Alerts(ctx, s.Name, math.MaxInt32)
		if err != nil {
			return 0, fmt.Errorf("copy schedule %s: %w", s.Name, err)
		}
		if len(have) > len(want) || !same(have, want[len(want)-len(have):]) { // both have the newest first
			return 0, archive.Faultf(archive.ErrExists, nil, "copy schedule %s: TO has it with other alerts: copy into an empty archive", s.Name)
		}
		missing := slices.Clone(want[:len(want)-len(have)])
		slices.Reverse(missing)
		if err := to.PutSchedule(ctx, s, missing); err != nil {
			return 0, fmt.Errorf("copy schedule %s: %w", s.Name, err)
		}
		if have, err = to.Alerts(ctx, s.Name, math.MaxInt32); err != nil {
			return 0, fmt.Errorf("read schedule %s back: %w", s.Name, err)
		}
		if !same(have, want) {
			return 0, archive.Faultf(archive.ErrDamaged, nil, "copy schedule %s: its alerts in the copy are not those that were written: this is a bug of benchd", s.Name)
		}
	}
	copied, err := to.Schedules(ctx)
	if err != nil {
		return 0, fmt.Errorf("list the schedules of the copy: %w", err)
	}
	if !same(list, copied) {
		return 0, archive.Faultf(archive.ErrExists, nil, "copy the schedules: TO has others: copy into an empty archive")
	}
	return len(list), nil
}

func same[T any](a, b []T) bool {
	return slices.EqualFunc(a, b, func(x, y T) bool { return reflect.DeepEqual(x, y) })
}

// records copies the small records of the coordinator, and returns how many were copied, and how many the copy cannot keep.
func records(ctx context.Context, from Source, to Target) (copied, left int, err error) {
	source, is := from.(archive.Keeper)
	if !is {
		return 0, 0, nil
	}
	names, err := source.KeptNames(ctx, "")
	if err != nil {
		return 0, 0, fmt.Errorf("list the records of the coordinator: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, archive.KeptResults) }) // facts are copied, and not what follows from them
	target, is := to.(archive.Keeper)
	if !is {
		return 0, len(names), nil
	}
	for _, name := range names {
		content, err := source.Kept(ctx, name)
		if err == nil {
			err = target.Keep(ctx, name, content)
		}
		var read []byte
		if err == nil {
			read, err = target.Kept(ctx, name)
		}
		if err == nil && !bytes.Equal(content, read) {
			err = archive.Faultf(archive.ErrDamaged, nil, "its content in the copy is not what was written: this is a bug of benchd")
		}
		if err != nil {
			return copied, 0, fmt.Errorf("copy record %s: %w", name, err)
		}
		copied++
	}
	return copied, 0, nil
}
