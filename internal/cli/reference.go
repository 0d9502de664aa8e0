package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/config"
)

// Reference is the program's document: all that --help prints, and for each flag the key in the file and the
// variable. A test holds the document against it.
func (p Program) Reference() string {
	root := p.Tree(Streams{})
	program := settings(root)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n<!-- Written by `go test ./cmd/%s -update` from what --help tells. -->\n\n%s\n", p.Name, p.Name, p.Long)
	fmt.Fprintf(&b, `
Settings come from the command line, from the environment, and from the YAML file of --config, in this order. The keys of
the file are the names of the flags; one file may serve all commands. A flag that may stand several times is a list in the
file (a mapping where its values are k=v), and in the environment its items are separated by commas, or by line breaks where
an item has commas in it. A list in one place replaces the whole list of a place below it.
`)
	program.Walk(func(cmd *cobra.Command) {
		if foreign(cmd) {
			return
		}
		title, flags := cmd.CommandPath(), cmd.LocalNonPersistentFlags()
		if cmd == root {
			title, flags = "Flags of all commands", cmd.PersistentFlags()
		}
		fmt.Fprintf(&b, "\n## %s\n", title)
		if cmd != root {
			long := cmd.Long
			if long == "" {
				long = cmd.Short + "."
			}
			fmt.Fprintf(&b, "\n%s\n\n```\n%s\n```\n", long, unindent(cmd.Example))
		}
		writeFlags(&b, program, flags)
	})
	return b.String()
}

// Flaws reports where flags, keys, variables and the document do not match. A program has none.
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
				flaw("%s --%s says nothing of itself", cmd.CommandPath(), f.Name)
			case keys[f.Name] == nil && f.Name != config.FileFlag:
				flaw("%s --%s is no key", cmd.CommandPath(), f.Name)
			case !f.Hidden && !strings.Contains(document, "`"+program.Env(f.Name)+"`"):
				flaw("%s --%s has no variable in the document", cmd.CommandPath(), f.Name)
			case seen && before != list:
				// One file serves all commands: a key means the same kind of thing to each.
				flaw("--%s is a list to %s, and to others it is not, or the other way round", f.Name, cmd.CommandPath())
			}
		})
	})
	return flaws
}

// foreign commands are cobra's own.
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
			b.WriteString("\n| flag | key | variable | default | |\n| --- | --- | --- | --- | --- |\n")
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

// unindent takes the blanks away that examples have in --help.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
