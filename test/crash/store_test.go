//go:build integration

package crash

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/sandbox/filter"
	"github.com/benchd/benchd/internal/sandbox/store"
	"github.com/benchd/benchd/internal/target/hbase/protocol"
	"github.com/benchd/benchd/test/testcluster"
)

// Variables that make a child of the test binary: its data folder, and the number of operations that each writer has done.
const (
	childDir  = "BENCHD_CRASH_DIR"
	childDone = "BENCHD_CRASH_DONE"
)

// splitter is the number under which a child acknowledges splits and merges.
const splitter = writers

func tableName() store.Name {
	return store.Name{Namespace: store.DefaultNamespace, Qualifier: "crash"}
}

// options have memory tables so small that they are flushed, and files compacted, all the time.
func options(dir string) store.Options {
	return store.Options{Dir: dir, MemTableBytes: 256 << 10, TidyBytes: 512 << 10}
}

// child writes until it is killed, and prints the writer's number after each acknowledged operation.
func child(dir, done string) error {
	s, err := store.Open(options(dir))
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, writers+1)
	for w, text := range strings.Split(done, ",") {
		from, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		all.Go(func() {
			failed <- write(s, w, from)
		})
	}
	acknowledge("ready")
	return <-failed
}

func acknowledge(what string) { _, _ = os.Stdout.WriteString(what + "\n") }

func write(s *store.Store, writer, from int) error {
	if writer == splitter {
		for i := from; ; i++ {
			if err := rearrange(s, i); err != nil {
				return err
			}
			acknowledge(strconv.Itoa(writer))
		}
	}
	mine := newState(writer)
	mine.to(from)
	for {
		o := mine.op()
		if err := apply(s, o, mine.rows[o.row]); err != nil {
			return fmt.Errorf("writer %d, operation %d: %w", writer, mine.done, err)
		}
		acknowledge(strconv.Itoa(writer))
		mine.next()
	}
}

// boundary returns the row at which the i-th rearrangement splits and the next one merges.
func boundary(i int) string { return rowName(i/2%writers, i/2%rowsOfEach) }

// rearrange splits a region, or merges it again.
func rearrange(s *store.Store, i int) error {
	at := []byte(boundary(i))
	r, err := s.Locate(tableName(), at)
	if err != nil {
		return err
	}
	if i%2 == 0 {
		_, _, err = r.Split(at)
		return err
	}
	regions, err := s.Regions(tableName())
	if err != nil {
		return err
	}
	n := slices.Index(regions, r)
	_, err = s.Merge(regions[n-1], r)
	return err
}

func value(qualifier, v string) []protocol.Cell {
	return []protocol.Cell{{Family: []byte("f"), Qualifier: []byte(qualifier), Timestamp: protocol.LatestTimestamp, Value: []byte(v)}}
}

// apply executes one operation; it looks up again a region that was split meanwhile.
func apply(s *store.Store, o op, before row) error {
	for {
		r, err := s.Locate(tableName(), []byte(o.row))
		if err != nil {
			return err
		}
		if err = try(r, o, before); !errors.Is(err, store.ErrRegionGone) && !errors.Is(err, store.ErrWrongRegion) {
			return err
		}
	}
}

func try(r *store.Region, o op, before row) error {
	m := &store.Mutation{Row: []byte(o.row), Cells: value("text", o.value)}
	switch o.kind {
	case remove:
		return r.Mutate(&store.Mutation{Kind: store.Delete, Row: m.Row}, nil)
	case increment:
		m.Kind, m.Cells = store.Increment, value("count", string(binary.BigEndian.AppendUint64(nil, 1)))
	case appendText:
		m.Kind, m.Cells = store.Append, value("tail", o.value[:1])
	case checkAndPut:
		check := &store.Check{Row: m.Row, Family: []byte("f"), Qualifier: []byte("text"), Compare: filter.Equal}
		if before.text != "" {
			check.Comparator = filter.Binary(before.text)
		}
		matched, err := r.CheckAndMutate(check, []*store.Mutation{m}, nil)
		if err == nil && !matched {
			return fmt.Errorf("row %s does not have %q", o.row, before.text)
		}
		return err
	case putTwo:
		if info := r.Info(); !info.Contains([]byte(o.other)) {
			// Two regions do not change together: the writer waits until there is one again.
			return store.ErrRegionGone
		}
		return r.MutateRows([]*store.Mutation{m, {Row: []byte(o.other), Cells: m.Cells}})
	case put, kinds:
	}
	return r.Mutate(m, nil)
}

// rowsIn reads all rows, and checks that the regions are whole.
func rowsIn(t *testing.T, s *store.Store) (rows map[string]row, bounds []string) {
	t.Helper()
	regions, err := s.Regions(tableName())
	require.NoError(t, err)
	rows = map[string]row{}
	var end []byte
	for i, r := range regions {
		info := r.Info()
		require.Equal(t, string(end), string(info.Start), "regions follow one another")
		if end = info.End; i > 0 {
			bounds = append(bounds, string(info.Start))
		}
		sc, err := r.Scan(store.Scan{})
		require.NoError(t, err)
		var page store.Page
		_, err = sc.Next(store.Limits{}, &page)
		require.NoError(t, err)
		for _, c := range page.Cells {
			one := rows[string(c.Row)]
			switch string(c.Qualifier) {
			case "text":
				one.text = string(c.Value)
			case "tail":
				one.tail = string(c.Value)
			default:
				one.count = binary.BigEndian.Uint64(c.Value)
			}
			rows[string(c.Row)] = one
		}
		require.NoError(t, sc.Close())
	}
	require.Empty(t, end)
	return rows, bounds
}

func TestAStoreThatIsKilledHasAllThatItAcknowledged(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(options(dir))
	require.NoError(t, err)
	_, err = s.CreateTable(store.Table{Name: tableName(), Families: []store.Family{{Name: "f", MaxVersions: 2}}}, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	self, err := os.Executable()
	require.NoError(t, err)
	states := make([]*state, writers)
	for w := range states {
		states[w] = newState(w)
	}
	rearranged := 0
	t.Setenv(childDir, dir)
	for k := range kills(t, 8) {
		done := make([]string, 0, writers+1)
		for _, s := range states {
			done = append(done, strconv.Itoa(s.done))
		}
		t.Setenv(childDone, strings.Join(append(done, strconv.Itoa(rearranged)), ","))
		var seen acknowledged
		p := testcluster.Start(t, &seen, self)
		testcluster.Eventually(t, testcluster.Patience, seen.ready, "the child should open the store; it printed %s", p.Log())
		killLater(p)
		require.Equal(t, -1, p.Exit(testcluster.Patience), "the child ended by itself: %s", p.Log())

		counts := seen.counts(t)
		s, err := store.Open(options(dir))
		require.NoError(t, err, "after kill %d", k+1)
		rows, bounds := rowsIn(t, s)
		for w, one := range states {
			require.Empty(t, one.settle(one.done+counts[w], rows), "after kill %d", k+1)
		}
		rearranged = settleBounds(t, rearranged+counts[splitter], bounds)
		require.NoError(t, s.Close())
	}
	total := 0
	for _, one := range states {
		total += one.done
	}
	t.Logf("%d operations and %d splits and merges survived %d kills", total, rearranged, kills(t, 8))
	require.Greater(t, total, 10*kills(t, 8))
}

// settleBounds finds the number of splits and merges that were done.
func settleBounds(t *testing.T, acknowledged int, bounds []string) int {
	t.Helper()
	for _, done := range []int{acknowledged, acknowledged + 1} {
		var want []string
		if done%2 == 1 {
			want = []string{boundary(done - 1)}
		}
		if slices.Equal(want, bounds) {
			return done
		}
	}
	require.Fail(t, "regions are not as they were left", "%d rearrangements, regions begin at %v", acknowledged, bounds)
	return 0
}

// acknowledged is the output of a child.
type acknowledged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (a *acknowledged) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Write(p)
}

func (a *acknowledged) ready() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return bytes.Contains(a.text.Bytes(), []byte("ready\n"))
}

func (a *acknowledged) counts(t *testing.T) (counts [writers + 1]int) {
	t.Helper()
	for line := range strings.Lines(a.text.String()) {
		if line == "ready\n" || !strings.HasSuffix(line, "\n") {
			continue
		}
		w, err := strconv.Atoi(strings.TrimSpace(line))
		require.NoError(t, err)
		counts[w]++
	}
	return counts
}
