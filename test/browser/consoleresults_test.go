//go:build browser

package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// archive finds results, notes and tags one, and compares two.
func archive(t *testing.T, c *console, ids []string) {
	p := c.open(t, "suites")
	p.sees(ids...)
	p.fill("Search", "nightly")
	p.sees("3 suites")
	p.click("link", "team=storage")
	p.sees("1 suite")
	p.gone("1 suites")
	p.click("button", "Clear all filters")
	p.sees(ids...)

	p.click("checkbox", "Choose nightly, "+ids[0])
	p.click("button", "Note and tags")
	dialog := p.find("dialog", "Note and tags")
	p.fill("Note", "noted in a browser", dialog)
	p.click("button", "Add a tag", dialog)
	p.fill("name of the tag", "reviewed", dialog)
	p.fill("value of the tag", "yes", dialog)
	p.click("button", "Save", dialog)
	p.sees("noted in a browser", "reviewed=yes")
	kept := read[struct {
		Note string
		Tags map[string]string
	}](t, c, "/suites/"+ids[0])
	require.Equal(t, "noted in a browser", kept.Note)
	require.Equal(t, "yes", kept.Tags["reviewed"])

	p.click("checkbox", "Choose nightly, "+ids[0])
	p.click("checkbox", "Choose nightly, "+ids[1])
	p.sees("2 chosen")
	p.click("button", "Compare")
	p.find("heading", "Compare")
	p.sees("Answer", "Figures", "not enough runs", ids[0], ids[1])
	require.Contains(t, value[string](p, "location.href"), "b="+ids[1])
	p.click("link", fmt.Sprintf("nightly (%s)", ids[1]))
	p.find("heading", "nightly")
	p.requireNoErrors()
}

// trend shows a recurring suite over time.
func trend(t *testing.T, c *console, ids []string) {
	p := c.open(t, "trend")
	p.click("link", "nightly")
	p.sees("3 suites")
	p.find("application", "throughput over 3 suites.*")
	p.click("DisclosureTriangle", "All values*")
	p.sees(ids...)
	p.requireNoErrors()
}

// agents drains an agent, and resumes it.
func agents(t *testing.T, c *console) {
	const name = "local-6"
	p := c.open(t, "agents")
	p.sees("local-1", name)
	p.click("button", "Drain", p.row(name))
	testcluster.Eventually(t, patience, func() bool { return c.draining(t, name) }, "the agent should be drained")
	p.find("button", "Resume", p.row(name))
	p.sees("draining")
	drained(t, c)
	p.click("button", "Resume", p.row(name))
	testcluster.Eventually(t, patience, func() bool { return !c.draining(t, name) }, "the agent should be resumed")
	p.find("button", "Drain", p.row(name))
	p.requireNoErrors()
}

const large = `suite: large
properties: {db: "null", recordcount: 10}
scenarios: [{name: one, agents: 100, properties: {operationcount: 100}}]
`

// drained shows in a dry run that an agent is drained, and where that is undone, as the refusal of the submission does.
func drained(t *testing.T, c *console) {
	p := c.open(t, "new")
	p.paste(large)
	p.sees("The suite needs 100 agents: 5 connected and 1 drained.", "Resume drained ones on the page Agents, or start more on client machines:")
	p.picture("console-drained")
	value[bool](p, `(document.querySelector(".notice a").click(), true)`)
	p.find("heading", "Agents")
	p.requireNoErrors()
}

// schedules pauses, runs and removes a schedule.
func schedules(t *testing.T, c *console) {
	p := c.open(t, "schedules")
	p.find("heading", "Schedules")
	c.request(t, http.MethodPost, "/schedules", map[string]any{"agents": 1, "suite": map[string]string{"name": "hourly.yaml", "content": `suite: hourly
schedule: {every: 1h}
properties: {db: "null", recordcount: 10}
scenarios: [{name: one, agents: 1, properties: {operationcount: 100}}]
`}})
	p.click("link", "hourly")
	p.sees("It has not been due yet.")
	p.click("button", "Pause")
	p.sees("paused")
	p.click("button", "Resume")
	p.gone("paused")
	p.click("button", "Run now")
	p.sees("submitted", "complete")
	p.click("button", "Remove")
	dialog := p.find("dialog", "Remove")
	p.sees("Its suites stay.")
	p.click("button", "Remove", dialog)
	p.gone("hourly")
	require.NotContains(t, string(c.request(t, http.MethodGet, "/schedules", nil)), "hourly")
	p.requireNoErrors()
}
