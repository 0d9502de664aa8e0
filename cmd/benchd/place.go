package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/mirror"
	"github.com/benchd/benchd/internal/archive/postgres"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/cli"
)

// place is an archive that a command has for itself.
type place struct {
	mirror.Target
	name string
	free func() error // gives it back
}

// isURL reports whether an archive is in PostgreSQL; otherwise it is a directory.
func isURL(where string) bool {
	return strings.HasPrefix(where, "postgres://") || strings.HasPrefix(where, "postgresql://")
}

// openPlace opens an archive, and keeps coordinators away from it until free is called. If it is lost meanwhile, lost is called.
func openPlace(ctx context.Context, c *cli.Context, where string, lost context.CancelCauseFunc) (place, error) {
	if !isURL(where) {
		a, err := sqlite.Open(ctx, where, c.Logger)
		if err != nil {
			return place{}, err
		}
		return place{a, where, func() error { return a.Close(context.WithoutCancel(ctx)) }}, nil
	}
	a, err := postgres.Open(ctx, where, c.Logger)
	if err != nil {
		return place{}, err
	}
	me := archive.Leader{Boot: rand.Text(), RPC: "benchd archive copy"}
	leader, err := a.Lead(ctx, me)
	if err == nil && leader.Boot != me.Boot {
		err = archive.Faultf(archive.ErrLocked, nil, "open archive %s: it is in use by %s: stop that one and its standbys first", a.Path(), leader.RPC)
	}
	if err != nil {
		return place{}, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keepLease(ctx, a, lost)
	}()
	free := func() error {
		stop()
		<-ended
		return a.Close(context.WithoutCancel(ctx))
	}
	if err := a.Migrate(ctx); err != nil {
		return place{}, errors.Join(err, free())
	}
	return place{a, a.Path(), free}, nil
}

// keepLease renews the lease of an archive until ctx ends.
func keepLease(ctx context.Context, a archive.Lease, lost context.CancelCauseFunc) {
	tick := time.NewTicker(archive.LeaseRenew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := a.Renew(ctx); errors.Is(err, archive.ErrFenced) {
			lost(fmt.Errorf("lost the archive: %w", err))
			return
		}
	}
}

// requireArchive checks that there is an archive in a directory, which opening it would create.
func requireArchive(where string) error {
	if isURL(where) {
		return nil
	}
	path := filepath.Join(where, sqlite.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("FROM: open archive %s: file does not exist: give the directory of a coordinator, or a URL such as postgres://USER@HOST:PORT/DATABASE", path)}
	}
	return nil
}

// checkPlace refuses an invalid URL in an argument, and one of something else.
func checkPlace(argument, where string) error {
	var err error
	u, bad := url.Parse(where)
	switch {
	case where == "": // such as a variable of a script that is not set
		err = errors.New("it is empty: want a directory, or postgres://USER@HOST:PORT/DATABASE")
	case isURL(where):
		err = postgres.Check(where)
	case bad == nil && (u.Host != "" || u.Scheme == "postgres" || u.Scheme == "postgresql"): // which may have a password
		err = fmt.Errorf("invalid archive with scheme %q: want a directory, or postgres://USER@HOST:PORT/DATABASE", u.Scheme)
	}
	if err != nil {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("%s: %w", argument, err)}
	}
	return nil
}
