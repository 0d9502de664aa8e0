package phrase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Languages lists the languages, the default first.
func Languages() []string { return []string{"en", "zh"} }

// Translator translates texts into one language. It is safe for concurrent use. The zero Translator is that of English.
type Translator struct {
	lang string
	c    *catalogue
	seen *memory
}

// For returns the Translator of a language.
func For(lang string) (Translator, error) {
	switch {
	case !slices.Contains(Languages(), lang):
		return Translator{}, fmt.Errorf("unknown language %q: want %s", lang, strings.Join(Languages(), " or "))
	case lang == "en":
		return Translator{lang: lang}, nil
	}
	c, err := load(lang)
	if err != nil {
		return Translator{}, fmt.Errorf("read catalogue %s: %w", lang, err)
	}
	return Translator{lang: lang, c: c, seen: &memory{texts: make(map[string]string)}}, nil
}

// Lang is the language.
func (t Translator) Lang() string {
	if t.lang == "" {
		return "en"
	}
	return t.lang
}

// Text translates a text; one without a translation stays as it is.
func (t Translator) Text(english string) string {
	if t.c == nil {
		return english
	}
	if text, ok := t.c.exact[english]; ok || !hasWord(english) {
		return cmp.Or(text, english)
	}
	if text, ok := t.seen.get(english); ok {
		return text
	}
	m := matcher{c: t.c, steps: mostSteps, known: make(map[string]version)}
	text := m.translate(english, 0).text
	t.seen.put(english, text)
	return text
}

// mostRemembered is how many translations are kept: a report repeats its words.
const mostRemembered = 4096

// memory keeps translations.
type memory struct {
	mu    sync.Mutex
	texts map[string]string
}

func (m *memory) get(english string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.texts[english]
	return text, ok
}

func (m *memory) put(english, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.texts) >= mostRemembered {
		clear(m.texts)
	}
	m.texts[english] = text
}
