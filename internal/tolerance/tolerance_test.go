package tolerance_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/tolerance"
)

// failing is a test that may fail.
type failing struct {
	testing.TB
	message string
}

func (*failing) Helper() {}

func (*failing) Logf(string, ...any) {}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// message returns the failure message of a test, or an empty one if it passes.
func message(test func(t testing.TB)) string {
	f := new(failing)
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(f)
	}()
	<-done
	return f.message
}

func TestOneGoodTryIsEnough(t *testing.T) {
	for _, good := range []int{1, 2, tolerance.Tries} {
		tries := 0
		require.Empty(t, message(func(t testing.TB) {
			tolerance.Retry(t, func(try *tolerance.Try) {
				tries++
				assert.Equal(try, good, tries)
			})
		}))
		require.Equal(t, good, tries)
	}
}

func TestATestFailsWhenAllTriesFail(t *testing.T) {
	tries := 0
	failed := message(func(t testing.TB) {
		tolerance.Retry(t, func(try *tolerance.Try) {
			tries++
			try.Errorf("p50 is %d µs", tries)
			try.Errorf("and p99, too")
		})
	})
	require.Equal(t, tolerance.Tries, tries)
	require.Equal(t, "all 6 tries failed; the last one:\np50 is 6 µs\nand p99, too", failed)
}

func TestABoundHasRoomForAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		within := func() string {
			return message(func(t testing.TB) { tolerance.Within(t, began, time.Second) })
		}
		<-time.After(time.Second + tolerance.Stall)
		require.Empty(t, within())
		<-time.After(time.Nanosecond)
		require.Equal(t, "took 11.000000001s: the bound is 1s, and a machine may stall for 10s", within())
	})
}
