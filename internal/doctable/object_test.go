package doctable_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

type common struct {
	Count int `json:"count"`
}

type part struct {
	common
	Share *float64 `json:"share"`
}

type whole struct {
	Name   string           `json:"name"`
	Start  time.Time        `json:"start"`
	Parts  []part           `json:"parts,omitempty"`
	First  *part            `json:"first,omitempty"`
	By     map[string][]any `json:"by"`
	Spec   json.RawMessage  `json:"spec"`
	Own    own              `json:"own"`
	Hidden bool             `json:"-"`
	Plain  bool
	secret int
}

type own struct{}

func (own) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

const described = "# JSON\n\n### Whole\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n| `name` | string | a |\n| `start` | time | a |\n" +
	"| `parts` | array of [part](#part), optional | a |\n| `first` | [part](#part), optional | a |\n| `by` | map of array of any | a |\n" +
	"| `spec` | any | a |\n| `own` | integer | a |\n| `Plain` | boolean | a |\n\n" +
	"### part\n\n| Field | Type | Meaning |\n| --- | --- | --- |\n| `count` | integer | a |\n| `share` | number or null | a |\n"

// Each way in which a description and the code can differ is found.
func TestADescriptionOfJSONIsComparedBothWays(t *testing.T) {
	objects := doctable.Objects(map[reflect.Type]string{reflect.TypeFor[whole](): "Whole"},
		map[reflect.Type]string{reflect.TypeFor[own](): "integer"}, reflect.TypeFor[[]whole]())
	_ = whole{}.secret
	require.Empty(t, doctable.Undescribed(described, objects))
	for flaw, edit := range map[string][2]string{
		"part.share is not described":                                      {"| `share` | number or null | a |\n", ""},
		"part.invented does not exist":                                     {"| `share`", "| `invented` | string | a |\n| `share`"},
		"part.share is described as \"number\", and is \"number or null\"": {"number or null", "number"},
		"Invented does not exist":                                          {"### part", "### Invented\n\n### part"},
		"part is not described":                                            {"### part", "## part"},
		"part: row \"`count` | integer | \" is not FIELD, TYPE, MEANING":   {"| `count` | integer | a |", "| `count` | integer | |"},
	} {
		edited := strings.Replace(described, edit[0], edit[1], 1)
		require.NotEqual(t, described, edited)
		require.Contains(t, doctable.Undescribed(edited, objects), flaw)
	}
	require.Equal(t, "unknown JSON of doctable_test.own", doctable.Objects(nil, nil, reflect.TypeFor[whole]())[0].Fields[6].Type,
		"a type that makes its JSON itself has to be known")
}
