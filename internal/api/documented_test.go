package api_test

import (
	"flag"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/doctable"
)

var update = flag.Bool("update", false, "write the table of requests in docs/api.md")

const page = "docs/api.md"

func TestEachRequestIsDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Request", "Answer", "Parameters", "Calls"}}
	for _, r := range api.Routes() {
		var names []string
		for _, p := range r.Parameters {
			names = append(names, "`"+p.Name+"`")
		}
		table.Rows = append(table.Rows, []string{"`" + r.Method + " " + r.Path + "`", r.Doc, strings.Join(names, ", "), strings.Join(r.Calls, ", ")})
	}
	doctable.Generated(t, page, "requests", table, *update)
}

// The requests of the page's command lines are ones that the server has, with parameters that it knows.
func TestCommandLinesOfTheDocument(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^curl .*$`).FindAllString(doctable.Read(t, page), -1)
	require.NotEmpty(t, lines)
	for _, line := range lines {
		text := regexp.MustCompile(`https?://[^ '"]+`).FindString(line)
		at, err := url.Parse(text)
		require.NoError(t, err)
		method := "GET"
		if m := regexp.MustCompile(`--request (\w+)`).FindStringSubmatch(line); m != nil {
			method = m[1]
		} else if strings.Contains(line, "--data") || strings.Contains(line, "--json") {
			method = "POST"
		}
		i := slices.IndexFunc(api.Routes(), func(r api.Route) bool { return r.Method == method && serves(r, at.Path) })
		require.GreaterOrEqual(t, i, 0, line)
		for name := range at.Query() {
			require.True(t, slices.ContainsFunc(api.Routes()[i].Parameters, func(p api.Parameter) bool { return p.Name == name }), "%s: %s", line, name)
		}
	}
}

// serves reports whether a route serves a path.
func serves(r api.Route, path string) bool {
	return slices.EqualFunc(strings.Split(api.Prefix+r.Path, "/"), strings.Split(path, "/"), func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") })
}
