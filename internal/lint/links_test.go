//go:build !race

package lint

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// link is a link of a Markdown document, or a file that another text names.
type link struct {
	path   string // of the document, below the root
	line   int
	target string // as it is written
}

// links returns the links of a Markdown document, but those in code.
func links(path, text string) []link {
	forms := []*regexp.Regexp{
		regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`),                      // [text](target "title")
		regexp.MustCompile(`^\s*\[[^\]]+\]:\s+(\S+)`),                                  // [name]: target
		regexp.MustCompile(`<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"]+)"`), // HTML
	}
	code := regexp.MustCompile("`[^`]*`")
	var found []link
	for number, line := range prose(text) {
		line = code.ReplaceAllString(line, "")
		for _, form := range forms {
			for _, match := range form.FindAllStringSubmatch(line, -1) {
				found = append(found, link{path, number, match[1]})
			}
		}
	}
	return found
}

// prose yields the lines of a document that are not in a block of code, with their numbers.
func prose(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		number, code := 0, false
		for line := range strings.Lines(text) {
			number++
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
				continue
			}
			if !code && !yield(number, strings.TrimRight(line, "\n")) {
				return
			}
		}
	}
}

// anchors are the names by which links find the headings of a document: GitHub's, and those of HTML elements.
func anchors(text string) []string {
	var names []string
	seen := make(map[string]int)
	marks := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`) // of a link in a heading, its text counts
	elements := regexp.MustCompile(`<[^>]*\b(?:id|name)="([^"]+)"`)
	for _, line := range prose(text) {
		for _, match := range elements.FindAllStringSubmatch(line, -1) {
			names = append(names, match[1])
		}
		depth := len(line) - len(strings.TrimLeft(line, "#"))
		title, ok := strings.CutPrefix(line[depth:], " ")
		if depth == 0 || !ok {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsNumber(r), r == '_', r == '-':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.TrimSpace(marks.ReplaceAllString(title, "$1")))
		if n := seen[name]; n > 0 {
			names = append(names, name+"-"+strconv.Itoa(n))
		} else {
			names = append(names, name)
		}
		seen[name]++
	}
	return names
}

// brokenLinks finds links that lead nowhere, in all documents below root: files and headings that do not exist, and addresses
// that are none. No server is asked. It also finds documents that other texts name, such as "docs/suites.md", and that do not
// exist.
func brokenLinks(root string) ([]finding, error) {
	var found []finding
	report := func(l link, format string, args ...any) {
		found = append(found, finding{l.path, l.line, fmt.Sprintf("link to %s: ", l.target) + fmt.Sprintf(format, args...)})
	}
	err := eachText(root, func(path, text string) {
		if filepath.Ext(path) != ".md" {
			if strings.HasSuffix(path, "_test.go") {
				return // an example may name any
			}
			for _, l := range mentioned(path, text) {
				if _, err := os.Stat(filepath.Join(root, l.target)); err != nil {
					report(l, "there is no such document")
				}
			}
			return
		}
		for _, l := range links(path, text) {
			address, err := url.Parse(l.target)
			switch {
			case err != nil:
				report(l, "%v", err)
			case address.Scheme == "mailto" && address.Opaque != "":
			case address.Scheme != "":
				if address.Scheme != "https" && address.Scheme != "http" || address.Host == "" {
					report(l, "want https://HOST/PATH")
				}
			case strings.HasPrefix(address.Path, "/"):
				report(l, "want a path relative to the document")
			default:
				file := filepath.Join(root, filepath.FromSlash(path))
				if address.Path != "" {
					file = filepath.Join(filepath.Dir(file), filepath.FromSlash(address.Path))
				}
				content, err := readAny(file)
				switch {
				case err != nil:
					report(l, "there is no such file or folder")
				case address.Fragment != "" && !slices.Contains(anchors(content), address.Fragment):
					report(l, "the document has no such heading")
				}
			}
		}
	})
	return found, err
}

// readAny reads a file; a folder is empty.
func readAny(name string) (string, error) {
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return "", err
	}
	content, err := os.ReadFile(name)
	return string(content), err
}

// mentioned are the documents that a text of another kind names: help, comments, files of settings.
func mentioned(path, text string) []link {
	document := regexp.MustCompile(`(?:^|[^\w./-])(docs/[\w/-]+\.md|README(?:\.zh-CN)?\.md|[A-Z]{5,}\.md)\b`)
	var found []link
	number := 0
	for line := range strings.Lines(text) {
		number++
		for _, match := range document.FindAllStringSubmatch(line, -1) {
			found = append(found, link{path, number, match[1]})
		}
	}
	return found
}

// eachText visits the texts of a checkout: documents, code, scripts and settings. Test data and what is built are left out.
func eachText(root string, visit func(path, text string)) error {
	kinds := []string{".md", ".go", ".yaml", ".yml", ".proto", ".service", ""}
	return filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if base == ".git" || base == "bin" || base == "testdata" || base == "node_modules" || base == "target" && filepath.Base(filepath.Dir(name)) == "java" {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(base)) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(rel), string(text))
		return nil
	})
}

// Every link of a document leads to a file and a heading that exist.
func TestLinksLeadSomewhere(t *testing.T) {
	found, err := brokenLinks("../..")
	require.NoError(t, err)
	for _, f := range found {
		t.Error(f)
	}
}

// The test of the test: each way to break a link is found, and good links are not.
func TestABrokenLinkIsFound(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/links.txtar")
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, txtar.Write(archive, root))
	found, err := brokenLinks(root)
	require.NoError(t, err)
	var lines []string
	for _, f := range found {
		lines = append(lines, f.String())
	}
	want := archive.Files[len(archive.Files)-1]
	require.Equal(t, "want.txt", want.Name, "the last section")
	require.Equal(t, string(want.Data), strings.Join(lines, "\n")+"\n")
}
