package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/tolerance"
)

// event is a server-sent event.
type event struct {
	id, kind string
	data     string
	api.Progress
}

// follower reads events as a browser does.
type follower struct {
	t      *testing.T
	lines  *bufio.Scanner
	close  func()
	status int
	schema *jsonschema.Schema
}

// follow opens a stream of events behind the one with an id.
func (s *service) follow(path, last string) *follower {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), tolerance.Patience)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, http.NoBody)
	require.NoError(s.t, err)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := (&http.Client{Transport: s.client.Transport}).Do(req) //nolint:bodyclose // close closes it
	require.NoError(s.t, err)
	schema, err := s.checker.compiler.Compile("openapi.json#/components/schemas/Progress")
	require.NoError(s.t, err)
	f := &follower{t: s.t, lines: bufio.NewScanner(resp.Body), status: resp.StatusCode, schema: schema, close: func() { cancel(); _ = resp.Body.Close() }}
	f.lines.Buffer(nil, 1<<20)
	s.t.Cleanup(f.close)
	return f
}

// next returns the next event; none at the end of the stream.
func (f *follower) next() (e event, ok bool) {
	f.t.Helper()
	for f.lines.Scan() {
		key, value, _ := strings.Cut(f.lines.Text(), ": ")
		switch key {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if e.kind == "" {
				continue // a comment, or the time to wait before the next connection
			}
			if e.kind == "snapshot" || e.kind == "progress" {
				document, err := jsonschema.UnmarshalJSON(strings.NewReader(e.data))
				require.NoError(f.t, err)
				require.NoError(f.t, f.schema.Validate(document))
				require.NoError(f.t, json.Unmarshal([]byte(e.data), &e.Progress))
			}
			return e, true
		}
	}
	return e, false
}

// number is that of an event in its stream.
func (e event) number(t *testing.T) int {
	t.Helper()
	_, number, _ := strings.Cut(e.id, "-")
	n, err := strconv.Atoi(number)
	require.NoError(t, err)
	return n
}

func TestEventsResume(t *testing.T) {
	s := newService(t)
	id := s.submit("followed", nil, false, "duration=5s", "warmup.ops=900")
	f := s.follow("/suites/"+id+"/events", "")
	first, ok := f.next()
	require.True(t, ok)
	require.Equal(t, "snapshot", first.kind)
	require.Equal(t, id, first.Suite)
	last, timeline := first, first.Timeline
	for last.Rate == 0 || len(last.Operations) == 0 {
		next, ok := f.next()
		require.True(t, ok)
		require.Equal(t, "progress", next.kind)
		require.Equal(t, last.number(t)+1, next.number(t), "no event is missing")
		last, timeline = next, append(timeline, next.Timeline...)
	}
	require.Len(t, last.Agents, 2)
	for _, o := range last.Operations {
		require.Equal(t, o.Count >= 11, o.P50 != nil, "a percentile without enough operations is null")
		require.Equal(t, o.Count >= 662, o.P99 != nil)
	}
	require.Equal(t, "warmup", last.Phase)
	f.close()

	other := s.follow("/suites/"+id+"/events", "") // keeps events coming while nobody else reads
	for range 3 {
		_, ok := other.next()
		require.True(t, ok)
	}
	f = s.follow("/suites/"+id+"/events", last.id)
	ended := false
	for {
		next, ok := f.next()
		require.True(t, ok, "the stream ends with an event")
		if next.kind == "end" {
			require.Equal(t, "end", next.id)
			break
		}
		require.Equal(t, "progress", next.kind, "it continues where it was")
		require.Equal(t, last.number(t)+1, next.number(t), "no event is missing, and none is repeated")
		last, ended = next, next.Ended
		timeline = append(timeline, next.Timeline...)
	}
	require.True(t, ended)

	// A new client, and one of another process, get everything so far.
	for _, seen := range []string{"", "other-3", "x"} {
		whole, ok := s.follow("/runs/"+id+".1/events", seen).next()
		require.True(t, ok)
		require.Equal(t, "snapshot", whole.kind)
		require.True(t, whole.Ended)
		require.Equal(t, timeline, whole.Timeline, "nothing was missed, and nothing repeated")
		require.NotEmpty(t, timeline)
	}
	require.Equal(t, http.StatusNoContent, s.follow("/suites/"+id+"/events", "end").status, "a browser does not connect again")
	require.Equal(t, http.StatusNotFound, s.follow("/suites/nobody/events", "").status)
}

// A stream outlives the server's time limits for requests and answers.
func TestEventsOutliveTheLimitsOfRequests(t *testing.T) {
	s := newService(t)
	id := s.submit("followed", nil, false, "duration=10m")
	trusted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.served.ServeHTTP(w, r.WithContext(identity.With(r.Context(), identity.Identity{Role: identity.Trusted})))
	})
	server := httptest.NewUnstartedServer(trusted)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	server.Start()
	defer server.Close()
	short := *s
	short.url = server.URL + api.Prefix
	f := short.follow("/suites/"+id+"/events", "")
	for range 4 { // at least two seconds
		_, ok := f.next()
		require.True(t, ok)
	}
	f.close()
	require.NoError(t, s.remote.Cancel(t.Context(), id, "anna"))
}
