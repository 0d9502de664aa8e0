//go:build browser

package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// patience bounds waits for a page.
const patience = testcluster.Patience

// console is a coordinator's console, and a browser.
type console struct {
	address string // of HTTP
	browser context.Context
}

// tab opens an empty page of its own, which shares nothing with other pages: its browser prefers English or Chinese.
func (c *console) tab(t *testing.T, s size, lang string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(c.browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := newTab(t, ctx, s)
	call(p, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: value[string](p, "navigator.userAgent"), AcceptLanguage: lang})
	return p
}

// open opens a page of the console in English in a wide window, such as "suites" for the archive.
func (c *console) open(t *testing.T, path string) *tab {
	t.Helper()
	p := c.tab(t, wide(), "en")
	c.visit(p, path)
	return p
}

// visit shows a page of the console, and waits until it has read what it shows.
func (c *console) visit(p *tab, path string) {
	p.t.Helper()
	p.do(chromedp.Navigate("http://" + c.address + "/console/" + path))
	p.ready()
}

// ready waits until the page has a heading and has read what it shows.
func (p *tab) ready() {
	p.t.Helper()
	p.eventually(`document.querySelector("main h1") && ![...document.querySelectorAll("main .empty")].some(e => e.textContent === "Reading …" || e.textContent === "读取中……")`, "the page should be read")
	p.frames()
}

// request makes a request to the API, as the user of the coordinator, and returns the body of its answer.
func (c *console) request(t *testing.T, method, path string, body any) []byte {
	t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		sent = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testcluster.Patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+"/api/v1"+path, sent)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: testcluster.Patience}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Less(t, answer.StatusCode, http.StatusBadRequest, "%s %s: %s", method, path, text)
	return text
}

// read reads a document of the API.
func read[T any](t *testing.T, c *console, path string) (of T) {
	t.Helper()
	text := c.request(t, http.MethodGet, path, nil)
	require.NoError(t, json.Unmarshal(text, &of), "%s", text)
	return of
}

// submit submits a suite, and returns its id.
func (c *console) submit(t *testing.T, submission map[string]any) string {
	t.Helper()
	var answer struct{ ID string }
	require.NoError(t, json.Unmarshal(c.request(t, http.MethodPost, "/suites", submission), &answer))
	require.NotEmpty(t, answer.ID)
	return answer.ID
}

// null is a submission of a run of some seconds on the target that does nothing.
func null(name, seconds string, more map[string]any) map[string]any {
	s := map[string]any{
		"name": name, "agents": 1, "wait_agents": "30s",
		"properties": map[string]string{"db": "null", "recordcount": "1000", "operationcount": "0", "target": "2000", "threadcount": "2", "duration": seconds},
	}
	maps.Copy(s, more)
	return s
}

// status is that of a suite.
func (c *console) status(t *testing.T, id string) string {
	t.Helper()
	return read[struct{ Status string }](t, c, "/suites/"+id).Status
}

// until waits until a suite has a status.
func (c *console) until(t *testing.T, id, status string) {
	t.Helper()
	const most = 3 * time.Minute // of a suite of many cases
	testcluster.Eventually(t, most, func() bool { return c.status(t, id) == status }, "%s should become %s", id, status)
}

// draining is whether an agent gets no further runs.
func (c *console) draining(t *testing.T, agent string) bool {
	t.Helper()
	for _, a := range read[[]struct {
		Name     string
		Draining bool
	}](t, c, "/agents") {
		if a.Name == agent {
			return a.Draining
		}
	}
	require.Fail(t, "no agent has this name", agent)
	return false
}

// requireNoErrors checks that neither the page nor the browser has reported an error, and that no request has failed.
func (p *tab) requireNoErrors() {
	p.t.Helper()
	p.mu.Lock()
	errors := slices.Clone(p.errors)
	p.mu.Unlock()
	require.Empty(p.t, errors, "errors of the page")
	require.LessOrEqual(p.t, value[int](p, `document.querySelectorAll("h1").length`), 1, "nothing should be shown twice: %s", p.lazyText())
}

// fits checks that nothing but tables in boxes of their own goes beyond the width of the window.
func (p *tab) fits(s size) {
	p.t.Helper()
	p.resize(s)
	p.frames()
	beyond := value[[]string](p, `(() => {
		const width = document.documentElement.clientWidth;
		if (Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) <= width) return [];
		const scrolls = e => e && e !== document.body && (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
		return [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement)).slice(0, 5).map(e => e.outerHTML.slice(0, 200));
	})()`)
	require.Empty(p.t, beyond, "elements beyond %d pixels on %s", s.width, value[string](p, "location.pathname"))
	require.LessOrEqual(p.t, value[int64](p, `document.documentElement.scrollWidth`), s.width)
}

// look is a size, theme and language in which a page is looked at.
type look struct {
	size  size
	theme string
	audit bool // with axe-core, too, which takes about a second
}

func looks() []look {
	return []look{{wide(), "light", true}, {wide(), "dark", false}, {narrow(), "light", false}, {narrow(), "dark", true}}
}

// inspect looks at the page in all sizes and themes, keeps pictures of it, and checks it with axe-core.
func (p *tab) inspect(name, lang string) {
	p.t.Helper()
	for _, l := range looks() {
		p.prefer(l.theme)
		p.fits(l.size)
		p.drawAll()
		if l.audit {
			p.audit(strings.Join([]string{name, lang, l.size.name, l.theme}, "-"))
		}
		p.picture(strings.Join([]string{"console", name, lang, l.size.name, l.theme}, "-"))
	}
	p.prefer("light")
	p.resize(wide())
	p.requireNoErrors()
}

// audit checks the page with axe-core.
func (p *tab) audit(name string) {
	p.t.Helper()
	if !value[bool](p, `Boolean(window.axe)`) {
		script := os.Getenv("BENCHD_TEST_AXE")
		require.NotEmpty(p.t, script, "run make test-browser, which downloads axe-core")
		axe, err := os.ReadFile(script)
		require.NoError(p.t, err)
		value[bool](p, string(axe)+"; true")
	}
	found := value[[]json.RawMessage](p, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({id: v.id, help: v.help, count: v.nodes.length, nodes: v.nodes.slice(0, 4).map(n => [n.target.join(" "), n.html.slice(0, 200), n.failureSummary])})))`)
	for _, f := range found {
		p.t.Logf("%s: %s", name, f)
	}
	require.Empty(p.t, found, name)
}
