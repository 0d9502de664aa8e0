package watch

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/cassandra/cluster"
	"github.com/benchd/benchd/internal/target/cassandra/jolokia"
)

func texts(events []observe.Event) []string {
	out := []string{}
	for _, e := range events {
		out = append(out, e.Kind+": "+e.Text)
	}
	return out
}

func TestChangesOfNodesBecomeEvents(t *testing.T) {
	c, at := newChanges(), clock.Mono()
	see := func(nodes ...cluster.Node) []string {
		c.nodes(nodes, at)
		return texts(c.take())
	}
	a, b := cluster.Node{Address: "a:9042", Up: true}, cluster.Node{Address: "b:9042", Up: true}
	down := cluster.Node{Address: "b:9042"}
	require.Empty(t, see(a, b), "they were there before")
	require.Equal(t, []string{"server: node b:9042 is lost"}, see(a, down))
	require.Empty(t, see(a, down))
	require.Equal(t, []string{"server: node b:9042 is back"}, see(a, b))
	require.Equal(t, []string{"server: node b:9042 has left: 1 now"}, see(a))
	require.Equal(t, []string{"server: node b:9042 has joined: 2 now"}, see(a, b))
	c.generation("a:9042", "1", at)
	c.generation("a:9042", "1", at)
	require.Empty(t, c.take())
	c.generation("a:9042", "2", at)
	require.Equal(t, []string{"server: node a:9042 was restarted"}, texts(c.take()))
}

func TestCompactionsBeginAndEnd(t *testing.T) {
	c, at := newChanges(), clock.Mono()
	for second, tasks := range []int{0, 2, 1, 0, 0} {
		c.compactions("a:9042", tasks, at.Add(time.Duration(second)*time.Second))
	}
	require.Equal(t, []string{"compaction: compaction begins on a:9042", "compaction: compaction has ended on a:9042 after 2 s"}, texts(c.take()))
}

// A bean that fails, and a value that is not known, give no figure.
func TestTheBeansOfJava(t *testing.T) {
	answer := func(status int, value string) jolokia.Answer {
		return jolokia.Answer{Status: status, Value: json.RawMessage(value)}
	}
	readings, epoch := readJava([]jolokia.Answer{
		answer(200, `{"HeapMemoryUsage":{"used":5,"max":-1}}`),
		answer(200, `{"java.lang:name=Copy,type=GarbageCollector":{"CollectionTime":30,"CollectionCount":2},"java.lang:name=Mark,type=GarbageCollector":{"CollectionTime":10,"CollectionCount":1}}`),
		answer(404, ``),
		answer(200, `{"StartTime":1795618333903}`),
	})
	got := make(map[string]float64)
	for _, r := range readings {
		got[r.Name] = r.Value
	}
	require.Equal(t, map[string]float64{prefix + "heap_used": 5, prefix + "gc_time": 40, prefix + "gcs": 3}, got)
	require.Equal(t, "1795618333903", epoch)
}
