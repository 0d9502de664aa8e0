//go:build browser

package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The report of a run of two hours is small and cheap, and its page is quick, complete on paper, and can be used by everyone.
func TestReportOfALongRun(t *testing.T) {
	en, zh := t.TempDir(), t.TempDir()
	t.Run("is small and cheap", func(t *testing.T) { pages(t, en, zh) })
	english, chinese := pageIn(t, en), pageIn(t, zh)
	t.Run("draws its first chart quickly and asks for nothing", func(t *testing.T) { firstChart(t, english) })
	t.Run("zooms and pans quickly", func(t *testing.T) { steps(t, english) })
	t.Run("shows the same part in all charts of a run", func(t *testing.T) { sharedZoom(t, english) })
	t.Run("can be used with the keyboard", func(t *testing.T) { keyboard(t, english) })
	t.Run("fits a narrow screen", func(t *testing.T) { narrowScreen(t, english) })
	t.Run("is Chinese", func(t *testing.T) { language(t, chinese) })
	for _, p := range []struct{ lang, path string }{{"en", english}, {"zh", chinese}} {
		t.Run("is accessible: "+p.lang, func(t *testing.T) { accessible(t, p.lang, p.path) })
		t.Run("is whole on paper: "+p.lang, func(t *testing.T) { paper(t, p.lang, p.path) })
	}
}

// The limits of the page, in CPU time of its main thread.
const (
	limitFirst = time.Second
	limitStep  = 30 * time.Millisecond
)

// first brings the first chart into view, and waits until it is drawn.
func (p *tab) first() {
	p.t.Helper()
	// A page of a run reads its figures before it has charts, and again when the run ends.
	p.eventually(`(document.querySelector(".plot")?.scrollIntoView({block: "center", behavior: "instant"}), document.querySelector(".plot canvas"))`, "a chart should be drawn")
	p.frames()
}

// firstChart checks when the report draws its first chart, and that it asks for nothing.
func firstChart(t *testing.T, path string) {
	p := soon(t, "report", func(p *tab) { p.load(path) })
	require.Contains(t, value[string](p, `document.querySelector('meta[http-equiv="Content-Security-Policy"]').content`), "default-src 'none'")
	p.drawAll()
	require.Equal(t, value[int](p, `document.querySelectorAll(".plot").length`), value[int](p, `document.querySelectorAll(".plot canvas").length`))
	p.requireQuiet()
}

// soon opens a page in a browser of its own, and checks the CPU time of the main thread from the start of the process that renders until the
// first chart is drawn: the process begins with the page. A machine that has other work needs more: the best of three pages counts.
func soon(t *testing.T, what string, open func(p *tab)) *tab {
	t.Helper()
	for try := 1; ; try++ {
		p := empty(t, wide())
		open(p)
		p.first()
		spent := p.renderers()
		first := spent[p.renderer()]
		t.Logf("%s: first chart after %v of the main thread's CPU", what, first.Round(time.Millisecond))
		if try == 3 {
			require.Less(t, first, limitFirst, what)
		}
		if first < limitFirst {
			return p
		}
	}
}

// steps measures steps of zooming and panning. A machine that has other work needs more CPU for the same step: the best of three
// rounds counts. The time of a step goes from its event until the page has drawn two frames.
func steps(t *testing.T, path string) {
	p := open(t, path, wide())
	p.first()
	p.drawAll()
	for _, selector := range []string{".plot", ".plot:has(.ramp)"} {
		p.quick(t, selector, selector)
	}
	p.requireQuiet()
}

// quick checks the CPU time of steps on a chart.
func (p *tab) quick(t *testing.T, what, selector string) {
	t.Helper()
	p.eventually(fmt.Sprintf("document.querySelector(%q)", selector), "the page should have charts") // it is drawn again when its run ends
	process, best := p.renderer(), time.Hour
	for range 3 {
		taken := p.round(process, selector)
		p95 := taken[len(taken)*95/100]
		t.Logf("%s: %d steps, median %v, p95 %v, longest %v", what, len(taken), taken[len(taken)/2], p95, taken[len(taken)-1])
		best = min(best, p95)
		if best <= limitStep {
			break
		}
	}
	require.LessOrEqual(t, best, limitStep, what)
}

// round is a round of steps on a chart. It returns the sorted CPU times of the main thread.
func (p *tab) round(process int64, selector string) []time.Duration {
	p.t.Helper()
	p.focus(selector)
	p.do(chromedp.Sleep(300 * time.Millisecond)) // what came into view is drawn
	var taken []time.Duration
	measure := func(act func()) {
		before := mainThread(p.t, process)
		act()
		p.frames()
		taken = append(taken, (mainThread(p.t, process) - before).Round(10*time.Microsecond))
	}
	for _, keys := range []struct {
		key   string
		times int
	}{{"+", 4}, {kb.ArrowRight, 10}, {kb.ArrowLeft, 10}, {"+", 6}, {kb.ArrowLeft, 10}, {"-", 8}, {kb.ArrowRight, 10}, {"0", 1}, {"+", 6}} {
		for range keys.times {
			measure(func() { p.press(keys.key) })
		}
	}
	for i := range 6 {
		p.press("0")
		p.frames()
		// The zoom is made when the button is released; the moves before it only move the pointer.
		release := p.drag(selector, 0.2+0.05*float64(i), 0.6)
		p.frames()
		measure(release)
	}
	p.press("0")
	p.frames()
	slices.Sort(taken)
	return taken
}

// drag selects a part of a chart, given in parts of its width, with the mouse. It returns the function that releases the button, which
// zooms.
func (p *tab) drag(selector string, from, to float64) (release func()) {
	p.t.Helper()
	box := value[[]float64](p, fmt.Sprintf(`(() => { const b = document.querySelector(%q).querySelector(".u-over").getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()`, selector))
	x := func(part float64) float64 { return box[0] + part*box[2] }
	y := box[1] + box[3]/2
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x(from), y, false)
	p.mouse(input.DispatchMouseEventTypeMousePressed, x(from), y, true)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x((from+to)/2), y, true)
	p.mouse(input.DispatchMouseEventTypeMouseMoved, x(to), y, true)
	return func() { p.mouse(input.DispatchMouseEventTypeMouseReleased, x(to), y, false) }
}

// focus brings a chart to the middle of the window and selects it.
func (p *tab) focus(selector string) {
	p.t.Helper()
	value[bool](p, fmt.Sprintf(`(() => { const c = document.querySelector(%q); c.scrollIntoView({block: "center", behavior: "instant"}); return true; })()`, selector))
	p.eventually(fmt.Sprintf(`document.querySelector(%q).querySelector("canvas")`, selector), "the chart should be drawn")
	value[bool](p, fmt.Sprintf(`(document.querySelector(%q).querySelector(".canvas").focus({preventScroll: true}), true)`, selector))
	p.frames()
}

// drawn are the pictures of the first two charts, which are over the same time.
func (p *tab) drawn() []string {
	p.t.Helper()
	p.frames()
	return value[[]string](p, `[...document.querySelectorAll(".plot canvas")].slice(0, 2).map(c => c.toDataURL())`)
}

func sharedZoom(t *testing.T, path string) {
	p := open(t, path, size{"tall", 1280, 1800})
	p.focus(".plot")
	p.eventually(`document.querySelectorAll(".plot canvas").length >= 2`, "two charts should be drawn")
	reset := `[...document.querySelectorAll(".plot .reset")].slice(0, 2).every(b => b.hidden)`
	whole := p.drawn()
	require.True(t, value[bool](p, reset))
	for name, zoom := range map[string]func(){"key": func() { p.press("+") }, "drag": func() { p.drag(".plot", 0.3, 0.6)() }} {
		zoom()
		zoomed := p.drawn()
		require.NotEqual(t, whole[0], zoomed[0], name)
		require.NotEqual(t, whole[1], zoomed[1], name)
		require.False(t, value[bool](p, reset), name)
		p.focus(".plot")
		p.mouse(input.DispatchMouseEventTypeMouseMoved, 2, 2, false)
		p.press(kb.Escape)
		require.Equal(t, whole, p.drawn(), name)
		require.True(t, value[bool](p, reset), name)
	}
	p.requireQuiet()
}

func keyboard(t *testing.T, path string) {
	p := open(t, path, wide())
	p.first()
	want := []string{".skip", "#theme", ".toc summary", ".toc a", ".legend button", ".plot .canvas", "details.chapter > summary"}
	reached := make(map[string]bool)
	for i := 0; i < 400 && len(reached) < len(want); i++ {
		p.press(kb.Tab)
		for _, selector := range want {
			if !reached[selector] && value[bool](p, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
				reached[selector] = true
			}
		}
	}
	for _, selector := range want {
		require.True(t, reached[selector], "Tab should reach %s", selector)
	}

	focus := func(selector string) {
		value[bool](p, fmt.Sprintf(`(document.querySelector(%q).focus(), true)`, selector))
	}
	toggles := func(selector, state string) {
		t.Helper()
		focus(selector)
		before := value[string](p, state)
		for _, key := range []string{kb.Enter, " "} {
			p.press(key)
			p.frames()
			after := value[string](p, state)
			require.NotEqual(t, before, after, "%q on %s", key, selector)
			before = after
		}
	}
	toggles("#theme", `document.getElementById("theme").getAttribute("aria-pressed") + document.documentElement.dataset.theme + getComputedStyle(document.body).backgroundColor`)
	toggles("details.chapter > summary", `String(document.querySelector("details.chapter").open)`)
	toggles(".toc summary", `String(document.querySelector(".toc details").open)`)
	p.focus(".plot")
	toggles(".legend button", `document.querySelector(".legend button").getAttribute("aria-pressed") + document.querySelector(".plot canvas").toDataURL()`)

	// Each key shows another part, and says so.
	p.focus(".plot")
	spoken := func() string { return value[string](p, `document.querySelector(".plot output.spoken").textContent`) }
	for _, key := range []string{"+", kb.ArrowRight, kb.ArrowLeft, "+", "-", kb.ArrowUp, kb.ArrowDown, "0"} {
		picture, said := p.drawn()[0], spoken()
		p.press(key)
		p.eventually(fmt.Sprintf(`document.querySelector(".plot output.spoken").textContent !== %q`, said), "the part that is shown should be spoken after "+key)
		require.NotEqual(t, picture, p.drawn()[0], key)
		require.NotEmpty(t, spoken())
	}
	// Without a zoom an arrow moves the pointer, whose figures are spoken.
	p.press(kb.ArrowRight)
	p.eventually(`document.querySelector(".plot output.spoken").textContent.includes(": ")`, "the figures at the pointer should be spoken")
	p.requireQuiet()
}

func narrowScreen(t *testing.T, path string) {
	p := open(t, path, narrow())
	p.drawAll()
	require.LessOrEqual(t, value[int](p, `document.documentElement.scrollWidth`), int(narrow().width))
	require.LessOrEqual(t, value[int](p, `document.body.scrollWidth`), int(narrow().width))
	p.requireQuiet()
}

func language(t *testing.T, path string) {
	p := open(t, path, wide())
	require.Equal(t, "zh", value[string](p, `document.documentElement.lang`))
	require.Equal(t, "目录", value[string](p, `document.querySelector(".toc summary").textContent.trim()`))
	p.requireQuiet()
}

// accessible checks a page with axe-core, contrast included, in both themes and sizes, and keeps pictures of them.
func accessible(t *testing.T, lang, path string) {
	script := os.Getenv("BENCHD_TEST_AXE")
	require.NotEmpty(t, script, "run make test-browser, which downloads axe-core")
	axe, err := os.ReadFile(script)
	require.NoError(t, err)
	for _, s := range []size{wide(), narrow()} {
		p := open(t, path, s)
		p.drawAll()
		p.requireQuiet()
		value[bool](p, string(axe)+"; true")
		for _, theme := range []string{"light", "dark"} {
			p.prefer(theme)
			found := value[[]json.RawMessage](p, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({id: v.id, help: v.help, count: v.nodes.length, nodes: v.nodes.slice(0, 4).map(n => [n.target.join(" "), n.failureSummary])})))`)
			for _, f := range found {
				t.Logf("%s, %s: %s", s.name, theme, f)
			}
			require.Empty(t, found, "%s, %s", s.name, theme)
			p.picture(strings.Join([]string{"report", lang, s.name, theme}, "-"))
		}
	}
}

// paper prints a page in both themes: all charts are drawn for it, also those that were never in view.
func paper(t *testing.T, lang, path string) {
	for _, theme := range []string{"light", "dark"} {
		p := open(t, path, wide())
		p.prefer(theme)
		p.first()
		// Called after the page's own: it counts the charts that have something drawn.
		value[bool](p, `(addEventListener("beforeprint", () => {
			window.forPaper = [...document.querySelectorAll(".plot .on-paper")].filter(c => {
				const data = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
				return data.some(pixel => pixel !== data[0]);
			}).length;
		}), true)`)
		pdf, err := chromedp.Run(p.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPrintBackground(), chromedp.PDFPreferCSSPageSize()))
		require.NoError(t, err)
		name := strings.Join([]string{"report", lang, "print", theme}, "-") + ".pdf"
		keep(t, name, pdf)
		charts := value[int](p, `document.querySelectorAll(".plot").length`)
		require.Positive(t, charts)
		require.Equal(t, charts, value[int](p, `window.forPaper`), "charts that were drawn for paper")
		require.Zero(t, value[int](p, `document.querySelectorAll(".on-paper").length`), "charts for paper after it")
		text := printed(t, pdf)
		for _, title := range value[[]string](p, `[...document.querySelectorAll("main h2")].map(h => h.textContent.trim())`) {
			require.Contains(t, text, strings.Join(strings.Fields(title), ""))
		}
		p.requireQuiet()
	}
}

// printed is the text of a PDF without spaces.
func printed(t *testing.T, pdf []byte) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pdftotext", "-", "-")
	command.Stdin = strings.NewReader(string(pdf))
	out, err := command.Output()
	require.NoError(t, err)
	return strings.Join(strings.Fields(string(out)), "")
}
