package main

import (
	"bufio"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/cli/view"
	"github.com/benchd/benchd/internal/config"
)

// terminal returns a stream's file if it is a terminal.
func terminal(stream any) *os.File {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return nil
	}
	return f
}

// showing is the amount of output while a suite runs.
type showing int

const (
	quiet    showing = iota // only effects of the user's answers
	progress                // live on a terminal, otherwise in lines
)

// screen is a view with the answers of the user.
type screen struct {
	view.View
	keys   chan view.Key
	live   *view.Live
	in     *os.File // a terminal whose lines are answers; nil if keys are answers, or nobody can answer
	answer cancelreader.CancelReader
	done   chan struct{}
}

// openScreen opens a view on out. The log goes above a live view.
func openScreen(c *cli.Context, f following) *screen {
	s := &screen{keys: make(chan view.Key, 16)}
	in, tty := terminal(c.In), terminal(f.out)
	if f.statuses != nil {
		s.View = view.NewStatus(f.statuses...)
		if terminal(c.Err) != nil {
			s.in = in
		}
		return s
	}
	if f.how == progress && tty != nil && !config.Dumb() {
		s.live = view.StartLive(in, tty, s.keys)
		s.View = s.live
		c.LogOut.To(s.live)
		return s
	}
	s.View = view.NewPlain(f.out, f.how == quiet)
	if terminal(c.Err) != nil {
		s.in = in
	}
	return s
}

// canAsk reports whether there is somebody to answer.
func (s *screen) canAsk(c *cli.Context) bool {
	return s.in != nil || s.live != nil && terminal(c.In) != nil
}

// ask waits for a line on the terminal, until unask.
func (s *screen) ask() {
	if s.in == nil {
		return // the view reports keys
	}
	reader, err := cancelreader.NewReader(s.in)
	if err != nil {
		return // then only a further Ctrl-C is an answer
	}
	s.answer, s.done = reader, make(chan struct{})
	go func() {
		defer close(s.done)
		line, err := bufio.NewReader(reader).ReadString('\n')
		switch {
		case err != nil:
		case strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"):
			s.keys <- view.Yes
		default:
			s.keys <- view.No
		}
	}()
}

// unask stops waiting for an answer.
func (s *screen) unask() {
	if s.answer == nil {
		return
	}
	s.answer.Cancel()
	<-s.done
	_ = s.answer.Close()
	s.answer = nil
}

// close restores the terminal.
func (s *screen) close(c *cli.Context) {
	s.unask()
	if s.live == nil {
		return
	}
	c.LogOut.To(c.Err)
	if err := s.live.Close(); err != nil {
		c.Logger.Debug("the view ended early", "err", err)
	}
}
