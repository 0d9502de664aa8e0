// The command bundle makes the style and the script of HTML reports from web/report and the vendored chart library:
//
//	bundle [-check] ROOT
//
// It writes them to internal/report/html, or with -check reports whether the committed ones are what the sources give. In both
// cases the files of the library have to be those of its list of checksums.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	check := flag.Bool("check", false, "compare instead of writing")
	flag.Parse()
	if err := run(flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("find %s: %w", root, err)
	}
	web := filepath.Join(root, "web")
	library := filepath.Join(web, "vendor", "uplot")
	if err := verify(library); err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(library, "LICENSE"))
	if err != nil {
		return fmt.Errorf("read license: %w", err)
	}
	for source, target := range map[string]string{"main.ts": "bundle.js", "page.css": "bundle.css"} {
		text, err := bundle(filepath.Join(web, "report", source), library, string(license))
		if err != nil {
			return err
		}
		name := filepath.Join(root, "internal", "report", "html", target)
		if !check {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				return fmt.Errorf("write bundle: %w", err)
			}
			continue
		}
		committed, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read bundle: %w", err)
		}
		if !bytes.Equal(committed, text) {
			return fmt.Errorf("internal/report/html/%s is not what web/report gives: run `make generate` and commit", target)
		}
	}
	return nil
}

// bundle joins a source with what it imports, and makes it small.
func bundle(source, library, license string) ([]byte, error) {
	notice := "/*! With uPlot 1.6.32.\n" + strings.TrimSpace(license) + "\n*/"
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{source},
		Alias: map[string]string{
			"uplot":     filepath.Join(library, "uPlot.esm.js"),
			"uPlot.css": filepath.Join(library, "uPlot.min.css"),
		},
		Bundle:            true,
		Charset:           api.CharsetUTF8,
		Format:            api.FormatIIFE,
		LegalComments:     api.LegalCommentsNone,
		Banner:            map[string]string{"js": notice},
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		MinifyWhitespace:  true,
		Target:            api.ES2020,
		Engines:           []api.Engine{{Name: api.EngineChrome, Version: "100"}, {Name: api.EngineFirefox, Version: "100"}, {Name: api.EngineSafari, Version: "15.4"}},
		TsconfigRaw:       `{"compilerOptions":{"strict":true}}`,
	})
	var problems []error
	for _, m := range append(result.Errors, result.Warnings...) {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d: ", m.Location.File, m.Location.Line)
		}
		problems = append(problems, errors.New(at+m.Text))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("bundle %s: %w", filepath.Base(source), errors.Join(problems...))
	}
	text := result.OutputFiles[0].Contents
	// The bundle is placed in an element of the page, which these would end.
	for _, end := range []string{"</script", "<!--", "</style"} {
		if bytes.Contains(bytes.ToLower(text), []byte(end)) {
			return nil, fmt.Errorf("bundle %s: it contains %q", filepath.Base(source), end)
		}
	}
	return text, nil
}

// verify compares the files of a folder with its list of checksums. Other files must not be there.
func verify(dir string) error {
	list, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		return fmt.Errorf("read checksums: %w", err)
	}
	listed := map[string]bool{"SHA256SUMS": true}
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		want, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok {
			return fmt.Errorf("read checksums: invalid line %q", lines.Text())
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("verify library: %w", err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != want {
			return fmt.Errorf("verify library: %s is not the file of the list SHA256SUMS", name)
		}
		listed[name] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("verify library: %w", err)
	}
	for _, e := range entries {
		if !listed[e.Name()] {
			return fmt.Errorf("verify library: %s is not in the list SHA256SUMS", e.Name())
		}
	}
	return nil
}
