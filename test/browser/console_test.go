//go:build browser

package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// dev starts a coordinator with agents and a sandbox, as people do who try benchd, and a browser.
func dev(t *testing.T, agents string) *console {
	t.Helper()
	c := &console{address: "127.0.0.1:" + testcluster.Port(t), browser: launch(t)}
	p := testcluster.Start(t, nil, "benchd", "dev", "--listen", "127.0.0.1:"+testcluster.Port(t), "--http", c.address, "--agents", agents, "--data", t.TempDir())
	p.Says("coordinator listens")
	return c
}

const twoCases = `suite: two cases
note: 两个用例
properties: {db: "null", null.service: lognormal 1ms 0.4, recordcount: 1000, threadcount: 4, readproportion: 0.5, updateproportion: 0.5, duration: 5s, interval: 200ms}
scenarios:
  - {name: fixed rate, properties: {rate: 1000}}
  - {name: full speed}
tables:
  - {title: Latency, scenarios: [fixed rate, full speed], columns: [scenario, throughput_ops, read_p99_us]}
`

// Every page of the console works: people submit, watch, cancel, compare, note and download with it, without a mouse, too.
func TestConsole(t *testing.T) {
	t.Parallel() // it waits most of the time
	c := dev(t, "6")
	var nightly []string
	for i := range 3 {
		more := map[string]any{"note": fmt.Sprintf("night %d", i+1)}
		if i == 1 {
			more["tags"] = map[string]string{"team": "storage"}
		}
		nightly = append(nightly, c.submit(t, null("nightly", "2s", more)))
	}
	suite := c.submit(t, map[string]any{"suite": map[string]string{"name": "two.yaml", "content": twoCases}, "agents": 2})
	live := c.submit(t, null("live", "1h", map[string]any{"tags": map[string]string{"用途": "观察"}}))
	for _, id := range append(nightly, suite) {
		c.until(t, id, "complete")
	}
	c.until(t, live, "running")

	on := func(test func(*testing.T, *console)) func(*testing.T) { return func(t *testing.T) { test(t, c) } }
	for _, part := range []struct {
		name string
		test func(*testing.T)
	}{
		{"the trial of R5 is submitted, watched and read", on(trialOfR5)},
		{"a new user runs a template and reads its result", newUser},
		{"a mistake is shown at its line", on(mistakes)},
		{"a suite is cancelled", cancels},
		{"results are found, noted, tagged and compared", func(t *testing.T) { archive(t, c, nightly) }},
		{"a trend is shown", func(t *testing.T) { trend(t, c, nightly) }},
		{"an agent is drained and resumed", on(agents)},
		{"a schedule is paused, run and removed", on(schedules)},
		{"no mouse is needed", func(t *testing.T) { keys(t, c, suite+".1") }},
		{"another site cannot submit", on(foreignSite)},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t)
		})
	}
	for _, page := range []struct{ name, path string }{
		{"overview", ""},
		{"agents", "agents"},
		{"archive", "suites"},
		{"suite", "suites/" + suite},
		{"suite-live", "suites/" + live},
		{"run", "runs/" + suite + ".1"},
		{"run-live", "runs/" + live + ".1"},
		{"compare", "compare?a=" + nightly[0] + "&b=" + nightly[1]},
		{"trend", "trend?name=nightly"},
		{"schedules", "schedules"},
		{"new", "new?template=smoke.yaml"},
	} {
		for _, lang := range []string{"en", "zh"} {
			t.Run(page.name+" is accessible: "+lang, func(t *testing.T) {
				t.Parallel()
				p := c.tab(t, wide(), lang)
				c.visit(p, page.path)
				require.Equal(t, map[string]string{"en": "en", "zh": "zh-CN"}[lang], value[string](p, "document.documentElement.lang"))
				p.inspect(page.name, lang)
			})
		}
	}
}
