//go:build browser

package browser

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// node is an element of a page.
type node = cdp.BackendNodeID

// all returns the elements that a screen reader announces with a role and a name, in the order of the page, within an element if one is
// given. A name that ends in * is the beginning of one, and one between two * a part of it.
func (p *tab) all(role, name string, in ...node) []node {
	p.t.Helper()
	params := accessibility.QueryAXTreeParams{Role: role}
	if len(in) > 0 {
		params.BackendNodeID = in[0]
	} else {
		document, err := chromedp.Run(p.ctx, chromedp.Evaluate[*runtime.RemoteObject]("document"))
		require.NoError(p.t, err)
		params.ObjectID = document.ObjectID
	}
	found, err := chromedp.Call(p.ctx, accessibility.QueryAXTree, params)
	if err != nil { // what it was in has been replaced meanwhile
		return nil
	}
	var out []node
	for _, n := range found.Nodes {
		if n.Ignored || n.Name == nil {
			continue
		}
		var has string
		require.NoError(p.t, json.Unmarshal(n.Name.Value, &has))
		has = strings.Join(strings.Fields(has), " ")
		if matches(has, name) {
			out = append(out, n.BackendDOMNodeID)
		}
	}
	return out
}

func matches(has, name string) bool {
	begin, part := strings.CutSuffix(name, "*")
	if inner, ok := strings.CutPrefix(begin, "*"); ok && part {
		return strings.Contains(has, inner)
	}
	return has == name || part && strings.HasPrefix(has, begin)
}

// find waits for the first element with a role and a name.
func (p *tab) find(role, name string, in ...node) (found node) {
	p.t.Helper()
	testcluster.Eventually(p.t, patience, func() bool {
		if all := p.all(role, name, in...); len(all) > 0 {
			found = all[0]
		}
		return found != 0
	}, "the page should have the %s %q; it has: %s", role, name, p.lazyText())
	return found
}

// row waits for the row of a table that has a text.
func (p *tab) row(text string) (found node) {
	p.t.Helper()
	testcluster.Eventually(p.t, patience, func() bool {
		row, err := chromedp.Run(p.ctx, chromedp.Evaluate[*runtime.RemoteObject](fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].find(r => r.innerText.includes(%q)) ?? document`, text)))
		require.NoError(p.t, err)
		described, err := chromedp.Call(p.ctx, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: row.ObjectID})
		if err == nil && described.Node.NodeName == "TR" {
			found = described.Node.BackendNodeID
		}
		return found != 0
	}, "a table should have a row with %q; the page has: %s", text, p.lazyText())
	return found
}

// on calls a JavaScript function with an element as this.
func on[T any](p *tab, n node, function string, args ...any) (T, error) {
	p.t.Helper()
	var none T
	resolved, err := chromedp.Call(p.ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n})
	if err != nil {
		return none, err
	}
	return chromedp.Run(p.ctx, chromedp.CallFunctionOn[T](function, func(c *runtime.CallFunctionOnParams) { c.ObjectID = resolved.Object.ObjectID }, args...))
}

// click clicks an element with the mouse, once it is there, enabled, and nothing covers it.
func (p *tab) click(role, name string, in ...node) {
	p.t.Helper()
	var at []float64
	testcluster.Eventually(p.t, patience, func() bool {
		all := p.all(role, name, in...)
		if len(all) == 0 {
			return false
		}
		found, err := on[[]float64](p, all[0], `function () {
			this.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
			const b = this.getClientRects()[0];
			if (!b || this.matches(":disabled")) return [];
			const x = b.x + b.width / 2, y = b.y + b.height / 2;
			const hit = document.elementFromPoint(x, y);
			return hit && (this.contains(hit) || hit.contains(this)) ? [x, y] : [];
		}`)
		at = found
		return err == nil && len(at) == 2
	}, "the page should have the %s %q to click on; it has: %s", role, name, p.lazyText())
	p.mouse(input.DispatchMouseEventTypeMouseMoved, at[0], at[1], false)
	p.mouse(input.DispatchMouseEventTypeMousePressed, at[0], at[1], true)
	p.mouse(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], false)
}

// fill replaces the text of an input by keyboard.
func (p *tab) fill(label, text string, in ...node) {
	p.t.Helper()
	var field node
	testcluster.Eventually(p.t, patience, func() bool {
		for _, role := range []string{"textbox", "searchbox", "combobox", "spinbutton"} {
			if all := p.all(role, label, in...); len(all) > 0 {
				field = all[0]
			}
		}
		return field != 0
	}, "the page should have the field %q; it has: %s", label, p.lazyText())
	call(p, dom.Focus, dom.FocusParams{BackendNodeID: field})
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if text == "" {
		p.press(kb.Delete)
		return
	}
	call(p, input.InsertText, input.InsertTextParams{Text: text})
}

// text is what the page shows, and the values of its fields.
func (p *tab) text() string {
	p.t.Helper()
	return value[string](p, `document.body.innerText.replace(/\s+/g, " ")`)
}

// lazyText is the text of the page when it is printed, which only the message of a failed test does.
func (p *tab) lazyText() lazy { return p.text }

type lazy func() string

func (l lazy) String() string {
	text := l()
	return text[:min(len(text), 4000)]
}

// sees waits until the page shows each of the texts.
func (p *tab) sees(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		testcluster.Eventually(p.t, patience, func() bool { return strings.Contains(p.text(), text) }, "the page should show %q; it has: %s", text, p.lazyText())
	}
}

// gone waits until the page does not show a text any more.
func (p *tab) gone(text string) {
	p.t.Helper()
	testcluster.Eventually(p.t, patience, func() bool { return !strings.Contains(p.text(), text) }, "the page should not show %q any more; it has: %s", text, p.lazyText())
}
