//go:build browser

package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

const silent = "The coordinator does not answer."

// Pages that are open while the coordinator is killed say so, and come back by themselves when it is back. The chart of the run has no gap
// then: agents keep their windows meanwhile.
func TestConsoleSurvivesTheCoordinator(t *testing.T) {
	t.Parallel() // it waits most of the time
	cluster := testcluster.New(t)
	cluster.Agents("client-1", "client-2")
	c := &console{address: cluster.HTTP, browser: launch(t)}
	id := cluster.Submit("--agents", "2", "-p", "recordcount=1000", "--target", "1000", "--duration", "24s", "--interval", "1s", "--name", "outage")
	cluster.Until(id, "running")
	run, overview := c.open(t, "runs/"+id+".1"), c.open(t, "")
	overview.sees("outage", "2 of 2 agents connected")
	run.sees("Throughput")
	testcluster.Eventually(t, patience, func() bool { return len(c.seconds(t, id)) >= 5 }, "the run should have its first seconds")
	for _, p := range []*tab{run, overview} {
		p.requireNoErrors()
		value[bool](p, "(window.survives = true)")
	}

	cluster.Coordinator.Signal(os.Kill)
	cluster.Coordinator.Exit(testcluster.Patience)
	for name, p := range map[string]*tab{"run": run, "overview": overview} {
		p.sees(silent)
		p.picture("console-outage-" + name)
	}
	run.sees("Throughput") // what it has read is still there
	cluster.Open()
	for _, p := range []*tab{run, overview} {
		p.gone(silent)
		require.True(t, value[bool](p, "window.survives"), "the page should come back without being loaded again")
		p.onlyRefused()
	}
	overview.sees("2 of 2 agents connected")
	cluster.Until(id, "complete")
	run.sees("complete")
	overview.sees("Nothing runs or waits.")

	stored := c.seconds(t, id)
	require.Len(t, stored, 24)
	testcluster.Eventually(t, patience, func() bool { return len(run.sweep("Throughput")) == len(stored) }, "each second of the run should be in the chart: %v of %v", lazyValue(func() any { return run.sweep("Throughput") }), stored)
	for second, shown := range run.sweep("Throughput") {
		require.NotContains(t, shown, "–", "second %s", second)
	}
	for _, p := range []*tab{run, overview} {
		p.requireNoErrors()
	}
}

type lazyValue func() any

func (l lazyValue) String() string { return fmt.Sprint(l()) }

// seconds are the begins of the intervals of a run that the archive has.
func (c *console) seconds(t *testing.T, id string) (begins []float64) {
	t.Helper()
	series := read[struct {
		Phases []struct {
			Points []struct {
				T    float64
				Tail bool // after the planned end
			}
		}
	}](t, c, "/runs/"+id+".1/series?points=1000")
	for _, phase := range series.Phases {
		for _, p := range phase.Points {
			if !p.Tail {
				begins = append(begins, p.T)
			}
		}
	}
	return begins
}

// onlyRefused checks that all errors so far are those of requests to a coordinator that was away, and forgets them.
func (p *tab) onlyRefused() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.errors {
		require.True(p.t, strings.Contains(e, "net::ERR_CONNECTION_REFUSED") || strings.Contains(e, "net::ERR_INCOMPLETE_CHUNKED_ENCODING") || strings.Contains(e, "net::ERR_EMPTY_RESPONSE") || strings.Contains(e, "net::ERR_CONNECTION_RESET"), e)
	}
	p.errors = nil
}

// sweep moves the mouse over a chart, and returns what its legend shows of its first line, by the time that it shows: all points of the chart.
func (p *tab) sweep(title string) map[string]string {
	p.t.Helper()
	const chart = `[...document.querySelectorAll("figure.chart")].find(f => f.querySelector("h3").textContent === %q)`
	box := value[[]float64](p, fmt.Sprintf(`(() => { const over = (`+chart+`).querySelector(".u-over"); over.scrollIntoView({block: "center", behavior: "instant"}); const b = over.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()`, title))
	points := make(map[string]string)
	for x := 1.0; x < box[2]; x += 6 {
		p.mouse(input.DispatchMouseEventTypeMouseMoved, box[0]+x, box[1]+box[3]/2, false)
		p.frames()
		shown := value[[]string](p, fmt.Sprintf(`(() => { const legend = (`+chart+`).querySelector(".legend"); return [legend.querySelector(".mark").textContent, legend.querySelector(".value").textContent]; })()`, title))
		points[shown[0]] = shown[1]
	}
	delete(points, "")
	return points
}
