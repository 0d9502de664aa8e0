package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
)

// progressAfter is how long retries go on before they are logged: most end earlier, as when a region moves.
const progressAfter = time.Second

// progress logs one line when something is retried for long.
type progress struct {
	log   *slog.Logger
	what  string
	since time.Time
	once  sync.Once
}

func (c *Client) progress(what string) *progress {
	return &progress{log: c.log, what: what, since: time.Now()}
}

// note records an error that is followed by another try.
func (p *progress) note(ctx context.Context, err error) {
	if time.Since(p.since) < progressAfter {
		return
	}
	p.once.Do(func() {
		args := []any{"to", p.what, "error", err}
		if deadline, ok := ctx.Deadline(); ok {
			args = append(args, "for", time.Until(deadline).Round(time.Second))
		}
		p.log.Warn("HBase is not ready: retrying", args...)
	})
}

// Retry repeats do while it fails with an error that may pass by itself, until the context ends. What is the task that the log
// names when it takes long.
func (c *Client) Retry(ctx context.Context, what string, do func() error) error {
	p := c.progress(what)
	pause := firstPatience
	for {
		err := do()
		if err == nil || ctx.Err() != nil || !mayPass(err) {
			return err
		}
		p.note(ctx, err)
		if late := wait(ctx, pause); late != nil {
			return fmt.Errorf("%w (%w)", err, late)
		}
		pause = min(2*pause, lastPatience)
	}
}

// mayPass reports whether a failed call may succeed later: its server is starting, busy or gone, or the region has moved.
func mayPass(err error) bool {
	if answer, ok := errors.AsType[*protocol.Exception](err); ok {
		return starting(answer) || elsewhere(answer) || protocol.MayPass(answer.Class)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return false
	}
	if isRefused(err) || rpc.IsFinal(err) {
		return false
	}
	for _, final := range []error{ErrNoTable, ErrNoNamespace, ErrTableExists, ErrDisabled, ErrEnabled, zk.ErrNoAuth, errNoZooKeeper, errTooMuch, context.Canceled} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

// answered reports whether a server has answered the call, with an exception.
func answered(err error) bool {
	_, ok := errors.AsType[*protocol.Exception](err)
	return ok
}

// isRefused reports whether the operator of the agent does not allow the connection.
func isRefused(err error) bool {
	_, refused := errors.AsType[*outbound.RefusedError](err)
	return refused
}
