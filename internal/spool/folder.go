package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// FolderError reports a folder that other users of the machine could have made, or could change.
type FolderError struct {
	Dir, Problem string
}

// Error names the folder and the cure.
func (e *FolderError) Error() string {
	return fmt.Sprintf("folder %s %s, so another user could read, replace or redirect measurements: give a folder of your own with --spool DIR", e.Dir, e.Problem)
}

// Folder opens a folder, which it creates with its parents if necessary. The folder must belong to the user of this process,
// and only that user may write to it. Nothing is opened outside of it through the returned root, whatever links it contains.
func Folder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return owned(root)
}

// FolderBelow opens the folder at path below base, which is created with its parents if necessary, as Below does. Links in
// base are followed, and base may belong to another user, such as the temporary directory of the machine.
func FolderBelow(base, path string) (*os.Root, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return Below(root, path)
}

// Check returns why Folder would refuse a folder, and makes nothing. A folder that does not exist is not refused.
func Check(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	if root, err = owned(root); err != nil {
		return err
	}
	return root.Close()
}

// CheckBelow returns why FolderBelow would refuse the folder at path below base, and makes nothing.
func CheckBelow(base, path string) error {
	root, err := os.OpenRoot(base)
	for name := range strings.SplitSeq(filepath.Clean(path), string(filepath.Separator)) {
		if err != nil {
			break
		}
		var next *os.Root
		next, err = existing(root, name)
		err = errors.Join(err, root.Close())
		root = next
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return root.Close()
}

// Below opens the folder at path below root, and closes root. It creates the folders of path if necessary. None of them may
// be a link, and each must belong to the user of this process alone.
func Below(root *os.Root, path string) (*os.Root, error) {
	for name := range strings.SplitSeq(filepath.Clean(path), string(filepath.Separator)) {
		next, err := below(root, name)
		if err := errors.Join(err, root.Close()); err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// below opens a folder in root, which it creates if necessary.
func below(root *os.Root, name string) (*os.Root, error) {
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make folder %s: %w", filepath.Join(root.Name(), name), err)
	}
	return existing(root, name)
}

// existing opens a folder in root.
func existing(root *os.Root, name string) (*os.Root, error) {
	dir := filepath.Join(root.Name(), name)
	before, err := root.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	if before.Mode()&fs.ModeSymlink != 0 {
		return nil, &FolderError{dir, "is a symbolic link"}
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, err)
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(&FolderError{dir, "was replaced while it was opened"}, next.Close())
	}
	return owned(next)
}

// owned returns root if it belongs to the user of this process alone, and closes it otherwise.
func owned(root *os.Root) (*os.Root, error) {
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open folder %s: %w", root.Name(), err), root.Close())
	}
	problem := ""
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok {
		problem = "has no known owner"
	} else if int64(stat.Uid) != int64(os.Geteuid()) {
		problem = fmt.Sprintf("belongs to user %d instead of user %d, who runs this process", stat.Uid, os.Geteuid())
	} else if mode := info.Mode().Perm(); mode&0o022 != 0 {
		problem = fmt.Sprintf("may be written by others (mode %04o)", mode)
	}
	if problem != "" {
		return nil, errors.Join(&FolderError{root.Name(), problem}, root.Close())
	}
	return root, nil
}
