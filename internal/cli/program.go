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

// Context is what a command knows of how it was called.
type Context struct {
	Streams
	Logger  *slog.Logger
	LogOut  *Redirect      // where Logger writes; standard error
	Origins config.Origins // of the flags
	Version string
}

// Command is a command of a program: what cobra knows of it, and what it does once its flags have their values.
type Command struct {
	*cobra.Command
	Run      func(ctx context.Context, c *Context, args []string) error // nil for one that only has others below it
	Commands []Command                                                  // below it
}

// Program is a program with its commands.
type Program struct {
	Name     string
	Short    string // what it is, in a line
	Long     string
	Version  string
	LogLevel string // the default
	// Single returns what to write instead of an option with a single dash that another program has, such as -threads; "" where it
	// does not know it. Optional.
	Single func(cmd *cobra.Command, option string) string
	// Commands makes the commands; each tree has its own.
	Commands func() []Command
}

// logFlags are the flags that all commands have.
type logFlags struct{ level, format string }

// settings is how the program of a command is configured.
func settings(cmd *cobra.Command) config.Program {
	return config.Program{Root: cmd.Root(), Prefix: strings.ToUpper(cmd.Root().Name())}
}

// Load gives the flags of a command the values that the environment and the file have for them. Commands that are
// run have been loaded; who completes one for the shell has to ask.
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
	config.PersistentEnum(root, &logs.level, "log-level", "tell on standard error what is at least this grave", logLevels()...)
	config.PersistentEnum(root, &logs.format, "log-format", "form of the log", logFormats()...)
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

// onlyGroups is the annotation of commands that do nothing but have others below them.
const onlyGroups = "group"

// Run runs the program.
func (p Program) Run(ctx context.Context, args []string, streams Streams) error {
	root := p.Tree(streams)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// group is what a command does that only has commands below it.
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
		return &UsageError{Command: topic.CommandPath(), Err: argsError(topic, rest, fmt.Errorf("%q is no command", strings.Join(rest, " ")))}
	}
	topic.InitDefaultHelpFlag()
	return topic.Help()
}

// Exactly checks a command's arguments by how many there are; names are their names.
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

// surplus is the error of an argument that a command does not take. A suite file was most likely meant for -f.
func surplus(cmd *cobra.Command, arg string) error {
	err := fmt.Errorf("%q is one argument too many", arg)
	if ext := filepath.Ext(arg); (ext == ".yaml" || ext == ".yml") && cmd.Flags().ShorthandLookup("f") != nil {
		return fmt.Errorf("%w; did you mean `-f %s`?", err, arg)
	}
	return err
}

// argsError says what is wrong with arguments: for a command with others below it most likely their name.
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

// flagError makes pflag's errors name the nearest flag, and the value's mistake without pflag's frame.
func (p Program) flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if ok && unknown.GetSpecifiedShortnames() != "" && p.Single != nil {
		if instead := p.Single(cmd, unknown.GetSpecifiedShortnames()); instead != "" {
			return fmt.Errorf("unknown option -%s; write %s", unknown.GetSpecifiedShortnames(), instead)
		}
	}
	if ok && unknown.GetSpecifiedShortnames() == "" {
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
			err = fmt.Errorf("%q is neither true nor false", invalid.GetValue())
		}
		return &config.Error{Place: "--" + invalid.GetFlag().Name, Err: err}
	}
	return err
}
