package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/suggest"
	"github.com/benchd/benchd/internal/target"
)

// baseline is a result that is remembered under a name, as its file has it.
type baseline struct {
	Schema    int               `json:"schema"`
	Kind      string            `json:"kind"` // "baseline"
	Reference string            `json:"reference"`
	Case      string            `json:"case,omitempty"`
	Selected  string            `json:"selected,omitempty"` // cases by target and axes, as a reference has them
	Saved     time.Time         `json:"saved"`
	Results   []json.RawMessage `json:"results"`
}

const baselineKind = "baseline"

func addBaselineFolder(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "baselines", "", "`DIR` of the baselines; empty: benchctl/baselines in the user's configuration folder")
}

func baselineCommand(targets target.List) cli.Command {
	return cli.Command{
		Command: &cobra.Command{
			Use:   "baseline",
			Short: "Remember results to compare with",
			Long: `A baseline is a copy of a result under a name, for "benchctl compare --baseline NAME". It is a file of its own: it stays when
the coordinator's archive is cleaned, and --baselines DIR keeps it in a folder that others share or a repository has.`,
			Example: `  benchctl baseline save main 20260301-k7mp && benchctl baseline list`,
		},
		Commands: []cli.Command{saveBaselineCommand(targets), listBaselinesCommand(), removeBaselineCommand()},
	}
}

func saveBaselineCommand(targets target.List) cli.Command {
	cmd := &cobra.Command{
		Use:     "save NAME RESULT",
		Short:   "Save a result as a baseline",
		Long:    `Save copies a result, as compare takes it, into a baseline. A baseline of the same name is replaced only with --force.`,
		Example: `  benchctl baseline save main 20260301-k7mp`,
		Args:    cli.Exactly("NAME", "RESULT"),
	}
	connect := addConnectFlags(cmd)
	var folder string
	var force bool
	addBaselineFolder(cmd, &folder)
	cmd.Flags().BoolVar(&force, "force", false, "replace a baseline of that name")
	return cli.Command{Command: cmd, Run: func(ctx context.Context, c *cli.Context, args []string) error {
		path, err := baselinePath(folder, args[0])
		if err != nil {
			return err
		}
		r := reader{connect: connect, targets: targets}
		defer r.close()
		texts, only, err := r.documents(ctx, args[1])
		if err != nil {
			return err
		}
		if _, err := r.sideOf(args[1], texts, only); err != nil {
			return err
		}
		b := baseline{Schema: 1, Kind: baselineKind, Reference: args[1], Case: only.Case, Saved: time.Now().UTC().Truncate(time.Second)}
		if len(only.Where) > 0 {
			b.Selected = only.String()
		}
		for _, text := range texts {
			b.Results = append(b.Results, text)
		}
		content, err := json.Marshal(b)
		if err != nil {
			return fmt.Errorf("save baseline %s: %w", args[0], err)
		}
		return writeBaseline(c, path, content, force)
	}}
}

func writeBaseline(c *cli.Context, path string, content []byte, force bool) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("save baseline: %w", err)
	}
	files := report.NewFiles(force)
	defer files.Discard()
	file, err := files.Create(path)
	if errors.Is(err, fs.ErrExist) {
		return usage(fmt.Errorf("baseline %s exists: replace it with --force, or save under another name", path))
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(append(content, '\n')); err != nil {
		return fmt.Errorf("save baseline: %w", err)
	}
	if err := files.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, path)
	return err
}

func listBaselinesCommand() cli.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the baselines", Example: `  benchctl baseline list`, Args: cli.Exactly()}
	var folder string
	addBaselineFolder(cmd, &folder)
	return cli.Command{Command: cmd, Run: func(_ context.Context, c *cli.Context, _ []string) error {
		dir, err := baselineFolder(folder)
		if err != nil {
			return err
		}
		names, err := baselineNames(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			b, err := openBaseline(filepath.Join(dir, name+".json"), false)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(c.Out, "%-20s  %s  %s\n", name, b.Saved.Format("2006-01-02 15:04"), b.Reference); err != nil {
				return err
			}
		}
		return nil
	}}
}

func removeBaselineCommand() cli.Command {
	cmd := &cobra.Command{Use: "rm NAME", Short: "Remove a baseline", Example: `  benchctl baseline rm main`, Args: cli.Exactly("NAME")}
	var folder string
	addBaselineFolder(cmd, &folder)
	return cli.Command{Command: cmd, Run: func(_ context.Context, _ *cli.Context, args []string) error {
		path, err := baselinePath(folder, args[0])
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return noBaseline(path, args[0], err)
		}
		return nil
	}}
}

// baseline reads the side of a comparison that a baseline is.
func (r *reader) baseline(folder, name string) (compare.Side, error) {
	path, err := baselinePath(folder, name)
	if err != nil {
		return compare.Side{}, err
	}
	b, err := openBaseline(path, r.series)
	if err != nil {
		return compare.Side{}, noBaseline(path, name, err)
	}
	texts := make([][]byte, 0, len(b.Results))
	for _, text := range b.Results {
		texts = append(texts, text)
	}
	only := compare.Selection{Case: b.Case}
	if b.Case == "" {
		if only, err = compare.ParseSelection(b.Selected); err != nil {
			return compare.Side{}, usage(fmt.Errorf("%s: %w", path, err))
		}
	}
	return r.sideOf("baseline "+name, texts, only)
}

func openBaseline(path string, series bool) (b baseline, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return b, err
	}
	if !series {
		content = result.WithoutSeries(content)
	}
	if err := json.Unmarshal(content, &b); err != nil || b.Kind != baselineKind {
		return b, fmt.Errorf("%s is not a baseline: save it again with benchctl baseline save", path)
	}
	return b, nil
}

// noBaseline names the baselines that there are where one is missing.
func noBaseline(path, name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return usage(err)
	}
	dir := filepath.Dir(path)
	names, _ := baselineNames(dir)
	switch near := suggest.Nearest(name, names); {
	case near != "":
		return usage(fmt.Errorf("unknown baseline %q in %s (did you mean %q?)", name, dir, near))
	case len(names) > 0:
		return usage(fmt.Errorf("unknown baseline %q in %s (one of %s)", name, dir, strings.Join(names, ", ")))
	}
	return usage(fmt.Errorf("unknown baseline %q: %s has none; save one with benchctl baseline save %s RESULT", name, dir, name))
}

func baselineNames(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list baselines: %w", err)
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	slices.Sort(names)
	return names, nil
}

func baselineFolder(folder string) (string, error) {
	if folder != "" {
		return folder, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", usage(fmt.Errorf("no folder for baselines: %w; name one with --baselines DIR", err))
	}
	return filepath.Join(dir, "benchctl", "baselines"), nil
}

func baselinePath(folder, name string) (string, error) {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`).MatchString(name) {
		return "", usage(fmt.Errorf("invalid baseline name %q: want up to 64 letters, digits, dots, dashes and underscores", name))
	}
	dir, err := baselineFolder(folder)
	return filepath.Join(dir, name+".json"), err
}
