package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Files are files that appear together, each complete, or not at all. They are written to temporary names and put in
// place by Commit. Discard removes those that are not in place; it is a no-op after Commit.
type Files struct {
	replace bool
	open    []*pending
}

// pending is a file that is being written.
type pending struct {
	path string
	temp *os.File
	*bufio.Writer
	placed bool
}

// renamed writes to the temporary file. Errors have the name that it will have.
type renamed struct{ of *pending }

// Write writes to the temporary file.
func (n renamed) Write(text []byte) (int, error) {
	count, err := n.of.temp.Write(text)
	if err != nil {
		err = failed(n.of.path, err)
	}
	return count, err
}

// failed is an error of the file system with the name of the file that was to be written, and the cure where another directory is one.
func failed(path string, err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("write %s: %w; choose another directory", path, err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// NewFiles returns an empty set. Existing files are only overwritten if replace is set.
func NewFiles(replace bool) *Files { return &Files{replace: replace} }

// Create begins a file.
func (f *Files) Create(path string) (io.Writer, error) {
	path = filepath.Clean(path)
	if slices.ContainsFunc(f.open, func(p *pending) bool { return p.path == path }) {
		return nil, fmt.Errorf("write %s: the path is used twice", path)
	}
	if _, err := os.Lstat(path); err == nil && !f.replace {
		return nil, existing(path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".benchctl-*")
	if err != nil {
		return nil, failed(path, err)
	}
	p := &pending{path: path, temp: temp}
	p.Writer = bufio.NewWriterSize(renamed{p}, 1<<16)
	f.open = append(f.open, p)
	return p, nil
}

func existing(path string) error {
	return fmt.Errorf("write %s: %w; give --force to replace it, or another --out", path, fs.ErrExist)
}

// Paths are the files' names, in the order of Create.
func (f *Files) Paths() []string {
	paths := make([]string, len(f.open))
	for i, p := range f.open {
		paths[i] = p.path
	}
	return paths
}

// Commit puts all files in place. If that fails, no new file remains.
func (f *Files) Commit() error {
	for _, p := range f.open {
		if err := p.Flush(); err != nil {
			return err
		}
		if err := errors.Join(p.temp.Chmod(0o644), p.temp.Close()); err != nil {
			return failed(p.path, err)
		}
	}
	for i, p := range f.open {
		if err := f.place(p); err != nil {
			for _, done := range f.open[:i] {
				if !f.replace {
					err = errors.Join(err, os.Remove(done.path))
				}
			}
			return err
		}
	}
	return nil
}

func (f *Files) place(p *pending) error {
	err := errors.ErrUnsupported
	if !f.replace {
		err = os.Link(p.temp.Name(), p.path) // unlike a rename, it overwrites nothing
	}
	switch {
	case err == nil:
		return nil // Discard removes the other name
	case errors.Is(err, fs.ErrExist):
		return existing(p.path)
	}
	if err := os.Rename(p.temp.Name(), p.path); err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	p.placed = true
	return nil
}

// Discard removes the files that are not in place.
func (f *Files) Discard() {
	for _, p := range f.open {
		_ = p.temp.Close() // closed by Commit, or no longer needed
		if !p.placed {
			_ = os.Remove(p.temp.Name())
		}
	}
	f.open = nil
}
