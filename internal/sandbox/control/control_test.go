package control_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a fake with numbered servers.
type cluster struct {
	mu      sync.Mutex
	servers []control.Server
}

func (c *cluster) Servers() []control.Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]control.Server(nil), c.servers...)
}

func (c *cluster) set(name string, alive bool) (control.Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, err := strconv.Atoi(name)
	if err != nil || i < 1 || i > len(c.servers) {
		return control.Server{}, errors.New("find region server \"" + name + "\": no such region server")
	}
	c.servers[i-1].Alive = alive
	return c.servers[i-1], nil
}

func (c *cluster) KillServer(_ context.Context, name string) error {
	_, err := c.set(name, false)
	return err
}

func (c *cluster) RestartServer(_ context.Context, name string) (control.Server, error) {
	return c.set(name, true)
}

func (c *cluster) SilenceServer(_ context.Context, name string) error {
	_, err := c.quiet(name, true)
	return err
}

func (c *cluster) ResumeServer(_ context.Context, name string) (control.Server, error) {
	return c.quiet(name, false)
}

func (c *cluster) quiet(name string, silent bool) (control.Server, error) {
	if _, err := c.set(name, true); err != nil {
		return control.Server{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i, _ := strconv.Atoi(name)
	c.servers[i-1].Silent = silent
	return c.servers[i-1], nil
}

func (c *cluster) AddServer(context.Context) (control.Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := control.Server{Name: "server " + strconv.Itoa(len(c.servers)+1), Alive: true}
	c.servers = append(c.servers, s)
	return s, nil
}

func sandbox(t testing.TB) (*fault.Plan, http.Handler) {
	p, err := fault.New()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	c := &cluster{servers: []control.Server{{Name: "server 1", Alive: true}, {Name: "server 2", Alive: true}}}
	return p, control.Handler(control.Sandbox{Version: "2.6.4-benchd-sandbox", Quorum: "127.0.0.1:2181", Cluster: c, Faults: p})
}

func start(t *testing.T) (*fault.Plan, *control.Client) {
	p, h := sandbox(t)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := control.NewClient(strings.TrimPrefix(s.URL, "http://"), nil)
	t.Cleanup(c.Close)
	return p, c
}

func TestServersAreKilledRestartedAndAdded(t *testing.T) {
	_, c := start(t)
	ctx := t.Context()
	require.NoError(t, c.KillServer(ctx, "2"))
	s, err := c.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, "2.6.4-benchd-sandbox", s.Version)
	require.Equal(t, "127.0.0.1:2181", s.Quorum)
	require.Equal(t, []control.Server{{Name: "server 1", Alive: true}, {Name: "server 2"}}, s.Servers)
	again, err := c.RestartServer(ctx, "2")
	require.NoError(t, err)
	require.True(t, again.Alive)
	require.NoError(t, c.SilenceServer(ctx, "1"))
	s, err = c.Status(ctx)
	require.NoError(t, err)
	require.True(t, s.Servers[0].Silent)
	again, err = c.ResumeServer(ctx, "1")
	require.NoError(t, err)
	require.False(t, again.Silent)
	require.ErrorContains(t, c.SilenceServer(ctx, ""), "server is missing")
	added, err := c.AddServer(ctx)
	require.NoError(t, err)
	require.Equal(t, "server 3", added.Name)

	var refused *control.RefusedError
	require.ErrorAs(t, c.KillServer(ctx, "9"), &refused)
	require.Equal(t, `find region server "9": no such region server`, refused.Error())
	require.ErrorContains(t, c.KillServer(ctx, ""), "name the region server to kill")
}

func TestFaultsAreAddedListedAndCleared(t *testing.T) {
	p, c := start(t)
	ctx := t.Context()
	faults, err := fault.ParseFile("f", []byte("faults: [{kind: latency, delay: 5ms, length: 1h}, {kind: stall, table: t}]"))
	require.NoError(t, err)
	numbers, err := c.AddFaults(ctx, faults)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, numbers)
	v := p.Decide(fault.Call{Op: fault.Get, Table: "x"})
	require.Equal(t, 5*time.Millisecond, v.Delay())

	s, err := c.Status(ctx)
	require.NoError(t, err)
	require.Len(t, s.Faults, 2)
	require.Equal(t, faults[0], *s.Faults[0].Fault)
	require.Equal(t, fault.Active, s.Faults[0].State)
	require.EqualValues(t, 1, s.Faults[0].Hits)

	require.NoError(t, c.ClearFault(ctx, 1))
	require.ErrorContains(t, c.ClearFault(ctx, 1), `unknown fault "1"; `)
	n, err := c.ClearFaults(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, p.List())
}

// Faults that a run has added must not outlive it; faults of others must.
func TestFaultsOfAnOwnerEndWithoutThoseOfOthers(t *testing.T) {
	p, c := start(t)
	ctx := t.Context()
	faults, err := fault.ParseFile("f", []byte("faults: [{kind: stall}, {kind: latency, delay: 5ms, length: 1h}]"))
	require.NoError(t, err)
	_, err = c.AddFaultsFor(ctx, "S.1", faults)
	require.NoError(t, err)
	_, err = c.AddFaultsFor(ctx, "S.10", faults[:1])
	require.NoError(t, err)
	_, err = c.AddFaults(ctx, faults[:1])
	require.NoError(t, err)
	n, err := c.Disown(ctx, "S.1")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	left := p.List()
	require.Len(t, left, 2)
	require.Equal(t, "S.10", left[0].Owner)
	require.Empty(t, left[1].Owner)
	n, err = c.Disown(ctx, "S.1")
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = c.AddFaultsFor(ctx, strings.Repeat("x", 300), faults)
	require.ErrorContains(t, err, "owner: 300 bytes are too long")
}

func TestFaultsAreAddedAllOrNone(t *testing.T) {
	p, c := start(t)
	stall, err := fault.Parse([]fault.Setting{{Key: "kind", Values: []string{"stall"}}})
	require.NoError(t, err)
	many := make([]fault.Fault, fault.MaxFaults+1)
	for i := range many {
		many[i] = stall
	}
	_, err = c.AddFaults(t.Context(), many)
	require.ErrorContains(t, err, "clear those that are over")
	require.Empty(t, p.List())

	_, err = c.AddFaults(t.Context(), []fault.Fault{stall, {Kind: fault.Latency, Share: 1}})
	require.ErrorContains(t, err, "delay: is missing")
	require.Empty(t, p.List())
}

func TestAMissingSandboxIsReportedWithItsRemedy(t *testing.T) {
	address, err := freeport.Address()
	require.NoError(t, err)
	c := control.NewClient(address, nil)
	defer c.Close()
	_, err = c.Status(t.Context())
	var unreachable *control.UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.Equal(t, 5, unreachable.ExitCode())
	require.Equal(t, "reach the sandbox at "+address+": connection refused; start one with `benchd sandbox`, or name another's info port with --sandbox HOST:PORT",
		err.Error())

	for _, body := range []string{"<html>", `{"beans": []}`} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		c := control.NewClient(strings.TrimPrefix(other.URL, "http://"), nil)
		_, err = c.Status(t.Context())
		require.ErrorContains(t, err, "the server there is not a sandbox")
		c.Close()
		other.Close()
	}
}

// A foreign page in the user's browser must not control the sandbox.
func TestForeignRequestsAreRefused(t *testing.T) {
	p, h := sandbox(t)
	post := func(kind, host, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/sandbox/faults", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const stall = `{"faults": [{"kind": "stall"}]}`
	for name, tt := range map[string]struct {
		kind, host, body string
		code             int
		says             string
	}{
		"a form's":            {"text/plain", "127.0.0.1:16010", stall, http.StatusForbidden, "Content-Type: application/json"},
		"a foreign host name": {"application/json", "evil.example:16010", stall, http.StatusForbidden, "not by the name"},
		"invalid JSON":        {"application/json", "127.0.0.1:16010", "{", http.StatusBadRequest, "read request"},
		"an unknown field":    {"application/json", "127.0.0.1:16010", `{"fault": 1}`, http.StatusBadRequest, "unknown field"},
		"a fault's mistake":   {"application/json", "127.0.0.1:16010", `{"faults": [{"kind": "stal"}]}`, http.StatusBadRequest, `did you mean \"stall\"?`},
		"no faults":           {"application/json", "localhost:16010", "", http.StatusUnprocessableEntity, "faults is missing"},
		"a null":              {"application/json", "[::1]:16010", `{"faults": [null]}`, http.StatusUnprocessableEntity, "null"},
		"too much":            {"application/json", "127.0.0.1", strings.Repeat(" ", 2<<20), http.StatusBadRequest, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			code, body := post(tt.kind, tt.host, tt.body)
			require.Equal(t, tt.code, code, body)
			require.Contains(t, body, tt.says)
			require.Empty(t, p.List())
		})
	}
	code, _ := post("application/json; charset=utf-8", "127.0.0.1:16010", stall)
	require.Equal(t, http.StatusOK, code)
}

func FuzzHandler(f *testing.F) {
	f.Add("POST", "/sandbox/faults", []byte(`{"faults": [{"kind": "latency", "delay": "5ms", "op": ["get"]}]}`))
	f.Add("POST", "/sandbox/servers/kill", []byte(`{"server": "2"}`))
	f.Add("DELETE", "/sandbox/faults/1", []byte(``))
	f.Add("GET", "/sandbox", []byte(``))
	f.Fuzz(func(t *testing.T, method, path string, body []byte) {
		p, h := sandbox(t)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(string(body)))
		r.Method, r.URL.Path = method, path
		r.Host = "127.0.0.1:16010"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		for _, s := range p.List() {
			require.NoError(t, s.Fault.Validate())
		}
	})
}
