package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/target"
	"github.com/benchd/benchd/internal/trace"
	"github.com/benchd/benchd/internal/trace/capture"
)

type captureFlags struct {
	out, format, table string
	force, hash        bool
	secret             string
}

func captureCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:   "capture LOG…",
		Short: "Make a trace from logs of operations, which a run can repeat",
		Long: `Capture reads logs of operations and writes a trace: a compact file with the time, the kind, the key and the size of each
operation on one table. A run with -p trace=FILE repeats it, and "benchctl trace" summarizes it. "-" is standard input.

Logs are CSV with a header, JSON lines, or a server's own log of requests (docs/traces.md); the first lines decide, or --format. CSV and
JSON have the values time (RFC 3339, or seconds since 1970; or time_ms, time_us, time_ns), operation, key or key_hash, and
perhaps table, size (bytes) and rows (of a scan). Other values are ignored. Several logs are merged by time.

All mistakes are reported with file, line and column, and then no trace is written.`,
		Example: `  benchctl capture app.csv --out app.trace
  benchctl capture rs1.log rs2.log --from-table usertable --hash-keys --out usertable.trace
  zcat requests.jsonl.gz | benchctl capture - --out requests.trace
  benchctl run --db null -p trace=app.trace -p replay.speed=4 --threads 32`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("LOG is missing: `%s`", cmd.UseLine())
			}
			return nil
		},
	}
	var f captureFlags
	fs := cmd.Flags()
	fs.StringVar(&f.out, "out", "", "`FILE` to write; required")
	fs.BoolVar(&f.force, "force", false, "replace an existing file")
	config.Enum(cmd, &f.format, "format", "", "format of the logs", capture.Formats(targets.Descriptors())...)
	fs.StringVar(&f.table, "from-table", "", "keep only operations on the table `NAME`; required if the logs have several")
	fs.BoolVar(&f.hash, "hash-keys", false, "keep only hashes of keys, by a secret that is not stored")
	fs.StringVar(&f.secret, "hash-secret", "", "with --hash-keys: read the secret from `FILE`, so that several captures have the same hashes")
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, args []string) error {
		return runCapture(c, cmd, targets, &f, args)
	}}
}

func runCapture(c *cli.Context, cmd *cobra.Command, targets target.List, f *captureFlags, args []string) error {
	wrong := func(err error) error { return &cli.UsageError{Command: cmd.CommandPath(), Err: err} }
	if f.out == "" {
		return wrong(errors.New("--out is missing: name the trace, such as --out app.trace"))
	}
	if f.secret != "" && !f.hash {
		return wrong(errors.New("--hash-secret needs --hash-keys"))
	}
	settings := capture.Config{Targets: targets.Descriptors(), Format: capture.Format(f.format), Table: f.table, Hash: f.hash}
	if f.hash {
		var err error
		if settings.Secret, err = hashSecret(f.secret); err != nil {
			return wrong(err)
		}
	}
	var opened []*os.File
	defer func() {
		for _, file := range opened {
			_ = file.Close()
		}
	}()
	inputs := make([]capture.Input, 0, len(args))
	var missing []error
	for _, name := range args {
		if name == "-" {
			inputs = append(inputs, capture.Input{Name: "standard input", From: c.In})
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			missing = append(missing, err)
			continue
		}
		opened = append(opened, file)
		inputs = append(inputs, capture.Input{Name: name, From: file})
	}
	if len(missing) > 0 {
		return wrong(errors.Join(missing...))
	}
	files := report.NewFiles(f.force)
	defer files.Discard()
	out, err := files.Create(f.out)
	if errors.Is(err, fs.ErrExist) {
		err = &cli.Error{Code: cli.Usage, Err: err}
	}
	if err != nil {
		return err
	}
	made, err := capture.Capture(inputs, settings, out)
	if err != nil {
		return &cli.Error{Code: cli.Usage, Err: fmt.Errorf("capture: %w", err)}
	}
	if err := files.Commit(); err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(made.Skipped)) {
		_, _ = fmt.Fprintf(c.Err, "skipped: %d %s\n", made.Skipped[reason], reason)
	}
	_, err = io.WriteString(c.Out, f.out+": "+cardLine(made.Card)+"\n")
	return err
}

// hashSecret reads the secret of hashes from a file, or makes one.
func hashSecret(name string) ([]byte, error) {
	if name == "" {
		secret := make([]byte, 32)
		_, err := rand.Read(secret)
		return secret, err
	}
	secret, err := read(name)
	if err == nil && len(strings.TrimSpace(string(secret))) < 16 {
		err = errors.New("it has less than 16 characters")
	}
	if err != nil {
		return nil, fmt.Errorf("read the secret of --hash-secret %s: %w", name, err)
	}
	return secret, nil
}

// cardLine describes a trace on one line.
func cardLine(card trace.Card) string {
	keys := "keys"
	if card.Hashed {
		keys = "hashed keys"
	}
	return fmt.Sprintf("%d operations on %d %s in %v", card.Ops, card.Keys, keys, card.Length.Round(time.Millisecond))
}
