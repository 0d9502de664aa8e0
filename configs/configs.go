// Package configs has the suite files of this folder in the program, so that a coordinator can offer them as templates.
//
//  1. Suites lists the suite files, the smallest first.
//  2. Read returns a file that a suite names, relative to the folder of suites.
package configs

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

//go:embed suites/*.yaml value-sizes.txt
var files embed.FS

const folder = "suites"

// Suite is a suite file.
type Suite struct {
	Name    string // such as smoke.yaml
	Content string
}

// Suites returns all suite files, the smallest first: they are the simplest.
func Suites() ([]Suite, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("list suite files: %w", err)
	}
	var all []Suite
	for _, e := range entries {
		if e.Name() == "published.yaml" { // figures, not a suite
			continue
		}
		content, err := Read(e.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, Suite{e.Name(), content})
	}
	slices.SortStableFunc(all, func(a, b Suite) int { return cmp.Compare(len(a.Content), len(b.Content)) })
	return all, nil
}

// Read returns a file by its name in a suite.
func Read(name string) (string, error) {
	content, err := files.ReadFile(path.Join(folder, name))
	if err != nil {
		return "", fmt.Errorf("read a file of configs: %w", err)
	}
	return string(content), nil
}
