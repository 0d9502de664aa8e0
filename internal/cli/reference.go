package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/config"
)

// Reference returns the program's document: the text of --help, and for each flag the key in the file and the variable. A test
// compares the document with it. Commands with the given paths, and those below them, are left out: other documents have them.
func (p Program) Reference(elsewhere ...string) string {
	root := p.Tree(Streams{})
	program := settings(root)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n<!-- Written by `go test ./cmd/%s -update` from the text of --help. -->\n\n%s\n", p.Name, p.Name, p.Long)
	fmt.Fprintf(&b, `
The command line overrides the environment, and the environment overrides the YAML file of --config. The keys of the file are
the names of the flags; one file can serve all commands. A repeatable flag is a list in the file (a mapping if its values are
k=v). In the environment its items are separated by commas, or by line breaks if an item contains commas. A list replaces the
whole list of a source with lower precedence.
`)
	program.Walk(func(cmd *cobra.Command) {
		switch {
		case foreign(cmd) || below(cmd, elsewhere...):
		case cmd == root:
			b.WriteString("\n## Flags of all commands\n")
			writeFlags(&b, program, cmd.PersistentFlags())
		default:
			writeCommand(&b, program, cmd, "##")
		}
	})
	writeCodes(&b)
	return b.String()
}

// ReferenceOf returns what Reference has about the command with a path and those below it, for another document.
func (p Program) ReferenceOf(path string) string {
	program := settings(p.Tree(Streams{}))
	var b strings.Builder
	program.Walk(func(cmd *cobra.Command) {
		if below(cmd, path) {
			writeCommand(&b, program, cmd, "###")
		}
	})
	return b.String()
}

// below reports whether a command has one of the paths, or is below one that has.
func below(cmd *cobra.Command, paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(cmd.CommandPath()+" ", path+" ") })
}

func writeCommand(b *strings.Builder, program config.Program, cmd *cobra.Command, heading string) {
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	fmt.Fprintf(b, "\n%s %s\n\n%s\n\n```\n%s\n```\n", heading, cmd.CommandPath(), long, unindent(cmd.Example))
	writeFlags(b, program, cmd.LocalNonPersistentFlags())
}

// Flaws lists mismatches between flags, keys, variables and the document. A correct program has none.
func (p Program) Flaws() []string {
	program := settings(p.Tree(Streams{}))
	keys, document := program.Keys(), p.Reference()
	lists := map[string]bool{}
	var flaws []string
	flaw := func(format string, args ...any) { flaws = append(flaws, fmt.Sprintf(format, args...)) }
	program.Walk(func(cmd *cobra.Command) {
		if foreign(cmd) {
			return
		}
		if cmd.HasParent() && cmd.Example == "" {
			flaw("%s has no example", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, list := f.Value.(pflag.SliceValue)
			before, seen := lists[f.Name]
			lists[f.Name] = list
			switch {
			case !config.Settable(f):
			case f.Usage == "":
				flaw("%s --%s has no usage text", cmd.CommandPath(), f.Name)
			case keys[f.Name] == nil && f.Name != config.FileFlag:
				flaw("%s --%s has no key", cmd.CommandPath(), f.Name)
			case !f.Hidden && !strings.Contains(document, "`"+program.Env(f.Name)+"`"):
				flaw("%s --%s has no variable in the document", cmd.CommandPath(), f.Name)
			case seen && before != list:
				// One file serves all commands, so a key has the same type for each.
				flaw("--%s is a list for %s but not for all other commands, or the reverse", f.Name, cmd.CommandPath())
			}
		})
	})
	return flaws
}

// foreign reports whether a command is cobra's own.
func foreign(cmd *cobra.Command) bool {
	return cmd.Name() == "help" || cmd.Name() == "completion" || cmd.HasParent() && cmd.Parent().Name() == "completion"
}

func writeFlags(b *strings.Builder, program config.Program, flags *pflag.FlagSet) {
	begun := false
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || !config.Settable(f) {
			return
		}
		if !begun {
			b.WriteString("\n| Flag | Key | Variable | Default | Description |\n| --- | --- | --- | --- | --- |\n")
			begun = true
		}
		kind, usage := pflag.UnquoteUsage(f)
		name, key := "--"+f.Name, "`"+f.Name+"`"
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.Name == config.FileFlag {
			key = ""
		}
		def := f.DefValue
		if def != "" && f.Value.Type() != "bool" && def != "0" && def != "[]" {
			def = "`" + def + "`"
		} else {
			def = ""
		}
		fmt.Fprintf(b, "| `%s` | %s | `%s` | %s | %s |\n", strings.ReplaceAll(strings.TrimSpace(name+" "+kind), "|", "\\|"), key, program.Env(f.Name), def, usage)
	})
}

// unindent removes the indent that examples have in --help.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
