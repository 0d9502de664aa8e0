//go:build hbase

package hbase

import (
	"bufio"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// An agent with 100 workers and four connections does not grow. In its short form the run covers only the start, when
// the heap is still settling; over ten minutes nothing may grow by more than 5 % after the first minute.
func TestAnAgentDoesNotGrow(t *testing.T) {
	on(t, []string{three}, func(t *testing.T, s *server) {
		const records = 20_000
		const table = "soak"
		lasts := length(t, "BENCHD_TEST_SOAK", 40*time.Second)
		settled, within, growth := lasts/2, lasts/8, 1.3
		if lasts >= 3*time.Minute {
			settled, within, growth = time.Minute, 30*time.Second, 1.05
		}
		h := testcluster.New(t)
		metrics := "127.0.0.1:" + testcluster.Port(t)
		agent := h.Agent("a", "--metrics-listen", metrics)
		h.Connected(1)
		faultless(t, submit(t, h, 1, s, table, append(property("recordcount", records, "hbase.table.create", "recreate"),
			"--phase", "load", "--threads", "16")...))
		id := h.Submit(slices.Concat(s.flags(table), property("recordcount", records, "hbase.connections", 4, "readproportion", 0.8,
			"updateproportion", 0.2, "operationcount", 0), []string{"--threads", "100", "--duration", lasts.String()})...)
		testcluster.Eventually(t, testcluster.Patience, func() bool { return h.Status(id) == "running" }, "the run should begin")

		type sample struct {
			at         time.Duration
			rss, count float64
		}
		var samples []sample
		begin := time.Now()
		testcluster.Eventually(t, lasts+2*time.Minute, func() bool {
			samples = append(samples, sample{time.Since(begin), resident(t, agent.ID()), goroutines(t, metrics)})
			return time.Since(begin) > lasts-time.Second
		}, "the run should last")
		testcluster.Eventually(t, 2*time.Minute, func() bool { return h.Status(id) == "complete" }, "the run should complete")
		faultless(t, h.Show(id))

		mean := func(from, to time.Duration) (rss, count float64) {
			n := 0.0
			for _, x := range samples {
				if x.at >= from && x.at < to {
					rss, count, n = rss+x.rss, count+x.count, n+1
				}
			}
			require.Positive(t, n)
			return rss / n, count / n
		}
		rss1, count1 := mean(settled, settled+within)
		rss2, count2 := mean(lasts-time.Second-within, lasts)
		t.Logf("after %s: %.1f MB, %.0f goroutines; after %s: %.1f MB, %.0f goroutines",
			settled, rss1, count1, lasts, rss2, count2)
		require.Less(t, rss2, growth*rss1, "memory")
		require.Less(t, count2, 1.05*count1, "goroutines")
	})
}

// resident returns the memory of a process, in MB.
func resident(t *testing.T, id int) float64 {
	t.Helper()
	stdout, stderr, code := testcluster.Command(t, time.Minute, "ps", "-o", "rss=", "-p", strconv.Itoa(id))
	require.Zero(t, code, stderr)
	kb, err := strconv.ParseFloat(strings.TrimSpace(stdout), 64)
	require.NoError(t, err)
	return kb / 1024
}

// goroutines returns the number of goroutines that an agent reports.
func goroutines(t *testing.T, metrics string) float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+metrics+"/metrics", nil)
	require.NoError(t, err)
	response, err := (&http.Client{Timeout: testcluster.Patience}).Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "go_goroutines "); ok {
			n, err := strconv.ParseFloat(value, 64)
			require.NoError(t, err)
			return n
		}
	}
	require.Fail(t, "the agent should report its goroutines")
	return 0
}
