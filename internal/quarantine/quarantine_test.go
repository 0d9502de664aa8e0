package quarantine_test

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/quarantine"
)

// A suite whose work panics is skipped from then on, and keeps its first reason; others are worked on, and their errors
// are returned.
func TestASuiteThatPanicsIsLeftAlone(t *testing.T) {
	list := quarantine.NewList(slog.New(slog.DiscardHandler))
	calls := 0
	work := func() error {
		calls++
		panic("boom")
	}
	require.NoError(t, list.Do("BAD", "count", work))
	require.NoError(t, list.Do("BAD", "count", work))
	require.Equal(t, 1, calls)
	list.Add("BAD", "look", errors.New("later"))
	require.Equal(t, "set aside: count: internal error: boom", list.Reason("BAD"))
	wrong := errors.New("the disk is full")
	require.ErrorIs(t, list.Do("GOOD", "count", func() error { return wrong }), wrong)
	require.Empty(t, list.Reason("GOOD"))
}

// A panic that crosses goroutines as an error keeps the stack of its origin.
func TestAPanicThatIsRaisedAgainStaysItself(t *testing.T) {
	first := quarantine.Guard(func() error { panic("boom") })
	again := quarantine.Guard(func() error { panic(first) })
	require.Same(t, first, again)
	p, is := errors.AsType[*quarantine.PanicError](again)
	require.True(t, is)
	require.Contains(t, p.Stack(), "TestAPanicThatIsRaisedAgainStaysItself")
	require.NoError(t, quarantine.Guard(func() error { return nil }))
}
