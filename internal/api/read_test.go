package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/chart"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/trend"
)

// One coordinator serves these tests, because a run takes seconds.
func TestReading(t *testing.T) {
	s := newService(t)
	first := s.submit("nightly", map[string]string{"branch": "main"}, true, "duration=2s")
	second := s.submit("other", nil, true, "duration=2s")
	running := s.submit("nightly", map[string]string{"branch": "main"}, false, "duration=10m")
	for name, test := range map[string]func(*testing.T, *service){
		"about": func(t *testing.T, s *service) {
			about := read[api.About](s, "/about")
			require.Equal(t, "v1-test", about.Version)
			require.NotZero(t, about.ArchiveBytes)
			require.Equal(t, api.AboutCan{Submit: true, Cancel: true, Admin: true}, about.Can, "nobody is asked for an identity")
			require.False(t, about.Console)
		},
		"agents": func(t *testing.T, s *service) {
			agents := read[[]remote.Agent](s, "/agents")
			require.Len(t, agents, 2)
			require.True(t, agents[0].Connected)
		},
		"the queue has what has not ended": func(t *testing.T, s *service) {
			queue := read[[]remote.Suite](s, "/queue")
			require.Len(t, queue, 1)
			require.Equal(t, running, queue[0].ID)
		},
		"a list is filtered": func(t *testing.T, s *service) {
			for query, want := range map[string][]string{
				"":                                       {running, second, first},
				"?name=nightly":                          {running, first},
				"?name=nightly&status=complete":          {first},
				"?status=complete&status=partial":        {second, first},
				"?tag=branch%3Dmain&status=complete":     {first},
				"?tag=branch%3Dother":                    {},
				"?target=null":                           {running, second, first},
				"?target=hbase":                          {},
				"?search=OTHER":                          {second},
				"?search=branch%3Dma&status=complete":    {first},
				"?until=2020-01-01":                      {},
				"?since=2020-01-01T00:00:00Z&name=other": {second},
			} {
				ids := []string{}
				for _, one := range read[[]remote.Suite](s, "/suites"+query) {
					ids = append(ids, one.ID)
				}
				require.Equal(t, want, ids, query)
			}
		},
		"a list has pages": func(t *testing.T, s *service) {
			var ids []string
			for path, pages := "/suites?limit=1&name=nightly", 0; path != ""; pages++ {
				require.Less(t, pages, 4)
				a := s.get(path)
				var page []remote.Suite
				require.NoError(t, json.Unmarshal(a.body, &page))
				require.Len(t, page, 1)
				ids = append(ids, page[0].ID)
				path, _, _ = strings.Cut(strings.TrimPrefix(a.Header.Get("Link"), "<"+api.Prefix), ">")
			}
			require.Equal(t, []string{running, first}, ids)
			require.Contains(t, s.get("/suites?after=nobody").mistake(t).Message, `there is no suite "nobody"`)
		},
		"a result is what benchctl shows, and has a tag when it has ended": func(t *testing.T, s *service) {
			text, err := s.remote.Result(t.Context(), first)
			require.NoError(t, err)
			for _, path := range []string{"/suites/" + first, "/runs/" + first + ".1"} {
				a := s.get(path)
				require.Equal(t, string(text), string(a.body))
				tag := a.Header.Get("ETag")
				require.Regexp(t, `^"[0-9a-f]{32}"$`, tag)
				require.Equal(t, http.StatusNotModified, s.get(path, "If-None-Match", tag).StatusCode)
				require.Equal(t, http.StatusOK, s.get(path, "If-None-Match", `"other"`).StatusCode)
				lean := s.get(path + "?series=false")
				require.Less(t, len(lean.body), len(a.body))
				require.NotEqual(t, tag, lean.Header.Get("ETag"))
			}
			live := s.get("/suites/" + running)
			require.Equal(t, http.StatusOK, live.StatusCode)
			require.Empty(t, live.Header.Get("ETag"))
			require.Equal(t, "no-store", live.Header.Get("Cache-Control"))
		},
		"a series has few points, whose counts are those of the result": func(t *testing.T, s *service) {
			run := read[result.Run](s, "/runs/"+first+".1")
			var points []int
			for _, query := range []string{"", "?points=1"} {
				series := read[chart.Series](s, "/runs/"+first+".1/series"+query)
				require.Equal(t, result.Complete, series.Status)
				require.Len(t, series.Phases, 1)
				var ops, reads uint64
				n := 0
				for _, p := range series.Phases[0].Points {
					ops += p.Ops
					if !p.Tail {
						n++
					}
					for _, o := range p.Operations {
						if o.Op == "READ" {
							reads += o.Count
							require.NotNil(t, o.P50)
						}
					}
				}
				points = append(points, n)
				require.Equal(t, run.Phases[0].Ops, ops)
				i := slices.IndexFunc(run.Phases[0].Operations, func(o result.Operation) bool { return o.Op == "READ" })
				require.Equal(t, run.Phases[0].Operations[i].Count, reads)
			}
			require.Equal(t, []int{2, 1}, points)
			a := s.get("/runs/" + first + ".1/series")
			require.Equal(t, http.StatusNotModified, s.get("/runs/"+first+".1/series", "If-None-Match", a.Header.Get("ETag")).StatusCode)
			require.NotEmpty(t, read[chart.Series](s, "/runs/"+running+".1/series").ID)

			whole := read[chart.Series](s, "/runs/"+first+".1/series")
			require.NotNil(t, whole.Started)
			at := whole.Phases[0].Begin + 1
			late := read[chart.Series](s, fmt.Sprintf("/runs/%s.1/series?from=%v&step=0.1", first, at))
			require.Equal(t, whole.Phases[0].Points[1:], late.Phases[0].Points)
			early := read[chart.Series](s, fmt.Sprintf("/runs/%s.1/series?to=%v", first, at))
			require.Equal(t, whole.Phases[0].Points[:1], early.Phases[0].Points)
			require.Empty(t, read[chart.Series](s, "/runs/"+first+".1/series?from=1e6").Phases)
			require.Contains(t, s.get("/runs/"+first+".1/series?from=5&to=5").mistake(t).Message, "to: must be after from")
			require.Contains(t, s.get("/runs/"+first+".1/series?from=-5").mistake(t).Message, `from: invalid number "-5": want seconds`)
		},
		"each agent over time": func(t *testing.T, s *service) {
			for id, status := range map[string]result.Status{first: result.Complete, running: result.Running} {
				var d chart.AgentSeries
				require.Eventually(t, func() bool {
					d = read[chart.AgentSeries](s, "/runs/"+id+".1/agents?points=50")
					return d.Status == status && len(d.Agents) == 2 && len(d.Times) > 0 && d.Agents[0].Rate[0] != nil && d.Agents[1].Rate[0] != nil
				}, tolerance.Patience, 50*time.Millisecond)
				require.NotNil(t, d.Started)
				for _, a := range d.Agents {
					require.Equal(t, status == result.Running, a.Connected, "%+v", a)
					require.Len(t, a.Rate, len(d.Times))
					require.Len(t, a.P99, len(d.Times))
				}
			}
			a := s.get("/runs/" + first + ".1/agents")
			require.Equal(t, http.StatusNotModified, s.get("/runs/"+first+".1/agents", "If-None-Match", a.Header.Get("ETag")).StatusCode)
		},
		"telemetry": func(t *testing.T, s *service) {
			d := read[chart.Telemetry](s, "/runs/"+first+".1/telemetry?from=1&to=2&points=5")
			require.Equal(t, "telemetry", d.Kind)
			require.Empty(t, d.Sources)
		},
		"reports in all formats": func(t *testing.T, s *service) {
			for _, format := range report.FormatNames() {
				a := s.get("/suites/" + first + "/report?format=" + format)
				if format == "raw" {
					require.Equal(t, http.StatusConflict, a.StatusCode)
					require.Contains(t, a.mistake(t).Message, "no raw points")
					continue
				}
				require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", format, a.body)
				require.NotEmpty(t, a.body)
				require.Contains(t, a.Header.Get("Content-Disposition"), "filename=")
				require.Equal(t, http.StatusNotModified, s.get("/suites/"+first+"/report?format="+format, "If-None-Match", a.Header.Get("ETag")).StatusCode, format)
			}
			page, file := s.get("/suites/"+first+"/report"), s.get("/suites/"+first+"/report?download=true")
			require.Equal(t, page.body, file.body)
			require.Regexp(t, `^inline; filename=`, page.Header.Get("Content-Disposition"))
			require.Regexp(t, `^attachment; filename=`, file.Header.Get("Content-Disposition"))
			// The page has an origin of its own and runs its own script only, which its own policy allows in the same words.
			policy := page.Header.Get("Content-Security-Policy")
			require.Contains(t, policy, "sandbox allow-scripts allow-downloads;")
			kept := s.get("/suites/"+first+"/report", "If-None-Match", page.Header.Get("ETag"))
			require.Equal(t, http.StatusNotModified, kept.StatusCode)
			require.Equal(t, policy, kept.Header.Get("Content-Security-Policy"), "a browser takes the headers of the later answer")
			require.NotContains(t, policy, "allow-same-origin")
			require.NotContains(t, policy, "unsafe")
			for _, part := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-"} {
				require.Contains(t, policy, part)
				require.Contains(t, html.UnescapeString(string(page.body)), part)
			}
			packed := s.get("/runs/" + first + ".1/report?format=csv")
			z, err := zip.NewReader(bytes.NewReader(packed.body), int64(len(packed.body)))
			require.NoError(t, err)
			require.Len(t, z.File, 3)
			require.Contains(t, string(s.get("/runs/"+first+".1/report?lang=zh").body), "吞吐")
			require.Contains(t, s.get("/runs/" + first + ".1/report?format=htlm").mistake(t).Problems[0].Message, `did you mean "html"?`)
		},
		"an answer is what the report begins with, in the language that is asked for": func(t *testing.T, s *service) {
			english := read[api.Answer](s, "/suites/"+first+"/answer")
			require.NotEqual(t, book.Bad, english.State)
			require.NotEmpty(t, english.Answer)
			require.Contains(t, english.Answer[0], "ops/s")
			page := html.UnescapeString(string(s.get("/suites/" + first + "/report").body))
			require.Contains(t, page, english.Question)
			require.Contains(t, page, english.Answer[0])
			chinese := read[api.Answer](s, "/suites/"+first+"/answer?lang=zh")
			require.Contains(t, chinese.Question, "吞吐量")
			require.Len(t, chinese.Answer, len(english.Answer))
			require.NotEqual(t, english.Answer, chinese.Answer)
			require.Equal(t, english.ID, read[api.Answer](s, "/suites/"+first+"/answer?lang=en").ID)
			require.Equal(t, first+".1", read[api.Answer](s, "/runs/"+first+".1/answer").ID)
			a := s.get("/suites/" + first + "/answer?lang=zh")
			require.Equal(t, http.StatusNotModified, s.get("/suites/"+first+"/answer?lang=zh", "If-None-Match", a.Header.Get("ETag")).StatusCode)
			require.Equal(t, http.StatusOK, s.get("/suites/"+first+"/answer", "If-None-Match", a.Header.Get("ETag")).StatusCode, "of another language")
			require.NotNil(t, read[api.Answer](s, "/suites/"+running+"/answer").Answer)
			require.Equal(t, http.StatusNotFound, s.get("/suites/nobody/answer").StatusCode)
			require.Contains(t, s.get("/suites/" + first + "/answer?lang=de").mistake(t).Problems[0].Message, "de")
		},
		"the sentences of a document in another language": func(t *testing.T, s *service) {
			english, chinese := read[result.Run](s, "/runs/"+first+".1"), read[result.Run](s, "/runs/"+first+".1?lang=zh")
			require.NotEmpty(t, english.Verdicts)
			for i, v := range english.Verdicts {
				require.Equal(t, v.Name, chinese.Verdicts[i].Name, "a name is for programs")
				require.NotEqual(t, v.Test, chinese.Verdicts[i].Test)
			}
			require.Equal(t, english.Phases[0].Operations, chinese.Phases[0].Operations)
			require.Equal(t, english.Provenance, chinese.Provenance, "a seed has more digits than a float")
			a := s.get("/runs/" + first + ".1?lang=zh")
			require.Equal(t, http.StatusOK, s.get("/runs/"+first+".1", "If-None-Match", a.Header.Get("ETag")).StatusCode)
			require.Contains(t, read[compare.Comparison](s, "/compare?lang=zh&a="+first+"&b="+second).Method, "区间")
			require.Equal(t, string(s.get("/runs/"+first+".1").body), string(s.get("/runs/"+first+".1?lang=en").body))
		},
		"comparisons": func(t *testing.T, s *service) {
			one := read[compare.Comparison](s, "/compare?a="+first+"&b="+second+"&smallest=2%25")
			require.NotEmpty(t, one.Cases)
			require.Len(t, read[[]compare.Comparison](s, "/compare?a="+first+"&b="+second+"&b="+first+"&figure=read_p99_us"), 2)
			require.Len(t, s.get("/compare?smallest=x").mistake(t).Problems, 2, "a and b are missing")
			require.Equal(t, http.StatusBadRequest, s.get("/compare?a="+first+"&b="+second+"&figure=speed").StatusCode)
			require.Equal(t, http.StatusNotFound, s.get("/compare?a="+first+"&b=nobody").StatusCode)
			require.Equal(t, http.StatusBadRequest, s.get("/compare?a="+first+"&b="+second+":nobody").StatusCode)
		},
		"trends": func(t *testing.T, s *service) {
			a := s.get("/trend?name=nightly")
			require.Equal(t, http.StatusOK, a.StatusCode, "%s", a.body)
			require.Contains(t, read[trend.Trend](s, "/trend?name=nightly&lang=zh").Test, "检验")
			require.Contains(t, s.get("/trend?name=nihgtly").mistake(t).Message, `did you mean "nightly"?`)
			require.Equal(t, http.StatusBadRequest, s.get("/trend").StatusCode)
			require.Equal(t, http.StatusBadRequest, s.get("/trend?name=nightly&false_alarms=3").StatusCode)
		},
		"the schema of suite files": func(t *testing.T, s *service) {
			require.Contains(t, string(s.get("/schema").body), "json-schema.org")
		},
		"the description describes itself": func(t *testing.T, s *service) {
			require.Equal(t, "3.1.0", read[map[string]any](s, "/openapi.json")["openapi"])
		},
		"mistakes": func(t *testing.T, s *service) {
			m := s.get("/suites?stauts=x&limit=0&since=yesterday&tag=a&name=a&name=b").mistake(t)
			require.Len(t, m.Problems, 4)
			require.Contains(t, m.Message, `stauts: unknown parameter (did you mean "status"?)`)
			require.Equal(t, http.StatusNotFound, s.get("/suites/nobody").StatusCode)
			for path, want := range map[string]string{
				"/sutes":                      `(did you mean "/api/v1/suites"?)`,
				"/suites/":                    `(did you mean "/api/v1/suites"?)`,
				"/agent":                      `(did you mean "/api/v1/agents"?)`,
				"/suite/" + first:             `(did you mean "/api/v1/suites/` + first + `"?)`,
				"/runs/" + first + ".1/serie": `(did you mean "/api/v1/runs/` + first + `.1/series"?)`,
				"/suites/" + first + "/other": "unknown path /api/v1/suites/" + first + "/other: /api/v1/openapi.json lists",
				"/suites/" + first + "/event": `(did you mean "/api/v1/suites/` + first + `/events"?)`,
				"/something/else/altogether":  "unknown path /api/v1/something/else/altogether: /api/v1/openapi.json lists",
			} {
				a := s.get(path)
				require.Equal(t, http.StatusNotFound, a.StatusCode, path)
				require.Contains(t, a.mistake(t).Message, want)
			}
			wrong := s.do("PUT", "/suites/"+first, "{}")
			require.Equal(t, http.StatusMethodNotAllowed, wrong.StatusCode)
			require.Contains(t, wrong.Header.Get("Allow"), "GET")
		},
		"a page of another site gets nothing": func(t *testing.T, s *service) {
			require.Equal(t, http.StatusMisdirectedRequest, s.get("/suites", "Host", "evil.example").StatusCode)
			require.Equal(t, http.StatusOK, s.get("/suites", "Host", "localhost:7071").StatusCode)
			a := s.get("/suites", "Origin", "https://evil.example")
			require.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))
			require.Equal(t, "same-origin", a.Header.Get("Cross-Origin-Resource-Policy"))
			require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			one := *s
			one.t = t
			test(t, &one)
		})
	}
	require.NoError(t, s.remote.Cancel(t.Context(), running, "anna"))
}
