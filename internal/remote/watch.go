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

// Follower is notified of a suite's progress.
type Follower struct {
	// Progress is called for each message.
	Progress func(Progress)
	// Lost is called with the reason when the connection to the coordinator is lost. Watch retries, and the next
	// Progress means that it is back.
	Lost func(why string)
}

// Watch follows a suite or run to its end. If the coordinator goes away, Watch retries for two minutes: agents continue
// without it, and after a restart it still has the run. known reports that the id was seen there before, so that Watch
// also retries its first request.
func (c *Client) Watch(ctx context.Context, id string, known bool, f Follower) error {
	pause, seen := c.patience.pause, clock.Mono()
	reported := map[Event]bool{}
	for {
		some, err := c.watchOnce(ctx, id, func(p Progress) {
			// A new stream repeats all events.
			p.Events = slices.DeleteFunc(p.Events, func(e Event) bool { return reported[e] })
			for _, e := range p.Events {
				reported[e] = true
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
				"%v; gave up after %v: the run may have continued; when the coordinator is back, `benchctl watch %s` shows it", err, c.patience.gone, id)
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

// watchOnce follows a suite over one stream. It returns nil at the suite's end; some reports whether it received anything.
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
			// A coordinator that stops may end the stream normally, although the suite has not ended.
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
