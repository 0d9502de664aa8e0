//go:build browser

package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// newUser runs the first template, and reads its result. Nothing but what the pages show leads there.
func newUser(t *testing.T) {
	c := dev(t, "2")
	p := c.open(t, "")
	p.click("link", "New run")
	p.click("link", "*Start here*")
	p.sees("Valid.", "Dry run", "Cases 2")
	p.click("button", "Submit")
	id := p.suite()
	p.sees("running")
	c.until(t, id, "complete")
	p.sees("complete", "Latency at each rate")
	p.click("link", id+".1")
	p.sees("complete", "Throughput", "Response time")
	p.first()
	p.requireNoErrors()
}

const mistaken = `suite: mistaken
properties: {db: "null", recordcount: 10}
scenarios:
  - {name: one, properties: {operationcount: 100}}
  - {nome: two}
`

// mistakes shows a mistake at its line, until it is corrected.
func mistakes(t *testing.T, c *console) {
	p := c.open(t, "new")
	p.paste(mistaken)
	p.sees("2 mistakes:", "line 5", "did you mean name?")
	require.True(t, value[bool](p, `document.querySelector("button[aria-describedby=why]").disabled`), "a suite with mistakes should not be submitted")
	p.sees("Correct the mistakes first.")
	p.picture("console-mistake")
	p.click("button", "line 5 unknown key*")
	require.Equal(t, "  - {nome: two}", value[string](p, `document.querySelector(".cm-activeLine").textContent`), "the cursor should be at the mistake")
	p.paste(mistaken[:len(mistaken)-len("  - {nome: two}\n")])
	p.sees("Valid.", "Cases 1")
	p.gone("mistakes:")
	p.requireNoErrors()
}

// paste replaces the text of the editor as users do who paste.
func (p *tab) paste(text string) {
	p.t.Helper()
	p.eventually(`document.querySelector(".cm-content")`, "the page should have an editor")
	value[bool](p, `(document.querySelector(".cm-content").focus(), true)`)
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.press(kb.Delete)
	call(p, input.InsertText, input.InsertTextParams{Text: text})
}
