package conductor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Work for a run that is over is dropped: no caller waits for a loop that has ended.
func TestWorkForALoopThatHasEndedIsDropped(t *testing.T) {
	m := newMailbox()
	close(m.done)
	for range cap(m.work) + 1 {
		m.post(func() { t.Error("it is over") })
	}
}

// A panic outside the loop is raised again in the loop, where the run is abandoned.
func TestAPanicBesideTheLoopReachesIt(t *testing.T) {
	m := newMailbox()
	m.beside(func() {})
	require.Empty(t, m.work)
	m.beside(func() { panic("boom") })
	require.PanicsWithError(t, "internal error: boom", <-m.work)
}
