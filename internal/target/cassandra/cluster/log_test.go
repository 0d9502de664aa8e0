package cluster

import (
	"bytes"
	"log/slog"
	"strconv"
	"testing"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/stretchr/testify/require"
)

// While a node is away the driver repeats a message many times a second.
func TestAMessageOfTheDriverIsLoggedOnceInTenSeconds(t *testing.T) {
	l := newLog(slog.New(slog.DiscardHandler))
	now := time.Now()
	_, due := l.due("a", now)
	require.True(t, due)
	for range 3 {
		_, due = l.due("a", now.Add(logEvery-1))
		require.False(t, due)
	}
	_, due = l.due("b", now)
	require.True(t, due, "another message")
	skipped, due := l.due("a", now.Add(logEvery))
	require.True(t, due)
	require.Equal(t, 3, skipped)
	for i := range 2 * maxMessages {
		l.due(strconv.Itoa(i), now)
	}
	require.LessOrEqual(t, len(l.seen), maxMessages)
}

func TestMessagesOfTheDriverHaveTheirFields(t *testing.T) {
	var out bytes.Buffer
	l := newLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo})))
	l.Error("it broke", gocql.NewLogFieldInt("port", 9042))
	l.Info("it works")
	l.Debug("it does something")
	require.Contains(t, out.String(), `level=WARN msg="driver of Cassandra" message="it broke" port=9042`)
	require.NotContains(t, out.String(), "it works")
}
