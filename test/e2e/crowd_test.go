//go:build integration

package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// TestStrangersDisturbNobody checks that 2080 strangers, who have no certificates and come again when they are sent away, delay no answer
// of /healthz, disturb no run, and lock out nobody; and that nothing of them remains.
func TestStrangersDisturbNobody(t *testing.T) {
	h := testcluster.Secured(t)
	h.Agents("a", "b")
	client := h.Viewer()
	runsWell(t, h, "without strangers")
	before := read(t, client, h)

	c := gather(t, strangers(h))
	healthy := watchHealth(t, h)
	testcluster.Eventually(t, testcluster.Patience, c.came, "all strangers should come")
	runsWell(t, h, "beside idle and slow strangers")
	testcluster.Eventually(t, testcluster.Patience, func() bool { return c.sentAway() == "" }, "strangers should be sent away")
	runsWell(t, h, "beside those that come again")

	// More strangers than a port accepts.
	flood := gather(t, map[*stranger]int{
		{kind: "gRPC, silent", address: h.Address, do: silent}: 1100,
		{kind: "HTTP, silent", address: h.HTTP, do: silent}:    1100,
	})
	testcluster.Eventually(t, testcluster.Patience, flood.came, "all further strangers should come")
	for range 5 {
		_, stderr, code := h.Ctl("list")
		require.Zero(t, code, stderr)
	}
	late := h.Agent("late")
	h.Connected(3)
	runsWell(t, h, "beside too many")
	during := read(t, client, h)
	healthy()

	late.Signal(syscall.SIGTERM)
	require.Zero(t, late.Exit(testcluster.Patience))
	flood.leave()
	c.leave()
	const slack = 20
	testcluster.Eventually(t, testcluster.Patience, func() bool {
		after := read(t, client, h)
		return after.files <= before.files+slack/2 && after.goroutines <= before.goroutines+slack
	}, "files and goroutines should go back")
	t.Logf("before, during and after: %+v, %+v, %+v", before, during, read(t, client, h))
}

// sentAway returns a kind of strangers of which the server has closed no connection; "" if there is none. Those that answer pings, and those after a request,
// stay for longer than a test.
func (c *crowd) sentAway() (kind string) {
	for kind, n := range c.ended {
		switch kind {
		case "gRPC, without a stream", "gRPC, slow body", "HTTP, after a request":
		default:
			if n.Load() == 0 {
				return kind
			}
		}
	}
	return ""
}

// runsWell runs a short open loop, which is complete and exact, and starts and sends in time.
func runsWell(t *testing.T, h *testcluster.Cluster, when string) {
	t.Helper()
	const latest = 50.0 // ms, on a machine with other work
	tolerance.Retry(t, func(try *tolerance.Try) {
		stdout, stderr, code := h.Ctl("submit", "--db", "null", "-p", "recordcount=1000", "-p", "null.service=constant 1ms", "--agents", "2",
			"--threads", "8", "--target", "500", "--duration", "3s", "--wait", "-o", "json")
		require.Zero(t, code, stderr)
		r := testcluster.Parse(t, stdout)
		testcluster.RequireConsistent(t, r, 2)
		late := r.Phases[0].Lateness
		require.NotNil(t, late.P99)
		assert.Less(try, *late.P99, latest, "how late operations were sent")
		assert.Less(try, r.Start.SkewMS, float64(tolerance.StartSkew)/1e6)
		t.Logf("%s: skew of the start %.3f ms; operations were sent %.3f ms late at the p99, %.3f ms at most", when, r.Start.SkewMS, *late.P99, late.Max)
	})
}

// watchHealth asks for /healthz five times a second, each time on a new connection without a certificate, until stop is called. An answer
// must come within a second, and the time for which the machine stalls meanwhile.
func watchHealth(t *testing.T, h *testcluster.Cluster) (stop func()) {
	t.Helper()
	const within, pause, beat = time.Second, 200 * time.Millisecond, 10 * time.Millisecond
	client := &http.Client{Timeout: testcluster.Patience, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var tasks sync.WaitGroup
	var stalled atomic.Int64 // in all
	tasks.Go(func() {
		for last := time.Now(); after(ctx, beat); {
			now := time.Now()
			stalled.Add(int64(max(now.Sub(last)-2*beat, 0)))
			last = now
		}
	})
	var answers int
	var slowest time.Duration
	var wrong []string
	tasks.Go(func() {
		for after(ctx, pause) {
			began, stalls := time.Now(), stalled.Load()
			text, err := get(context.WithoutCancel(ctx), client, "https://"+h.HTTP+"/healthz")
			took := time.Since(began)
			if err != nil || text != "ok\n" {
				wrong = append(wrong, fmt.Sprintf("%q, %v", text, err))
			}
			if stall := time.Duration(stalled.Load() - stalls); took > within+stall {
				wrong = append(wrong, fmt.Sprintf("it took %s, and the machine stalled for %s of it", took, stall))
			}
			answers, slowest = answers+1, max(slowest, took)
		}
	})
	return func() {
		t.Helper()
		cancel()
		tasks.Wait()
		require.Empty(t, wrong)
		require.Greater(t, answers, 10)
		t.Logf("%d answers of /healthz, the slowest after %s", answers, slowest)
	}
}

func get(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// consumption is what the coordinator uses.
type consumption struct {
	files, goroutines, residentMiB int
}

func read(t *testing.T, client *http.Client, h *testcluster.Cluster) (c consumption) {
	t.Helper()
	text, err := get(t.Context(), client, "https://"+h.HTTP+"/metrics")
	require.NoError(t, err)
	found := 0
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		switch name {
		case "process_open_fds":
			c.files = int(n)
		case "go_goroutines":
			c.goroutines = int(n)
		case "process_resident_memory_bytes":
			c.residentMiB = int(n) >> 20
		default:
			continue
		}
		found++
	}
	require.Equal(t, 3, found)
	return c
}
