package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/benchd/benchd/internal/archive"
)

// explain turns an error of SQLite or of the file system into one that names the file and the cure; doing is the attempted
// operation, such as "add windows to".
func explain(doing, path string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*archive.Fault](err); ok {
		return err
	}
	kind := kindOf(err)
	if kind == nil && isIO(err) && outOfSpace(path) {
		kind = archive.ErrFull // SQLite reports a full disk as such only when it writes pages
	}
	switch {
	case errors.Is(kind, archive.ErrFull):
		return archive.Faultf(kind, err, "%s %s: the disk is full: free some space, or use another directory (%v)", doing, path, err)
	case errors.Is(kind, archive.ErrNotWritable):
		return archive.Faultf(kind, err, "%s %s: not writable: let benchd's user write there, or use another directory (%v)", doing, path, err)
	case errors.Is(kind, archive.ErrNotArchive):
		return archive.Faultf(kind, err, "%s %s: the file is not a benchd archive: move it away, or use another directory (%v)", doing, path, err)
	case errors.Is(kind, archive.ErrCorrupt):
		return archive.Faultf(kind, err, "%s %s: the archive is damaged: restore a backup, or save what can be read with \"sqlite3 %s .recover\" (%v)", doing, path, path, err)
	}
	return fmt.Errorf("%s %s: %w", doing, path, err)
}

// kindOf returns the kind of an error of SQLite or of the file system, nil if it has none.
func kindOf(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return archive.ErrFull
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
			return archive.ErrNotWritable
		case sqlite3.SQLITE_NOTADB:
			return archive.ErrNotArchive
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT:
			return archive.ErrCorrupt
		}
		return nil
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return archive.ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR),
		errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		return archive.ErrNotWritable
	}
	return nil
}

// isConstraint reports whether SQLite refuses the values, as opposed to a failure to store them.
func isConstraint(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_TOOBIG:
		return true
	}
	return false
}

func isIO(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_IOERR
}

// outOfSpace reports whether the file system of path has no free block for us.
func outOfSpace(path string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(path, &stat) == nil && stat.Bavail == 0
}
