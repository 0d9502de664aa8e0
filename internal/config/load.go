package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/benchd/benchd/internal/suggest"
)

// FileFlag is the flag that names the file. It has a variable, but is not a key of the file.
const FileFlag = "config"

// Program is a program whose commands are configured.
type Program struct {
	Root   *cobra.Command
	Prefix string // of its environment variables, such as "BENCHD"
}

// Env returns the environment variable of a flag.
func (p Program) Env(flag string) string {
	return p.Prefix + "_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(flag))
}

// Keys returns the flags that the file can set: those of all commands, each name once.
func (p Program) Keys() map[string]*pflag.Flag {
	keys := map[string]*pflag.Flag{}
	p.Walk(func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != FileFlag && Settable(f) {
				keys[f.Name] = f
			}
		})
	})
	return keys
}

// Walk visits the program's commands, parents first.
func (p Program) Walk(visit func(*cobra.Command)) { walk(p.Root, visit) }

func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, visit)
	}
}

// Settable reports whether the environment and the file can set a flag. They cannot set the flags that cobra adds, which
// print something and end the program.
func Settable(f *pflag.Flag) bool {
	return f.Name != "help" && f.Name != "version" && f.Name != "no-descriptions"
}

// Origins contains the place of each flag's value. It does not contain flags with their default.
type Origins map[string]string

// Set reports whether a flag was set.
func (o Origins) Set(flag string) bool { return o[flag] != "" }

// Load sets the parsed flags of cmd from the environment and the file. Its errors are of type *Error.
func (p Program) Load(cmd *cobra.Command) (Origins, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("/")) // the names of some flags have dots
	flags := cmd.Flags()
	var bindErr error
	flags.VisitAll(func(f *pflag.Flag) {
		if Settable(f) {
			bindErr = errors.Join(bindErr, v.BindPFlag(f.Name, f), v.BindEnv(f.Name, p.Env(f.Name)))
		}
	})
	if bindErr != nil {
		return nil, fmt.Errorf("bind flags: %w", bindErr)
	}
	places, err := p.readFile(v, flags)
	if err != nil {
		return nil, err
	}

	origins := Origins{}
	var bad error
	flags.VisitAll(func(f *pflag.Flag) {
		switch {
		case bad != nil || !Settable(f):
		case f.Changed:
			origins[f.Name] = "--" + f.Name
		case os.Getenv(p.Env(f.Name)) != "":
			origins[f.Name] = p.Env(f.Name)
			bad = set(f, origins[f.Name], splitEnv(f, v.GetString(f.Name)))
		case places[f.Name] != "":
			origins[f.Name] = places[f.Name]
			bad = set(f, origins[f.Name], v.GetStringSlice(f.Name))
		}
	})
	if bad != nil {
		return nil, bad
	}
	return origins, nil
}

// readFile checks all keys and values of the file and passes them to viper. It returns the place of each key.
func (p Program) readFile(v *viper.Viper, own *pflag.FlagSet) (map[string]string, error) {
	name := v.GetString(FileFlag)
	if name == "" {
		return nil, nil
	}
	place := "--" + FileFlag
	if f := own.Lookup(FileFlag); f != nil && !f.Changed {
		place = p.Env(FileFlag)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		// A PathError repeats the name of the file before the cause.
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err
		}
		return nil, &Error{Place: place, Problem: "read config file " + name, Err: err}
	}
	entries, err := parse(content)
	if err != nil {
		return nil, &Error{Place: name, Err: err}
	}
	keys := p.Keys()
	places, values := map[string]string{}, map[string]any{}
	for _, e := range entries {
		at := fmt.Sprintf("%s:%d: %s", name, e.line, e.key)
		f := own.Lookup(e.key)
		mine := f != nil
		if !mine {
			f = keys[e.key]
		}
		if f == nil || keys[e.key] == nil {
			return nil, &Error{Place: at, Problem: unknown("key", e.key, keys)}
		}
		if _, many := f.Value.(pflag.SliceValue); e.list && !many {
			return nil, &Error{Place: at, Problem: "expected a single value, not a list or a mapping"}
		}
		if !mine {
			// A flag of another command: its value is checked, but not used.
			if err := set(f, at, e.values); err != nil {
				return nil, err
			}
			continue
		}
		places[e.key], values[e.key] = at, e.values
	}
	if err := v.MergeConfigMap(values); err != nil {
		return nil, &Error{Place: name, Err: err}
	}
	return places, nil
}

// set sets f to its values: one, unless it takes a list.
func set(f *pflag.Flag, place string, values []string) error {
	var err error
	if many, ok := f.Value.(pflag.SliceValue); ok {
		err = many.Replace(values)
	} else {
		err = f.Value.Set(values[0])
		if f.Value.Type() == "bool" && err != nil {
			err = fmt.Errorf("invalid boolean %q: want true or false", values[0])
		}
	}
	if err != nil {
		return &Error{Place: place, Err: err}
	}
	return nil
}

// splitEnv splits a variable into the items of a list: at line breaks if it has any, else at commas.
func splitEnv(f *pflag.Flag, value string) []string {
	if _, many := f.Value.(pflag.SliceValue); !many {
		return []string{value}
	}
	sep := ","
	if strings.Contains(value, "\n") {
		sep = "\n"
	}
	items := strings.Split(value, sep)
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return slices.DeleteFunc(items, func(s string) bool { return s == "" })
}

func unknown[V any](what, word string, known map[string]V) string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := suggest.Nearest(word, names); near != "" {
		return fmt.Sprintf("unknown %s; did you mean %s?", what, near)
	}
	return fmt.Sprintf("unknown %s (one of %s)", what, strings.Join(names, ", "))
}
