package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/spec"
)

// SiteFlags are flags that name files of targets' own configuration, such as an hbase-site.xml.
type SiteFlags struct {
	sites []descriptor.Site
	names []*string
}

// AddSiteFlags adds the flags of targets to a command. Over is the part of the help that names what overrides such a file.
func AddSiteFlags(cmd *cobra.Command, targets descriptor.List, over string) *SiteFlags {
	f := &SiteFlags{}
	for _, t := range targets {
		if t.Site.Flag != "" {
			f.sites = append(f.sites, t.Site)
			f.names = append(f.names, cmd.Flags().String(t.Site.Flag, "", t.Site.Usage+"; "+over))
		}
	}
	return f
}

// Given reports whether a file is named.
func (f *SiteFlags) Given() bool {
	return slices.ContainsFunc(f.names, func(name *string) bool { return *name != "" })
}

// With lists the other flags that locate a target, and those of the files.
func (f *SiteFlags) With(others ...string) string {
	flags := others
	for _, site := range f.sites {
		flags = append(flags, "--"+site.Flag)
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
		name := *f.names[i]
		if name == "" {
			continue
		}
		content, err := read(name)
		if err == nil {
			content, err = site.Read(content)
		}
		if err != nil {
			return nil, &UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("read %s (%s): %w", name, origins[site.Flag], err)}
		}
		files = append(files, spec.File{Name: name, Content: content})
	}
	return files, nil
}
