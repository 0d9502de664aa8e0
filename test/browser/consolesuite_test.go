//go:build browser

package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// trialOfR5 submits the trial of a suite of seven scenarios, watches it, and reads its report.
func trialOfR5(t *testing.T, c *console) {
	p := c.open(t, "")
	p.click("link", "New run")
	p.click("link", "*r5-nosql.yaml*")
	p.click("checkbox", "Trial: small sizes")
	p.click("DisclosureTriangle", "More:*")
	p.fill("Properties*", "db=sandbox")
	p.sees("Cases 28", "Agents: 2 of 6 connected.")
	p.click("button", "Submit")
	id := p.suite()

	// The page follows the suite: its runs end one after another, and the table of its cases fills.
	shows := func(expression string) int { return len(regexp.MustCompile(expression).FindAllString(p.text(), -1)) }
	p.grows("runs that have ended", func() int { return p.number(`(\d+) of 28 runs`) })
	p.grows("figures of cases", func() int { return shows(`[\d,]+/s`) })
	p.click("link", "r5-*", p.find("region", "Progress"))
	p.sees("Throughput")
	figures := make(map[string]bool)
	testcluster.Eventually(t, patience, func() bool {
		if found := regexp.MustCompile(`Throughput ([\d.,]+ ?[kM]?)/s`).FindStringSubmatch(p.text()); found != nil {
			figures[found[1]] = true
		}
		return len(figures) > 1 || strings.Contains(p.text(), "complete")
	}, "the throughput should change: %v", figures)
	c.visit(p, "suites/"+id)
	c.until(t, id, "complete")
	p.sees("complete", "Scenario 7: read 95 %, insert 5 %, latest")
	p.requireNoErrors()
	p.downloads(c, id)
	p.report()
}

// grows waits until a number on the page has grown twice.
func (p *tab) grows(what string, number func() int) {
	p.t.Helper()
	least := number()
	for range 2 {
		testcluster.Eventually(p.t, patience, func() bool { return number() > least }, "%s should be more than %d; the page has: %s", what, least, p.lazyText())
		least = number()
	}
}

// number is the first number on the page that an expression finds, or 0.
func (p *tab) number(expression string) (n int) {
	p.t.Helper()
	if found := regexp.MustCompile(expression).FindStringSubmatch(p.text()); found != nil {
		_, err := fmt.Sscan(found[1], &n)
		require.NoError(p.t, err)
	}
	return n
}

// suite waits for the page of a suite, and returns its id.
func (p *tab) suite() (id string) {
	p.t.Helper()
	testcluster.Eventually(p.t, patience, func() bool {
		id, _ = strings.CutPrefix(value[string](p, "location.pathname"), "/console/suites/")
		return id != "" && !strings.Contains(id, "/")
	}, "the page of the suite should be shown; the page has: %s", p.lazyText())
	p.ready()
	return id
}

// downloads saves reports of a suite, and compares a file with the API's.
func (p *tab) downloads(c *console, id string) {
	p.t.Helper()
	dir := p.t.TempDir()
	_, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	})
	require.NoError(p.t, err)
	for format, begins := range map[string]string{"json": "{", "xlsx": "PK\x03\x04"} {
		p.click("link", format)
		var content []byte
		testcluster.Eventually(p.t, patience, func() bool {
			found, err := filepath.Glob(filepath.Join(dir, "*."+format))
			if err == nil && len(found) == 1 {
				content, err = os.ReadFile(found[0])
			}
			return err == nil && len(content) > 0
		}, "the report should be saved")
		require.True(p.t, strings.HasPrefix(string(content), begins), format)
		if format == "json" {
			require.JSONEq(p.t, string(c.request(p.t, http.MethodGet, "/suites/"+id+"/report?format=json", nil)), string(content))
		}
	}
}

// report opens the HTML report in a tab of its own: its script draws.
func (p *tab) report() {
	p.t.Helper()
	opened := chromedp.WaitNewTarget(p.ctx, func(info *target.Info) bool { return strings.Contains(info.URL, "/report?") })
	p.click("link", "View the report in a new tab")
	var id target.ID
	select {
	case id = <-opened:
	case <-time.After(patience):
		require.Fail(p.t, "the report should open")
	}
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(id))
	defer cancel()
	r := &tab{t: p.t, ctx: ctx}
	require.NoError(p.t, chromedp.Listen(ctx, r.hear))
	r.eventually(`document.querySelector("main h1, h1")`, "the report should have a heading")
	r.eventually(`document.querySelector("#theme")?.getAttribute("aria-pressed")`, "the script of the report should run")
	require.Contains(p.t, r.text(), "r5-nosql")
	r.requireNoErrors()
}

// cancels ends a suite that waits for the agent of another one, and the other one, which would run for hours.
func cancels(t *testing.T) {
	c := dev(t, "1")
	running := c.submit(t, null("endless", "2h", nil))
	c.until(t, running, "running")
	waiting := c.submit(t, null("waiting", "2h", nil))
	names := map[string]string{waiting: "waiting", running: "endless"}
	for _, id := range []string{waiting, running} { // the first one waits for the agent of the second one
		p := c.open(t, "")
		p.click("link", names[id])
		require.Equal(t, id, p.suite())
		if id == waiting {
			p.sees("queued", "agents of run "+running)
			p.requireNoErrors()
		}
		p.click("button", "Cancel*")
		dialog := p.find("dialog", "Cancel*")
		p.sees("What it has measured is kept.")
		p.click("button", "Cancel*", dialog)
		p.sees("cancelled")
		c.until(t, id, "cancelled")
		p.requireNoErrors()
	}
}
