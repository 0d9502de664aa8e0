package deploy

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The modules whose archives have the schemas. They are only files here, so go.mod does not have them: a sum pins each. The version of
// the first is that of k8s.io/api.
const (
	apiModule, apiSum           = "k8s.io/kubernetes@v1.37.2", "h1:A2VDEiObzkYqFTKhSsn0ZEb0RlLEXpHWj93gi2HqEwE="
	operatorModule, operatorSum = "github.com/prometheus-operator/prometheus-operator@v0.85.0", "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s="
)

// schemas are those of the objects that the chart makes, by version and kind.
type schemas map[string]*jsonschema.Schema

var (
	known   schemas
	knowing sync.Mutex
)

// apiSchemas returns the schemas of the API server and of the custom resources of the Prometheus operator.
func apiSchemas(t *testing.T) schemas {
	t.Helper()
	knowing.Lock()
	defer knowing.Unlock()
	if known != nil {
		return known
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4) // that of OpenAPI 3.0
	compiler.UseLoader(nil)
	found := schemas{}
	add := func(kind, url, pointer string, document any) {
		seal(document)
		// Two kinds may be in one document.
		_ = compiler.AddResource(url, document)
		schema, err := compiler.Compile(url + "#" + pointer)
		require.NoError(t, err, kind)
		found[kind] = schema
	}
	dir := moduleFiles(t, apiModule, apiSum)
	for file, kinds := range map[string][]string{
		"api__v1":                     {"io.k8s.api.core.v1.ConfigMap", "io.k8s.api.core.v1.Namespace", "io.k8s.api.core.v1.Service"},
		"apis__apps__v1":              {"io.k8s.api.apps.v1.StatefulSet"},
		"apis__batch__v1":             {"io.k8s.api.batch.v1.Job"},
		"apis__networking.k8s.io__v1": {"io.k8s.api.networking.v1.NetworkPolicy"},
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(read(t, filepath.Join(dir, "api/openapi-spec/v3", file+"_openapi.json"))))
		require.NoError(t, err)
		version := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(file, "apis__"), "api__"), "__", "/")
		for _, kind := range kinds {
			add(version+" "+kind[strings.LastIndex(kind, ".")+1:], "api:///"+file, "/components/schemas/"+kind, document)
		}
	}
	dir = moduleFiles(t, operatorModule, operatorSum)
	for _, kind := range []string{"PrometheusRule", "ServiceMonitor"} {
		file := filepath.Join(dir, "example/prometheus-operator-crd/monitoring.coreos.com_"+strings.ToLower(kind)+"s.yaml")
		text, err := yaml.YAMLToJSON([]byte(read(t, file)))
		require.NoError(t, err)
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		require.NoError(t, err)
		add("monitoring.coreos.com/v1 "+kind, "crd:///"+kind, "/spec/versions/0/schema/openAPIV3Schema", document)
	}
	known = found
	return known
}

// moduleFiles returns the folder of a module, whose archive has a known sum.
func moduleFiles(t *testing.T, module, sum string) string {
	t.Helper()
	var got struct{ Dir, Sum string }
	require.NoError(t, json.Unmarshal([]byte(succeed(t, t.TempDir(), nil, "go", "mod", "download", "-json", module)), &got))
	require.Equal(t, sum, got.Sum, module)
	return got.Dir
}

// seal makes a schema as strict as the API server with strict validation: an object has no other fields than those that are named. It
// also translates Kubernetes's words for what JSON schema has others for.
func seal(node any) {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			seal(item)
		}
	case map[string]any:
		_, named := n["properties"].(map[string]any)
		_, open := n["additionalProperties"]
		if named && !open && n["x-kubernetes-preserve-unknown-fields"] != true {
			n["additionalProperties"] = false
		}
		if n["x-kubernetes-int-or-string"] == true {
			n["type"] = []any{"integer", "string"}
		}
		for _, item := range n {
			seal(item)
		}
	}
}

// validate checks a document against the schema of its kind. A key that is there twice is an error, too.
func (s schemas) validate(text string) error {
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return err
	}
	object, err := jsonschema.UnmarshalJSON(strings.NewReader(string(document)))
	if err != nil {
		return err
	}
	fields, _ := object.(map[string]any)
	kind := fmt.Sprint(fields["apiVersion"], " ", fields["kind"])
	schema := s[kind]
	if schema == nil {
		return fmt.Errorf("there is no schema of %q: add its file to apiSchemas", kind)
	}
	return schema.Validate(object)
}
