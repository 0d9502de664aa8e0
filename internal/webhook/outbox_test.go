package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = tolerance.Patience
	signing  = "a-secret-that-nobody-may-see"
	token    = "a-token-that-nobody-may-see"
)

// received is a request that a receiver got.
type received struct {
	header http.Header
	body   []byte
	path   string
}

// receiver is an HTTP server of a test.
type receiver struct {
	*httptest.Server
	got chan received
}

func receive(t *testing.T, answer http.HandlerFunc) *receiver {
	r := &receiver{got: make(chan received, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.got <- received{req.Header, body, req.URL.Path}
		answer(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func accept(http.ResponseWriter, *http.Request) {}

func (r *receiver) next(t *testing.T) received {
	t.Helper()
	select {
	case got := <-r.got:
		return got
	case <-time.After(patience):
		require.Fail(t, "nothing is delivered")
		return received{}
	}
}

// bench is an outbox with its file and its log.
type bench struct {
	t        *testing.T
	dir      string
	records  webhook.Records // instead of a folder in dir; nil for none
	archived bool            // for what was in doubt
	failing  error           // of Describe
	registry *prometheus.Registry
	*webhook.Outbox

	mu  sync.Mutex
	log bytes.Buffer
}

func (b *bench) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *bench) logged() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

func (b *bench) file() string { return filepath.Join(b.dir, "webhooks.yaml") }

func (b *bench) write(hooks string) {
	require.NoError(b.t, os.WriteFile(filepath.Join(b.dir, "key"), []byte(signing+"\n"), 0o600))
	require.NoError(b.t, os.WriteFile(b.file()+".new", []byte(hooks), 0o600))
	require.NoError(b.t, os.Rename(b.file()+".new", b.file()))
}

func newBench(t *testing.T, hooks string) *bench {
	b := &bench{t: t, dir: t.TempDir()}
	b.write(hooks)
	t.Cleanup(func() {
		require.NotContains(t, b.logged(), signing)
		require.NotContains(t, b.logged(), token)
	})
	return b
}

func (b *bench) open() *bench {
	log := slog.New(slog.NewTextHandler(b, nil))
	file, err := webhook.OpenFile(b.file(), secret.Resolver{}, log)
	require.NoError(b.t, err)
	b.registry = prometheus.NewPedanticRegistry()
	b.Outbox, err = webhook.Open(b.t.Context(), webhook.Config{
		File: file, Dir: filepath.Join(b.dir, "queue"), Records: b.records, Version: "test", Logger: log, Registerer: b.registry, Clock: clock.NewSource(clock.Skew{}),
		Archived: func(context.Context, notice.Occasion) (bool, error) { return b.archived, nil },
		Describe: func(_ context.Context, id string, at time.Time, o notice.Occasion) (notice.Notice, error) {
			return notice.Of(id, at, o, result.Suite{ID: o.Suite, Name: "nightly", Tags: map[string]string{"branch": "main"}, Status: result.Complete}), b.failing
		},
	})
	require.NoError(b.t, err)
	return b
}

func (b *bench) close() { require.NoError(b.t, b.Close()) }

func (b *bench) ended(suite string) {
	b.Announce(notice.Occasion{Event: notice.SuiteEnded, Suite: suite})(true)
}

// count waits until deliveries of a hook have ended in a way.
func (b *bench) count(hook, outcome string, want int) {
	b.t.Helper()
	text := fmt.Sprintf("# HELP benchd_webhook_deliveries_total Notices that were delivered or dropped, by outcome.\n# TYPE benchd_webhook_deliveries_total counter\nbenchd_webhook_deliveries_total{hook=%q,outcome=%q} %d\n", hook, outcome, want)
	require.Eventually(b.t, func() bool {
		return testutil.GatherAndCompare(b.registry, strings.NewReader(text), "benchd_webhook_deliveries_total") == nil
	}, patience, 10*time.Millisecond, "no %d deliveries of %s are %s", want, hook, outcome)
}

func (b *bench) files() int {
	entries, err := os.ReadDir(filepath.Join(b.dir, "queue"))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	require.NoError(b.t, err)
	n := 0
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".spool") {
			n++
		}
	}
	return n
}

func TestADeliveryIsSignedAndHasItsHeaders(t *testing.T) {
	to := receive(t, accept)
	b := newBench(t, "link: https://bench.example.com/{suite}\nhooks:\n- {name: ci, url: "+to.URL+"/"+token+", events: [suite_ended], suites: [night*], tags: {branch: main}, secret: file:key}\n").open()
	defer b.close()
	b.ended("S")
	got := to.next(t)
	require.Equal(t, "/"+token, got.path)
	require.Equal(t, "application/json", got.header.Get("Content-Type"))
	require.Equal(t, "suite_ended", got.header.Get("Benchd-Event"))
	seconds, err := strconv.ParseInt(got.header.Get("Benchd-Timestamp"), 10, 64)
	require.NoError(t, err)
	require.Equal(t, webhook.Sign(signing, time.Unix(seconds, 0), got.body), got.header.Get("Benchd-Signature"))
	var n notice.Notice
	require.NoError(t, json.Unmarshal(got.body, &n))
	require.Equal(t, got.header.Get("Benchd-Delivery"), n.ID)
	require.Equal(t, "https://bench.example.com/S", n.Link)
	require.Equal(t, "benchd: suite nightly (S) has ended: complete", n.Text)
	b.count("ci", "delivered", 1)
	require.Eventually(t, func() bool { return b.files() == 0 }, patience, 10*time.Millisecond, "delivered notices leave the disk")
}

func TestAHookGetsOnlyWhatItWants(t *testing.T) {
	to := receive(t, accept)
	hook := func(name, more string) string {
		return "- {name: " + name + ", url: " + to.URL + "/" + name + ", " + more + "}\n"
	}
	b := newBench(t, "hooks:\n"+hook("tag", "events: [suite_ended], tags: {branch: dev}")+hook("name", "events: [suite_ended], suites: [weekly]")+
		hook("event", "events: [limit_violated]")+hook("all", "events: [suite_ended, limit_violated, change_found]")).open()
	defer b.close()
	b.ended("S")
	b.ended("S2")
	require.Equal(t, "/all", to.next(t).path)
	require.Equal(t, "/all", to.next(t).path)
	b.count("all", "delivered", 2)
	require.Empty(t, to.got)
}

func TestADeliveryIsTriedAgainUntilItIsAccepted(t *testing.T) {
	for name, status := range map[string]int{"server error": 500, "busy": 429, "unavailable": 503} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			to := receive(t, func(w http.ResponseWriter, _ *http.Request) {
				if tries++; tries == 1 {
					w.WriteHeader(status)
				}
			})
			b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended]}\n").open()
			defer b.close()
			b.ended("S")
			first, second := to.next(t), to.next(t)
			require.Equal(t, first.body, second.body)
			require.Equal(t, first.header.Get("Benchd-Delivery"), second.header.Get("Benchd-Delivery"))
			b.count("ci", "delivered", 1)
		})
	}
}

func TestAReceiverMayAskForALongerPause(t *testing.T) {
	to := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended]}\n").open()
	defer b.close()
	b.ended("S")
	to.next(t)
	require.Eventually(t, func() bool { return strings.Contains(b.logged(), "next_try=10m0s") }, patience, 10*time.Millisecond, "%s", b.logged())
}

func TestARefusedDeliveryIsNotTriedAgain(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"client error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := receive(t, answer)
			b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+"/"+token+", events: [suite_ended]}\n").open()
			defer b.close()
			b.ended("S")
			require.Equal(t, "/"+token, to.next(t).path)
			b.count("ci", "refused", 1)
			require.Empty(t, to.got)
			statuses, broken := b.Statuses()
			require.NoError(t, broken)
			require.Contains(t, statuses[0].Last.Error, "status ")
			require.Equal(t, to.URL, statuses[0].Address, "without the path")
		})
	}
}

// A receiver that never answers, and one that does not exist, delay neither the caller nor another receiver.
func TestDeadAndSlowReceiversDelayNobody(t *testing.T) {
	stop := make(chan struct{})
	slow := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	defer close(stop)
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	good := receive(t, accept)
	b := newBench(t, "hooks:\n- {name: slow, url: "+slow.URL+"/"+token+", events: [suite_ended], timeout: 60s}\n- {name: dead, url: "+dead.URL+"/"+token+
		", events: [suite_ended], timeout: 60s}\n- {name: good, url: "+good.URL+", events: [suite_ended]}\n").open()
	for i := range 20 {
		b.ended("S" + strconv.Itoa(i))
	}
	slow.next(t)
	for i := range 20 {
		var n notice.Notice
		require.NoError(t, json.Unmarshal(good.next(t).body, &n))
		require.Equal(t, "S"+strconv.Itoa(i), n.Suite.ID, "in their order")
	}
	statuses, _ := b.Statuses()
	require.Equal(t, 20, statuses[0].Queued)
	b.close() // does not wait for the slow receiver
	require.Contains(t, b.logged(), "connection refused")
}

func TestASlowAnswerIsTriedAgain(t *testing.T) {
	tries := 0
	to := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			<-r.Context().Done()
		}
	})
	b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended], timeout: 200ms}\n").open()
	defer b.close()
	b.ended("S")
	to.next(t)
	to.next(t)
	b.count("ci", "delivered", 1)
	require.Contains(t, b.logged(), "no answer within 200ms")
}

// answer answers with a status, which a mutex protects.
func answer(mu *sync.Mutex, status *int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.WriteHeader(*status)
	}
}

func TestTheNextProcessDeliversWhatIsLeft(t *testing.T) {
	var down sync.Mutex
	status := 503
	to := receive(t, answer(&down, &status))
	b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended]}\n").open()
	b.ended("S1")
	first := to.next(t)
	b.Announce(notice.Occasion{Event: notice.SuiteEnded, Suite: "S2"}) // the process dies before it is archived, or after
	b.close()
	require.Equal(t, 2, b.files())

	down.Lock()
	status = 200
	down.Unlock()
	b.archived = true
	b.open()
	again, other := to.next(t), to.next(t)
	require.Equal(t, first.body, again.body)
	require.Contains(t, string(other.body), `"S2"`)
	b.count("ci", "delivered", 2)
	b.close()
	require.Zero(t, b.files())
}

func TestWhatWasNotArchivedIsNotDelivered(t *testing.T) {
	to := receive(t, accept)
	b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended]}\n").open()
	for range 5 { // a full disk: it is tried again
		b.Announce(notice.Occasion{Event: notice.SuiteEnded, Suite: "S"})(false)
	}
	require.Equal(t, 1, b.files())
	b.close()
	b.open()
	defer b.close()
	b.ended("S")
	to.next(t)
	b.count("ci", "delivered", 1)
	require.Empty(t, to.got)
}

func TestAChangedFileIsUsedAndABrokenOneIsNot(t *testing.T) {
	old, fresh := receive(t, accept), receive(t, accept)
	hook := func(url string) string { return "hooks:\n- {name: ci, url: " + url + ", events: [suite_ended]}\n" }
	b := newBench(t, hook(old.URL)).open()
	defer b.close()
	b.ended("S1")
	old.next(t)
	b.write("hooks: [{name: ci, url: https://example.com/" + token + ", evnts: []}]\n")
	b.ended("S2")
	old.next(t)
	_, broken := b.Statuses()
	require.ErrorContains(t, broken, `unknown key "evnts" (did you mean "events"?)`)
	b.write(hook(fresh.URL))
	b.ended("S3")
	fresh.next(t)
	b.count("ci", "delivered", 3)
	require.Equal(t, 1, strings.Count(b.logged(), "the changed file is not used"))
}

func TestNoticesOfARemovedHookAreDropped(t *testing.T) {
	to := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended]}\n").open()
	defer b.close()
	b.ended("S")
	to.next(t)
	b.write("hooks: []\n")
	b.count("ci", "removed", 1)
}

func TestATestIsSentOnceAndUnblocksTheQueue(t *testing.T) {
	var mu sync.Mutex
	status := 503
	to := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if status == 503 {
			w.Header().Set("Retry-After", "3600")
		}
		w.WriteHeader(status)
	})
	b := newBench(t, "hooks:\n- {name: chat, url: 'file:url', events: [suite_ended], format: slack}\n")
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "url"), []byte(to.URL+"/"+token+"\n"), 0o600))
	b.open()
	defer b.close()
	b.ended("S")
	require.JSONEq(t, `{"text": "benchd: suite nightly (S) has ended: complete"}`, string(to.next(t).body))
	require.Eventually(t, func() bool { return strings.Contains(b.logged(), "next_try=1h0m0s") }, patience, 10*time.Millisecond)
	last, err := b.Test(t.Context(), "chat")
	require.NoError(t, err)
	require.Equal(t, "status 503", last.Error)
	to.next(t)
	mu.Lock()
	status = 200
	mu.Unlock()
	last, err = b.Test(t.Context(), "chat")
	require.NoError(t, err)
	require.Empty(t, last.Error)
	require.JSONEq(t, `{"text": "benchd: this is a test of a webhook"}`, string(to.next(t).body))
	to.next(t)
	b.count("chat", "delivered", 1)
	_, err = b.Test(t.Context(), "chta")
	require.EqualError(t, err, `no webhook "chta" (did you mean "chat"?)`)
}

func TestAChatToolMayRefuseWithStatus200(t *testing.T) {
	to := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"errcode":310000,"errmsg":"keywords not in content"}`))
	})
	b := newBench(t, "hooks:\n- {name: ding, url: "+to.URL+", events: [suite_ended], format: dingtalk}\n").open()
	defer b.close()
	b.ended("S")
	require.JSONEq(t, `{"msgtype": "text", "text": {"content": "benchd: suite nightly (S) has ended: complete"}}`, string(to.next(t).body))
	b.count("ding", "refused", 1)
	require.Contains(t, b.logged(), "dingtalk answers with the code 310000")
}

func TestTheCertificateOfAReceiverIsVerified(t *testing.T) {
	to := httptest.NewTLSServer(http.HandlerFunc(accept))
	defer to.Close()
	to.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	b := newBench(t, "hooks:\n- {name: ci, url: "+to.URL+", events: [suite_ended]}\n").open()
	defer b.close()
	last, err := b.Test(t.Context(), "ci")
	require.NoError(t, err)
	require.Contains(t, last.Error, "certificate")
}

func TestAMissingSecretIsAnErrorAtTheStart(t *testing.T) {
	b := newBench(t, "hooks:\n- {name: ci, url: https://example.com/"+token+", events: [suite_ended], secret: env:BENCHD_SECRET_NONE}\n")
	_, err := webhook.OpenFile(b.file(), secret.Resolver{}, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "hook ci: secret: resolve env:BENCHD_SECRET_NONE")
	require.NotContains(t, err.Error(), token)
}
