//go:build browser

package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// foreignSite is the page of another site that a user of the console visits: it submits by forms and by requests with all that the browser
// would send along, and reads. The coordinator refuses, and queues nothing.
func foreignSite(t *testing.T, c *console) {
	const submission = `{"name": "foreign", "properties": {"db": "null", "recordcount": "10", "operationcount": "10"}}`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>another site</title><iframe name="answer"></iframe>
			<form method="post" target="answer" enctype="text/plain" action="http://%[1]s/api/v1/suites">
			<input name='{"name": "foreign", "properties": {"db": "null", "recordcount": "10", "operationcount": "10"}, "note": "' value='"}'></form>
			<form method="post" target="answer" action="http://%[1]s/api/v1/agents/local-1/drain"></form>`, c.address)
	}))
	t.Cleanup(site.Close)
	p := c.open(t, "") // the user has the console open, too
	p.requireNoErrors()
	var mu sync.Mutex
	refused := 0
	require.NoError(t, chromedp.Listen(p.ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		if e, ok := event.(*network.EventResponseReceivedExtraInfo); ok && e.StatusCode >= http.StatusBadRequest {
			refused++
		}
	}))
	p.do(chromedp.Navigate(site.URL))
	for form := range 2 {
		value[bool](p, fmt.Sprintf(`new Promise(done => {
			document.querySelector("iframe").onload = () => done(true);
			document.forms[%d].submit();
		})`, form))
	}
	request := func(method, path, options string) {
		t.Helper()
		answer := value[string](p, fmt.Sprintf(`fetch("http://%s/api/v1%s", {method: %q, credentials: "include", %s}).then(async r => r.status + " " + await r.text(), e => String(e))`, c.address, path, method, options))
		require.Contains(t, answer, "Failed to fetch", "%s %s", method, path)
	}
	body := fmt.Sprintf("body: %q", submission)
	request("POST", "/suites", body)
	request("POST", "/suites", `mode: "no-cors", `+body)
	request("POST", "/suites", `headers: {"Content-Type": "text/plain"}, `+body)
	request("POST", "/suites", `headers: {"Content-Type": "application/json"}, `+body) // the browser asks first, and is refused
	request("POST", "/agents/local-1/drain", "")
	request("DELETE", "/suites/20260301-aaaa", "")
	mu.Lock()
	require.Equal(t, 8, refused, "requests that the coordinator refused")
	mu.Unlock()
	request("GET", "/suites", "") // another site cannot read either
	for _, s := range read[[]struct{ Name string }](t, c, "/suites") {
		require.NotContains(t, s.Name, "foreign")
	}
	require.False(t, c.draining(t, "local-1"))
}
