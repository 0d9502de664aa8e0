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
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	p := &pending{path: path, temp: temp, Writer: bufio.NewWriterSize(temp, 1<<16)}
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
