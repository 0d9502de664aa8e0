package fault

import (
	"fmt"
	"strings"

	"github.com/benchd/benchd/internal/suggest"
)

func texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}

func join[T ~string](words []T) string { return strings.Join(texts(words), ", ") }

// unknown is the message for an unknown word; it suggests the nearest known one.
func unknown[T ~string](what, word string, known []T) string {
	if near := suggest.Nearest(word, texts(known)); near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %q?", what, word, near)
	}
	return fmt.Sprintf("unknown %s %q; known: %s", what, word, join(known))
}
