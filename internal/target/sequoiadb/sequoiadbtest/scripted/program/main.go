// Program program serves SequoiaDB's native protocol from memory and a journal, as a process of its own that tests can kill.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbtest/scripted"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		slog.New(slog.NewTextHandler(os.Stderr, nil)).Error("scripted server", "cause", err)
		panic(err) // the exit code
	}
}

// run serves until a signal, after it has printed "serving ADDRESS".
func run(args []string, out, errOut io.Writer) (err error) {
	var o scripted.Options
	flags := flag.NewFlagSet("scripted", flag.ContinueOnError)
	flags.SetOutput(errOut)
	listen := flags.String("listen", "127.0.0.1:0", "address")
	flags.StringVar(&o.Journal, "journal", "", "file with all writes")
	flags.StringVar(&o.User, "user", "", "the only user; empty accepts anybody")
	flags.StringVar(&o.Password, "password", "", "of the user")
	flags.BoolVar(&o.SCRAM, "scram", false, "authenticate by SCRAM-SHA-256")
	flags.IntVar(&o.Page, "page", 100, "documents of an answer")
	if err := flags.Parse(args); err != nil {
		return err //nolint:wrapcheck // it names the flag
	}
	o.Logger = slog.New(slog.NewTextHandler(errOut, nil))
	server, err := scripted.New(o)
	if err != nil {
		return err //nolint:wrapcheck // it names the journal
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", *listen)
	if err != nil {
		return err //nolint:wrapcheck // it names the address
	}
	if _, err := fmt.Fprintf(out, "serving %s\n", l.Addr()); err != nil {
		return err //nolint:wrapcheck // standard output
	}
	return server.Serve(ctx, l) //nolint:wrapcheck // it needs no context
}
