package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/agent/enroll"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/security"
)

// joinFlags are the flags by which an agent gets its certificate from its coordinator.
type joinFlags struct {
	token    string
	identity string
}

func (f *joinFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.token, "join", "", "join `TOKEN` of benchd pki token for the first certificate of the agent, or file:PATH or env:NAME of it, which are better: other users of the machine can read a command line; not used once --identity has a certificate")
	cmd.Flags().StringVar(&f.identity, "identity", "", "`DIR` with the key and the certificate of the agent, instead of --tls-cert, --tls-key and --tls-ca: the agent writes them when it joins, and renews the certificate; keep it across restarts")
}

// folder returns the folder of --identity; empty without one. It has the files of tls, too.
func (f *joinFlags) folder(cmd *cobra.Command, tls *cli.TLSFlags) (enroll.Folder, error) {
	usage := func(text string) error {
		return &cli.UsageError{Command: cmd.CommandPath(), Err: errors.New(text)}
	}
	switch {
	case f.identity == "" && f.token != "":
		return "", usage("--identity is missing: give the directory in which the agent keeps the certificate that it gets for --join, such as /var/lib/benchd/identity")
	case f.identity == "":
		return "", nil
	case tls.Files.Cert != "" || tls.Files.Key != "" || tls.Files.CA != "":
		return "", usage("--identity and --tls-cert, --tls-key or --tls-ca are given: the directory has a certificate of its own; give one or the other")
	}
	folder := enroll.Folder(f.identity)
	revoked := tls.Files.Revoked
	tls.Files = folder.Files()
	tls.Files.Revoked = revoked
	return folder, nil
}

// certified is what an agent presents, until stop is called.
type certified struct {
	store *certs.Store // nil without TLS
	name  string       // of the agent
	stop  func()       // ends the goroutines that keep the certificate valid
}

// certify loads the certificate of an agent, after it has joined if it must, and follows its changes.
func (f *agentFlags) certify(ctx context.Context, c *cli.Context, cmd *cobra.Command, source *clock.Source, registry prometheus.Registerer) (*certified, error) {
	if f.folder != "" {
		join := enroll.Config{Coordinators: f.coordinators, Name: f.name, Logger: c.Logger, Clock: source}
		if f.join.token != "" {
			join.Token = func() (string, error) { return readToken(c, f.join.token) }
		}
		if err := f.folder.Ensure(ctx, join); err != nil {
			return nil, err
		}
	}
	store, err := f.tls.Load(certs.Options{Logger: c.Logger, Registerer: registry})
	if err != nil {
		return nil, err
	}
	name, err := agentName(cmd, f.name, f.coordinator, store, f.tls.Files.Cert)
	if err != nil {
		return nil, err
	}
	own := &certified{store: store, name: name, stop: cli.WatchTLS(ctx, store)}
	if _, local := security.Socket(f.coordinator); f.folder == "" || local {
		return own, nil
	}
	r, err := enroll.NewRenewer(enroll.RenewerConfig{
		Folder: f.folder, Coordinators: f.coordinators, Store: store, Logger: c.Logger, Registerer: registry, Clock: source,
	})
	if err != nil {
		own.stop()
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run(ctx)
	}()
	unwatch := own.stop
	own.stop = func() {
		cancel()
		<-ended
		unwatch()
	}
	return own, nil
}

// ignoreSignal returns nil for the error of a process that a signal has ended before it could join.
func ignoreSignal(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// maxToken bounds the file of a join token.
const maxToken = 64 << 10

// readToken returns the token of --join.
func readToken(c *cli.Context, given string) (string, error) {
	usage := func(err error) error { return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("--join: %w", err)} }
	if path, is := strings.CutPrefix(given, "file:"); is {
		file, err := os.Open(path)
		if err != nil {
			return "", usage(fmt.Errorf("read the join token: %w", err))
		}
		defer func() { _ = file.Close() }()
		if info, err := file.Stat(); err == nil && info.Mode().Perm()&0o004 != 0 {
			c.Logger.Warn("every user of this machine can read the join token: run chmod o= on the file", "file", path)
		}
		text, err := io.ReadAll(io.LimitReader(file, maxToken))
		if err != nil {
			return "", usage(fmt.Errorf("read the join token: %w", err))
		}
		return string(text), nil
	}
	if name, is := strings.CutPrefix(given, "env:"); is {
		text, err := config.TakeVariable(name)
		if err != nil {
			return "", usage(fmt.Errorf("take the join token from the environment: %w", err))
		}
		if text == "" {
			return "", usage(fmt.Errorf("the variable %q of env:NAME is not set: set it to the line that `benchd pki token` prints", name))
		}
		return text, nil
	}
	return given, nil
}

// agentName returns the name of an agent: the one in its certificate, which is the only one that its coordinator accepts.
func agentName(cmd *cobra.Command, given, coordinator string, store *certs.Store, file string) (string, error) {
	if _, local := security.Socket(coordinator); store == nil || local {
		return given, nil
	}
	own := store.Identity().Name
	if given != "" && given != own {
		return "", &cli.UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--name %s: the certificate %s is that of agent %s: remove --name, or give the certificate of agent %s", given, file, own, given)}
	}
	return own, nil
}
