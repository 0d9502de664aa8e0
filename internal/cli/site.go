package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/spec"
)

// SiteFlags are flags that name files of targets' own configuration, such as an hbase-site.xml.
type SiteFlags struct {
	sites   []descriptor.Site
	names   []*string
	folders []*string
}

// AddSiteFlags adds the flags of targets to a command. Over is the part of the help that names what overrides such a file.
func AddSiteFlags(cmd *cobra.Command, targets descriptor.List, over string) *SiteFlags {
	f := &SiteFlags{}
	for _, t := range targets {
		if t.Site.Flag != "" {
			f.sites = append(f.sites, t.Site)
			f.names = append(f.names, cmd.Flags().String(t.Site.Flag, "", t.Site.Usage+"; "+over))
			folder := new(string)
			if t.Site.Folder != "" {
				cmd.Flags().StringVar(folder, t.Site.Folder, "", t.Site.FolderUsage+"; "+over)
			}
			f.folders = append(f.folders, folder)
		}
	}
	return f
}

// AddSiteFolders adds the flags of the folders alone, for agents.
func AddSiteFolders(cmd *cobra.Command, targets descriptor.List) *SiteFlags {
	f := &SiteFlags{}
	for _, t := range targets {
		if t.Site.Folder != "" && t.Site.Credential != nil {
			f.sites = append(f.sites, t.Site)
			f.names = append(f.names, new(string))
			f.folders = append(f.folders, cmd.Flags().String(t.Site.Folder, "", t.Site.KeysUsage))
		}
	}
	return f
}

// Given reports whether a file is named.
func (f *SiteFlags) Given() bool {
	return slices.ContainsFunc(slices.Concat(f.names, f.folders), func(name *string) bool { return *name != "" })
}

// With lists the other flags that locate a target, and those of the files.
func (f *SiteFlags) With(others ...string) string {
	flags := others
	for _, site := range f.sites {
		flags = append(flags, "--"+site.Flag)
		if site.Folder != "" {
			flags = append(flags, "--"+site.Folder)
		}
	}
	last := len(flags) - 1
	if last == 0 {
		return flags[0]
	}
	return strings.Join(flags[:last], ", ") + " and " + flags[last]
}

// Files reads the named files with read, and converts them to properties files.
func (f *SiteFlags) Files(cmd *cobra.Command, origins config.Origins, read func(name string) ([]byte, error)) ([]spec.File, error) {
	var files []spec.File
	for i, site := range f.sites {
		for _, from := range []struct{ flag, name string }{{site.Folder, *f.folders[i]}, {site.Flag, *f.names[i]}} {
			if from.name == "" {
				continue
			}
			names := []string{from.name}
			if from.flag == site.Folder {
				names = inFolder(site, from.name)
			}
			converted, err := convert(site, names, from.name, read)
			if err != nil {
				return nil, &UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("read %s (%s): %w", from.name, origins[from.flag], err)}
			}
			files = append(files, converted...)
		}
	}
	return files, nil
}

// inFolder lists the files of a folder.
func inFolder(site descriptor.Site, folder string) []string {
	names := make([]string, len(site.Files))
	for i, name := range site.Files {
		names[i] = filepath.Join(folder, name)
	}
	return names
}

// convert reads files and converts them together. Errors do not repeat given.
func convert(site descriptor.Site, names []string, given string, read func(name string) ([]byte, error)) ([]spec.File, error) {
	sites, paths, err := readSites(names, given, site.Required, read)
	if err != nil {
		return nil, err
	}
	converted, err := site.Read(sites)
	if err != nil {
		return nil, err
	}
	files := make([]spec.File, len(converted))
	for i, c := range converted {
		files[i] = spec.File{Name: paths[i], Content: c.Content}
	}
	return files, nil
}

// readSites reads files. Those that are not required need not exist.
func readSites(names []string, given, required string, read func(name string) ([]byte, error)) (sites []descriptor.SiteFile, paths []string, err error) {
	for _, name := range names {
		base := ""
		if name != given {
			base = filepath.Base(name)
		}
		content, err := read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && base != "" && base != required:
			continue
		case err != nil && base != "":
			return nil, nil, fmt.Errorf("%s: %w", base, err)
		case err != nil:
			return nil, nil, err
		}
		sites, paths = append(sites, descriptor.SiteFile{Name: base, Content: content}), append(paths, name)
	}
	return sites, paths, nil
}
