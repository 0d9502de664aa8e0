package doctable

import (
	"regexp"
	"strings"
)

// Block is a fenced block of a Markdown document.
type Block struct {
	Heading  string // the nearest one above, such as "## Suites"
	Language string // behind the fence: "", yaml, sql …
	Line     int    // of the document, at which the text begins
	Text     string // the lines within the fences
}

// Blocks returns the fenced blocks of a text in their order.
func Blocks(text string) []Block {
	var blocks []Block
	heading, within, number := "", false, 0
	for line := range strings.Lines(text) {
		number++
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && !within:
			blocks = append(blocks, Block{Heading: heading, Language: fence, Line: number + 1})
			within = true
		case isFence:
			within = false
		case within:
			blocks[len(blocks)-1].Text += line
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimSpace(line)
		}
	}
	return blocks
}

// Command is a command line that a block shows.
type Command struct {
	Line int    // of the document
	Text string // with the lines on which it continues, joined
}

// Commands returns the command lines of a block for a shell, and none of any other block. A block that begins with "$ " shows
// commands with their output. Of other blocks without a language, the first line decides.
func (b Block) Commands() []Command {
	prompt, ok := b.shell()
	if !ok {
		return nil
	}
	var commands []Command
	open := false // the last command continues on the next line
	number := b.Line - 1
	for line := range strings.Lines(b.Text) {
		number++
		line = strings.TrimRight(line, "\n")
		if open {
			last := &commands[len(commands)-1]
			last.Text, open = continued(last.Text + strings.TrimLeft(line, " \t"))
			continue
		}
		command, prompted := strings.CutPrefix(line, prompt)
		if !prompted || strings.TrimSpace(command) == "" || strings.HasPrefix(command, "#") {
			continue
		}
		text, more := continued(command)
		commands = append(commands, Command{Line: number, Text: text})
		open = more
	}
	return commands
}

// continued cuts off the sign that a command line continues, and reports whether there was one.
func continued(line string) (string, bool) { return strings.CutSuffix(line, `\`) }

// shell reports whether a block is for a shell, and what is before each command line.
func (b Block) shell() (prompt string, ok bool) {
	const sign = "$ "
	if b.Language != "" && b.Language != "sh" && b.Language != "bash" && b.Language != "console" {
		return "", false
	}
	programs := regexp.MustCompile(`^(?:\w+=\S* +)*(?:sudo )?(?:bin/)?` +
		`(?:benchd|benchctl|make|git|go|cd|export|docker|podman|kubectl|curl|tar|sha256sum|ansible-playbook|prometheus|mkdir|cp|time)(?: |$)`)
	for line := range strings.Lines(b.Text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, sign):
			return sign, true
		default:
			return "", programs.MatchString(line)
		}
	}
	return "", false
}
