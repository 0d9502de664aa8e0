// Package clitest finds the command lines that documents show, for tests that run them:
//
//  1. Documented reads the READMEs, docs/ and the heads of configs/suites.
//  2. A line of a code block, or of a suite's head, that calls the program is split as a shell splits it, with its continuation lines.
//  3. Code within a sentence that calls the program is also a Line, marked Inline: its words may be placeholders.
package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Line is a command line that a document shows.
type Line struct {
	Place  string   // file:line
	Args   []string // behind the program's name
	Inline bool     // within a sentence, or the start of a command in a shell variable
}

// Documented returns the command lines of a program in the documents below root.
func Documented(root, program string) ([]Line, error) {
	var files []string
	for _, pattern := range []string{"README*.md", "CONTRIBUTING.md", "docs/*.md", "configs/suites/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, fmt.Errorf("find documents: %w", err)
		}
		files = append(files, found...)
	}
	var lines []Line
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read document: %w", err)
		}
		place, err := filepath.Rel(root, name)
		if err != nil {
			return nil, fmt.Errorf("name document: %w", err)
		}
		lines = append(lines, linesOf(place, string(content), program)...)
	}
	return lines, nil
}

// linesOf returns the command lines of one document.
func linesOf(name, content, program string) []Line {
	suite := strings.HasSuffix(name, ".yaml")
	calls := regexp.MustCompile(`^(?:\w+=(?:\$\(|(")))?(?:bin/)?` + program + ` (.*)`)
	inline := regexp.MustCompile("`" + program + ` ([^` + "`]*)`")
	var lines []Line
	code := false
	var text, place string // of a line that goes on
	for i, line := range strings.Split(content, "\n") {
		here := fmt.Sprintf("%s:%d", name, i+1)
		if suite {
			head, ok := strings.CutPrefix(line, "#")
			if !ok {
				break
			}
			line, code = strings.TrimSpace(head), true
		} else if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		if text == "" {
			place = here
		}
		text += line
		if rest, on := strings.CutSuffix(text, `\`); code && on {
			text = rest
			continue
		}
		if found := calls.FindStringSubmatch(strings.TrimSpace(text)); code && found != nil {
			lines = append(lines, Line{Place: place, Args: split(found[2]), Inline: found[1] != ""})
		} else if !code || suite {
			for _, found := range inline.FindAllStringSubmatch(text, -1) {
				lines = append(lines, Line{Place: place, Args: split(found[1]), Inline: true})
			}
		}
		text = ""
	}
	return lines
}

// split splits a simple command into words as a shell does, up to an operator or a comment.
func split(text string) []string {
	var words []string
	var word strings.Builder
	begun, quote, before := false, rune(0), rune(0)
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range text {
		switch {
		case before == '$' && r == '(': // a command within the command stays a part of its word
			quote = ')'
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			end()
		case strings.ContainsRune("|&;<>)", r), (r == '#' || r == '…') && !begun: // an ellipsis stands for further flags
			end()
			return words
		default:
			begun = true
			word.WriteRune(r)
		}
		before = r
	}
	end()
	return words
}

// Check parses a line as its program does: the command, its flags and the number of arguments. Of an inline line it checks only
// the command and the names of its flags.
func Check(root *cobra.Command, line Line) (*cobra.Command, error) {
	cmd, rest, err := root.Find(line.Args)
	if err != nil {
		return nil, fmt.Errorf("find command: %w", err)
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	if !line.Inline {
		if err := cmd.ParseFlags(rest); err != nil {
			return cmd, fmt.Errorf("parse flags of %s: %w", cmd.CommandPath(), err)
		}
		return cmd, cmd.Args(cmd, cmd.Flags().Args())
	}
	if len(rest) > 0 && rest[0][0] != '-' && cmd.HasSubCommands() && strings.ToUpper(rest[0]) != rest[0] {
		return cmd, fmt.Errorf("%s has no command %s", cmd.CommandPath(), rest[0])
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(word, "=")
		long, isLong := strings.CutPrefix(name, "--")
		switch {
		case isLong && cmd.Flag(long) == nil,
			!isLong && len(name) > 1 && name[0] == '-' && cmd.Flags().ShorthandLookup(name[1:2]) == nil:
			return cmd, fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
		}
	}
	return cmd, nil
}
