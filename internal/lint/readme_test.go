//go:build !race

package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// section is a part of a document below a heading, as far as it is the same in every language.
type section struct {
	title string
	marks []string // heading's depth, commands, code, links, numbers of list items, in order
}

// A page in Chinese has the sections of the page in English, and in each the same commands, code, links, lists and tables. A change of
// one has to be made in the other.
func TestReadmesAreTwins(t *testing.T) {
	pages := map[string]string{
		"README.md":                "README.zh-CN.md",
		"docs/getting-started.md":  "docs/zh/getting-started.md",
		"docs/reading-a-result.md": "docs/zh/reading-a-result.md",
		"docs/security.md":         "docs/zh/security.md",
		"docs/console.md":          "docs/zh/console.md",
		"docs/kubernetes.md":       "docs/zh/kubernetes.md",
		"docs/groups.md":           "docs/zh/groups.md",
		"docs/keys.md":             "docs/zh/keys.md",
		"docs/traces.md":           "docs/zh/traces.md",
		"docs/trend.md":            "docs/zh/trend.md",
		"docs/scale.md":            "docs/zh/scale.md",
	}
	tree, err := readTree("../..")
	require.NoError(t, err)
	for _, database := range databasesOf(tree) {
		if page := "docs/zh/" + database + ".md"; fileExists("../../" + page) {
			pages["docs/"+database+".md"] = page
		}
	}
	for english, chinese := range pages {
		for _, line := range twins(t, "../../"+english, "../../"+chinese) {
			t.Error(line)
		}
	}
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// The test of the test: whatever one forgets to carry over is found.
func TestForgottenTranslationIsFound(t *testing.T) {
	const before = "# a\n\ntext `--flag`\n\n```\nrun -x   # why\n```\n\n| `--a` | one |\n| --- | --- |\n| `--b` | two |\n\n- one\n- two, [here](docs/x.md)\n\n1,000 rows\n"
	for name, after := range map[string]string{
		"heading":      strings.Replace(before, "1,000", "## b\n1,000", 1),
		"flag":         strings.Replace(before, "`--flag`", "flag", 1),
		"command":      strings.Replace(before, "run -x", "run -y", 1),
		"line of code": strings.Replace(before, "run -x", "run -x\nrun -z", 1),
		"row":          strings.Replace(before, "| `--b` | two |\n", "", 1),
		"cell":         strings.Replace(before, "| `--b` |", "| `--c` |", 1),
		"item":         strings.Replace(before, "- one\n", "", 1),
		"link":         strings.Replace(before, "docs/x.md", "docs/y.md", 1),
	} {
		dir := t.TempDir()
		a, b := filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")
		require.NoError(t, os.WriteFile(a, []byte(before), 0o600))
		require.NoError(t, os.WriteFile(b, []byte(before), 0o600))
		require.Empty(t, twins(t, a, b))
		require.NoError(t, os.WriteFile(b, []byte(after), 0o600))
		require.NotEmpty(t, twins(t, a, b), name)
	}
}

// twins compares two documents, section by section, and returns the first difference of each section.
func twins(t *testing.T, one, other string) []string {
	t.Helper()
	a, b := sections(t, one), sections(t, other)
	var found []string
	for i := range min(len(a), len(b)) {
		x, y := a[i].marks, b[i].marks
		at := 0
		for at < min(len(x), len(y)) && x[at] == y[at] {
			at++
		}
		if at < max(len(x), len(y)) {
			found = append(found, fmt.Sprintf("%q of %s and %q of %s part: %s, and %s", a[i].title, filepath.Base(one), b[i].title, filepath.Base(other), mark(x, at), mark(y, at)))
		}
	}
	if len(a) != len(b) {
		found = append(found, fmt.Sprintf("%s has %d sections, %s %d", filepath.Base(one), len(a), filepath.Base(other), len(b)))
	}
	return found
}

func mark(marks []string, at int) string {
	if at == len(marks) {
		return "nothing more"
	}
	return marks[at]
}

// sections cuts a document at its headings. The languages have words of their own in text, in the comments of code, and in
// the placeholders of commands, which are left out; and an order of words of their own, so what stands in one paragraph is sorted.
func sections(t *testing.T, name string) []section {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	all := []section{{}}
	fenced := false
	var paragraph []string
	end := func() {
		last := &all[len(all)-1]
		last.marks = append(last.marks, inlines(strings.Join(paragraph, "\n"))...)
		paragraph = nil
	}
	for line := range strings.Lines(withoutCommands(string(text))) {
		line = strings.TrimRight(line, "\n")
		last := &all[len(all)-1]
		switch {
		case strings.HasPrefix(line, "```"):
			end()
			fenced = !fenced
			last.marks = append(last.marks, line)
		case fenced:
			if code := uncommented(line); code != "" {
				last.marks = append(last.marks, "code: "+code)
			}
		case strings.HasPrefix(line, "#"):
			end()
			depth, title, _ := strings.Cut(line, " ")
			all = append(all, section{title: title, marks: []string{"heading " + depth}})
		case strings.HasPrefix(line, "- "):
			end()
			last.marks = append(last.marks, "list item")
			paragraph = append(paragraph, line)
		case strings.HasPrefix(line, "|"):
			end()
			cells := strings.Split(strings.Trim(line, "|"), "|")
			last.marks = append(last.marks, fmt.Sprintf("row of %d", len(cells)))
			for _, cell := range cells {
				last.marks = append(last.marks, inlines(cell)...)
			}
		case line == "":
			end()
		default:
			paragraph = append(paragraph, line)
		}
	}
	end()
	return all
}

// withoutCommands leaves out the section of a database's page that is written from --help, which is in English.
func withoutCommands(text string) string {
	before, after, found := strings.Cut(text, "<!-- commands -->\n")
	if !found {
		return text
	}
	if heading := strings.LastIndex(before, "\n## "); heading >= 0 {
		before = before[:heading+1]
	}
	_, after, _ = strings.Cut(after, "<!-- end -->\n")
	return before + after
}

// uncommented is a line of code without its comment.
func uncommented(line string) string {
	if strings.HasPrefix(line, "# ") {
		return ""
	}
	code, _, _ := strings.Cut(line, " # ")
	return strings.TrimRight(code, " ")
}

// inlines gives the code, the links and the count of emphases of a paragraph.
func inlines(text string) []string {
	code := regexp.MustCompile("`[^`]+`")
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	page := strings.NewReplacer("docs/zh/", "docs/", "../", "", "README.zh-CN.md", "README.md") // a link may lead to the page in the reader's language
	var marks []string
	for _, c := range code.FindAllString(text, -1) {
		if !strings.ContainsFunc(c, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			marks = append(marks, c)
		}
	}
	for _, l := range link.FindAllStringSubmatch(text, -1) {
		marks = append(marks, "link to "+page.Replace(l[1]))
	}
	slices.Sort(marks)
	return marks
}
