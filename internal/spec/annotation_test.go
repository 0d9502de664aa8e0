package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnnotationsAreValidated(t *testing.T) {
	note := func(text string) *string { return &text }
	require.NoError(t, CheckAnnotation(note("two\nlines"), map[string]string{"a": "b", "empty": ""}, []string{"c"}))
	require.NoError(t, CheckAnnotation(note(""), nil, nil), "no note")
	for want, test := range map[string]struct {
		note  *string
		tags  map[string]string
		untag []string
	}{
		"there is nothing to change":                           {},
		"note: has 70000 bytes; 65536 are the maximum":         {note: note(strings.Repeat("\n", 70000))},
		"note: is 5000 bytes long":                             {note: note(strings.Repeat("x", 5000))},
		"unprintable":                                          {note: note("a\x00")},
		"tags: missing name of a tag":                          {tags: map[string]string{" ": "x"}},
		"tags: a: is 5000 bytes long":                          {tags: map[string]string{"a": strings.Repeat("x", 5000)}},
		"the tag schedule is set by the coordinator":           {tags: map[string]string{"schedule": "nightly"}},
		"tags: the tag schedule is set by the coordinator: it": {untag: []string{"schedule"}},
		"tags: a is both set and removed":                      {tags: map[string]string{"a": "b"}, untag: []string{"a"}},
	} {
		require.ErrorContains(t, CheckAnnotation(test.note, test.tags, test.untag), want)
	}
}
