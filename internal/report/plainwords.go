package report

import (
	"regexp"
	"strings"
)

// jargon matches the words of the code in sentences of results: a reader of a report knows intervals and parts.
var jargon = regexp.MustCompile(`\b(windows?|shards?|steward)\b`)

// plainWords replaces the words of the code in a sentence that benchd wrote, also in an older build.
func plainWords(s string) string {
	return jargon.ReplaceAllStringFunc(printable(s), func(word string) string {
		word, plural := strings.CutSuffix(word, "s")
		plain := map[string]string{"window": "interval", "shard": "part", "steward": "coordinator"}[word]
		if plural {
			plain += "s"
		}
		return plain
	})
}
