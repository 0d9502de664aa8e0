// Benchd is the program for servers: a coordinator, an agent, or both in one process for development.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/target/all"
)

// Set by the linker.
var version, commit string

func main() {
	streams := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(cli.Exit(os.Stderr, "benchd", run(os.Args[1:], streams)))
}

// run runs a command until it returns, or until SIGINT or SIGTERM ends it. A second signal ends the process at once.
func run(args []string, streams cli.Streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return program().Run(ctx, args, streams)
}

// program is benchd with its commands.
func program() cli.Program {
	info, _ := debug.ReadBuildInfo()
	return cli.Program{
		Name:  "benchd",
		Short: "Benchmark distributed databases from several machines",
		Long: `Benchd benchmarks distributed databases from several machines. One coordinator queues and controls runs, agents on the client
machines produce the load, and benchctl submits runs and shows their results.`,
		Version:  cli.Version(version, commit, info),
		LogLevel: "info",
		Commands: func() []cli.Command {
			return []cli.Command{coordinatorCommand(), agentCommand(), devCommand(), archiveCommand(), sandboxCommand(), doctorCommand(all.Targets()), pkiCommand()}
		},
	}
}
