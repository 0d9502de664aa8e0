package trace

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/benchd/benchd/internal/keyspace"
	"github.com/benchd/benchd/internal/workload"
)

// write returns the file of entries.
func write(t require.TestingT, entries []Entry, info Info) []byte {
	var file bytes.Buffer
	w, err := NewWriter(&file)
	require.NoError(t, err)
	w.perChunk = 1000
	for _, e := range entries {
		require.NoError(t, w.Add(e))
	}
	card, err := w.Close(info)
	require.NoError(t, err)
	parsed, err := ParseCard([]byte(card.Text()))
	require.NoError(t, err)
	require.Equal(t, card.ID(), parsed.ID())
	return file.Bytes()
}

func open(t require.TestingT, file []byte) *File {
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	require.NoError(t, f.Verify())
	return f
}

// many returns n operations on keys, some of them more popular than others.
func many(n, keys int) []Entry {
	entries := make([]Entry, n)
	all := kinds()
	for i := range entries {
		entries[i] = Entry{
			At: int64(i) * 1000, Kind: all[i%len(all)], Key: []byte("key" + strconv.Itoa(i*i%keys)), Size: i % 100,
		}
	}
	return entries
}

func clone(e Entry) Entry {
	e.Key = bytes.Clone(e.Key)
	return e
}

func TestWrittenEntriesAreRead(t *testing.T) {
	entries := many(2010, 500)
	f := open(t, write(t, entries, Info{Start: time.Unix(1765000000, 0), Table: "t"}))
	i := 0
	require.NoError(t, f.Each(func(e Entry) error {
		require.Equal(t, entries[i], clone(e))
		i++
		return nil
	}))
	require.Len(t, entries, i)
	require.Equal(t, 3, f.Card.Chunks)
	require.Equal(t, "2025-12-06T05:46:40Z", f.Card.Start)
	require.EqualValues(t, entries[len(entries)-1].At, f.Card.Length)
}

// Whatever the numbers of workers: every operation has one worker, a key has one worker, and its operations keep their order and
// instants.
func TestEveryOperationIsPlayedOnceInTheOrderOfItsKey(t *testing.T) {
	entries := many(1500, 70)
	f := open(t, write(t, entries, Info{}))
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 5).Draw(t, "workers")
		speed := rapid.SampledFrom([]float64{1, 4, 0.5}).Draw(t, "speed")
		left := make(map[string][]Entry)
		for _, e := range entries {
			left[string(e.Key)] = append(left[string(e.Key)], e)
		}
		total := 0
		for agent := range workers {
			share := NewShare(f, Division{Workers: workers, Agent: agent, Speed: speed})
			schedule := share.Schedule()
			own := 0
			for worker := range workers[agent] {
				p := share.Player(worker)
				var e Entry
				for {
					ok, err := p.Next(&e)
					require.NoError(t, err)
					if !ok {
						break
					}
					own++
					want := left[string(e.Key)]
					require.NotEmpty(t, want)
					require.Equal(t, want[0].Kind, e.Kind)
					require.Equal(t, want[0].Size, e.Size)
					require.InDelta(t, float64(want[0].At)/speed, e.At, 0.5)
					left[string(e.Key)] = want[1:]
				}
			}
			for range own {
				require.NotEqual(t, time.Duration(math.MaxInt64), schedule.Claim())
			}
			require.Equal(t, time.Duration(math.MaxInt64), schedule.Claim())
			share.Close()
			total += own
		}
		require.Len(t, entries, total)
	})
}

func TestSkippedOperationsAreThoseBefore(t *testing.T) {
	entries := many(20000, 50)
	f := open(t, write(t, entries, Info{}))
	div := Division{Workers: []int{3}, Speed: 2}
	share := NewShare(f, div)
	defer share.Close()
	for _, before := range []time.Duration{0, 1, 500, 3_000_000, 10_000 * 500, 9_999_000, math.MaxInt64} {
		want, got := 0, 0
		for _, e := range entries {
			if e.At/2 >= int64(before) {
				want++
			}
		}
		for worker := range 3 {
			p := share.Player(worker)
			require.NoError(t, p.Skip(before))
			var e Entry
			for ok, err := p.Next(&e); ok; ok, err = p.Next(&e) {
				require.NoError(t, err)
				require.GreaterOrEqual(t, e.At, int64(before))
				got++
			}
		}
		require.Equal(t, want, got, before)
		schedule := share.Schedule()
		schedule.Skip(before)
		for schedule.Claim() != math.MaxInt64 {
			got--
		}
		require.Zero(t, got, before)
	}
}

func TestALoadWritesTheKeysThatTheTraceDoesNotInsertFirst(t *testing.T) {
	entries := []Entry{
		{Kind: workload.Read, Key: []byte("a"), Size: 10},
		{Kind: workload.Insert, Key: []byte("b"), Size: 20},
		{Kind: workload.Scan, Key: []byte("c"), Size: 5000, Rows: 10},
		{Kind: workload.Read, Key: []byte("b"), Size: 20},
		{Kind: workload.Update, Key: []byte("a"), Size: 30},
		{Kind: workload.Update, Key: []byte("d"), Size: 40},
	}
	for i := range 3000 {
		entries = append(entries, Entry{At: 1, Kind: workload.Read, Key: fmt.Appendf(nil, "k%d", i)})
	}
	f := open(t, write(t, entries, Info{}))
	require.EqualValues(t, 3003, f.Card.Rows)
	share := NewShare(f, Division{Workers: []int{1}})
	defer share.Close()
	var rows []string
	l, err := share.Loader(0)
	require.NoError(t, err)
	for key, size, err := l.Next(); key != nil; key, size, err = l.Next() {
		require.NoError(t, err)
		rows = append(rows, fmt.Sprintf("%s %d", key, size))
	}
	require.Len(t, rows, int(f.Card.Rows))
	require.Equal(t, []string{"a 10", "c 0", "d 40", "k0 0"}, rows[:4])
	for _, from := range []int64{1, 3, 993, 994, 998, 999, 2500, 3002} {
		l, err := share.Loader(from)
		require.NoError(t, err)
		key, size, err := l.Next()
		require.NoError(t, err)
		require.Equal(t, rows[from], fmt.Sprintf("%s %d", key, size))
	}
}

func TestHashesBecomeKeysOfRows(t *testing.T) {
	f := open(t, write(t, []Entry{{Kind: workload.Read, Key: []byte{0x80, 0, 0, 0, 0, 0, 1, 2}}}, Info{Hashed: true}))
	share := NewShare(f, Division{Workers: []int{1}, Names: keyspace.NewNames("user", 1, true)})
	defer share.Close()
	var e Entry
	ok, err := share.Player(0).Next(&e)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "user258", string(e.Key))
}

func TestPlayingAllocatesNothing(t *testing.T) {
	f := open(t, write(t, many(3000, 500), Info{}))
	share := NewShare(f, Division{Workers: []int{1}})
	defer share.Close()
	p := share.Player(0)
	var e Entry
	_, err := p.Next(&e)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(900, func() { _, _ = p.Next(&e) }))
}

func TestInvalidEntriesAreRefused(t *testing.T) {
	for want, e := range map[string]Entry{
		"VERIFY has no place":        {Kind: workload.Verify, Key: []byte("a")},
		"invalid key of 0 bytes":     {Kind: workload.Read},
		"invalid size -1":            {Kind: workload.Read, Key: []byte("a"), Size: -1},
		"it is at 1 ns, after one a": {At: 1, Kind: workload.Read, Key: []byte("a")},
	} {
		w, err := NewWriter(&bytes.Buffer{})
		require.NoError(t, err)
		require.NoError(t, w.Add(Entry{At: 5, Kind: workload.Read, Key: []byte("a")}))
		e.At = max(e.At, 1)
		if e.At == 1 && e.Size == 0 && len(e.Key) > 0 && e.Kind == workload.Read {
			require.ErrorContains(t, w.Add(e), want)
			continue
		}
		e.At = 5
		require.ErrorContains(t, w.Add(e), want)
	}
}

func TestDamageIsFound(t *testing.T) {
	file := write(t, many(100, 10), Info{})
	id := open(t, file).Card.ID()
	for i := 0; i < len(file); i += 5 {
		bad := bytes.Clone(file)
		bad[i] ^= 0x10
		f, err := Open(bytes.NewReader(bad), int64(len(bad)))
		if err == nil && f.Card.ID() == id {
			require.Error(t, f.Verify(), "byte %d", i)
		}
	}
	for n := 0; n < len(file); n += 11 {
		_, err := Open(bytes.NewReader(file[:n]), int64(n))
		require.Error(t, err, "%d bytes", n)
	}
	_, err := ParseCard([]byte(`{"version":9,"news":true}`))
	require.EqualError(t, err, "the trace has format version 9, and this benchd reads up to 1: use a newer benchd")
}

func FuzzOpen(f *testing.F) {
	file := write(f, many(50, 7), Info{})
	f.Add(file, 20, byte(3))
	f.Add(file, len(file)-40, byte(9))
	f.Fuzz(func(_ *testing.T, file []byte, at int, with byte) {
		if at >= 0 && at < len(file) {
			file = bytes.Clone(file)
			file[at] ^= with
		}
		opened, err := Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		_ = opened.Verify()
		_ = opened.Each(func(Entry) error { return nil })
		share := NewShare(opened, Division{Workers: []int{2}})
		defer share.Close()
		if l, err := share.Loader(0); err == nil {
			for key, _, err := l.Next(); key != nil && err == nil; key, _, err = l.Next() {
				continue
			}
		}
	})
}

func FuzzChunk(f *testing.F) {
	var c chunk
	c.ends, c.text = []uint32{1}, []byte("a")
	c.records = []record{{at: 1}}
	f.Add(c.append(nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var c chunk
		if c.decode(raw) != nil {
			return
		}
		var again chunk
		require.NoError(t, again.decode(c.append(nil)))
	})
}

func BenchmarkPlayer(b *testing.B) {
	f := open(b, write(b, many(chunkOps, 20000), Info{}))
	share := NewShare(f, Division{Workers: []int{1}})
	defer share.Close()
	var e Entry
	p := share.Player(0)
	for b.Loop() {
		if ok, _ := p.Next(&e); !ok {
			p = share.Player(0)
		}
	}
}

// The intervals become longer with the trace; together they have all operations.
func TestOperationsAreCountedOverTime(t *testing.T) {
	entries := many(1000, 10)
	for i := range entries {
		entries[i].At = int64(i) * int64(i) * 1_000_000
	}
	c := open(t, write(t, entries, Info{})).Card
	require.LessOrEqual(t, len(c.Counts), mostCounts)
	for _, at := range []time.Duration{0, c.Interval, 7 * c.Interval, 50 * c.Interval, c.Length + c.Interval} {
		want := 0
		for _, e := range entries {
			if time.Duration(e.At) < at {
				want++
			}
		}
		require.InDelta(t, want, c.Intended(at), 1e-9, at)
	}
}
