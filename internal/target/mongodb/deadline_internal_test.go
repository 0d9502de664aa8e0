package mongodb

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEachOperationHasTheWholeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newOpContext(time.Second)
		defer c.close()
		for range 5 {
			c.begin(t.Context())
			<-time.After(900 * time.Millisecond)
			require.NoError(t, c.Err())
		}
		c.begin(t.Context())
		child, cancel := context.WithTimeout(c, time.Hour)
		defer cancel()
		begin := time.Now()
		<-child.Done()
		require.Equal(t, time.Second, time.Since(begin))
		require.ErrorIs(t, child.Err(), context.DeadlineExceeded)
		c.begin(t.Context())
		require.NoError(t, c.Err(), "the next operation has time again")
		at, ok := c.Deadline()
		require.True(t, ok)
		require.Equal(t, time.Second, time.Until(at))
	})
}

func TestTheEndOfThePhaseEndsAnOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newOpContext(time.Hour)
		defer c.close()
		phase, end := context.WithCancel(t.Context())
		c.begin(phase)
		child, cancel := context.WithCancel(c)
		defer cancel()
		end()
		<-child.Done()
		require.ErrorIs(t, c.Err(), context.Canceled)
		c.begin(phase)
		require.ErrorIs(t, c.Err(), context.Canceled)
		c.begin(t.Context())
		require.NoError(t, c.Err())
	})
}
