//go:build !race

package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
)

// wordListHeading is the section of CONTRIBUTING.md whose table is the word list.
const wordListHeading = "### Word list"

// maxExceptions bounds the hits that the exceptions cover.
const maxExceptions = 60

// exception is a place where a word of the list may stay: the lines of a file that contain a fragment.
type exception struct{ path, fragment, reason string }

func exceptions() []exception {
	return []exception{
		{"CONTRIBUTING.md", "| `", "the table is the word list itself"},
		{"internal/lifecycle/state.go", "HoldNoted bool ", "a key of the archived state of a run, which existing archives have"},
		{"internal/lint/wordlist_test.go", "newWordList(wordListHeading", "the test of the patterns"},
		{"internal/lint/wordlist_test.go", "list.hits(", "the test of the patterns"},
		{"internal/lint/testdata/broken.txtar", "Avoided: ", "the test of the rule"},
		{"internal/lint/testdata/broken.txtar", "is on the word list", "the test of the rule"},
	}
}

func (e exception) covers(path, line string) bool {
	return within(path, e.path) && strings.Contains(line, e.fragment)
}

// wordList has the words to avoid and their replacements.
type wordList struct {
	instead map[string]string // by word in lower case
	phrases []string          // the words that are not letters alone
}

// newWordList makes the list from the table of a document.
func newWordList(document string) wordList {
	list := wordList{instead: make(map[string]string)}
	for _, table := range doctable.Tables(doctable.Section(document, wordListHeading)) {
		for _, row := range table.Rows {
			for _, word := range doctable.Names(row[0]) {
				list.instead[word] = row[1]
				if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
					list.phrases = append(list.phrases, word)
				}
			}
		}
	}
	return list
}

// hits are the words of the list in a line. A name such as wordOf or ThisWord has several words.
func (l wordList) hits(line string) []string {
	var found []string
	for word := range wordsOf(line) {
		word = strings.ToLower(word)
		if _, avoided := l.instead[word]; avoided {
			found = append(found, word)
		}
	}
	lower := strings.ToLower(line)
	for _, phrase := range l.phrases {
		for rest := lower; ; {
			_, after, ok := strings.Cut(rest, phrase)
			if !ok {
				break
			}
			before := rest[:len(rest)-len(after)-len(phrase)]
			if !joined(before, phrase) && !joined(phrase, after) {
				found = append(found, phrase)
			}
			rest = after
		}
	}
	return found
}

// joined reports whether a word continues from the end of one text at the start of the next.
func joined(text, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLetter(last) && unicode.IsLetter(first)
}

// wordsOf yields the words of a line. A capital begins one, except between capitals.
func wordsOf(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		begin := -1 // of the word, or negative
		for i := 0; i <= len(line); i++ {
			inside := i < len(line) && isLetter(line[i])
			if begin >= 0 && (!inside || isCapital(line[i]) && (!isCapital(line[i-1]) || i+1 < len(line) && isLetter(line[i+1]) && !isCapital(line[i+1]))) {
				if !yield(line[begin:i]) {
					return
				}
				begin = -1
			}
			if inside && begin < 0 {
				begin = i
			}
		}
	}
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLetter(c byte) bool  { return isCapital(c) || 'a' <= c && c <= 'z' }

// written are the folders and files below the root that people read.
func written() []string {
	return []string{".ci", ".github", ".golangci.yml", "cmd", "configs", "deploy", "docs", "internal", "proto", "scripts", "test", "web/report", "Makefile", "*.md"}
}

// avoidedWords finds words of the list below root, except those that exceptions cover, which it counts by exception.
func avoidedWords(root string, list wordList, allowed []exception) (found []finding, covered []int, err error) {
	covered = make([]int, len(allowed))
	for _, name := range written() {
		places, err := filepath.Glob(filepath.Join(root, name))
		if err != nil {
			return nil, nil, err
		}
		for _, place := range places {
			err := filepath.WalkDir(place, func(name string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				content, err := os.ReadFile(name)
				if err != nil || bytes.ContainsRune(content, 0) || !utf8.Valid(content) {
					return err
				}
				path, err := filepath.Rel(root, name)
				if err != nil {
					return err
				}
				path = filepath.ToSlash(path)
				for i, line := range strings.Split(string(content), "\n") {
					for _, word := range list.hits(line) {
						if e := slices.IndexFunc(allowed, func(e exception) bool { return e.covers(path, line) }); e >= 0 {
							covered[e]++
							continue
						}
						found = append(found, finding{path, i + 1, fmt.Sprintf("%q is on the word list (CONTRIBUTING.md): write %s", word, list.instead[word])})
					}
				}
				return nil
			})
			if err != nil {
				return nil, nil, fmt.Errorf("read %s: %w", place, err)
			}
		}
	}
	return found, covered, nil
}

// Every exception is needed, has a reason, and there are few.
func TestExceptionsOfTheWordList(t *testing.T) {
	allowed := exceptions()
	_, covered, err := avoidedWords("../..", newWordList(doctable.Read(t, "CONTRIBUTING.md")), allowed)
	require.NoError(t, err)
	hits := 0
	for i, e := range allowed {
		assert.NotEmpty(t, e.fragment, e.path)
		assert.NotEmpty(t, e.reason, e.path)
		assert.Positive(t, covered[i], "%s: no line with %q has a word of the list: remove the exception", e.path, e.fragment)
		if e.path != "CONTRIBUTING.md" { // the list itself
			hits += covered[i]
		}
	}
	assert.Less(t, hits, maxExceptions, "hits that exceptions cover")
}

func TestPatternsOfTheWordList(t *testing.T) {
	list := newWordList(wordListHeading + "\n\n| Avoid | Write |\n| --- | --- |\n| `tell`, `told` | report |\n| `for ever` | forever |\n| `\" is no` | invalid |\n")
	for _, line := range []string{"retold", "tellurium", "Castell", "TELLURIUM", "it is no suite", "forever", "for everyone"} {
		require.Empty(t, list.hits(line), line)
	}
	require.Equal(t, []string{"tell", "told", "told"}, list.hits("Tell it, told, TestItIsTold"))
	require.Equal(t, []string{"tell", "told", "tell", "told"}, list.hits("tellAll(wasTold), ATell_told"))
	require.Equal(t, []string{"for ever", `" is no`}, list.hits(`for ever: "5x" is no rate`))
}
