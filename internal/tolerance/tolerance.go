// Package tolerance names what tests in real time allow for a machine that has other work, too, and stalls for up to a second
// at any instant. Most tests need none of it: they run in a bubble of testing/synctest, or check what a delay cannot break.
// The others use
//
//  1. Patience, to bound a wait for something that should happen at once;
//  2. Within, for a bound on time that is documented;
//  3. Retry, for a measurement that a stall spoils: an error in the code shows in each try;
//  4. a constant of this package, for how exact a measurement is.
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
	// Stall is by how much a busy machine delays, in all, what is to end within a bound.
	Stall = 10 * time.Second
	// Tries is how often Retry measures.
	Tries = 6

	// StartSkew is how far apart three agents on one machine send their first operation.
	StartSkew = 5 * time.Millisecond
	// CutSkew is how far apart they end a window, where the clocks of two drift 24 ms apart within the run.
	CutSkew = 10 * time.Millisecond
	// ReadClock is how much later than the reading of a clock the operation is sent that it is read for.
	ReadClock = 100 * time.Microsecond
)

// Within requires that no more than bound has passed since began, and a Stall.
func Within(t testing.TB, began time.Time, bound time.Duration) {
	t.Helper()
	if took := time.Since(began); took > bound+Stall {
		t.Fatalf("it took %s: the bound is %s, and a machine may stall for %s", took, bound, Stall)
	}
}

// Try is one of the measurements of Retry. The functions of package assert report to it.
type Try struct{ wrong []string }

// Errorf notes something that is wrong with the measurement.
func (t *Try) Errorf(format string, args ...any) {
	t.wrong = append(t.wrong, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// Retry measures until nothing is wrong with a try, and fails the test when all Tries are spoilt.
func Retry(t testing.TB, measure func(try *Try)) {
	t.Helper()
	for n := 1; ; n++ {
		try := new(Try)
		measure(try)
		switch wrong := strings.Join(try.wrong, "\n"); {
		case len(try.wrong) == 0:
			return
		case n == Tries:
			t.Fatalf("all of %d tries are wrong; the last one:\n%s", Tries, wrong)
		default:
			t.Logf("try %d of %d:\n%s", n, Tries, wrong)
		}
	}
}
