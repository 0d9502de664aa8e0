package testcluster

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/tolerance"
)

// Patience bounds every wait for something that should happen at once.
const Patience = tolerance.Patience

// Eventually waits until something holds.
func Eventually(t *testing.T, within time.Duration, ok func() bool, format string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	const first, most = 20 * time.Millisecond, 320 * time.Millisecond // most conditions cost a process
	for pause := first; !ok(); pause = min(2*pause, most) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			require.Fail(t, fmt.Sprintf(format, args...))
		}
	}
}

// Port finds a port that no other test uses.
func Port(t *testing.T) string {
	t.Helper()
	port, err := freeport.Take()
	require.NoError(t, err)
	return strconv.Itoa(port)
}
