package webhook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/secret"
)

// maxFile bounds the size of a file in bytes, and maxHooks the hooks in it.
const (
	maxFile  = 1 << 20
	maxHooks = 64
)

// Mistake is one mistake in a file.
type Mistake struct {
	Line, Column int
	Text         string
}

// Mistakes are all mistakes in a file.
type Mistakes struct {
	Path string
	Each []Mistake
}

// Error has a line for each mistake, with its place.
func (m *Mistakes) Error() string {
	lines := make([]string, len(m.Each))
	for i, one := range m.Each {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", m.Path, one.Line, one.Column, one.Text)
	}
	return strings.Join(lines, "\n")
}

// ExitCode is the exit code of a usage error.
func (*Mistakes) ExitCode() int { return 2 }

// File is a file of hooks, which is read again when it has changed. Its methods are safe for concurrent use.
type File struct {
	path    string
	secrets secret.Resolver
	log     *slog.Logger

	mu     sync.Mutex
	stamp  stamp
	rules  *Rules
	broken error // why the file of this stamp is not in use
}

// stamp distinguishes the states of a file.
type stamp struct {
	size    int64
	changed time.Time
	inode   os.FileInfo
}

func (s stamp) same(other stamp) bool {
	return s.size == other.size && s.changed.Equal(other.changed) && s.inode != nil && other.inode != nil && os.SameFile(s.inode, other.inode)
}

// OpenFile reads a file. Secrets has the variables and the credentials that the file may name.
func OpenFile(path string, secrets secret.Resolver, log *slog.Logger) (*File, error) {
	f := &File{path: path, secrets: secrets, log: log}
	now, err := f.stat()
	if err == nil {
		f.stamp = now
		f.rules, err = f.read()
	}
	if err != nil {
		return nil, err
	}
	for i := range f.rules.Hooks { // at the start an operator is there to read it
		if _, err := f.rules.address(&f.rules.Hooks[i]); err != nil {
			return nil, f.unusable(&f.rules.Hooks[i], err)
		}
		if _, _, err := f.rules.material(&f.rules.Hooks[i]); err != nil {
			return nil, f.unusable(&f.rules.Hooks[i], err)
		}
	}
	return f, nil
}

// UnusableError reports that a file or a secret of a hook cannot be read.
type UnusableError struct {
	Path, Hook string
	Err        error
}

// Error names the file and the hook.
func (e *UnusableError) Error() string { return fmt.Sprintf("%s: hook %s: %v", e.Path, e.Hook, e.Err) }

// Unwrap returns the problem.
func (e *UnusableError) Unwrap() error { return e.Err }

// ExitCode is the exit code of a usage error.
func (*UnusableError) ExitCode() int { return 2 }

func (f *File) unusable(h *Hook, err error) error {
	return &UnusableError{Path: f.path, Hook: h.Name, Err: err}
}

func (f *File) stat() (stamp, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return stamp{}, fmt.Errorf("read hooks: %w", err)
	}
	return stamp{info.Size(), info.ModTime(), info}, nil
}

func (f *File) read() (*Rules, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, fmt.Errorf("read hooks: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read hooks: %w", err)
	}
	rules, err := Parse(f.path, text)
	if err != nil {
		return nil, err
	}
	rules.secrets = f.secrets
	return rules, nil
}

// Rules returns the rules of the file as it is now, or, if it is broken, those of the last one that was not.
func (f *File) Rules() *Rules {
	rules, _ := f.current()
	return rules
}

// current returns the rules, and why a changed file is not in use.
func (f *File) current() (*Rules, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.stat()
	if err == nil && now.same(f.stamp) {
		return f.rules, f.broken
	}
	var rules *Rules
	if err == nil {
		rules, err = f.read()
	}
	if err != nil {
		if f.broken == nil || f.broken.Error() != err.Error() {
			f.log.Error("webhooks: the changed file is not used, the former hooks remain", "error", err)
		}
		f.broken, f.stamp = err, now
		return f.rules, err
	}
	f.log.Info("webhooks: the changed file is used", "file", f.path, "hooks", len(rules.Hooks))
	f.rules, f.broken, f.stamp = rules, nil, now
	return rules, nil
}

// Parse reads the content of a file. The error is of type *Mistakes and never contains a URL or a secret.
func Parse(name string, text []byte) (*Rules, error) {
	p := &parser{mistakes: Mistakes{Path: name}, rules: &Rules{folder: filepath.Dir(name)}}
	if len(text) > maxFile {
		p.mistake(nil, "the file has more than %d bytes", maxFile)
		return nil, &p.mistakes
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.mistake(nil, "the file is empty: want a list \"hooks:\"")
	case err != nil:
		p.syntax(err)
	default:
		if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
			p.mistake(nil, "the file has more than one YAML document; remove all but one")
		}
		p.document(doc.Content[0])
	}
	if len(p.mistakes.Each) > 0 {
		slices.SortStableFunc(p.mistakes.Each, func(a, b Mistake) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
		return nil, &p.mistakes
	}
	return p.rules, nil
}
