package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/foreign"
	"github.com/benchd/benchd/internal/remote"
)

// importFlags describe the suite that files of another program become.
type importFlags struct {
	connect           *connectFlags
	name, of, note    string
	tags              config.Pairs
	loop, phase, unit string
	foreignOnly       []string // the flags that an exported suite does not take
}

func importCommand() cli.Command {
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Add an exported suite, or results of YCSB, to the archive",
		Long: `Import adds a suite that "benchctl export" wrote to the archive, and prints its id, which stays the same. It rejects a damaged
file, a file of a newer benchd, and a suite that the archive has already; nothing of a rejected file is stored. "-" is
standard input.

Import also adds results that another program measured: the text or JSON output of YCSB, and HdrHistogram logs such as
those of hdrhistogram.fileoutput. They become a suite of one case, marked as foreign, with what the files contain and
nothing else. Each argument is a repeat of the case: a file, several files of one run with + between them (result.txt+READ.hdr), or
a folder with the files of one run. The format is recognized by the content. What no file contains can be stated with
--loop, --phase and --unit; the result names it.`,
		Example: `  benchctl import 20260301-k7mp.benchd
  id=$(benchctl import 20260301-k7mp.benchd) && benchctl show "$id"
  benchctl import run1.txt run2.txt run3.txt run4.txt --name "YCSB, workload c"
  benchctl import result.txt+READ.hdr+UPDATE.hdr --note "threads 64, before the upgrade"
  benchctl import run1/ run2/ run3/ run4/ --case c-64
  benchctl import latency-READ.hlog --unit us --loop closed`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("FILE is missing: `%s`", cmd.UseLine())
			}
			return nil
		},
	}
	f := importFlags{connect: addConnectFlags(cmd), foreignOnly: []string{"name", "case", "note", "tag", "loop", "phase", "unit"}}
	fs := cmd.Flags()
	fs.StringVar(&f.name, "name", "", "name the suite of foreign results with `TEXT`; default is the first file's name")
	fs.StringVar(&f.of, "case", "", "name their case with `TEXT`; default is the suite's name")
	fs.StringVar(&f.note, "note", "", "store `TEXT` with foreign results")
	config.PairsVar(fs, &f.tags, "tag", "", "store a tag with foreign results; repeatable")
	fs.StringVar(&f.loop, "loop", "", "the `LOOP` of foreign results whose files do not name it: open or closed")
	fs.StringVar(&f.phase, "phase", "", "the `PHASE` of foreign results: load or measure")
	fs.StringVar(&f.unit, "unit", "", "the `UNIT` of the times in histogram logs that do not name it: ns, us or ms")
	config.Complete(cmd, "loop", []string{"open", "closed"})
	config.Complete(cmd, "phase", []string{"load", "measure"})
	config.Complete(cmd, "unit", []string{"ns", "us", "ms"})
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		exported, err := f.exported(c, args)
		if err != nil {
			return err
		}
		if exported != nil {
			defer func() { _ = exported.Close() }()
			for _, name := range f.foreignOnly {
				if cmd.Flags().Changed(name) {
					return usage(fmt.Errorf("--%s is for results of other programs: an exported suite has its own", name))
				}
			}
			return f.send(c, func(client *remote.Client) (string, error) { return client.Import(ctx, exported) })
		}
		all, err := f.foreign(c, args)
		if err != nil {
			return err
		}
		return f.send(c, func(client *remote.Client) (string, error) { return client.ImportForeign(ctx, all) })
	}}
}

// send imports, and prints the id of the suite.
func (f *importFlags) send(c *cli.Context, send func(*remote.Client) (string, error)) error {
	client, err := f.connect.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	id, err := send(client)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, id)
	return err
}

// exported opens the file of benchctl export that a command line names; nil if it names other files.
func (*importFlags) exported(c *cli.Context, args []string) (io.ReadCloser, error) {
	if args[0] == "-" && len(args) == 1 {
		return io.NopCloser(c.In), nil
	}
	for _, name := range args {
		info, err := os.Stat(name)
		if err != nil || info.IsDir() {
			continue // with +, or missing: foreign reports it
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, usage(fmt.Errorf("import: %w", err))
		}
		head := make([]byte, 2)
		_, err = io.ReadFull(file, head)
		if err != nil || !bytes.Equal(head, []byte{0x1f, 0x8b}) && filepath.Ext(name) != ".benchd" { // gzip
			_ = file.Close()
			continue
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil || len(args) > 1 {
			_ = file.Close()
			return nil, usage(errors.Join(err, fmt.Errorf("import %s: an exported suite is imported alone", name)))
		}
		return file, nil
	}
	return nil, nil //nolint:nilnil // the files are of another program
}

// foreign reads the files of a command line, and checks their formats before anything is sent.
func (f *importFlags) foreign(c *cli.Context, args []string) (remote.Foreign, error) {
	out := remote.Foreign{Name: f.name, Case: f.of, Note: f.note, Tags: f.tags.Map(), SubmittedBy: submitter(), Stated: foreign.Stated{Loop: f.loop, Phase: f.phase}}
	units := map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond}
	if f.unit != "" && units[f.unit] == 0 {
		return out, usage(fmt.Errorf("--unit: invalid unit %q: want ns, us or ms", f.unit))
	}
	out.Stated.Unit = units[f.unit]
	if err := out.Stated.Validate(); err != nil {
		return out, usage(fmt.Errorf("import: %w", err))
	}
	var warnings []string
	for _, name := range args {
		files, err := foreignFiles(name)
		if err != nil {
			return out, usage(fmt.Errorf("import: %w", err))
		}
		run, err := foreign.Read(files, out.Stated)
		if err != nil {
			return out, usage(fmt.Errorf("import: %w%s", err, ownResult(files)))
		}
		for _, text := range run.Warnings {
			if !slices.Contains(warnings, text) {
				warnings = append(warnings, text)
			}
		}
		out.Runs = append(out.Runs, files)
	}
	warn(c, warnings)
	out.Name = cmp.Or(out.Name, filepath.Base(strings.TrimRight(args[0], "/")))
	return out, nil
}

// ownResult is what to do with a result of benchd.
func ownResult(files []foreign.File) string {
	for _, file := range files {
		if text := bytes.TrimSpace(file.Content); bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"schema"`)) {
			return "; a result of benchd is imported from the file of `benchctl export`"
		}
	}
	return ""
}

// foreignFiles reads the files of one run: of a folder, or with + between their names.
func foreignFiles(name string) ([]foreign.File, error) {
	names := []string{name}
	info, err := os.Stat(name)
	switch {
	case err != nil && strings.Contains(name, "+"):
		names = strings.Split(name, "+")
	case err != nil:
		return nil, err
	case info.IsDir():
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				names = append(names, filepath.Join(name, e.Name()))
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: the folder has no file", name)
		}
	}
	if len(names) > foreign.MaxFiles {
		return nil, fmt.Errorf("%s: %d files of a run: at most %d are read", name, len(names), foreign.MaxFiles)
	}
	out := make([]foreign.File, 0, len(names))
	left := int64(foreign.MaxBytes)
	for _, path := range names {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(io.LimitReader(file, left+1))
		_ = file.Close()
		if err != nil {
			return nil, err
		}
		if left -= int64(len(content)); left < 0 {
			return nil, fmt.Errorf("%s: the files of the run have more than %d MiB: at most that is read", name, foreign.MaxBytes>>20)
		}
		out = append(out, foreign.File{Name: filepath.Base(path), Content: content})
	}
	return out, nil
}
