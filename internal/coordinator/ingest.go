package coordinator

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/coordinator/roster"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/quarantine"
)

const (
	ingestBuffer = 512 // windows in the queue; when it is full, sessions are not read and agents keep their windows
	ingestBatch  = 512 // maximum number of windows in a commit
	retryArchive = time.Second
)

// ingest archives the windows of all sessions, many in one commit, and then acknowledges them.
type ingest struct {
	in      chan arrival
	life    context.Context
	archive Archive
	merge   func(run string, fresh []*latency.Window)
	aside   func(run string, err error) // sets aside a run whose windows cannot be archived
	log     *slog.Logger
	seen    func(fresh, again, refused int)
	stuck   atomic.Bool // the archive accepts no windows
}

// arrival is a window, with the session that its acknowledgement is sent to.
type arrival struct {
	from   *roster.Session
	window *latency.Window
	bytes  int // reserved in the session
}

// add queues a window. It blocks while the archive is slower than the agents, and while the agent has too many bytes in the
// queue.
func (in *ingest) add(from *roster.Session, w *latency.Window) error {
	bytes := w.Footprint()
	if from.Reserve(in.life, bytes) != nil {
		return errDetached
	}
	select {
	case in.in <- arrival{from, w, bytes}:
		return nil
	case <-in.life.Done():
		return errDetached
	}
}

// loop runs until the coordinator stops. Agents still have the windows that are not committed then.
func (in *ingest) loop() {
	batch := make([]arrival, 0, ingestBatch)
	for {
		select {
		case <-in.life.Done():
			return
		case a := <-in.in:
			batch = append(batch[:0], a)
		}
		for len(batch) < ingestBatch && len(in.in) > 0 {
			batch = append(batch, <-in.in)
		}
		in.commit(batch)
		clear(batch) // it would keep the windows until the next ones come
	}
}

// commit archives a batch, and retries while the archive cannot be written: agents keep windows until they are
// acknowledged.
func (in *ingest) commit(batch []arrival) {
	windows := make([]latency.Window, len(batch))
	for i, a := range batch {
		windows[i] = *a.window
	}
	for {
		receipts, err := in.archived(windows)
		in.stuck.Store(err != nil)
		if err == nil {
			in.done(batch, receipts)
			return
		}
		if in.life.Err() != nil {
			return
		}
		in.log.Error("archive windows", "windows", len(windows), "error", err, "next_try", retryArchive)
		select {
		case <-in.life.Done():
			return
		case <-time.After(retryArchive):
		}
	}
}

// archived archives windows. If that panics, it retries them one by one and refuses each that causes a panic.
func (in *ingest) archived(windows []latency.Window) (receipts []archive.Receipt, err error) {
	err = quarantine.Guard(func() (err error) {
		receipts, err = in.archive.AddWindows(in.life, windows)
		return err
	})
	p, is := errors.AsType[*quarantine.PanicError](err)
	switch {
	case !is:
		return receipts, err
	case len(windows) == 1:
		in.aside(windows[0].ID.Run, p)
		return []archive.Receipt{{Err: p}}, nil
	}
	receipts = receipts[:0]
	for i := range windows {
		one, err := in.archived(windows[i : i+1])
		if err != nil {
			return nil, err
		}
		receipts = append(receipts, one...)
	}
	return receipts, nil
}

// done passes fresh windows to conductors and acknowledges all windows, also those that the archive rejects because their
// run was removed: their agent need not keep them.
func (in *ingest) done(batch []arrival, receipts []archive.Receipt) {
	byRun := make(map[string][]*latency.Window)
	count, refused := 0, 0
	for i, a := range batch {
		if err := receipts[i].Err; err != nil {
			in.log.Warn("window dropped", "window", a.window.ID, "error", err)
			refused++
		}
		if receipts[i].Fresh {
			byRun[a.window.ID.Run] = append(byRun[a.window.ID.Run], a.window)
			count++
		}
	}
	for run, windows := range byRun {
		in.merge(run, windows)
	}
	in.seen(count, len(batch)-count-refused, refused)
	for _, a := range batch {
		a.from.Free(a.bytes)
		a.from.Acknowledge(a.window.ID)
	}
}
