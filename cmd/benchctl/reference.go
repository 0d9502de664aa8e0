package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/foreign"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/target"
)

// reader reads the results that a command line refers to. It connects to the coordinator only for an ID.
type reader struct {
	connect *connectFlags
	targets target.List
	series  bool           // the figures of series are needed
	client  *remote.Client // nil before the first ID
	newest  time.Time      // when the newest of the compared results was submitted
	opened  []io.Closer    // clusters that hold exported results
}

func (r *reader) close() {
	if r.client != nil {
		_ = r.client.Close()
	}
	for _, c := range r.opened {
		_ = c.Close() // its archive is thrown away
	}
}

// documents returns the JSON of the results that a reference names: IDs and files with commas between them, each with an
// optional selection of cases, which is the same for all.
func (r *reader) documents(ctx context.Context, reference string) (texts [][]byte, only compare.Selection, err error) {
	selected := ""
	for i, part := range strings.Split(reference, ",") {
		name, of := splitReference(part)
		if i > 0 && of != selected {
			return nil, only, usage(fmt.Errorf("%s: results that are put together need the same selection: write :CASE or @TARGET behind each of them or none", reference))
		}
		selected = of
		text, err := r.document(ctx, name)
		if err != nil {
			return nil, only, err
		}
		texts = append(texts, text)
	}
	if only, err = compare.ParseSelection(selected); err != nil {
		return nil, only, usage(fmt.Errorf("%s: %w", reference, err))
	}
	return texts, only, nil
}

// splitReference splits a reference into the name of a result and a selection: behind the name of a file, or at the first
// colon or at sign.
func splitReference(reference string) (name, selected string) {
	if _, err := os.Stat(reference); err == nil {
		return reference, ""
	}
	for i := range len(reference) {
		if reference[i] == ':' || reference[i] == '@' {
			if _, err := os.Stat(reference[:i]); err == nil {
				return reference[:i], reference[i:]
			}
		}
	}
	if i := strings.IndexAny(reference, ":@"); i >= 0 {
		return reference[:i], reference[i:]
	}
	return reference, ""
}

// document is the JSON of one result.
func (r *reader) document(ctx context.Context, name string) ([]byte, error) {
	read, err := r.read(ctx, name)
	return read.text, err
}

// readResult is a result with the source of what its JSON does not contain.
type readResult struct {
	id     string // of the result where its source has it; empty for a file
	text   []byte
	source report.Source
}

// read reads one result: a file where there is one of that name, else a suite or run of the coordinator.
func (r *reader) read(ctx context.Context, name string) (readResult, error) {
	ofFile := func(text []byte, err error) (readResult, error) {
		return readResult{text: text, source: report.FileSource{Name: name}}, err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() || err != nil && isSum(name) {
		return ofFile(foreignDocument(name))
	}
	text, err := os.ReadFile(name)
	switch {
	case err == nil && bytes.HasPrefix(text, []byte{0x1f, 0x8b}): // gzip
		return r.exported(ctx, name)
	case err == nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && !isForeign(name, text):
		return ofFile(text, nil)
	case err == nil:
		return ofFile(foreignDocument(name))
	case strings.ContainsAny(name, "/.") && !runID(name):
		return readResult{}, usage(fmt.Errorf("read result: %w", err))
	}
	if r.client == nil {
		if r.client, err = r.connect.dial(); err != nil {
			return readResult{}, err
		}
	}
	text, err = r.client.Result(ctx, name)
	return readResult{id: name, text: text, source: r.client}, err
}

// isSum reports whether a name is several files with + between them.
func isSum(name string) bool {
	first, _, found := strings.Cut(name, "+")
	if !found {
		return false
	}
	_, err := os.Stat(first)
	return err == nil
}

func isForeign(name string, text []byte) bool {
	_, err := foreign.FormatOf(foreign.File{Name: name, Content: text})
	return err == nil
}

// foreignDocument makes a result of the files of another program. Its ID is their name, so that a comparison can name it.
func foreignDocument(name string) ([]byte, error) {
	files, err := foreignFiles(name)
	if err != nil {
		return nil, usage(fmt.Errorf("read result: %w", err))
	}
	run, err := foreign.Read(files, foreign.Stated{})
	if err != nil && strings.Contains(err.Error(), "state it with --") {
		err = fmt.Errorf("%w at benchctl import, and compare the suite", err)
	}
	if err != nil {
		return nil, usage(fmt.Errorf("read result: %w", err))
	}
	run.ID, run.Name, run.Case = name, name, run.Provenance.Foreign.String()
	return json.Marshal(run)
}

// runID reports whether a name with a dot is the ID of a run, such as 20260301-k7mp.2.
func runID(name string) bool {
	_, number, _ := strings.Cut(name, ".")
	return number != "" && strings.Trim(number, "0123456789") == "" && !strings.Contains(name, "/")
}

// exported reads the result in a file of benchctl export: a coordinator in this process imports it into an archive that
// close throws away.
func (r *reader) exported(ctx context.Context, name string) (readResult, error) {
	file, err := os.Open(name)
	if err != nil {
		return readResult{}, usage(fmt.Errorf("read result: %w", err))
	}
	defer func() { _ = file.Close() }()
	cluster, err := dev.Start(ctx, dev.Config{Targets: r.targets})
	if err != nil {
		return readResult{}, err
	}
	r.opened = append(r.opened, cluster)
	client := remote.New(cluster.Conn(), io.NopCloser(nil), "this process")
	id, err := client.Import(ctx, file)
	if err != nil {
		return readResult{}, usage(fmt.Errorf("read result %s: %w", name, err))
	}
	text, err := client.Result(ctx, id)
	return readResult{id: id, text: text, source: client}, err
}

// side reads the side of a comparison that a reference names.
func (r *reader) side(ctx context.Context, reference string) (compare.Side, error) {
	texts, only, err := r.documents(ctx, reference)
	if err != nil {
		return compare.Side{}, err
	}
	return r.sideOf(reference, texts, only)
}

// sideOf makes a side of results.
func (r *reader) sideOf(name string, texts [][]byte, only compare.Selection) (compare.Side, error) {
	s := remote.Sides{Targets: r.targets.Descriptors(), Series: r.series, Newest: r.newest}
	side, err := s.Side(name, texts, only)
	r.newest = s.Newest
	return side, err
}

func usage(err error) error { return &cli.Error{Code: cli.Usage, Err: err} }
