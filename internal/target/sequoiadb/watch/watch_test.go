package watch

import (
	"context"
	"flag"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbspec"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbtest/scripted"
	"github.com/benchd/benchd/internal/target/sequoiadb/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the tables of figures in docs/sequoiadb.md")

// The documentation names the field behind each figure.
func TestFiguresAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Figure", "Unit", "Made as", "Field of the snapshot"}}
	madeAs := func(k observe.Kind) string { return [...]string{"level", "rate", "share"}[k] }
	add := func(prefix string, figures []figure) {
		for _, f := range figures {
			var fields []string
			for _, path := range f.fields {
				fields = append(fields, "`"+strings.Join(path, ".")+"`")
			}
			table.Rows = append(table.Rows, []string{"`" + prefix + f.name + "`", f.unit, madeAs(f.kind), strings.Join(fields, " + ")})
		}
	}
	add(sequoiadbspec.Figure, nodeFigures())
	add(sequoiadbspec.Host, hostFigures())
	table.Rows = append(table.Rows, []string{"`" + sequoiadbspec.Host + "cpu_busy_percent`", "percent", "share", "`CPU.User` + `CPU.Sys` + `CPU.Other`, of these and `CPU.Idle`"})
	doctable.Generated(t, "docs/sequoiadb.md", "figures", table, *update)
}

// serve starts a scripted server until the test ends or stop is called.
func serve(t *testing.T, at string) (addr string, stop func()) {
	t.Helper()
	server, err := scripted.New(scripted.Options{})
	require.NoError(t, err)
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", at)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { _ = server.Serve(ctx, l) })
	stop = func() {
		cancel()
		work.Wait()
	}
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

func TestFiguresOfNodesAndMachines(t *testing.T) {
	at, err := freeport.Address() // no other server may listen there after stop
	require.NoError(t, err)
	addr, stop := serve(t, at)
	source, err := Open(map[string]string{"sequoiadb.url": addr}, observe.Access{})
	require.NoError(t, err)
	defer source.Close()
	look := source.Look(t.Context())
	require.Empty(t, look.Warnings)
	require.Empty(t, look.Events)
	var sources []string
	for _, g := range look.Groups {
		sources = append(sources, g.Key+" "+g.Source)
		require.True(t, g.Live)
		names := make(map[string]observe.Reading)
		for _, r := range g.Readings {
			names[r.Name] = r
		}
		if g.Key == "host" {
			require.Equal(t, observe.Reading{Name: "sequoiadb.host.memory_used_percent", Unit: "percent", Value: 50}, names["sequoiadb.host.memory_used_percent"])
			require.Equal(t, observe.Share, names["sequoiadb.host.cpu_busy_percent"].Kind)
			continue
		}
		require.Contains(t, names, "sequoiadb.node.inserts")
		require.Equal(t, observe.Counter, names["sequoiadb.node.cpu_percent"].Kind)
		require.InDelta(t, 256<<20, names["sequoiadb.node.rss"].Value, 0)
	}
	require.Equal(t, []string{"node sdb1:11820", "node sdb2:11820", "host sdb1", "host sdb2"}, sources)

	stop()
	look = source.Look(t.Context())
	require.Len(t, look.Warnings, 1)
	look = source.Look(t.Context())
	require.Len(t, look.Warnings, 1, "of the refused connection")
	require.Contains(t, look.Warnings[0], "connection refused")
	require.Empty(t, source.Look(t.Context()).Warnings, "each warning comes once")
	serve(t, addr)
	require.Len(t, source.Look(t.Context()).Groups, 4, "it connects again")
}

// documents encodes documents of a snapshot.
func documents(t *testing.T, all ...bson.D) []wire.Document {
	t.Helper()
	out := make([]wire.Document, len(all))
	for i, d := range all {
		b, err := bson.Marshal(d)
		require.NoError(t, err)
		out[i] = wire.Document(b)
	}
	return out
}

func state(name, started string, primary, serving bool) bson.D {
	return bson.D{{Key: "NodeName", Value: name}, {Key: "GroupName", Value: "g1"}, {Key: "IsPrimary", Value: primary}, {Key: "ServiceStatus", Value: serving}, {Key: "ActivateTimestamp", Value: started}}
}

func TestEventsOfNodes(t *testing.T) {
	var n nodes
	see := func(all ...bson.D) (texts []string) {
		for _, e := range n.compare(documents(t, all...), clock.Mono()) {
			require.Equal(t, "server", e.Kind)
			texts = append(texts, e.Text)
		}
		return texts
	}
	require.Empty(t, see(state("a:1", "t0", true, true), state("b:1", "t0", false, true)))
	require.Empty(t, see(state("a:1", "t0", true, true), state("b:1", "t0", false, true)))
	require.Equal(t, []string{"node b:1 has become the primary of group g1", "node a:1 is lost: 1 left"}, see(state("b:1", "t0", true, true)))
	require.Equal(t, []string{"node a:1 has joined: 2 now"}, see(state("a:1", "t1", false, true), state("b:1", "t0", true, true)))
	require.Equal(t, []string{"node b:1 was restarted"}, see(state("a:1", "t1", false, true), state("b:1", "t2", true, true)))
	require.Equal(t, []string{"node a:1 does not serve"}, see(state("a:1", "t1", false, false), state("b:1", "t2", true, true)))
	require.Equal(t, []string{"node a:1 serves again"}, see(state("a:1", "t1", false, true), state("b:1", "t2", true, true)))
}

// A snapshot of any content gives readings or none.
func TestASnapshotWithoutFigures(t *testing.T) {
	all := documents(t, bson.D{}, bson.D{{Key: "TotalInsert", Value: "text"}, {Key: "CPU", Value: 3}})
	for _, d := range all {
		require.Empty(t, read(d, "p.", nodeFigures()))
		_, has := busy(d)
		require.False(t, has)
		require.Equal(t, "cluster", sourceOf(d, "NodeName"))
	}
	began := time.Now()
	_, err := Open(map[string]string{"sequoiadb.url": "x"}, observe.Access{})
	require.ErrorContains(t, err, "sequoiadb.url: invalid coordinator")
	require.Less(t, time.Since(began), time.Second)
}
