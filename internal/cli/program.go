package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/suggest"
)

// Streams are a process's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Context describes how a command was called.
type Context struct {
	Streams
	Logger  *slog.Logger
	LogOut  *Redirect      // where Logger writes; standard error
	Origins config.Origins // of the flags
	Version string
}

// Command is a command of a program: its cobra command, and the function that runs it once its flags have their values.
type Command struct {
	*cobra.Command
	Run      func(ctx context.Context, c *Context, args []string) error // nil for one that only groups others
	Commands []Command                                                  // below it
}

// Program is a program with its commands.
type Program struct {
	Name     string
	Short    string // what it is, in a line
	Long     string
	Version  string
	LogLevel string // the default
	// Single returns the replacement of an option with a single dash that another program has, such as -threads, or "" if it
	// does not know the option. Optional.
	Single func(cmd *cobra.Command, option string) string
	// Commands makes the commands; each call returns new ones.
	Commands func() []Command
}

// logFlags are the flags that all commands have.
type logFlags struct{ level, format string }

// settings returns the configuration of the program of a command.
func settings(cmd *cobra.Command) config.Program {
	return config.Program{Root: cmd.Root(), Prefix: strings.ToUpper(cmd.Root().Name())}
}

// Load sets the flags of a command from the environment and the file. A command that runs has been loaded; code that completes
// one for the shell must call Load.
func Load(cmd *cobra.Command) (config.Origins, error) { return settings(cmd).Load(cmd) }

// Tree builds the cobra commands.
func (p Program) Tree(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use: p.Name, Short: p.Short, Long: p.Long, Version: p.Version,
		SilenceErrors: true, SilenceUsage: true,
		RunE: group, Args: cobra.ArbitraryArgs,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &UsageError{Command: cmd.CommandPath(), Err: p.flagError(cmd, err)}
	})
	logs := logFlags{level: p.LogLevel, format: "text"}
	addCommonFlags(root, &logs)
	for _, command := range p.Commands() {
		p.add(root, command, &logs, streams)
	}
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.RunE, cmd.Args = group, cobra.ArbitraryArgs
		case "help":
			cmd.Run, cmd.RunE = nil, help
		}
	}
	root.SetUsageTemplate(usage(settings(root).Prefix))
	return root
}

// addCommonFlags declares the flags that all commands have.
func addCommonFlags(root *cobra.Command, logs *logFlags) {
	root.PersistentFlags().String(config.FileFlag, "", "read settings from `FILE` (YAML; the keys are the names of the flags)")
	config.PersistentEnum(root, &logs.level, "log-level", "lowest level of log messages on standard error", logLevels()...)
	config.PersistentEnum(root, &logs.format, "log-format", "format of the log", logFormats()...)
}

func (p Program) add(parent *cobra.Command, command Command, logs *logFlags, streams Streams) {
	cmd := command.Command
	parent.AddCommand(cmd)
	for _, sub := range command.Commands {
		p.add(cmd, sub, logs, streams)
	}
	if command.Run == nil {
		cmd.RunE, cmd.Args = group, cobra.ArbitraryArgs
		cmd.Annotations = map[string]string{onlyGroups: "yes"}
		return
	}
	args := cmd.Args
	if args == nil {
		args = Exactly()
	}
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if err := args(cmd, given); err != nil {
			return &UsageError{Command: cmd.CommandPath(), Err: argsError(cmd, given, err)}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		origins, err := Load(cmd)
		if err != nil {
			return err
		}
		c := &Context{Streams: streams, LogOut: &Redirect{out: streams.Err}, Origins: origins, Version: p.Version}
		if c.Logger, err = newLogger(c.LogOut, logs.level, logs.format); err != nil {
			return err
		}
		return command.Run(cmd.Context(), c, given)
	}
}

// onlyGroups is the annotation of commands that only group others.
const onlyGroups = "group"

// Run runs the program.
func (p Program) Run(ctx context.Context, args []string, streams Streams) error {
	root := p.Tree(streams)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// group runs a command that only groups others: it prints the help.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return &UsageError{Command: cmd.CommandPath(), Err: argsError(cmd, args, nil)}
}

// help prints the help of the command that its arguments name.
func help(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return &UsageError{Command: topic.CommandPath(), Err: argsError(topic, rest, fmt.Errorf("unknown command %q; `%s` has no commands below it", strings.Join(rest, " "), topic.CommandPath()))}
	}
	topic.InitDefaultHelpFlag()
	return topic.Help()
}

// Exactly requires one argument for each name.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing: `%s`", names[len(args)], cmd.UseLine())
		case len(args) > len(names):
			return surplus(cmd, args[len(names)])
		}
		return nil
	}
}

// surplus returns the error of an argument that a command does not take. For a suite file it suggests -f.
func surplus(cmd *cobra.Command, arg string) error {
	err := fmt.Errorf("%q is one argument too many", arg)
	if ext := filepath.Ext(arg); (ext == ".yaml" || ext == ".yml") && cmd.Flags().ShorthandLookup("f") != nil {
		return fmt.Errorf("%w; did you mean `-f %s`?", err, arg)
	}
	return err
}

// argsError describes wrong arguments. For a command with others below it, the first argument is most likely a mistyped name.
func argsError(cmd *cobra.Command, args []string, err error) error {
	if !cmd.HasSubCommands() || len(args) == 0 {
		return err
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := suggest.Nearest(args[0], names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean `%s %s`?", args[0], cmd.CommandPath(), near)
	}
	return fmt.Errorf("unknown command %q; known: %s", args[0], strings.Join(names, ", "))
}

// flagError adds the nearest flag to pflag's errors, and removes pflag's frame from the mistake in a value.
func (p Program) flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if ok && unknown.GetSpecifiedShortnames() != "" && p.Single != nil {
		if instead := p.Single(cmd, unknown.GetSpecifiedShortnames()); instead != "" {
			return fmt.Errorf("unknown option -%s; write %s", unknown.GetSpecifiedShortnames(), instead)
		}
	}
	if ok && unknown.GetSpecifiedShortnames() == "" {
		for _, sub := range cmd.Commands() { // a flag in front of it may have taken the command for its value
			if sub.IsAvailableCommand() && sub.Flags().Lookup(unknown.GetSpecifiedName()) != nil {
				return fmt.Errorf("--%s is a flag of commands: write it after the command, such as `%s --%[1]s`", unknown.GetSpecifiedName(), sub.CommandPath())
			}
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := suggest.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return fmt.Errorf("unknown flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
		}
		return fmt.Errorf("unknown flag --%s", unknown.GetSpecifiedName())
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err := invalid.Unwrap()
		if invalid.GetFlag().Value.Type() == "bool" {
			err = fmt.Errorf("invalid boolean %q: want true or false", invalid.GetValue())
		}
		return &config.Error{Place: "--" + invalid.GetFlag().Name, Err: err}
	}
	return err
}
