package phrase

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// literals are the strings in the code below a folder, apart from tests.
func literals(t *testing.T, folders ...string) []string {
	t.Helper()
	var files []string
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") {
				files = append(files, path)
			}
			return err
		}))
	}
	return literalsOf(t, files, true)
}

// literalsOf are the strings in files, apart from tests.
func literalsOf(t *testing.T, files []string, errors bool) []string {
	t.Helper()
	var out []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		out = append(out, stringsOf(file, errors)...)
	}
	return out
}

// stringsOf are the strings of a file, with or without errors and logs; those that + joins are one.
func stringsOf(file *ast.File, errors bool) []string {
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.SelectorExpr); ok && !errors && slices.Contains([]string{"New", "Errorf", "Info", "Warn", "Error", "Debug"}, f.Sel.Name) {
				return false
			}
		case *ast.Field:
			x.Tag = nil
		case *ast.BinaryExpr:
			if text, ok := joined(x); ok {
				out = append(out, text)
				return false
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
				out = append(out, text)
			}
		}
		return true
	})
	return out
}

// joined is a sum of strings; other terms of it are holes.
func joined(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BinaryExpr:
		a, _ := joined(x.X)
		b, _ := joined(x.Y)
		return a + b, x.Op == token.ADD
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil && x.Kind == token.STRING
	}
	return "%v", false
}

// fragments are the parts of a text between its holes, or between the verbs of a format, that have a word.
func fragments(text string) []string {
	var out []string
	for _, part := range regexp.MustCompile(`\{[a-z0-9]*\}|%%|%[-+#0-9.*\[\]]*[a-zA-Z]|\x00| \(|[():;,.]+( |$)`).Split(text, -1) {
		if part = strings.Trim(part, " .,;:()"); hasWord(part) {
			out = append(out, part)
		}
	}
	return out
}

// An entry that matches nothing in the code is stale: a sentence was changed, and its translation was not.
func TestEntriesMatchTheCode(t *testing.T) {
	c, err := load("zh")
	require.NoError(t, err)
	code := strings.Join(literals(t, "..", "../../cmd"), "\n")
	code = strings.ReplaceAll(code, "%%", "%")
	code += strings.ToLower(strings.ReplaceAll(code, "_", " ")) // figures become the heads of columns and the titles of charts
	// inCode reports whether a fragment is in the code, joined from as few parts as its length allows.
	inCode := func(fragment string) bool {
		words := strings.Fields(fragment)
		for parts := 0; len(words) > 0; parts++ {
			n := len(words)
			for n > 0 && !strings.Contains(code, strings.Join(words[:n], " ")) {
				n--
			}
			if n == 0 && !strings.Contains(code, strings.TrimSuffix(words[0], "s")) || parts > 1+len(strings.Fields(fragment))/4 {
				return false
			}
			words = words[max(n, 1):]
		}
		return true
	}
	for _, e := range c.entries {
		lines, err := alternatives(e.english)
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(lines, func(line string) bool {
			return !slices.ContainsFunc(fragments(line), func(f string) bool { return !inCode(f) && !inCode(strings.ToLower(f)) })
		}), "%s: %q is in no code", e.place, e.english)
	}
}

// Translations are Chinese: with its punctuation, and without holes that are lost.
func TestTranslationsAreChinese(t *testing.T) {
	c, err := load("zh")
	require.NoError(t, err)
	for _, e := range c.entries {
		assert.NotRegexp(t, `\p{Han}[,;:!?]|[,;:!?]\p{Han}`, e.translation, "%s: western punctuation", e.place)
		assert.NotRegexp(t, `代理|協調`, e.translation, "%s: agent and coordinator stay English", e.place)
		for _, name := range []string{"agent", "coordinator"} {
			if regexp.MustCompile(`\b` + name + `s?\b`).MatchString(e.english) {
				assert.Contains(t, e.translation, name, "%s", e.place)
			}
		}
	}
}

// Mistakes in a catalogue are found when it is read.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"    运行\n":            "translation without an English line",
		"run\n":               "the last English line has no translation",
		"run\ncase\n    用例\n": "English line without a translation above",
	} {
		_, err := parse("a.txt", text)
		require.ErrorContains(t, err, want)
	}
	for line, want := range map[string]string{
		"a {x} b": "unknown hole {x}", "a {": "{ without }", "a [b": "[ without ]", "a] b": "] without [", "{n} {t}": "an entry needs a literal text",
		"a {n}{t}": "two holes without a text between them", "a {n} {t}": "the translation lacks {2}",
	} {
		c := &catalogue{exact: map[string]string{}, first: map[string][]pattern{}}
		require.ErrorContains(t, c.add(entry{english: line, translation: "甲 {1}"}), want, line)
	}
	c := &catalogue{exact: map[string]string{}, first: map[string][]pattern{}}
	require.ErrorContains(t, c.add(entry{english: "a {n}", translation: "甲 {2}"}), "has {2}")
	require.NoError(t, c.add(entry{english: "run[s]", translation: "运行"}))
	require.ErrorContains(t, c.add(entry{english: "runs", translation: "运行"}), "twice")
}
