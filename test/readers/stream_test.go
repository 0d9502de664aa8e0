//go:build integration

package readers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// read starts clients that read events, each on a connection of its own. The returned function waits for the end of their streams, checks
// that no event is missing, and returns how many each has got at least.
func read(t *testing.T, url string, clients int) (ended func() int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testcluster.Patience+2*chosen.length)
	type outcome struct {
		events int
		err    error
	}
	outcomes := make(chan outcome, clients)
	for range clients {
		go func() {
			events, err := follow(ctx, url)
			outcomes <- outcome{events, err}
		}()
	}
	return func() (least int) {
		t.Helper()
		defer cancel()
		for i := range clients {
			o := <-outcomes
			require.NoError(t, o.err)
			if i == 0 || o.events < least {
				least = o.events
			}
		}
		if clients > 0 {
			require.Greater(t, least, int(chosen.length.Seconds())/2, "events of a reader")
		}
		return least
	}
}

// follow reads a stream to its end, and returns the number of its events.
func follow(ctx context.Context, url string) (events int, err error) {
	transport := new(http.Transport) // with a connection of its own
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", url, resp.Status)
	}
	last := 0
	for in := bufio.NewReader(resp.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return events, fmt.Errorf("after %d events: %w", events, err)
		}
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "event":
			events++
			if value == "end" {
				return events, nil
			}
		case "id":
			_, number, _ := strings.Cut(value, "-")
			n, err := strconv.Atoi(number)
			if value != "end" && (err != nil || last > 0 && n != last+1) {
				return events, fmt.Errorf("event %q follows number %d", value, last)
			}
			last = n
		}
	}
}

// cpuTime is the CPU time that a process has spent, of itself and of the kernel for it.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	var ticks int
	for _, field := range strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))[11:13] {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond // Linux counts in hundredths of a second for all its platforms
}
