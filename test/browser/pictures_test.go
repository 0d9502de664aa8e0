//go:build browser && pictures

package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/benchd/benchd/test/testcluster"
)

// Suites for the pictures of the documentation: their services take known times, so that every picture shows what its page is for.
const (
	pictureSweep = `suite: threads
note: How the throughput grows with the threads
targets: {simulated: {db: "null", null.service: lognormal 20ms 0.3, null.capacity: 200}}
properties: {recordcount: 100000, requestdistribution: zipfian, readproportion: 0.95, updateproportion: 0.05, duration: 3s}
scenarios:
  - {name: reads by threads, matrix: {threads.total: [3, 6, 12, 24, 48]}}
tables:
  - {title: Reads by threads, scenarios: [reads by threads], columns: [threads, throughput_ops, read_p50_us, read_p99_us]}
charts:
  - {title: Throughput by threads, scenarios: [reads by threads], kind: lines, x: threads, y: [throughput_ops]}
  - {title: Read p99 by threads, scenarios: [reads by threads], kind: lines, x: threads, y: [read_p99_us]}
`
	pictureSides = `suite: storage %[1]s
note: storage layer %[1]s
tags: {cluster: lab-7, build: %[2]s}
properties: {db: "null", null.service: %[3]s, recordcount: 100000, threads.total: 6, duration: 2s}
scenarios:
  - {name: reads, repeats: 4, properties: {readproportion: 1, updateproportion: 0}}
  - {name: mixed, repeats: 4, properties: {readproportion: 0.5, updateproportion: 0.5}}
`
	pictureNight = `suite: nightly
note: night %[1]d
tags: {build: 2.6.%[2]d}
properties: {db: "null", null.service: %[3]s, recordcount: 100000, threads.total: 6, duration: 2s}
scenarios:
  - {name: reads, properties: {readproportion: 1, updateproportion: 0}}
`
	pictureSchedule = `suite: %s
schedule: %s
properties: {db: "null", recordcount: 1000}
scenarios: [{name: one, properties: {operationcount: 100000}}]
`
)

// suiteFile is a submission of a suite file.
func suiteFile(name, text string) map[string]any {
	return map[string]any{"suite": map[string]string{"name": name + ".yaml", "content": text}}
}

// TestPicturesOfTheConsole leaves a picture of each page for the documentation in bin/browser.
func TestPicturesOfTheConsole(t *testing.T) {
	c := dev(t, "3")
	done := func(id string) string {
		c.until(t, id, "complete")
		return id
	}
	for i := range 15 {
		build, service := 3, "constant 20ms"
		if i >= 10 {
			build, service = 4, "constant 26ms"
		}
		done(c.submit(t, suiteFile("nightly", fmt.Sprintf(pictureNight, i+1, build, service))))
	}
	a := done(c.submit(t, suiteFile("storage-a", fmt.Sprintf(pictureSides, "A", "2.6.4", "lognormal 20ms 0.3"))))
	b := done(c.submit(t, suiteFile("storage-b", fmt.Sprintf(pictureSides, "B", "2.6.4", "lognormal 17ms 0.3"))))
	sweep := done(c.submit(t, suiteFile("threads", pictureSweep)))
	for name, when := range map[string]string{"every six hours": "{every: 6h}", "weekdays": `{cron: "0 2 * * mon-fri", timezone: Asia/Shanghai}`} {
		c.request(t, http.MethodPost, "/schedules", suiteFile(name, fmt.Sprintf(pictureSchedule, name, when)))
	}
	c.request(t, http.MethodPost, "/schedules/weekdays/run", nil)
	c.request(t, http.MethodPost, "/schedules/every%20six%20hours/pause", nil)

	rows := map[string]string{"db": "sandbox", "phase": "load", "recordcount": "10000", "columnfamily": "family", "threads.total": "12"}
	done(c.submit(t, map[string]any{"name": "fill", "properties": rows}))
	live := c.submit(t, map[string]any{"name": "slow server", "note": "one server answers late for a while", "tags": map[string]string{"cluster": "sandbox"}, "properties": map[string]string{
		"db": "sandbox", "phase": "run", "recordcount": "10000", "columnfamily": "family", "rate": "2000", "arrival": "poisson", "threads.total": "24", "operationcount": "0", "duration": "10m", "warmup": "5s",
		"readproportion": "0.5", "updateproportion": "0.5", "requestdistribution": "zipfian", "actions": "20s fault latency server=2 delay=30ms length=10s",
	}})
	c.submit(t, suiteFile("storage-a", fmt.Sprintf(pictureSides, "A", "2.6.5", "lognormal 20ms 0.3")))
	run := live + ".1"
	testcluster.Eventually(t, testcluster.Patience*3, func() bool {
		for _, phase := range read[struct {
			Phases []struct {
				Name    string
				Seconds float64
			}
		}](t, c, "/runs/"+run).Phases {
			if phase.Name == "measure" && phase.Seconds > 50 {
				return true
			}
		}
		return false
	}, "%s should measure for a while", run)

	for _, page := range []struct {
		name, path string
		sees       []string
	}{
		{"overview", "", []string{"slow server", "threads"}},
		{"agents", "agents", []string{"local-3"}},
		{"archive", "suites", []string{a, b, sweep}},
		{"suite", "suites/" + sweep, []string{"Reads by threads"}},
		{"run", "runs/" + run, []string{"Throughput"}},
		{"compare", "compare?a=" + a + "&b=" + b, []string{"Figures"}},
		{"trend", "trend?name=nightly", []string{"15 suites"}},
		{"schedules", "schedules", []string{"weekdays"}},
		{"new", "new?template=smoke.yaml", []string{"Cases 8"}},
	} {
		p := c.open(t, page.path)
		p.sees(page.sees...)
		p.gone("Waiting for the first figures")
		p.gone("No figures yet.")
		p.plots()
		p.anonymous()
		p.picture("docs-" + page.name)
		p.requireNoErrors()
	}
	c.request(t, http.MethodPost, "/suites/"+live+"/cancel", nil)
}

// anonymous replaces what is special about the machine of the test.
func (p *tab) anonymous() {
	p.t.Helper()
	value[bool](p, `(() => {
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/^\d+\.\d+\.\d+-\S+$/, "6.1.0-25-amd64").replace(/^vm$/, "client");
		return true;
	})()`)
}

// plots has the charts drawn that are in the picture.
func (p *tab) plots() {
	p.t.Helper()
	value[bool](p, `(async () => {
		for (const plot of document.querySelectorAll(".plot")) {
			plot.scrollIntoView({block: "center", behavior: "instant"});
			for (let i = 0; i < 50 && !plot.querySelector("canvas"); i++) await new Promise(done => requestAnimationFrame(done));
		}
		scrollTo({top: 0, behavior: "instant"});
		return true;
	})()`)
	p.frames()
}
