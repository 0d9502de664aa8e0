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
)

// Files are files that appear together, each complete, or not at all. They are written beside their places and put
// there by Commit; Discard, which does no harm after that, removes what was not.
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

// NewFiles makes an empty set. Only with replace a file may take the place of another.
func NewFiles(replace bool) *Files { return &Files{replace: replace} }

// Create begins a file.
func (f *Files) Create(path string) (io.Writer, error) {
	path = filepath.Clean(path)
	if slices.ContainsFunc(f.open, func(p *pending) bool { return p.path == path }) {
		return nil, fmt.Errorf("write %s: it is to be written twice", path)
	}
	if _, err := os.Lstat(path); err == nil && !f.replace {
		return nil, existing(path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".benchctl-*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	p := &pending{path: path, temp: temp, Writer: bufio.NewWriterSize(temp, 1<<16)}
	f.open = append(f.open, p)
	return p, nil
}

func existing(path string) error {
	return fmt.Errorf("write %s: %w; give --force to replace it, or another --out", path, fs.ErrExist)
}

// Paths are the files' names, in the order in which they were begun.
func (f *Files) Paths() []string {
	paths := make([]string, len(f.open))
	for i, p := range f.open {
		paths[i] = p.path
	}
	return paths
}

// Commit puts all files into their places. Where that fails none is there that was not there before.
func (f *Files) Commit() error {
	for _, p := range f.open {
		if err := errors.Join(p.Flush(), p.temp.Chmod(0o644), p.temp.Close()); err != nil {
			return fmt.Errorf("write %s: %w", p.path, err)
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
		err = os.Link(p.temp.Name(), p.path) // unlike a renaming it replaces nothing
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

// Discard removes what is not in its place.
func (f *Files) Discard() {
	for _, p := range f.open {
		_ = p.temp.Close() // closed by Commit, or of no use any more
		if !p.placed {
			_ = os.Remove(p.temp.Name())
		}
	}
	f.open = nil
}
