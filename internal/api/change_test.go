package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/tolerance"
)

// submission is a body.
func submission(t *testing.T, s api.Submission) string {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	return string(text)
}

func slow(more map[string]string) map[string]string {
	p := map[string]string{"db": "null", "recordcount": "1000", "target": "200", "duration": "10m"}
	maps.Copy(p, more)
	return p
}

func TestChanging(t *testing.T) {
	s := newService(t)
	good := submission(t, api.Submission{Name: "by curl", Note: "a note", Tags: map[string]string{"team": "a"}, Agents: 2, Properties: slow(nil)})

	require.Equal(t, http.StatusOK, s.do("POST", "/validate", good).StatusCode)
	var outline advice.Outline
	planned := s.do("POST", "/plan", good)
	require.Equal(t, http.StatusOK, planned.StatusCode, "%s", planned.body)
	require.NoError(t, json.Unmarshal(planned.body, &outline))
	require.Equal(t, 1, outline.Runs)
	require.Empty(t, read[[]remote.Suite](s, "/suites"), "nothing is submitted yet")

	a := s.do("POST", "/suites", good)
	require.Equal(t, http.StatusCreated, a.StatusCode, "%s", a.body)
	var got api.Submitted
	require.NoError(t, json.Unmarshal(a.body, &got))
	require.Equal(t, api.Prefix+"/suites/"+got.ID, a.Header.Get("Location"))
	queued := read[[]remote.Suite](s, "/queue")
	require.Len(t, queued, 1)
	require.Equal(t, "by curl", queued[0].Name)
	require.Equal(t, "a note", queued[0].Note)
	require.Regexp(t, `^an HTTP client at 127\.0\.0\.1:\d+$`, queued[0].SubmittedBy)

	require.Equal(t, http.StatusConflict, s.do("DELETE", "/suites/"+got.ID, "").StatusCode, "it has not ended")
	require.Equal(t, http.StatusNoContent, s.do("POST", "/runs/"+got.ID+".1/cancel", "").StatusCode)
	require.Eventually(t, func() bool { return read[result.Run](s, "/suites/"+got.ID).Status == result.Cancelled }, tolerance.Patience, 10*time.Millisecond)
	again := s.do("POST", "/suites/"+got.ID+"/cancel", "")
	require.Equal(t, http.StatusConflict, again.StatusCode)
	require.Contains(t, again.mistake(t).Message, "there is nothing to cancel")
	require.Equal(t, http.StatusConflict, s.do("DELETE", "/suites/"+got.ID+".1", "").StatusCode, "a run is not removed alone")
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/suites/"+got.ID, "").StatusCode)
	require.Equal(t, http.StatusNotFound, s.get("/suites/"+got.ID).StatusCode)
	require.Equal(t, http.StatusNotFound, s.do("POST", "/suites/nobody/cancel", "").StatusCode)

	name := read[[]remote.Agent](s, "/agents")[0].Name
	require.Equal(t, http.StatusNoContent, s.do("POST", "/agents/"+name+"/drain", "").StatusCode)
	require.True(t, read[[]remote.Agent](s, "/agents")[0].Draining)
	few := s.do("POST", "/suites", good)
	require.Equal(t, http.StatusConflict, few.StatusCode, "one agent is left")
	require.Equal(t, http.StatusNoContent, s.do("POST", "/agents/"+name+"/resume", "").StatusCode)
	require.False(t, read[[]remote.Agent](s, "/agents")[0].Draining)
	require.Equal(t, http.StatusNotFound, s.do("POST", "/agents/nobody/drain", "").StatusCode)
}

func TestSchedules(t *testing.T) {
	s := newService(t)
	require.Empty(t, read[[]schedule.Summary](s, "/schedules"))
	suite := api.File{Name: "nightly.yaml", Content: "suite: nightly\nschedule: {every: 24h}\nproperties: {recordcount: 1000, target: 200, duration: 10m}\ntargets: {n: {db: null}}\nscenarios:\n  - name: a\n"}
	body := submission(t, api.Submission{Suite: &suite, Agents: 2})
	a := s.do("POST", "/schedules", body)
	require.Equal(t, http.StatusCreated, a.StatusCode, "%s", a.body)
	var kept api.Scheduled
	require.NoError(t, json.Unmarshal(a.body, &kept))
	require.Equal(t, api.Prefix+"/schedules/"+kept.Name, a.Header.Get("Location"))
	require.False(t, kept.Next.IsZero())
	require.Equal(t, http.StatusBadRequest, s.do("POST", "/schedules", body).StatusCode, "there is one of that name")
	require.Equal(t, http.StatusCreated, s.do("POST", "/schedules?replace=true", body).StatusCode)
	require.Equal(t, http.StatusNoContent, s.do("POST", "/schedules/"+kept.Name+"/pause", "").StatusCode)
	require.True(t, read[schedule.Document](s, "/schedules/"+kept.Name).Paused)
	require.Equal(t, http.StatusNoContent, s.do("POST", "/schedules/"+kept.Name+"/resume", "").StatusCode)
	require.Len(t, read[[]schedule.Summary](s, "/schedules"), 1)
	a = s.do("POST", "/schedules/"+kept.Name+"/run", "")
	require.Equal(t, http.StatusCreated, a.StatusCode, "%s", a.body)
	var got api.Submitted
	require.NoError(t, json.Unmarshal(a.body, &got))
	require.Equal(t, http.StatusNoContent, s.do("POST", "/suites/"+got.ID+"/cancel", "").StatusCode)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/schedules/"+kept.Name, "").StatusCode)
	require.Equal(t, http.StatusNotFound, s.get("/schedules/"+kept.Name).StatusCode)
	require.Equal(t, http.StatusNotFound, s.do("POST", "/schedules/nobody/pause", "").StatusCode)
}

func TestMistakesOfASubmission(t *testing.T) {
	s := newService(t)
	wrong := submission(t, api.Submission{Suite: &api.File{Name: "night.yaml", Content: "name: x\ntarget: {db: null}\nscenarios:\n  - name: a\n    properties: {treads: 3}\n    duraton: 5s\n"}})
	for _, path := range []string{"/plan", "/suites"} {
		a := s.do("POST", path, wrong)
		require.Equal(t, http.StatusBadRequest, a.StatusCode, path)
		m := a.mistake(t)
		require.Greater(t, len(m.Problems), 1, "%s: all mistakes: %s", path, a.body)
		for _, p := range m.Problems {
			require.Equal(t, "night.yaml", p.File, "%s", a.body)
			require.Positive(t, p.Line)
			require.NotEmpty(t, p.Message)
		}
	}
	properties := s.do("POST", "/suites", submission(t, api.Submission{Properties: slow(map[string]string{"treads": "3", "duration": "x"})})).mistake(t)
	require.Len(t, properties.Problems, 2)
	require.Equal(t, "duration", properties.Problems[0].Key)

	for body, want := range map[string]string{
		`{}`:                             "there is nothing to run",
		`{"suit": 1}`:                    `unknown field "suit"`,
		`[`:                              "unexpected EOF",
		`{"properties":{"db":"null"}} x`: "more behind the object",
		`{"properties":{"db":"null"},"wait_agents":"2h"}`:  "invalid duration",
		`{"properties":{"db":"null"},"on_agent_loss":"x"}`: "want fail or continue",
		`{"properties":{"db":"null"},"agents":-1}`:         "want 0 or more",
	} {
		a := s.do("POST", "/suites", body)
		require.Equal(t, http.StatusBadRequest, a.StatusCode, body)
		require.Contains(t, a.mistake(t).Message, want)
	}
	require.Empty(t, read[[]remote.Suite](s, "/suites"))
}

// Mistakes in a submission are what a client asks for, and not an error. A body that is not a submission is one.
func TestValidation(t *testing.T) {
	s := newService(t)
	validate := func(body string) (d api.Validated) {
		a := s.do("POST", "/validate", body)
		require.Equal(t, http.StatusOK, a.StatusCode, "%s", a.body)
		require.NoError(t, json.Unmarshal(a.body, &d))
		require.Equal(t, d.Valid, len(d.Problems) == 0, "%s", a.body)
		return d
	}
	good := submission(t, api.Submission{Properties: slow(nil)})
	require.True(t, validate(good).Valid)
	require.JSONEq(t, `{"valid": true, "problems": [], "warnings": []}`, string(s.do("POST", "/validate", good).body))

	file := "suite: x\ntargets: {n: {db: null}}\nproperties: {recordcount: 1000, duration: 5s}\nscenarios:\n  - name: a\n    properties: {treads: 3}\n    duraton: 5s\n"
	d := validate(submission(t, api.Submission{Suite: &api.File{Name: "night.yaml", Content: file}}))
	require.Len(t, d.Problems, 2)
	for i, line := range []int{6, 7} {
		require.Equal(t, "night.yaml", d.Problems[i].File)
		require.Equal(t, line, d.Problems[i].Line)
		require.Positive(t, d.Problems[i].Column)
		require.Contains(t, d.Problems[i].Message, "unknown")
	}
	d = validate(submission(t, api.Submission{Properties: slow(map[string]string{"treads": "3", "duration": "x"})}))
	require.Len(t, d.Problems, 2)
	require.Equal(t, "duration", d.Problems[0].Key)
	require.Equal(t, "suite", validate(`{}`).Problems[0].Place)
	require.Len(t, validate(`{"agents": -1, "wait_agents": "2h"}`).Problems, 3)

	for _, body := range []string{`[`, `{"suit": 1}`, good + "x"} {
		require.Equal(t, http.StatusBadRequest, s.do("POST", "/validate", body).StatusCode, body)
	}
	require.Equal(t, http.StatusUnsupportedMediaType, s.do("POST", "/validate", good, "Content-Type", "text/plain").StatusCode)
}

// The note and tags of a suite change while it runs and after its end. Its document is another one then.
func TestAnnotating(t *testing.T) {
	s := newService(t)
	id := s.submit("nightly", map[string]string{"team": "a", "draft": ""}, false, "duration=10m")
	patch := func(body string) answer { return s.do("PATCH", "/suites/"+id, body) }
	require.Equal(t, http.StatusNoContent, patch(`{"note": "while it runs"}`).StatusCode)
	require.Equal(t, "while it runs", read[result.Run](s, "/suites/"+id).Note)
	require.NoError(t, s.remote.Cancel(t.Context(), id, "anna"))
	require.Eventually(t, func() bool { return read[result.Run](s, "/suites/"+id).Status.Ended() }, tolerance.Patience, 10*time.Millisecond)
	path := "/suites/" + id
	tag := s.get(path).Header.Get("ETag")
	require.NotEmpty(t, tag)

	require.Equal(t, http.StatusNoContent, patch(`{"note": "", "tags": {"team": "b", "release": "2.6", "draft": null, "unknown": null}}`).StatusCode)
	after := s.get(path, "If-None-Match", tag)
	require.Equal(t, http.StatusOK, after.StatusCode)
	require.NotEqual(t, tag, after.Header.Get("ETag"))
	doc := read[result.Run](s, "/runs/"+id+".1")
	require.Empty(t, doc.Note)
	require.Equal(t, map[string]string{"team": "b", "release": "2.6"}, doc.Tags)
	listed := read[[]remote.Suite](s, "/suites?tag=release%3D2.6")
	require.Len(t, listed, 1)
	require.Empty(t, listed[0].Note)

	for body, want := range map[string]string{
		`{}`:                               "there is nothing to change",
		`{"tags": {"schedule": "mine"}}`:   "is set by the coordinator",
		`{"tags": {"schedule": null}}`:     "is set by the coordinator",
		`{"note": "a\u0000"}`:              "unprintable",
		`{"notes": "a"}`:                   "describes Annotation",
		`{"tags": {"release": ["2.6"]}}`:   "describes Annotation",
		`{"tags": {"": "no name", "a":1}}`: "describes Annotation",
	} {
		a := patch(body)
		require.Equal(t, http.StatusBadRequest, a.StatusCode, body)
		require.Contains(t, a.mistake(t).Message, want)
	}
	require.Equal(t, http.StatusConflict, s.do("PATCH", "/suites/"+id+".1", `{"note": "of a run"}`).StatusCode)
	require.Equal(t, http.StatusNotFound, s.do("PATCH", "/suites/nobody", `{"note": "x"}`).StatusCode)
	require.Equal(t, after.body, s.get(path).body, "nothing else has changed")
}

// Each template is a valid submission as it is. The first one needs no database.
func TestTemplates(t *testing.T) {
	s := newService(t)
	templates := read[[]api.Template](s, "/templates")
	require.Greater(t, len(templates), 10)
	require.Equal(t, "first.yaml", templates[0].Name)
	require.Equal(t, "First run", templates[0].Title)
	attached := 0
	for _, one := range templates {
		require.Regexp(t, `^[A-Z][^#:]{5,120}$`, one.Title)
		require.NotEqual(t, "published.yaml", one.Name, "figures, not a suite")
		attached += len(one.Attachments)
		for _, trial := range []bool{false, true} {
			body := submission(t, api.Submission{Suite: &api.File{Name: one.Name, Content: one.Content}, Attachments: one.Attachments, Trial: trial})
			a := s.do("POST", "/validate", body)
			require.JSONEq(t, `{"valid": true, "problems": [], "warnings": []}`, string(a.body), one.Name)
		}
	}
	require.Equal(t, 1, attached, "the sizes of values of keys.yaml")
	a := s.get("/templates")
	require.Equal(t, http.StatusNotModified, s.get("/templates", "If-None-Match", a.Header.Get("ETag")).StatusCode)
	first := s.do("POST", "/suites", submission(t, api.Submission{Suite: &api.File{Name: templates[0].Name, Content: templates[0].Content}}))
	require.Equal(t, http.StatusCreated, first.StatusCode, "%s", first.body)
}

// A page of another site, and a form, cannot change anything.
func TestOtherSitesChangeNothing(t *testing.T) {
	s := newService(t)
	body := submission(t, api.Submission{Properties: slow(nil)})
	for name, headers := range map[string][]string{
		"another origin":           {"Origin", "https://evil.example"},
		"another site":             {"Sec-Fetch-Site", "cross-site"},
		"a sibling":                {"Sec-Fetch-Site", "same-site"},
		"its name points here":     {"Host", "evil.example", "Origin", "http://evil.example"},
		"a form":                   {"Content-Type", "application/x-www-form-urlencoded"},
		"a form of text":           {"Content-Type", "text/plain"},
		"a form with a file":       {"Content-Type", "multipart/form-data; boundary=x"},
		"an origin without a name": {"Origin", "null"},
	} {
		a := s.do("POST", "/suites", body, headers...)
		require.Contains(t, []int{http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusUnsupportedMediaType}, a.StatusCode, name)
		require.NotEmpty(t, a.mistake(t).Message)
	}
	require.Equal(t, http.StatusForbidden, s.do("POST", "/agents/local-1/drain", "", "Origin", "https://evil.example").StatusCode)
	require.Empty(t, read[[]remote.Suite](s, "/suites"))
	require.Equal(t, http.StatusOK, s.do("POST", "/validate", body, "Sec-Fetch-Site", "same-origin").StatusCode)
}
