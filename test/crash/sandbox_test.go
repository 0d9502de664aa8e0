//go:build integration

package crash

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/benchd/benchd/test/testcluster"
)

var errMismatch = errors.New("the row does not have what it should")

// client is a client of HBase at a sandbox, and how far each writer came through it.
type client struct {
	gohbase.Client
	table []byte
	done  [writers]int
}

// do is one operation. There is none on two rows in this client: it puts one.
func (c *client) do(ctx context.Context, o op, before row) error {
	cells := func(qualifier, v string) map[string]map[string][]byte {
		return map[string]map[string][]byte{"f": {qualifier: []byte(v)}}
	}
	mutate := func(fresh func(context.Context, []byte, []byte, map[string]map[string][]byte, ...func(hrpc.Call) error) (*hrpc.Mutate, error),
		values map[string]map[string][]byte, send func(*hrpc.Mutate) error,
	) error {
		m, err := fresh(ctx, c.table, []byte(o.row), values)
		if err != nil {
			return err
		}
		return send(m)
	}
	switch o.kind {
	case remove:
		return mutate(hrpc.NewDel, nil, func(m *hrpc.Mutate) error { _, err := c.Delete(m); return err })
	case increment:
		one := cells("count", string(binary.BigEndian.AppendUint64(nil, 1)))
		return mutate(hrpc.NewInc, one, func(m *hrpc.Mutate) error { _, err := c.Increment(m); return err })
	case appendText:
		return mutate(hrpc.NewApp, cells("tail", o.value[:1]), func(m *hrpc.Mutate) error { _, err := c.Append(m); return err })
	case checkAndPut:
		return mutate(hrpc.NewPut, cells("text", o.value), func(m *hrpc.Mutate) error {
			matched, err := c.CheckAndPut(m, "f", "text", []byte(before.text))
			if err == nil && !matched {
				err = errMismatch
			}
			return err
		})
	default:
		return mutate(hrpc.NewPut, cells("text", o.value), func(m *hrpc.Mutate) error { _, err := c.Put(m); return err })
	}
}

// read gives a row.
func (c *client) read(ctx context.Context, name string) (one row, err error) {
	g, err := hrpc.NewGet(ctx, c.table, []byte(name))
	if err != nil {
		return one, err
	}
	got, err := c.Get(g)
	if err != nil {
		return one, err
	}
	for _, v := range got.Cells {
		switch string(v.Qualifier) {
		case "text":
			one.text = string(v.Value)
		case "tail":
			one.tail = string(v.Value)
		default:
			one.count = binary.BigEndian.Uint64(v.Value)
		}
	}
	return one, nil
}

func TestASandboxThatIsKilledHasAllThatItAcknowledged(t *testing.T) {
	t.Parallel()
	zookeeper, dir := "127.0.0.1:"+testcluster.Port(t), t.TempDir()
	states := make([]*state, writers)
	for w := range states {
		states[w] = newState(w)
		states[w].single = true
	}
	for k := range kills(t, 8) + 1 {
		p := testcluster.Start(t, nil, "benchd", "sandbox", "--zookeeper", zookeeper, "--info", "127.0.0.1:0", "--data", dir)
		p.Says("sandbox is up")
		c := &client{Client: gohbase.NewClient(zookeeper, gohbase.RpcQueueSize(1)), table: []byte("crash")}
		ctx, cancel := context.WithTimeout(t.Context(), testcluster.Patience)
		if k == 0 {
			admin := gohbase.NewAdminClient(zookeeper)
			require.NoError(t, admin.CreateTable(hrpc.NewCreateTable(ctx, c.table, map[string]map[string]string{"f": nil},
				hrpc.SplitKeys([][]byte{[]byte(rowName(2, 0)), []byte(rowName(5, 15))}))))
		}
		have := map[string]row{}
		for w := range writers {
			for i := range rowsOfEach {
				one, err := c.read(ctx, rowName(w, i))
				require.NoError(t, err, "after kill %d", k)
				have[rowName(w, i)] = one
			}
		}
		for w, s := range states {
			require.Empty(t, s.settle(max(s.done, c.done[w]), have), "after kill %d", k)
		}
		cancel()
		if k == kills(t, 8) {
			c.Close()
			break
		}
		c.load(t, p, states)
		c.Close()
		for w, s := range states {
			s.to(c.done[w])
		}
	}
	total := 0
	for _, s := range states {
		total += s.done
	}
	t.Logf("%d operations survived %d kills", total, kills(t, 8))
	require.Greater(t, total, 10*kills(t, 8))
}

// load lets all writers go until the sandbox is killed, and notes what was acknowledged.
func (c *client) load(t *testing.T, p *testcluster.Process, states []*state) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	wrong := make(chan error, writers)
	for w, s := range states {
		c.done[w] = s.done
		all.Go(func() {
			mine := newState(w)
			mine.single = true
			mine.to(s.done)
			for {
				o := mine.op()
				if err := c.do(ctx, o, mine.rows[o.row]); err != nil {
					if errors.Is(err, errMismatch) {
						wrong <- fmt.Errorf("writer %d, operation %d: %w", w, mine.done, err)
					}
					return // as when the sandbox is no longer there
				}
				mine.next()
				c.done[w] = mine.done
			}
		})
	}
	killLater(p)
	p.Exit(testcluster.Patience)
	cancel()
	all.Wait()
	select {
	case err := <-wrong:
		require.NoError(t, err)
	default:
	}
}
