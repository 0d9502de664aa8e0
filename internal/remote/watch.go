package remote

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/clock"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Follower is notified of what is seen of a suite.
type Follower struct {
	// Progress is called for each message.
	Progress func(Progress)
	// Lost is called when the coordinator went away, with the reason; it is asked again, and the next Progress means
	// that it is back.
	Lost func(why string)
}

// Watch follows a suite or run to its end. A coordinator that goes away while it is watched is asked again for
// two minutes: its agents go on without it, and restarted it knows the run. known says that the id has been
// seen there before, so that this holds from the first question on.
func (c *Client) Watch(ctx context.Context, id string, known bool, f Follower) error {
	pause, seen := c.patience.pause, clock.Mono()
	told := map[Event]bool{}
	for {
		some, err := c.watchOnce(ctx, id, func(p Progress) {
			// A new stream begins with all events once more.
			p.Events = slices.DeleteFunc(p.Events, func(e Event) bool { return told[e] })
			for _, e := range p.Events {
				told[e] = true
			}
			f.Progress(p)
		})
		if err == nil || ctx.Err() != nil {
			return err
		}
		if some {
			known, pause, seen = true, c.patience.pause, clock.Mono()
		}
		away, ok := errors.AsType[*unreachable](err)
		if !ok || !known {
			return err
		}
		if seen.Elapsed() > c.patience.gone {
			return wire.Errorf(wire.ErrUnreachable,
				"%v; gave up after %v: the run may have gone on, and `benchctl watch %s` tells when the coordinator is back", err, c.patience.gone, id)
		}
		f.Lost(away.cause)
		timer := time.NewTimer(pause/2 + rand.N(pause)) //nolint:gosec // jitter
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
		pause = min(2*pause, maxPause)
	}
}

// watchOnce follows a suite over one stream. It is nil at the suite's end; some says that anything was heard.
func (c *Client) watchOnce(ctx context.Context, id string, progress func(Progress)) (some bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.service.Watch(ctx, &benchdv1.WatchRequest{Id: id})
	if err != nil {
		return false, c.translate(err)
	}
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			// The stream of a coordinator that is ending may end in good order, the suite has not.
			return some, &unreachable{where: c.where, cause: "it ended the watch before the suite ended"}
		}
		if err != nil {
			return some, c.translate(err)
		}
		some = true
		progress(progressOf(resp))
		if resp.GetEnded() {
			return some, nil
		}
	}
}
