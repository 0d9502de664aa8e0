package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/api"
)

// checker compares answers with the OpenAPI document.
type checker struct{ compiler *jsonschema.Compiler }

func newChecker(t *testing.T) checker {
	t.Helper()
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("openapi.json", described(t)))
	return checker{c}
}

// described is the OpenAPI document.
func described(t *testing.T) any {
	t.Helper()
	text, err := api.Describe("v1-test")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return document
}

// TestTheDescriptionIsValidOpenAPI compares the document with the schema of OpenAPI 3.1, which the OpenAPI Initiative has published.
func TestTheDescriptionIsValidOpenAPI(t *testing.T) {
	file, err := os.Open("testdata/openapi-3.1.json")
	require.NoError(t, err)
	defer file.Close()
	text, err := jsonschema.UnmarshalJSON(file)
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("openapi-3.1.json", text))
	schema, err := c.Compile("openapi-3.1.json")
	require.NoError(t, err)
	document := described(t)
	require.NoError(t, schema.Validate(document))
	delete(document.(map[string]any), "info")
	require.Error(t, schema.Validate(document), "the schema finds what is missing")
}

// Each operation has a name of its own, and each schema in the document is valid.
func TestOperationsAndSchemas(t *testing.T) {
	c, names := newChecker(t), []string{}
	for _, r := range api.Routes() {
		require.NotContains(t, names, r.Name)
		names = append(names, r.Name)
		if r.Media == "" && len(r.Answers) > 0 {
			_, err := c.schema(r, "")
			require.NoError(t, err, r.Path)
		}
	}
}

// schema is that of a route's good answer, or of its errors.
func (c checker) schema(r api.Route, status string) (*jsonschema.Schema, error) {
	if status == "" {
		status = strconv.Itoa(max(r.Status, http.StatusOK))
	}
	pointer := []string{"paths", api.Prefix + r.Path, strings.ToLower(r.Method), "responses", status, "content", "application/json", "schema"}
	for i, part := range pointer {
		pointer[i] = url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return c.compiler.Compile("openapi.json#/" + strings.Join(pointer, "/"))
}

// check compares the JSON of an answer with what the document has for its route. A path without a route has only errors.
func (c checker) check(resp *http.Response, body []byte) error {
	routes := api.Routes()
	i := slices.IndexFunc(routes, func(r api.Route) bool { return r.Method == resp.Request.Method && serves(r, resp.Request.URL.Path) })
	status := ""
	if resp.StatusCode >= http.StatusBadRequest {
		status = "default"
	}
	if i >= 0 && status == "" && routes[i].Media != "" {
		return nil // a report
	}
	i = max(i, 0)
	schema, err := c.schema(routes[i], status)
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return schema.Validate(document)
}
