// Benchctl runs benchmarks, here or on a coordinator's agents, and shows their results.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/target/all"
)

// Set by the linker.
var version, commit string

func main() {
	streams := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(cli.Exit(os.Stderr, "benchctl", run(os.Args[1:], streams)))
}

// run runs a command. Only commands that react to signals catch them.
func run(args []string, streams cli.Streams) error {
	return program(all.Targets()).Run(context.Background(), args, streams)
}

// program returns benchctl with its commands, for targets.
func program(targets target.List) cli.Program {
	info, _ := debug.ReadBuildInfo()
	return cli.Program{
		Name:  "benchctl",
		Short: "Run benchmarks and show their results",
		Long: `Benchctl runs benchmarks of databases: "run" within one process, "submit" on the agents of a coordinator, which run on one or
more machines.

The address of the coordinator and the certificates come from the command line, else from the environment, else from the file
of --config, else from a profile of "benchctl login".

Results go to standard output, all other messages to standard error. Exit codes: 0 success, 1 the run failed, 2 bad usage or
spec, 3 a limit was violated, 4 the result is partial, cancelled or was not waited for, 5 cannot reach the coordinator, too
few agents, or not allowed.`,
		Version:  cli.Version(version, commit, info),
		LogLevel: "warn",
		Single:   ofYCSB,
		Commands: func() []cli.Command {
			return []cli.Command{
				runCommand(targets), submitCommand(targets), validateCommand(targets),
				watchCommand(), listCommand(), showCommand(targets), reportCommand(targets), cancelCommand(), annotateCommand(), removeCommand(), exportCommand(), importCommand(), captureCommand(targets), traceCommand(),
				compareCommand(targets), baselineCommand(targets), trendCommand(targets), scheduleCommand(),
				loginCommand(), logoutCommand(), profilesCommand(), consoleCommand(),
				agentsCommand(), webhooksCommand(), auditCommand(), adminCommand(targets), sandboxCommand(), doctorCommand(targets),
			}
		},
	}
}
