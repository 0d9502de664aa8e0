// Package quarantine isolates a panic in the work on one suite from the others: Guard turns it into an error, and a List
// has the suites that are skipped from then on, with the reasons.
package quarantine

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// PanicError is a recovered panic.
type PanicError struct {
	value any
	stack []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("internal error: %v", p.value) }

// Stack returns the stack of the panic.
func (p *PanicError) Stack() string { return string(p.stack) }

// Guard runs do and returns a panic in it as a PanicError.
func Guard(do func() error) (err error) {
	defer func() {
		value := recover()
		if before, again := value.(*PanicError); again {
			err = before
		} else if value != nil {
			err = &PanicError{value, debug.Stack()}
		}
	}()
	return do()
}

// List has the suites that are set aside: maintenance skips them until the next start, and `benchctl list` and `benchctl
// show` print why.
type List struct {
	log     *slog.Logger
	reasons sync.Map // by suite
}

// NewList returns an empty list.
func NewList(log *slog.Logger) *List { return &List{log: log} }

// Add sets a suite aside, because of an error in the work on it. The first reason stays.
func (l *List) Add(suite, doing string, err error) {
	stack := ""
	if p, is := errors.AsType[*PanicError](err); is {
		stack = p.Stack()
	}
	l.log.Error("a suite is set aside", "suite", suite, "doing", doing, "error", err, "stack", stack)
	l.reasons.LoadOrStore(suite, fmt.Sprintf("set aside: %s: %v", doing, err))
}

// Reason returns why a suite is set aside; empty if it is not.
func (l *List) Reason(suite string) string {
	reason, _ := l.reasons.Load(suite)
	text, _ := reason.(string)
	return text
}

// Do works on a suite that is not set aside; a panic sets it aside and is not returned as an error.
func (l *List) Do(suite, doing string, do func() error) error {
	if l.Reason(suite) != "" {
		return nil
	}
	err := Guard(do)
	if _, is := errors.AsType[*PanicError](err); is {
		l.Add(suite, doing, err)
		return nil
	}
	return err
}
