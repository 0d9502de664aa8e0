//go:build hbase

package hbase

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// silent accepts connections and never answers.
func silent(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
		}
	}()
	return l.Addr().String()
}

// If the cluster cannot be used, benchctl reports the cause at once, with its exit code. The HBase library would retry
// forever.
func TestMistakesAreReportedWithin10Seconds(t *testing.T) {
	on(t, []string{three, sandbox}, func(t *testing.T, s *server) {
		const table, disabled = "mistakes", "mistakes_disabled"
		h := testcluster.New(t)
		h.Agents("a", "b", "c", "d", "e", "f", "g", "h", "i") // one for each mistake
		for _, name := range []string{table, disabled} {
			run(t, s, name, append(property("recordcount", 100, "hbase.table.create", "recreate"), "--phase", "load")...)
		}
		require.NoError(t, s.admin(t).Disable(t.Context(), disabled))

		t.Run("reported", func(t *testing.T) { reportsMistakes(t, h, s, table, disabled) }) // ends when all of its tests have
	})
}

// reportsMistakes makes all mistakes at the same time, because most of them only wait.
func reportsMistakes(t *testing.T, h *testcluster.Cluster, s *server, table, disabled string) {
	t.Helper()
	for _, c := range []struct {
		name  string
		args  []string
		codes []int
		says  string
	}{
		{"nothing listens", property("hbase.zookeeper.quorum", "127.0.0.1:"+testcluster.Port(t)), []int{1, 5}, `(?i)zookeeper.*127\.0\.0\.1`},
		{"another server listens", property("hbase.zookeeper.quorum", h.HTTP), []int{1, 5}, `(?i)zookeeper.*127\.0\.0\.1`},
		{"a silent server", property("hbase.zookeeper.quorum", silent(t)), []int{1, 5}, `(?i)zookeeper.*127\.0\.0\.1`},
		{"an unknown host", property("hbase.zookeeper.quorum", "nowhere.invalid"), []int{1, 5}, `nowhere\.invalid`},
		{"wrong znode", property("zookeeper.znode.parent", "/elsewhere"), []int{1, 5}, `/elsewhere`},
		{"no table", property("table", "nonesuch"), []int{1}, `nonesuch`},
		{"no namespace", property("table", "nowhere:nonesuch"), []int{1}, `nowhere`},
		{"no column family", property("columnfamily", "nonesuch"), []int{1}, `nonesuch`},
		{"disabled table", property("table", disabled), []int{1}, `(?i)disabled`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := slices.Concat(s.flags(table), property("recordcount", 100, "operationcount", 1000), c.args)
			check := func(stderr string, code int, took time.Duration) {
				t.Helper()
				t.Logf("%.1f s, exit code %d: %s", took.Seconds(), code, stderr)
				require.Contains(t, c.codes, code)
				require.Regexp(t, c.says, stderr)
				require.Less(t, took, 10*time.Second)
			}
			begin := time.Now()
			_, stderr, code := testcluster.Run(t, time.Minute, "benchctl", slices.Concat([]string{"run", "-q"}, args)...)
			check(stderr, code, time.Since(begin))

			begin = time.Now()
			_, stderr, code = h.Ctl(slices.Concat([]string{"submit", "--wait", "--agents", "1"}, args)...)
			check(stderr, code, time.Since(begin))
		})
	}
}
