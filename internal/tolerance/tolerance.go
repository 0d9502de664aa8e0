// Package tolerance defines the tolerances of tests in real time on a busy machine, which may stall for up to a second at
// any instant. Most tests do not need it: they run in a bubble of testing/synctest, or check properties that a delay does
// not affect. The others use
//
//  1. Patience, to bound a wait for something that should happen at once;
//  2. Within, for a documented time bound;
//  3. Retry, for a measurement that a stall spoils; an error in the code fails every try;
//  4. a constant of this package, for the accuracy of a measurement.
//
// Only tests import it.
package tolerance

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	// Patience bounds a wait for something that should happen at once. No test shows that something takes that long.
	Patience = time.Minute
	// Stall is the total delay of a busy machine that Within allows.
	Stall = 10 * time.Second
	// Tries is the maximum number of measurements of Retry.
	Tries = 6

	// StartSkew bounds the time between the first operations of three agents on one machine.
	StartSkew = 5 * time.Millisecond
	// CutSkew bounds the time between their ends of a window if two of their clocks drift 24 ms apart within the run.
	CutSkew = 10 * time.Millisecond
	// ReadClock bounds the time between reading a clock for an operation and sending the operation.
	ReadClock = 100 * time.Microsecond
)

// Within requires that at most bound plus Stall has passed since began.
func Within(t testing.TB, began time.Time, bound time.Duration) {
	t.Helper()
	if took := time.Since(began); took > bound+Stall {
		t.Fatalf("took %s: the bound is %s, and a machine may stall for %s", took, bound, Stall)
	}
}

// Try is one of the measurements of Retry. The functions of package assert report to it.
type Try struct{ wrong []string }

// Errorf records a failure of the measurement.
func (t *Try) Errorf(format string, args ...any) {
	t.wrong = append(t.wrong, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// Retry measures until a try succeeds, and fails the test if all Tries fail.
func Retry(t testing.TB, measure func(try *Try)) {
	t.Helper()
	for n := 1; ; n++ {
		try := new(Try)
		measure(try)
		switch wrong := strings.Join(try.wrong, "\n"); {
		case len(try.wrong) == 0:
			return
		case n == Tries:
			t.Fatalf("all %d tries failed; the last one:\n%s", Tries, wrong)
		default:
			t.Logf("try %d of %d:\n%s", n, Tries, wrong)
		}
	}
}
