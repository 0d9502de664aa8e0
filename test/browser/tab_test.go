//go:build browser

package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	logs "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// tab is a page in a browser of its own.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu        sync.Mutex
	requested []string // but the page itself and data within it
	errors    []string // that the page or the browser wrote to the console
}

// size is that of a window.
type size struct {
	name          string
	width, height int64
}

func wide() size   { return size{"wide", 1280, 900} }
func narrow() size { return size{"narrow", 360, 740} }

// open opens a page in a browser that is ended with the test.
func open(t *testing.T, path string, s size) *tab {
	t.Helper()
	p := empty(t, s)
	p.load(path)
	return p
}

// empty is an empty page in a browser of its own.
func empty(t *testing.T, s size) *tab {
	t.Helper()
	return newTab(t, launch(t), s)
}

// launch starts a browser, which is ended with the test.
func launch(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if f := filepath.Join(dir, "chromium"); program == "" {
			if _, err := os.Stat(f); err == nil {
				program = f
			}
		}
	}
	require.NotEmpty(t, program, "chromium is missing: run make test-browser")
	// The sandbox of the browser needs rights that containers lack; the page is our own.
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(filepath.Join(t.TempDir(), "profile")))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	return ctx
}

// newTab returns the page that a context has.
func newTab(t *testing.T, ctx context.Context, s size) *tab {
	t.Helper()
	p := &tab{t: t, ctx: ctx}
	p.do(chromedp.Navigate("about:blank"))
	call(p, network.Enable, network.EnableParams{})
	call(p, logs.Enable, cdp.Empty{})
	require.NoError(t, chromedp.Listen(ctx, p.hear))
	p.resize(s)
	return p
}

// hear notes requests and errors.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if url, _, _ := strings.Cut(e.Request.URL, "#"); url != p.url && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
			p.requested = append(p.requested, url)
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.errors = append(p.errors, text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			text := []string{"console:", string(e.Type)}
			for _, arg := range e.Args {
				text = append(text, string(arg.Value), arg.Description)
			}
			p.errors = append(p.errors, strings.Join(text, " "))
		}
	case *logs.EventEntryAdded:
		if e.Entry.Level == logs.EntryLevelError || e.Entry.Level == logs.EntryLevelWarning {
			p.errors = append(p.errors, strings.TrimSpace(e.Entry.Text+" "+e.Entry.URL))
		}
	}
}

// requireQuiet checks that the page asked for nothing and reported no error.
func (p *tab) requireQuiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Empty(p.t, p.requested, "requests of the page")
	require.Empty(p.t, p.errors, "errors of the page")
}

func (p *tab) load(path string) {
	p.t.Helper()
	p.mu.Lock()
	p.url = "file://" + path
	p.mu.Unlock()
	p.do(chromedp.Navigate(p.url))
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, steps...))
}

// call sends a command to the page.
func call[P, R any](p *tab, c cdp.Command[P, R], params P) R {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, c, params)
	require.NoError(p.t, err)
	return r
}

// value is that of an expression, or what it promises.
func value[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return v
}

// eventually waits until an expression is true.
func (p *tab) eventually(expression, should string) {
	p.t.Helper()
	testcluster.Eventually(p.t, patience, func() bool { return value[bool](p, "Boolean("+expression+")") }, "%s", should)
}

// frames waits until the page has drawn what is due.
func (p *tab) frames() {
	p.t.Helper()
	value[bool](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// resize sets the size of the window.
func (p *tab) resize(s size) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.width, Height: s.height, DeviceScaleFactor: 1})
}

// prefer sets the theme that the reader's system prefers.
func (p *tab) prefer(theme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
	p.frames()
}

// press presses keys one after another.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// mouse sends an event of the mouse, with its left button held or not.
func (p *tab) mouse(kind input.DispatchMouseEventType, x, y float64, held bool) {
	p.t.Helper()
	params := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1}
	if held {
		params.Buttons = 1
	}
	if kind == input.DispatchMouseEventTypeMouseMoved {
		params.ClickCount = 0
		if !held {
			params.Button = input.MouseButtonNone
		}
	}
	call(p, input.DispatchMouseEvent, params)
}

// drawAll brings every chart into view once, and returns to the top.
func (p *tab) drawAll() {
	p.t.Helper()
	value[bool](p, `(async () => {
		for (const d of document.querySelectorAll("details")) d.open = true;
		for (const plot of document.querySelectorAll(".plot")) {
			plot.scrollIntoView({block: "center", behavior: "instant"});
			for (let i = 0; i < 50 && !plot.querySelector("canvas"); i++) await new Promise(done => requestAnimationFrame(done));
		}
		scrollTo({top: 0, behavior: "instant"});
		return true;
	})()`)
	p.frames()
}

// picture keeps a picture of the whole page, or of the upper part of a very long one, below bin/browser.
func (p *tab) picture(name string) {
	p.t.Helper()
	bounds := value[[]float64](p, `[document.documentElement.clientWidth, Math.min(document.documentElement.scrollHeight, 12000)]`)
	beyond := true
	shot := call(p, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Clip: &page.Viewport{Width: bounds[0], Height: bounds[1], Scale: 1}, CaptureBeyondViewport: &beyond,
	})
	keep(p.t, name+".png", shot.Data)
}

// keep keeps a file below bin/browser for people to look at.
func keep(t *testing.T, name string, content []byte) {
	t.Helper()
	dir := filepath.Join(testcluster.Root(), "bin", "browser")
	require.NoError(t, os.MkdirAll(dir, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
}

// renderers are the CPU times of the main threads of all processes that render.
func (p *tab) renderers() map[int64]time.Duration {
	p.t.Helper()
	info, err := chromedp.CallBrowser(p.ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	require.NoError(p.t, err)
	times := make(map[int64]time.Duration)
	for _, process := range info.ProcessInfo {
		if process.Type == "renderer" {
			times[process.ID] = mainThread(p.t, process.ID)
		}
	}
	return times
}

// mainThread is the CPU time of the main thread of a process, which has the number of the process.
func mainThread(t *testing.T, pid int64) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, pid))
	require.NoError(t, err)
	ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
	require.NoError(t, err)
	return time.Duration(ns)
}

// renderer is the process that renders the page: the one that works while the page does.
func (p *tab) renderer() int64 {
	p.t.Helper()
	before := p.renderers()
	value[bool](p, `(() => { const end = performance.now() + 200; while (performance.now() < end); return true; })()`)
	var found int64
	var most time.Duration
	for pid, spent := range p.renderers() {
		if d := spent - before[pid]; d > most {
			found, most = pid, d
		}
	}
	require.NotZero(p.t, found)
	return found
}
