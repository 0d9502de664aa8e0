package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/benchd/benchd/internal/archive"
)

// lockName is the file in the data directory whose lock means that a coordinator uses the directory. It contains the
// process id for programs that find it locked, and stays when the coordinator ends: removing it would let two coordinators
// lock two files of the same name.
const lockName = "benchd.lock"

// Lock takes the exclusive lock of a data directory whose archive is elsewhere, and creates the directory. Close releases it.
func Lock(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, explain("create data directory", dir, err)
	}
	file, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	return locked{file}, nil
}

type locked struct{ file *os.File }

// Close releases the lock.
func (l locked) Close() error { return unlock(l.file) }

// lockDirectory takes the exclusive lock of a data directory. The kernel releases it when the file is closed or the process
// ends, however it ends.
func lockDirectory(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explain("open lock file", path, err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder := "another benchd coordinator"
		if content, err := io.ReadAll(io.LimitReader(file, 32)); err == nil && len(content) > 0 {
			holder += " (process " + strings.TrimSpace(string(content)) + ")"
		}
		_ = file.Close()
		return nil, archive.Faultf(archive.ErrLocked, nil, "open data directory %s: it is in use by %s: stop that one, or use another directory", dir, holder)
	}
	if err == nil {
		err = writeHolder(file)
	}
	if err != nil {
		_ = file.Close()
		return nil, explain("lock", path, err)
	}
	return file, nil
}

// unlock releases the lock and closes its file. A process that this one is starting at the moment has the file, too, until it executes
// its program: closing alone would leave the lock to it.
func unlock(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}

func writeHolder(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	return err
}
