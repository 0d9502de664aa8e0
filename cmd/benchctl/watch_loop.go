package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/cli/view"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/wire"
)

// watchLoop waits for a suite in one goroutine.
type watchLoop struct {
	following
	c            *cli.Context
	screen       *screen
	interruption interruption
	aside        view.Aside
	tasks        *sync.WaitGroup
	cancelled    chan error // the result of the cancel
	uncancelled  bool       // the cancel did not reach the coordinator, and is sent again when that is back
}

// loop handles events until the suite ends or the user leaves.
func (w *watchLoop) loop(ctx context.Context, news <-chan remote.Progress, lost <-chan string, ended <-chan error, signals <-chan os.Signal) error {
	for {
		var s input
		select {
		case p := <-news:
			w.screen.Progress(p)
			w.show(func(a *view.Aside) { a.Lost = "" })
			if w.uncancelled {
				w.uncancelled = false
				w.cancel(ctx)
			}
			continue
		case why := <-lost:
			w.show(func(a *view.Aside) { a.Lost = fmt.Sprintf("the coordinator is unreachable (%s); trying again", why) })
			continue
		case err := <-ended:
			w.show(func(a *view.Aside) { *a = view.Aside{} })
			return err
		case err := <-w.cancelled:
			if err != nil {
				w.uncancelled = errors.Is(err, wire.ErrUnreachable)
				w.show(func(a *view.Aside) { a.Note = fmt.Sprintf("cancel %s: %v", w.id, err) })
			}
			continue
		case sig := <-signals:
			s = terminated
			if sig == os.Interrupt {
				s = interrupted
			}
		case k := <-w.screen.keys:
			s = map[view.Key]input{view.Interrupt: interrupted, view.Yes: yes, view.No: no}[k]
		}
		if w.do(ctx, w.interruption.step(s)) {
			return &cli.Error{Code: cli.Incomplete, Err: fmt.Errorf("%w: %s", errLeft, w.left)}
		}
	}
}

// do carries out a decision. It reports whether to leave.
func (w *watchLoop) do(ctx context.Context, d decision) (leave bool) {
	switch d {
	case nothing:
	case doAsk:
		w.show(func(a *view.Aside) {
			a.Question = fmt.Sprintf("Cancel %s? [y]es, [n]o, or Ctrl-C to leave it running:", w.id)
		})
		w.screen.ask()
	case doContinue:
		w.screen.unask()
		w.show(func(a *view.Aside) { *a = view.Aside{Lost: a.Lost, Note: w.id + " goes on"} })
	case doCancel:
		w.screen.unask()
		w.show(func(a *view.Aside) {
			*a = view.Aside{Lost: a.Lost, Note: "cancelling " + w.id + " and waiting for its end; a further Ctrl-C does not wait"}
		})
		w.cancel(ctx)
	case doLeave:
		w.show(func(a *view.Aside) { *a = view.Aside{} })
		return true
	}
	return false
}

// cancel sends a cancel to the coordinator, and does not wait for the answer.
func (w *watchLoop) cancel(ctx context.Context) {
	w.tasks.Go(func() { w.cancelled <- w.client.Cancel(ctx, w.id, submitter()) })
}

func (w *watchLoop) show(change func(*view.Aside)) {
	before := w.aside
	change(&w.aside)
	if w.aside != before {
		w.screen.ShowAside(w.aside)
	}
}
