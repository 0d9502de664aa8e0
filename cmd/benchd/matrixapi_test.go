package main

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
)

// requestsOfAPI says who may make a request of the API that changes something or has a body. The call is the one in the audit log: of the
// changes that were admitted, and of each request that the guard of the call refuses. Where the path is refused, the audit log has the path.
//
//nolint:dupword // a table
const requestsOfAPI = `
request                  anonymous  agent  viewer  operator  granted  admin  coordinator  revoked  stranger  trusted  call      audit
POST:/validate           -          x      +       +         +        +      x            x        -         +        Validate  refused
POST:/plan               -          x      +       +         +        +      x            x        -         +        Validate  refused
POST:/suites             -          x      x       +         +        +      x            x        -         +        Submit    all
POST:/suites/s/cancel    -          x      x       +         +        +      x            x        -         +        Cancel    all
POST:/runs/s.1/cancel    -          x      x       +         +        +      x            x        -         +        Cancel    all
PATCH:/suites/s          -          x      x       +         +        +      x            x        -         +        Annotate  all
DELETE:/suites/s         -          x      x       +         +        +      x            x        -         +        Remove    all
POST:/agents/a/drain     -          x      x       +         +        +      x            x        -         +        Drain     all
POST:/agents/a/resume    -          x      x       +         +        +      x            x        -         +        Drain     all
POST:/schedules          -          x      x       +         +        +      x            x        -         +        Schedule  all
POST:/schedules/a/pause  -          x      x       +         +        +      x            x        -         +        ChangeSchedule all
POST:/schedules/a/resume -          x      x       +         +        +      x            x        -         +        ChangeSchedule all
POST:/schedules/a/run    -          x      x       +         +        +      x            x        -         +        ChangeSchedule all
DELETE:/schedules/a      -          x      x       +         +        +      x            x        -         +        ChangeSchedule all
`

// TestEachChangingRequestHasARowInTheMatrix fails for a new request, until its row is written.
func TestEachChangingRequestHasARowInTheMatrix(t *testing.T) {
	var routes []string
	for _, r := range api.Routes() {
		if r.Changes() {
			routes = append(routes, r.Method+":"+strings.NewReplacer("/suites/{id}", "/suites/s", "/runs/{id}", "/runs/s.1", "{name}", "a").Replace(r.Path))
		}
	}
	require.ElementsMatch(t, routes, readGrid(t, requestsOfAPI).rows)
}

// tryRequests makes each request of the API as a peer of a coordinator.
func (m *matrix) tryRequests(t *testing.T, listener, peer, who string) {
	t.Helper()
	table, client := readGrid(t, requestsOfAPI), m.client(t, peer)
	if who != "." && table.at(t, "POST:/validate", who) == "+" { // what a page asks before it shows a button
		_, text, err := m.send(t, client, listener, peer, http.MethodGet, api.Prefix+"/about")
		require.NoError(t, err)
		var about api.About
		require.NoError(t, json.Unmarshal([]byte(text), &about), text)
		assert.Equal(t, api.AboutCan{
			Submit: table.at(t, "POST:/suites", who) == "+", Cancel: table.at(t, "POST:/suites/s/cancel", who) == "+", Admin: who == "admin" || who == "trusted",
		}, about.Can, "%s on %s: %+v", peer, listener, about.Peer)
	}
	for _, row := range table.rows {
		method, path, _ := strings.Cut(row, ":")
		path = api.Prefix + path
		code, text, err := m.send(t, client, listener, peer, method, path)
		if who == "." {
			assert.True(t, err != nil || code == http.StatusBadRequest, "%s: %d", row, code)
			continue
		}
		require.NoError(t, err, row)
		want, got := table.at(t, row, who), "+"
		switch code {
		case http.StatusUnauthorized:
			got = "-"
		case http.StatusForbidden:
			got = "x"
		}
		assert.Equal(t, want, got, "%s: %d %s", row, code, text)
		byPath := slices.Contains([]string{"agent", "coordinator", "revoked", "anonymous"}, who)
		switch {
		case want != "+" && byPath:
			m.expectRequest(listener, peer, who, method+" "+path)
		case want != "+":
			m.expectCall(listener, peer, who, "refused", table.at(t, row, "call"))
		case table.at(t, row, "audit") == "all":
			m.expectCall(listener, peer, who, "admitted", table.at(t, row, "call"))
		}
	}
}

// bodyOf returns the body of a request of the API: a submission that needs more agents than there are, or a note.
func bodyOf(method string) string {
	if method == http.MethodPatch {
		return `{"note": "n"}`
	}
	return `{"properties": {"db": "null", "recordcount": "100", "duration": "5s"}, "agents": 99}`
}

// send makes a request of the API, with a body that starts nothing.
func (m *matrix) send(t *testing.T, client *http.Client, listener, as, method, path string) (status int, body string, err error) {
	t.Helper()
	p, scheme := m.peers[as], "http"
	if p.tls != nil {
		scheme = "https"
	}
	req, err := http.NewRequestWithContext(t.Context(), method, scheme+"://"+m.listeners[listener]+path, strings.NewReader(bodyOf(method)))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	if p.password != "" {
		req.SetBasicAuth("anna", p.password)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}
