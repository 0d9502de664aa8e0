package keyspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIntegrityValuesAreThoseOfYCSB(t *testing.T) {
	const whole = "user6284781860667377211:field0:-56807877:2032869390:-165488160:1762371712:-169193395:-1039977118:-10"
	for length := range len(whole) + 1 {
		got := make([]byte, length, length+20)
		FillIntegrity(got, []byte("user6284781860667377211"), []byte("field0"))
		require.Equal(t, whole[:length], string(got))
		require.Equal(t, make([]byte, 20), got[length:cap(got)], "wrote beyond the value")
	}
}

func TestIntegrityHoldsForItsOwnValues(t *testing.T) {
	key, field := []byte("user1"), []byte("field3")
	value := make([]byte, 200)
	FillIntegrity(value, key, field)
	i := NewIntegrity(len(value))
	require.True(t, i.Holds(key, field, value))
	require.False(t, i.Holds(key, field, value[:199]), "another length")
	require.False(t, i.Holds([]byte("user2"), field, value), "another key")
	require.False(t, i.Holds(key, []byte("field4"), value), "another field")
	for at := range value {
		value[at]++
		require.False(t, i.Holds(key, field, value), "byte %d altered", at)
		value[at]--
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { i.Holds(key, field, value) }))
}

func BenchmarkIntegrity(b *testing.B) {
	value := make([]byte, 100)
	key, field := []byte("user6284781860667377211"), []byte("field0")
	b.ReportAllocs()
	for b.Loop() {
		FillIntegrity(value, key, field)
	}
}
