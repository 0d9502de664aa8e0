package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/spec"
)

// What is read of a suite can be submitted again as it is, and gives the same runs.
func TestASuiteIsSubmittedAgain(t *testing.T) {
	s := newService(t)
	file := "suite: sizes\nnote: of the file\nvariables: {rate: 100}\nproperties: {recordcount: 1000, seed: 7, rate: \"${rate}\", duration: 10m, fieldlengthdistribution: sample, value.sizes: sizes.txt}\n" +
		"include: [targets.yaml]\nscenarios:\n  - {name: a, targets: [n]}\n  - {name: b, targets: [n], agents: 1}\n"
	submitted := api.Submission{
		Suite: &api.File{Name: "sizes.yaml", Content: file}, Variables: map[string]string{"rate": "200"}, Properties: map[string]string{"threads": "3"},
		Attachments: map[string]string{"sizes.txt": "10 3\n20 7\n", "targets.yaml": "targets: {n: {db: null}}\n"},
		Tags:        map[string]string{"team": "a"}, Agents: 2, OnAgentLoss: "continue",
	}
	post := func(body string) (got api.Submitted) {
		a := s.do("POST", "/suites", body)
		require.Equal(t, http.StatusCreated, a.StatusCode, "%s", a.body)
		require.NoError(t, json.Unmarshal(a.body, &got))
		return got
	}
	first := post(submission(t, submitted)).ID
	again := s.get("/suites/" + first + "/submission")
	require.Equal(t, http.StatusOK, again.StatusCode, "%s", again.body)
	var d api.Resubmission
	require.NoError(t, json.Unmarshal(again.body, &d))
	require.Empty(t, d.Withheld)
	require.Equal(t, submitted, d.Submission, "name and note are those of the file")
	second := post(string(again.body)).ID
	one, other := read[result.Suite](s, "/suites/"+first), read[result.Suite](s, "/suites/"+second)
	require.Len(t, other.Runs, len(one.Runs))
	for i := range one.Runs {
		require.Equal(t, one.Runs[i].Resolved, other.Runs[i].Resolved)
	}
	require.Equal(t, one.Tags, other.Tags)

	require.Equal(t, http.StatusConflict, s.get("/suites/"+first+".1/submission").StatusCode, "a run alone")
	require.Equal(t, http.StatusNotFound, s.get("/suites/nobody/submission").StatusCode)
}

// benchctl sends properties of -p and of flags apart, of which flags win. The API has one set of them.
func TestTheSubmissionOfABenchctlHasItsFlags(t *testing.T) {
	s := newService(t)
	id, _, err := s.remote.Submit(t.Context(), remote.Request{
		Submission: spec.Submission{
			Name: "by benchctl", Note: "a note",
			Files:      []spec.File{{Name: "workloada", Content: []byte("recordcount=1000\nduration=10m\n")}},
			Properties: []spec.Setting{{Key: "db", Value: "null"}, {Key: "threads", Value: "1"}, {Key: "target", Value: "100"}, {Key: "target", Value: "200"}},
			Flags:      []spec.Setting{{Key: "threadcount", Value: "2", Origin: "--threads"}},
		},
		Agents: 1, Select: map[string]string{}, SubmittedBy: "anna",
	})
	require.NoError(t, err)
	d := read[api.Resubmission](s, "/suites/"+id+"/submission")
	require.Equal(t, api.Submission{
		Name: "by benchctl", Note: "a note", Files: []api.File{{Name: "workloada", Content: "recordcount=1000\nduration=10m\n"}},
		Properties: map[string]string{"db": "null", "threadcount": "2", "target": "200"}, Agents: 1,
	}, d.Submission)
}
