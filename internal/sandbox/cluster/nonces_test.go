package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func begin(t *testing.T, n *Nonces, id uint64) bool {
	t.Helper()
	fresh, err := n.Begin(t.Context(), Nonce{1, id})
	require.NoError(t, err)
	return fresh
}

func TestANonceIsForgottenAfterHalfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Nonces
		require.True(t, begin(t, &n, 1))
		n.End(Nonce{1, 1}, true)
		for minute := range 90 {
			require.True(t, begin(t, &n, uint64(100+minute)))
			n.End(Nonce{1, uint64(100 + minute)}, true)
			<-time.After(time.Minute)
			if minute < 29 {
				require.False(t, begin(t, &n, 1))
			}
		}
		require.LessOrEqual(t, len(n.recent)+len(n.former), 62)
		require.True(t, begin(t, &n, 1))
	})
}

func TestNoncesAreBounded(t *testing.T) {
	n := Nonces{most: 1000}
	for id := range uint64(3010) {
		n.End(Nonce{1, id}, true)
	}
	require.LessOrEqual(t, len(n.recent)+len(n.former), 2000)
	require.False(t, begin(t, &n, 2010), "the newest are remembered")
	require.Empty(t, n.pending)
}

func TestARepeatWaitsForTheSameOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, done := range []bool{true, false} {
			var n Nonces
			require.True(t, begin(t, &n, 1))
			fresh := make(chan bool)
			go func() { fresh <- begin(t, &n, 1) }()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := n.Begin(ctx, Nonce{1, 1})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
			n.End(Nonce{1, 1}, done)
			require.Equal(t, !done, <-fresh, "the next call carries out a failed operation")
		}
	})
}
