package main

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/tolerance"
)

// pathsOfSessions says which HTTP paths a browser reads by its session, and without one. "ended" has the cookie of a session after its
// logout, and "old" that of another process. The table requestsOfAPI has the requests of the API: a session has the column of its role.
const pathsOfSessions = `
path                  none  ended  old  viewer  operator  granted  admin
/console/             -     -      -    +       +         +        +
/console/suites/s     -     -      -    +       +         +        +
/console/login        +     +      +    +       +         +        +
/api/v1/about         -     -      -    +       +         +        +
/api/v1/suites        -     -      -    +       +         +        +
/api/v1/openapi.json  -     -      -    +       +         +        +
/                     -     -      -    -       -         -        -
/metrics              -     -      -    -       -         -        -
/sd/agents            -     -      -    -       -         -        -
/debug/pprof/         -     -      -    -       -         -        -
/healthz              +     +      +    +       +         +        +
/nowhere              -     -      -    -       -         -        -
`

// browsers are browsers without certificates that use a coordinator with certificates.
type browsers struct {
	t       *testing.T
	m       *matrix
	web     string // the address of HTTP
	cookies map[string]string
	client  *http.Client
	audit   string
	stop    func() error
}

func newBrowsers(t *testing.T) *browsers {
	t.Helper()
	ca, data := certstest.NewCA(t), t.TempDir()
	b := &browsers{t: t, m: &matrix{peers: make(map[string]peer), listeners: make(map[string]string)}, cookies: make(map[string]string), audit: filepath.Join(data, "audit.jsonl")}
	b.m.addPeers(t, ca)
	c := start(t, slices.Concat([]string{"coordinator", "--pprof", "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0", "--data", data},
		tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca)))...)
	at := c.logs(`coordinator listens.* grpc=(\S+) http=(\S+)`)
	b.m.listeners["grpc"], b.web, b.stop = at[0], at[1], c.stop
	transport := &http.Transport{TLSClientConfig: acceptsAll(tls.Certificate{})}
	t.Cleanup(transport.CloseIdleConnections)
	b.client = &http.Client{Timeout: tolerance.Patience, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	b.cookies["none"], b.cookies["old"] = "", "SLKDJFQOWEIRUZTXNVBMAPSLDK"
	for _, role := range []string{"viewer", "operator", "granted", "admin"} {
		b.cookies[role] = b.login(b.code(role))
	}
	b.cookies["ended"] = b.login(b.code("admin"))
	require.Equal(t, http.StatusNoContent, b.send("ended", "POST", "/console/logout", nil).status)
	return b
}

// code returns the code of a link for a peer, as benchctl asks for it.
func (b *browsers) code(peer string) string {
	b.t.Helper()
	client := remote.New(b.m.dial(b.t, "grpc", peer), nil, "the coordinator")
	console, err := client.OpenConsole(b.t.Context())
	require.NoError(b.t, err)
	u, err := url.Parse(console.URL)
	require.NoError(b.t, err)
	require.Equal(b.t, "https://"+b.web+"/console/login", u.Scheme+"://"+u.Host+u.Path)
	return u.Query().Get("code")
}

// login redeems a code.
func (b *browsers) login(code string) (cookie string) {
	b.t.Helper()
	a := b.redeem(code, nil)
	require.Equal(b.t, http.StatusSeeOther, a.status, a.body)
	require.Regexp(b.t, `^__Host-benchd=[A-Z2-7]{26}; Path=/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$`, a.header.Get("Set-Cookie"))
	return strings.TrimPrefix(strings.Split(a.header.Get("Set-Cookie"), ";")[0], "__Host-benchd=")
}

func (b *browsers) redeem(code string, headers map[string]string) browsed {
	b.t.Helper()
	with := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	maps.Copy(with, headers)
	return b.send("none", "POST", "/console/login", with, "code="+code)
}

// browsed is an answer.
type browsed struct {
	status int
	header http.Header
	body   string
}

// cell is the answer as a table has it.
func (a browsed) cell() string {
	switch a.status {
	case http.StatusUnauthorized:
		return "-"
	case http.StatusForbidden:
		return "x"
	}
	return "+"
}

// send sends a request with the cookie of a session.
func (b *browsers) send(session, method, path string, headers map[string]string, body ...string) browsed {
	b.t.Helper()
	text := bodyOf(method)
	if len(body) > 0 {
		text = body[0]
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, "https://"+b.web+path, strings.NewReader(text))
	require.NoError(b.t, err)
	req.Header.Set("Content-Type", "application/json")
	if value := b.cookies[session]; value != "" {
		req.Header.Set("Cookie", "__Host-benchd="+value)
	}
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	resp, err := b.client.Do(req)
	require.NoError(b.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	return browsed{resp.StatusCode, resp.Header, string(answer)}
}

// done returns the records of the audit log of what was admitted, as CALL ROLE, without logins and links. It ends the coordinator.
func (b *browsers) done() (all []string) {
	b.t.Helper()
	require.NoError(b.t, b.stop())
	content, err := os.ReadFile(b.audit)
	require.NoError(b.t, err)
	for line := range bytes.Lines(content) {
		var r audit.Record
		require.NoError(b.t, json.Unmarshal(line, &r))
		if r.Outcome != audit.Refused && r.Call != "OpenConsole" && !strings.Contains(r.Call, "/console/") {
			all = append(all, r.Call+" "+cmp.Or(r.Who, r.Role))
		}
	}
	return all
}

// TestMatrixOfSessions sends each request as each browser, and compares what the audit log has of changes.
func TestMatrixOfSessions(t *testing.T) {
	b := newBrowsers(t)
	paths := readGrid(t, pathsOfSessions)
	require.ElementsMatch(t, paths.columns, slices.Collect(maps.Keys(b.cookies)))
	for _, path := range paths.rows {
		for _, who := range paths.columns {
			a := b.send(who, "GET", path, nil)
			assert.Equal(t, paths.at(t, path, who), a.cell(), "%s %s: %s", who, path, a.body)
			if a.status == http.StatusUnauthorized && (strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/console/")) {
				assert.Contains(t, a.body, "benchctl console", "%s %s", who, path)
			}
		}
	}
	requests, names := readGrid(t, requestsOfAPI), map[string]string{"viewer": "a-viewer", "operator": "a-operator", "granted": "gina", "admin": "a-admin"}
	var changed []string
	for _, row := range requests.rows {
		method, path, _ := strings.Cut(row, ":")
		for _, who := range paths.columns {
			want := "-"
			if names[who] != "" {
				want = requests.at(t, row, who)
			}
			a := b.send(who, method, api.Prefix+path, nil)
			assert.Equal(t, want, a.cell(), "%s %s: %s", who, row, a.body)
			if want == "+" && requests.at(t, row, "audit") == "all" {
				changed = append(changed, requests.at(t, row, "call")+" "+names[who])
			}
		}
	}
	require.ElementsMatch(t, changed, b.done())
}

// TestAViewerSubmitsByNoPath sends each changing request of the API as a viewer in all the ways in which a browser can.
func TestAViewerSubmitsByNoPath(t *testing.T) {
	b := newBrowsers(t)
	const submission = `{"properties": {"db": "null", "recordcount": "100", "duration": "5s"}}`
	form := url.Values{"properties": {"db=null"}, "submission": {submission}}.Encode()
	table := readGrid(t, requestsOfAPI)
	for _, r := range changes() {
		if table.at(t, r.row, "viewer") == "+" {
			continue // it changes nothing
		}
		for name, a := range map[string]browsed{
			"JSON":                b.send("viewer", r.method, r.path, nil, submission),
			"a form":              b.send("viewer", r.method, r.path, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, form),
			"text":                b.send("viewer", r.method, r.path, map[string]string{"Content-Type": "text/plain"}, submission),
			"another method":      b.send("viewer", "POST", r.path, map[string]string{"X-HTTP-Method-Override": r.method}, submission),
			"another name":        b.send("viewer", r.method, r.path, map[string]string{"X-Forwarded-For": "127.0.0.1", "X-Forwarded-User": "a-admin", "Forwarded": "for=127.0.0.1"}, submission),
			"another name in it":  b.send("viewer", r.method, r.path, nil, `{"properties": {"db": "null"}, "submitted_by": "a-admin"}`),
			"a password":          b.send("viewer", r.method, r.path, map[string]string{"Authorization": "Basic YWRtaW46YWRtaW4="}, submission),
			"two cookies":         b.send("none", r.method, r.path, map[string]string{"Cookie": "__Host-benchd=" + b.cookies["viewer"] + "; __Host-benchd=" + b.cookies["admin"]}, submission),
			"a cookie as a code":  b.send("none", r.method, r.path+"?code="+b.cookies["admin"], nil, submission),
			"another cookie":      b.send("none", r.method, r.path, map[string]string{"Cookie": "benchd=" + b.cookies["admin"]}, submission),
			"an ended session":    b.send("ended", r.method, r.path, nil, submission),
			"another's session":   b.send("old", r.method, r.path, nil, submission),
			"its page":            b.send("viewer", r.method, "/console"+strings.TrimPrefix(r.path, api.Prefix), nil, submission),
			"a note":              b.send("viewer", r.method, r.path, nil, `{"note": "n"}`),
			"its page, by a form": b.send("viewer", "POST", "/console/new", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, form),
		} {
			page := strings.HasPrefix(name, "its page") // pages read no bodies
			assert.True(t, page || a.status >= http.StatusBadRequest, "%s by %s: %d %s", r.path, name, a.status, a.body)
		}
	}
	require.Empty(t, b.done(), "what was admitted")
}

// changing is a request of the API that changes something, with its row in the table.
type changing struct{ method, path, row string }

// changes are the requests of the API that change something, and POST requests that only answer.
func changes() (all []changing) {
	for _, r := range api.Routes() {
		if r.Changes() {
			path := strings.NewReplacer("/suites/{id}", "/suites/s", "/runs/{id}", "/runs/s.1", "{name}", "a").Replace(r.Path)
			all = append(all, changing{r.Method, api.Prefix + path, r.Method + ":" + path})
		}
	}
	return all
}

// TestOtherSitesChangeNothing sends each changing request as the page of another site lets a browser send it: with the cookie of an admin, and with
// an admin's certificate.
func TestOtherSitesChangeNothing(t *testing.T) {
	b := newBrowsers(t)
	certified := b.m.client(t, "admin")
	for name, headers := range map[string]map[string]string{
		"another site":                   {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"},
		"a form of another site":         {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Content-Type": "text/plain"},
		"another port":                   {"Origin": "https://127.0.0.1:3000", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
		"a form on another port":         {"Origin": "https://127.0.0.1:3000", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
		"a page without an origin":       {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
		"another site in an old browser": {"Origin": "https://evil.example"},
		"an old browser, no origin":      {"Origin": "null"},
	} {
		for _, r := range changes() {
			a := b.send("admin", r.method, r.path, headers)
			assert.Equal(t, "-", a.cell(), "a cookie from %s: %s %s: %s", name, r.method, r.path, a.body)
			b.client, certified = certified, b.client
			a = b.send("none", r.method, r.path, headers)
			b.client, certified = certified, b.client
			assert.Equal(t, "x", a.cell(), "a certificate from %s: %s %s: %s", name, r.method, r.path, a.body)
		}
		for _, path := range []string{"/console/login", "/console/logout"} {
			assert.Equal(t, "x", b.send("admin", "POST", path, headers).cell(), "%s: %s", name, path)
		}
		code := b.code("admin")
		require.Equal(t, "x", b.redeem(code, headers).cell(), "a login from %s", name)
		require.Equal(t, "+", b.redeem(code, map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "null"}).cell(), "the code is not used up")
	}
	require.Equal(t, "+", b.send("admin", "GET", "/api/v1/about", map[string]string{"Sec-Fetch-Site": "same-origin"}).cell(), "the session goes on")
	require.Empty(t, b.done(), "what was admitted")
}

// TestReplayedRequestsAreRefused sends what a browser has sent once more.
func TestReplayedRequestsAreRefused(t *testing.T) {
	b := newBrowsers(t)
	code := b.code("operator")
	cookie := b.login(code)
	for range 2 {
		require.Equal(t, "x", b.redeem(code, nil).cell(), "a used code")
		require.Equal(t, "x", b.send("none", "GET", "/console/login?code="+code, nil).cell())
	}
	b.cookies["copy"] = cookie
	require.Equal(t, "+", b.send("copy", "POST", "/api/v1/agents/a/drain", nil).cell())
	require.Equal(t, http.StatusNoContent, b.send("copy", "POST", "/console/logout", nil).status)
	a := b.send("copy", "POST", "/api/v1/agents/a/drain", nil)
	require.Equal(t, "-", a.cell(), "a stolen cookie after the logout")
	var d api.ErrorDocument
	require.NoError(t, json.Unmarshal([]byte(a.body), &d))
	require.Contains(t, d.Error.Message, "the session of this browser has ended: run `benchctl console`, and open the link that it prints")
	require.Equal(t, []string{"Drain a-operator"}, b.done())
	content, err := os.ReadFile(b.audit)
	require.NoError(t, err)
	require.Contains(t, string(content), `"call":"POST /console/login","outcome":"refused"`)
	require.NotContains(t, string(content), code)
	require.NotContains(t, string(content), cookie)
}
