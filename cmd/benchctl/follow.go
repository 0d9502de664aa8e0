package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/remote"
)

// following describes how a command waits for a suite.
type following struct {
	client *remote.Client
	id     string
	known  bool // the coordinator has just accepted it
	out    io.Writer
	how    showing
	// statuses receive YCSB's status lines; if there are any, no other progress is shown.
	statuses []io.Writer
	first    onInterrupt // askFirst becomes detach without a terminal
	// left is printed when the user stops waiting.
	left string
}

// errLeft is the error if the user did not wait for the end.
var errLeft = errors.New("did not wait for the end")

// catch returns the signals by which a user ends a command, until stop is called.
func catch() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// begin runs do, the part before there is a suite to cancel. A signal ends it. A signal that arrives after do has succeeded is
// left to follow.
func begin(ctx context.Context, signals chan os.Signal, interrupted string, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	select {
	case err := <-done:
		return err
	case sig := <-signals:
		cancel()
		if err := <-done; err != nil {
			return &cli.Error{Code: cli.Incomplete, Err: errors.New(interrupted)}
		}
		signals <- sig
		return nil
	}
}

// follow shows a suite until it ends. If the user leaves before that, it returns errLeft within an error that describes how the
// suite continues.
func follow(ctx context.Context, c *cli.Context, signals <-chan os.Signal, f following) error {
	screen := openScreen(c, f)
	defer screen.close(c)
	if f.first == askFirst && !screen.canAsk(c) {
		f.first = detach
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	news := make(chan remote.Progress)
	lost := make(chan string)
	ended := make(chan error, 1)
	var tasks sync.WaitGroup
	tasks.Go(func() {
		ended <- f.client.Watch(ctx, f.id, f.known, remote.Follower{
			Progress: func(p remote.Progress) { send(ctx, news, p) },
			Lost:     func(why string) { send(ctx, lost, why) },
		})
	})
	w := watchLoop{following: f, c: c, screen: screen, interruption: interruption{first: f.first}, tasks: &tasks, cancelled: make(chan error, 1)}
	err := w.loop(ctx, news, lost, ended, signals)
	stop()
	tasks.Wait()
	return err
}

func send[T any](ctx context.Context, to chan<- T, x T) {
	select {
	case to <- x:
	case <-ctx.Done():
	}
}
