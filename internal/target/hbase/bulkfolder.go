package hbase

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/hdfs"
	"github.com/benchd/benchd/internal/workload"
)

// bulk is the folder of the HFiles that a load writes. Servers find it by the same URL.
type bulk struct {
	folder hbasespec.Folder
	files  files
	log    *slog.Logger
	probe  sync.Once
	wrong  error // why the servers cannot load files from it
}

// files is the folder as the agent writes to it. Its methods may be called from several goroutines.
type files interface {
	// Create makes a file, which all users may write to and move away.
	Create(name string) (io.WriteCloser, error)
	// Remove removes a file, if it exists.
	Remove(name string) error
	// Close removes the folder with what is left in it.
	Close() error
}

// openBulk makes a folder of the agent's own below the directory of a bulk load.
func openBulk(ctx context.Context, settings hbasespec.Settings, s load.Settings, log *slog.Logger) (*bulk, error) {
	directory := settings.Bulk.Folder
	top, err := topOf(s.WriteBelow)
	if err != nil {
		return nil, err
	}
	way, ok := directory.Below(top)
	switch {
	case s.WriteBelow == "":
		return nil, fmt.Errorf("hbase.bulkload.directory=%s: this agent writes no files for runs; its operator allows it with --write-below %s", directory, example(directory))
	case !ok:
		return nil, fmt.Errorf("hbase.bulkload.directory=%s: this agent writes files only below %s (--write-below); its operator can name another folder, such as --write-below %s",
			directory, s.WriteBelow, example(directory))
	}
	plain := strings.NewReplacer("/", "-", ":", "-")
	own := "benchd-" + plain.Replace(s.Run) + "-" + plain.Replace(s.Agent)
	b := &bulk{folder: directory.Join(own), log: log}
	way = filepath.Join(way, own)
	if directory.HDFS == "" {
		if b.files, err = openLocal(top.Path, way); err != nil {
			return nil, err
		}
		return b, nil
	}
	b.files, err = hdfs.Open(ctx, hdfs.Config{
		Namenodes: settings.Bulk.Namenodes, Hostnames: settings.Bulk.Hostnames, User: settings.User, Top: top.Path, Way: way, Dial: s.Dial,
		Timeout: min(settings.RPCTimeout, openWithin),
	})
	if err != nil {
		return nil, fmt.Errorf("hbase.bulkload.directory=%s: %w", directory, err)
	}
	return b, nil
}

// example returns a value of --write-below that allows a directory.
func example(directory hbasespec.Folder) string {
	if directory.HDFS == "" {
		return directory.Path
	}
	return directory.String()
}

// topOf parses the folder of --write-below: a local one, or the URL of one in HDFS.
func topOf(below string) (hbasespec.Folder, error) {
	if !strings.HasPrefix(below, "hdfs:") {
		return hbasespec.Folder{Path: below}, nil
	}
	top, err := hbasespec.ParseFolder(below)
	if err != nil {
		return top, fmt.Errorf("read --write-below of this agent: %w", err)
	}
	return top, nil
}

// write writes a file with a name of its own, which it returns. A file that could not be written whole is removed.
func (b *bulk) write(content func(w io.Writer) error) (string, error) {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	name := hex.EncodeToString(id[:])
	w, err := b.files.Create(name)
	if err == nil {
		if err = errors.Join(content(w), w.Close()); err != nil {
			b.remove(name)
		}
	}
	if err != nil {
		return "", &notWritten{&Failure{Code: workload.Error, Text: "write an HFile below " + b.folder.String(), Err: err}}
	}
	return name, nil
}

// notWritten is the error of a file that the agent could not write.
type notWritten struct{ error }

// Unwrap returns the failure.
func (n *notWritten) Unwrap() error { return n.error }

// passes reports whether a file can be written in another try: HDFS's client does not replace a server that fails.
func (n *notWritten) passes() bool {
	e, ok := errors.AsType[*hdfs.Error](n.error)
	return ok && e.Passing
}

// remove removes a file that the server has not moved away. What is left goes with the folder.
func (b *bulk) remove(name string) {
	if err := b.files.Remove(name); err != nil {
		b.log.Warn("cannot remove a file of a bulk load", "folder", b.folder.String(), "file", name, "error", err)
	}
}

// local is a folder of the local file system. Files outside of it cannot be reached, not even through links.
type local struct {
	path string
	root *os.Root
}

// openLocal makes the folder way below top.
func openLocal(top, way string) (*local, error) {
	outer, err := os.OpenRoot(top)
	if err != nil {
		return nil, fmt.Errorf("open the folder of --write-below: %w", err)
	}
	defer func() { _ = outer.Close() }()
	if err := outer.MkdirAll(way, 0o777); err != nil {
		return nil, fmt.Errorf("make the folder of a bulk load: %w", err)
	}
	if err := outer.Chmod(way, 0o777); err != nil { // the servers move the files away, perhaps as another user
		return nil, fmt.Errorf("let the servers of HBase write to the folder of a bulk load: %w", err)
	}
	root, err := outer.OpenRoot(way)
	if err != nil {
		return nil, fmt.Errorf("open the folder of a bulk load: %w", err)
	}
	return &local{path: filepath.Join(top, way), root: root}, nil
}

// Create implements files.
func (l *local) Create(name string) (io.WriteCloser, error) {
	f, err := l.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("create HFile: %w", err)
	}
	if err := f.Chmod(0o666); err != nil {
		return nil, errors.Join(fmt.Errorf("let the servers of HBase move an HFile: %w", err), f.Close())
	}
	return f, nil
}

// Remove implements files.
func (l *local) Remove(name string) error {
	if err := l.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove HFile: %w", err)
	}
	return nil
}

// Close implements files.
func (l *local) Close() error {
	return errors.Join(l.root.Close(), os.RemoveAll(l.path))
}
