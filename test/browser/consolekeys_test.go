//go:build browser

package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// keys uses the console without a mouse.
func keys(t *testing.T, c *console, run string) {
	p := c.open(t, "suites")
	// The first key reaches a link past the navigation.
	p.press(kb.Tab)
	require.Equal(t, "Skip to the page", value[string](p, "document.activeElement.textContent"))
	for _, page := range []string{"Overview", "Agents", "Archive", "Trend", "Schedules", "New run"} {
		p.tabTo(fmt.Sprintf(`document.activeElement.matches("nav a") && document.activeElement.textContent === %q`, page), page)
	}
	p.tabTo(`document.activeElement.matches("td a[href^='/console/suites/']")`, "a suite in the table")
	require.True(t, value[bool](p, `document.activeElement.matches(":focus-visible") && getComputedStyle(document.activeElement).outlineStyle !== "none"`), "the focus should be visible")
	p.press(kb.Enter)
	p.suite()
	require.Equal(t, "main", value[string](p, "document.activeElement.id"), "a reader should hear the new page")

	c.visit(p, "runs/"+run)
	p.first()
	p.tabTo(`document.activeElement.matches(".plot .canvas")`, "a chart")
	for _, key := range []string{"+", kb.ArrowRight, kb.ArrowLeft, kb.Escape} {
		before := p.drawn()[0]
		p.press(key)
		testcluster.Eventually(t, patience, func() bool { return p.drawn()[0] != before }, "%q should change what the chart shows", key)
	}

	c.visit(p, "new?template=first.yaml")
	p.sees("Valid.")
	in := `document.activeElement.matches(".cm-content")`
	p.tabTo(in, "the editor")
	p.do(chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	text := value[string](p, `document.querySelector(".cm-content").innerText`)
	p.press(kb.Tab)
	require.True(t, value[bool](p, in), "Tab should stay in the editor")
	require.NotEqual(t, text, value[string](p, `document.querySelector(".cm-content").innerText`), "Tab should indent")
	p.press(kb.Escape, kb.Tab)
	require.False(t, value[bool](p, in), "Escape and Tab should leave the editor")
	p.requireNoErrors()
}

// tabTo presses Tab until something has the focus.
func (p *tab) tabTo(condition, what string) {
	p.t.Helper()
	for range 150 {
		p.press(kb.Tab)
		if value[bool](p, condition) {
			return
		}
	}
	require.Fail(p.t, "Tab should reach "+what)
}
