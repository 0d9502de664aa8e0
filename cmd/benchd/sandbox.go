package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/randdur"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/sandbox/service"
	"github.com/benchd/benchd/internal/security"
)

// sandboxFlags describe the sandbox to start.
type sandboxFlags struct {
	zookeeper, info string
	servers         int
	data            string
	memory          int // MiB
	faults          string
	service         service.Config
	seed            int
	detection       time.Duration
	insecure        bool
}

func sandboxCommand() cli.Command {
	f := sandboxFlags{servers: 3, memory: sandbox.DefaultMemory >> 20, detection: time.Second, service: service.Config{Handlers: 30}}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Run a small HBase for trials, teaching and fault tests",
		Long: `Sandbox is a small server that speaks HBase's own protocols: ZooKeeper, a master and region servers in one process, without
Java. HBase clients use it like a real cluster: benchd's client and the official Java client. It keeps tables in memory,
or with --data in a folder. It is for trials, teaching and fault tests; every result measured on it states that.

"benchctl sandbox" injects faults while it runs, --faults from the start. With --service each region server is a queue
whose mathematics are known (M/M/c with exponential times), so that measurements can be compared with theory.`,
		Example: `  benchd sandbox
  benchd sandbox --zookeeper 127.0.0.1:12181 --region-servers 5 --data sandbox
  benchd sandbox --service 'exponential 10ms' --service-handlers 4 --faults faults.yaml`,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.zookeeper, "zookeeper", "127.0.0.1:2181", "`HOST:PORT` for clients, their hbase.zookeeper.quorum; port 0 takes a free one")
	fs.StringVar(&f.info, "info", "127.0.0.1:16010", "HTTP `HOST:PORT` of the master's pages: /jmx, /conf, and the interface of benchctl sandbox; port 0 takes a free one")
	config.Whole(fs, &f.servers, "region-servers", 1, "region servers, each on its own free ports")
	fs.StringVar(&f.data, "data", "", "keep tables in `DIR`; without it they are lost when the process ends")
	config.Whole(fs, &f.memory, "max-memory", 16, "MiB limit of tables in memory; writes beyond it are rejected")
	fs.StringVar(&f.faults, "faults", "", "`FILE` of faults and their times (YAML; docs/sandbox.md has the format)")
	serviceFlags(fs, &f)
	config.Duration(fs, &f.detection, "detection", false, "time until the master notices that a region server was killed")
	insecureFlag(cmd, &f.insecure, "listen beyond this machine")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, _ []string) error {
		return runSandbox(ctx, c, &f)
	}}
}

// serviceFlags declare the service-time model.
func serviceFlags(fs *pflag.FlagSet, f *sandboxFlags) {
	config.Var(fs, &f.service.Time, "service", "TIME", "service time of each request to a region server: "+randdur.Forms+"; default as fast as possible", randdur.Parse, func(d randdur.Duration) string {
		if d.IsZero() {
			return ""
		}
		return d.String()
	})
	config.Whole(fs, &f.service.Handlers, "service-handlers", 1, "requests that a region server serves at once with --service; others wait")
	config.Whole(fs, &f.seed, "service-seed", 0, "seed of the random times of --service")
}

// options checks the flags, and reads the file of --faults.
func (f *sandboxFlags) options(c *cli.Context) (sandbox.Options, error) {
	if err := errors.Join(
		security.CheckAddress("--zookeeper", f.zookeeper, f.insecure),
		security.CheckAddress("--info", f.info, f.insecure),
	); err != nil {
		return sandbox.Options{}, err
	}
	f.service.Seed = uint64(f.seed)
	if err := f.service.Validate(); err != nil {
		return sandbox.Options{}, &config.Error{Place: c.Origins["service-handlers"], Err: err}
	}
	o := sandbox.Options{
		ZooKeeper: f.zookeeper, Info: f.info, Servers: f.servers, Data: f.data, MaxMemory: int64(f.memory) << 20,
		Service: f.service, Detection: f.detection, Program: c.Version, Logger: c.Logger,
	}
	if f.faults != "" {
		var err error
		if o.Faults, err = fault.ReadFile(f.faults); err != nil {
			return sandbox.Options{}, &cli.Error{Code: cli.Usage, Err: err}
		}
	}
	return o, nil
}

func runSandbox(ctx context.Context, c *cli.Context, f *sandboxFlags) error {
	o, err := f.options(c)
	if err != nil {
		return err
	}
	s, err := sandbox.Start(ctx, o)
	if err != nil {
		return sandboxError(err)
	}
	announce(c, s)
	<-ctx.Done()
	if err := s.Close(); err != nil {
		return fmt.Errorf("end sandbox: %w", err)
	}
	c.Logger.Info("sandbox has ended")
	return nil
}

// announce prints how to use a sandbox.
func announce(c *cli.Context, s *sandbox.Sandbox) {
	servers := make([]string, 0, len(s.Servers()))
	for _, one := range s.Servers() {
		servers = append(servers, one.Address)
	}
	control := "benchctl sandbox servers"
	if s.Info() != "127.0.0.1:16010" {
		control += " --sandbox " + s.Info()
	}
	_, _ = fmt.Fprintf(c.Out, `sandbox %s is up
  hbase.zookeeper.quorum  %s
  region servers          %s
  info                    http://%s/jmx

  benchctl run --db hbase -p hbase.zookeeper.quorum=%s -p columnfamily=family --phase load,run -p recordcount=100000 -p operationcount=100000
  %s
`, sandbox.Version, s.Quorum(), strings.Join(servers, " "), s.Info(), s.Quorum(), control)
}

// sandboxError adds the cure to the error of a sandbox that did not start.
func sandboxError(err error) error {
	code := cli.Failed
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EADDRNOTAVAIL) {
		code = cli.Unavailable
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Addr != nil {
			err = fmt.Errorf("start sandbox: listen on %s: %w; if another sandbox, a ZooKeeper or HBase runs there, stop it, or give another address with --zookeeper or --info (port 0 takes any free one)",
				op.Addr, cause(op))
			return &cli.Error{Code: code, Err: err}
		}
	}
	return &cli.Error{Code: code, Err: err}
}

// cause returns the error without the names of system calls.
func cause(err error) error {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no
	}
	return err
}
