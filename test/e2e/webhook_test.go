//go:build integration

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/webhook"
	"github.com/benchd/benchd/test/testcluster"
)

// A receiver is down while a run violates a limit, and the coordinator is killed. The next coordinator delivers both notices, with
// the same ids, and the signature that the documentation describes.
func TestNoticesOutliveAKilledCoordinator(t *testing.T) {
	t.Parallel() // it waits most of the time
	const signing, token = "nobody-may-see-this-secret", "nobody-may-see-this-token"
	var up atomic.Bool
	type delivery struct {
		header http.Header
		body   []byte
	}
	tried, got := make(chan string, 1000), make(chan delivery, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			tried <- r.Header.Get(webhook.HeaderDelivery)
			return
		}
		got <- delivery{r.Header, body}
	}))
	defer receiver.Close()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key"), []byte(signing+"\n"), 0o600))
	hooks := filepath.Join(dir, "webhooks.yaml")
	require.NoError(t, os.WriteFile(hooks, []byte("hooks:\n- {name: ci, url: "+receiver.URL+"/"+token+", secret: file:key, events: [suite_ended, limit_violated]}\n"), 0o600))

	h := testcluster.New(t, "--webhooks", hooks)
	h.Agents("a")
	id := h.Submit("--db", "null", "-p", "recordcount=1000", "-p", "null.error.share=10%", "-p", "limit.errors=1%", "--duration", "60s")
	h.Until(id, "failed")
	var first string
	select {
	case first = <-tried:
	case <-time.After(testcluster.Patience):
		require.Fail(t, "nothing is sent")
	}
	stdout, stderr, code := h.Ctl("webhooks", "-o", "json")
	require.Zero(t, code, stderr)
	require.NotContains(t, stdout, token)
	before := h.Coordinator
	before.Signal(syscall.SIGKILL)
	before.Exit(testcluster.Patience)
	up.Store(true)
	h.Open()

	events := make(map[notice.Event]string)
	for len(events) < 2 {
		select {
		case d := <-got:
			seconds, err := strconv.ParseInt(d.header.Get(webhook.HeaderTimestamp), 10, 64)
			require.NoError(t, err)
			require.Equal(t, webhook.Sign(signing, time.Unix(seconds, 0), d.body), d.header.Get(webhook.HeaderSignature))
			var n notice.Notice
			require.NoError(t, json.Unmarshal(d.body, &n))
			require.Equal(t, id, n.Suite.ID)
			require.Equal(t, result.Failed, n.Suite.Status)
			require.Len(t, n.Limits, 1)
			require.Contains(t, n.Limits[0].Reason, "the limit is 1 %")
			require.Equal(t, h.Show(id).Reason, n.Limits[0].Reason, "the verdict of the result")
			events[n.Event] = n.ID
		case <-time.After(testcluster.Patience):
			require.Fail(t, "the next coordinator does not deliver", "%v", events)
		}
	}
	require.Contains(t, events, notice.SuiteEnded)
	require.Equal(t, first, events[notice.LimitViolated], "the same id as before the kill")

	stdout, stderr, code = h.Ctl("webhooks", "test", "ci")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "has accepted the test: status 200")
	for _, log := range []string{before.Log(), h.Coordinator.Log()} {
		require.NotContains(t, log, signing)
		require.NotContains(t, log, token)
	}
	require.NoError(t, filepath.WalkDir(h.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NotContains(t, string(text), signing, path)
		require.NotContains(t, string(text), token, path)
		return err
	}))
}
