package result_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

func TestWithoutSeries(t *testing.T) {
	for text, want := range map[string]string{
		`{"series": [1, {"a": "]}\"["}], "ops": 7}`:              `{"series": null, "ops": 7}`,
		`{"a": "series", "spec":{"x":[{}]},"observations" : []}`: `{"a": "series", "spec":null,"observations" : null}`,
		`{"series": null, "spec": "text", "b": [[]]}`:            `{"series": null, "spec": "text", "b": [[]]}`,
		`{"a\"series": [1], "\\": {"series":[[2]]}}`:             `{"a\"series": [1], "\\": {"series":null}}`,
		`["series", "spec"]`:                                     `["series", "spec"]`,
		`{"series": [1, 2`:                                       `{"series": [1, 2`,
		`{"series": ["a`:                                         `{"series": ["a`,
		`{"series`:                                               `{"series`,
		`{"series":`:                                             `{"series":`,
		`no JSON`:                                                `no JSON`,
		``:                                                       ``,
	} {
		require.Equal(t, want, string(result.WithoutSeries([]byte(text))), text)
	}
}

// FuzzWithoutSeries checks that a document keeps everything else, however it is written.
func FuzzWithoutSeries(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.json")
	require.NoError(f, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"a":{"series":[{"spec":{}}],"b":[{"observations":{}}]},"c\u0022":"series"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		lean := result.WithoutSeries(text)
		var before, after any
		if json.Unmarshal(text, &before) != nil {
			return
		}
		require.NoError(t, json.Unmarshal(lean, &after), "%s", lean)
		require.Equal(t, without(before), without(after))
	})
}

func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			_, object := value.(map[string]any)
			_, array := value.([]any)
			if (object || array) && (key == "series" || key == "observations" || key == "spec") {
				v[key] = nil
				continue
			}
			v[key] = without(value)
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}
