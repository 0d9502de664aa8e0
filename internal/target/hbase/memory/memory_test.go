package memory

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every length has one class, whose capacity is at most a quarter more than the length and is of the same class.
func TestClasses(t *testing.T) {
	last := -1
	for n := Keep + 1; n <= most; n += 1 + n/1000 {
		index, capacity := class(n)
		require.GreaterOrEqual(t, capacity, n)
		require.LessOrEqual(t, capacity, n+n/4)
		require.Contains(t, []int{last, last + 1}, index)
		require.Less(t, index, len(Pool{}.classes))
		again, same := class(capacity)
		require.Equal(t, index, again)
		require.Equal(t, capacity, same)
		last = index
	}
	index, capacity := class(most)
	require.Equal(t, len(Pool{}.classes)-1, index)
	require.Equal(t, most, capacity)
}

func TestGrowKeepsTheContent(t *testing.T) {
	for _, p := range []*Pool{nil, {}} {
		var b, want []byte
		for i := range 200 {
			more := bytes.Repeat([]byte{byte(i)}, 1+i*i)
			b = append(p.Grow(b, len(more)), more...)
			want = append(want, more...)
			require.True(t, bytes.Equal(want, b))
		}
		require.Empty(t, p.Release(b))
	}
}

func TestABufferThatHasRoomIsKept(t *testing.T) {
	p := &Pool{}
	small := make([]byte, 10, 100)
	require.Same(t, &small[0], &p.Grow(small, 90)[0])
	require.Equal(t, 100, cap(p.Release(small)))
	large := p.Grow(small, 10*Keep)
	require.Nil(t, p.Release(large))
}

// A large buffer is used again without an allocation but that of its header, by any worker.
func TestALargeBufferIsUsedAgain(t *testing.T) {
	p := &Pool{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		p.Release(p.Grow(nil, 1<<20))
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(500<<20), "half of what 1000 allocations take; the race detector empties a part of every pool")
}

// The memory returns to the runtime when nobody uses it.
func TestAnIdlePoolIsEmptied(t *testing.T) {
	p := &Pool{}
	heap := func() int64 {
		for range 3 {
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	used := make([][]byte, 64)
	for i := range used {
		used[i] = p.Grow(nil, 1<<20)
	}
	for _, b := range used {
		p.Put(b)
	}
	clear(used)
	require.Less(t, heap()-before, int64(2<<20))
	runtime.KeepAlive(p)
}
