// The command bundle makes the styles and the scripts of HTML reports and of the web console from web/, the vendored chart library, and the
// packages that npm has put into web/node_modules:
//
//	bundle [-check] ROOT
//
// It writes them to internal/report/html and internal/console, or with -check reports whether the committed ones are what the sources give. In
// both cases the files of the library have to be those of its list of checksums.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	notice, err := notices(web, library)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		source, target string
		notice         string
		inline         bool // placed in an element of a page
	}{
		{"report/main.ts", "report/html/bundle.js", notice.report, true},
		{"report/page.css", "report/html/bundle.css", notice.report, true},
		{"console/main.tsx", "console/bundle.js", notice.console, false},
		{"console/page.css", "console/bundle.css", notice.report, false},
	} {
		text, err := bundle(filepath.Join(web, one.source), library, one.notice)
		if err != nil {
			return err
		}
		// These would end the element of the page.
		for _, end := range []string{"</script", "<!--", "</style"} {
			if one.inline && bytes.Contains(bytes.ToLower(text), []byte(end)) {
				return fmt.Errorf("bundle %s: it contains %q", one.source, end)
			}
		}
		name := filepath.Join(root, "internal", one.target)
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
			return fmt.Errorf("internal/%s is not what web/%s gives: run `make generate` and commit", one.target, one.source)
		}
	}
	return nil
}

// texts are the notices of the bundles: the licenses of what they contain.
type texts struct{ report, console string }

// notices reads the licenses of the chart library and of the packages.
func notices(web, library string) (n texts, err error) {
	license, err := os.ReadFile(filepath.Join(library, "LICENSE"))
	if err != nil {
		return n, fmt.Errorf("read license: %w", err)
	}
	n.report = "/*! With uPlot 1.6.32.\n" + strings.TrimSpace(string(license)) + "\n*/"
	list, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return n, fmt.Errorf("read packages: %w", err)
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(list, &lock); err != nil {
		return n, fmt.Errorf("read packages: %w", err)
	}
	console := []string{"/*! With uPlot 1.6.32.", strings.TrimSpace(string(license))}
	same := make(map[string][]string) // packages by license
	var order []string
	for _, dir := range slices.Sorted(maps.Keys(lock.Packages)) {
		name, is := strings.CutPrefix(dir, "node_modules/")
		if !is || lock.Packages[dir].Dev {
			continue
		}
		text, err := os.ReadFile(filepath.Join(web, dir, "LICENSE"))
		if err != nil {
			return n, fmt.Errorf("read license of %s: %w; `npm ci` in web/ installs the packages", name, err)
		}
		of := strings.TrimSpace(string(text))
		if same[of] == nil {
			order = append(order, of)
		}
		same[of] = append(same[of], name+" "+lock.Packages[dir].Version)
	}
	for _, of := range order {
		console = append(console, "", "With "+strings.Join(same[of], ", ")+".", of)
	}
	n.console = strings.Join(append(console, "*/"), "\n")
	return n, nil
}

// bundle joins a source with what it imports, and makes it small.
func bundle(source, library, notice string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{source},
		Alias: map[string]string{
			"uplot":     filepath.Join(library, "uPlot.esm.js"),
			"uPlot.css": filepath.Join(library, "uPlot.min.css"),
		},
		Bundle:            true,
		Charset:           api.CharsetUTF8,
		Format:            api.FormatIIFE,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
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
	return result.OutputFiles[0].Contents, nil
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
