package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
)

// maxNote bounds a note with its line feeds, in bytes.
const maxNote = 64 << 10

// CheckAnnotation validates a change of a suite's note and tags. The error is of type Problems.
func CheckAnnotation(note *string, tags map[string]string, untag []string) error {
	var problems property.Problems
	complain := func(key, format string, args ...any) {
		problems = append(problems, property.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	if note == nil && len(tags) == 0 && len(untag) == 0 {
		complain("", "there is nothing to change: give a note, tags, or names of tags to remove")
	}
	if note != nil && len(*note) > maxNote {
		complain("note", "has %d bytes; %d are the maximum", len(*note), maxNote)
	} else if note != nil {
		if err := printableNote(*note); err != nil {
			complain("note", "%s", err)
		}
	}
	name := func(key string) {
		switch {
		case strings.TrimSpace(key) == "":
			complain("tags", "missing name of a tag; write name=value")
		case key == plan.ScheduleTag:
			complain("tags", "the tag %s is set by the coordinator: it has the name of the schedule that submitted the suite, whose series it makes; choose another name", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		name(key)
		if err := cmp.Or(property.Printable(key), property.Printable(tags[key])); err != nil {
			complain("tags", "%s: %s", property.PrintableName(key), err)
		}
	}
	for _, key := range untag {
		name(key)
		if _, both := tags[key]; both {
			complain("tags", "%s is both set and removed; do one of them", property.PrintableName(key))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return problems
}
