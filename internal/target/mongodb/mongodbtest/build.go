package mongodbtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// ferretDB is the version that is built. The module in folder ferretdb pins it and its checksum.
const ferretDB = "v1.24.2"

// cache returns the folder of what tests have fetched, shared by all checkouts.
func cache() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(home, ".cache", "benchd"), nil
}

// locked runs do alone among all processes that use a folder of the cache.
func locked(folder string, do func() error) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder of the cache: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock folder of the cache: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock folder of the cache: %w", err)
	}
	return do()
}

// build returns the path of FerretDB's program, which it builds the first time. FerretDB's own main package needs a file that the module
// does not have, with its version, so its source is copied to the cache.
func build(ctx context.Context) (string, error) {
	top, err := cache()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(top, "ferretdb-"+ferretDB+"-"+runtime.Version())
	program := filepath.Join(folder, "ferretdb")
	err = locked(folder, func() error {
		if _, err := os.Stat(program); err == nil {
			return nil
		}
		source := filepath.Join(folder, "src")
		if err := copySource(ctx, source); err != nil {
			return err
		}
		part := program + ".part"
		if _, err := run(ctx, source, []string{"GOWORK=off", "GOFLAGS=-mod=readonly"}, "go", "build", "-o", part, "./cmd/ferretdb"); err != nil {
			return err
		}
		return os.Rename(part, program)
	})
	if err != nil {
		return "", fmt.Errorf("build FerretDB %s: %w", ferretDB, err)
	}
	return program, nil
}

// copySource copies the source of FerretDB.
func copySource(ctx context.Context, to string) error {
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		return errors.New("find the module of FerretDB")
	}
	out, err := run(ctx, filepath.Join(filepath.Dir(here), "ferretdb"), []string{"GOWORK=off"}, "go", "mod", "download", "-json", "github.com/FerretDB/FerretDB")
	if err != nil {
		return err
	}
	var module struct{ Dir, Version string }
	if err := json.Unmarshal(out, &module); err != nil {
		return fmt.Errorf("read the answer of go mod download: %w", err)
	}
	if module.Version != ferretDB {
		return fmt.Errorf("the module in folder ferretdb pins %s, not %s", module.Version, ferretDB)
	}
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("remove an unfinished copy: %w", err)
	}
	if err := os.CopyFS(to, os.DirFS(module.Dir)); err != nil {
		return fmt.Errorf("copy the source: %w", err)
	}
	if err := os.Chmod(filepath.Join(to, "build", "version"), 0o755); err != nil {
		return fmt.Errorf("copy the source: %w", err)
	}
	return os.WriteFile(filepath.Join(to, "build", "version", "version.txt"), []byte(ferretDB+"\n"), 0o600)
}

// run runs a program, and returns its output. The error has what it printed.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out, fmt.Errorf("%s %v: %w: %s%s", name, args, err, out, exit.Stderr)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}
