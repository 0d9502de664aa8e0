package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill is the bill of materials of an archive: its programs with their hashes, and each module with the programs that have it.
func (r *release) bill(name, sum, bin string) ([]byte, error) {
	programs, err := os.ReadDir(bin)
	if err != nil {
		return nil, fmt.Errorf("read programs: %w", err)
	}
	main := &cdx.Component{
		BOMRef: "pkg:golang/github.com/benchd/benchd@" + r.version, Type: cdx.ComponentTypeApplication, Name: name, Version: r.version,
		PackageURL: "pkg:golang/github.com/benchd/benchd@" + r.version, Hashes: hashes(sum),
		Licenses:           &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		ExternalReferences: &[]cdx.ExternalReference{{Type: cdx.ERTypeVCS, URL: repository, Comment: "commit " + r.commit}},
	}
	modules := map[string]cdx.Component{}
	components := make([]cdx.Component, 0, len(programs))
	dependencies := []cdx.Dependency{{Ref: main.BOMRef, Dependencies: &[]string{}}}
	for _, p := range programs {
		path := filepath.Join(bin, p.Name())
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read build information: %w", err)
		}
		if info.GoVersion != r.golang {
			return nil, fmt.Errorf("%s is of %s, not %s: it is not a program of this build", path, info.GoVersion, r.golang)
		}
		sum, err := digest(path)
		if err != nil {
			return nil, err
		}
		ref := "bin/" + p.Name()
		components = append(components, cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeApplication, Name: p.Name(), Version: r.version, Hashes: hashes(sum)})
		*dependencies[0].Dependencies = append(*dependencies[0].Dependencies, ref)
		refs, err := record(info, modules)
		if err != nil {
			return nil, fmt.Errorf("read modules of %s: %w", path, err)
		}
		dependencies = append(dependencies, cdx.Dependency{Ref: ref, Dependencies: &refs})
	}
	for _, ref := range sorted(modules) {
		components = append(components, modules[ref])
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Component: main,
		Tools:     &cdx.ToolsChoice{Components: &[]cdx.Component{{Type: cdx.ComponentTypeApplication, Name: "tools/attest", Version: r.version}}},
	}
	bom.Components, bom.Dependencies = &components, &dependencies
	var text bytes.Buffer
	// Not the newest version, which fewer tools read.
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, fmt.Errorf("encode bill: %w", err)
	}
	return text.Bytes(), nil
}

// record adds the modules of a program, and the standard library, to all modules; it returns their references.
func record(info *debug.BuildInfo, modules map[string]cdx.Component) ([]string, error) {
	std := component("std", strings.TrimPrefix(info.GoVersion, "go"))
	found := map[string]cdx.Component{std.BOMRef: std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(m.Path, m.Version)
		// Go's sum of a module is a SHA-256 over the list of its files.
		if text, found := strings.CutPrefix(m.Sum, "h1:"); found {
			sum, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("decode sum of %s: %w", m.Path, err)
			}
			c.Hashes = hashes(hex.EncodeToString(sum))
		}
		found[c.BOMRef] = c
	}
	for ref, c := range found {
		modules[ref] = c
	}
	return sorted(found), nil
}

// component is a module at a version.
func component(path, version string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return cdx.Component{
		BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, Scope: cdx.ScopeRequired, PackageURL: purl,
	}
}

func hashes(sha256 string) *[]cdx.Hash {
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sha256}}
}

func sorted(modules map[string]cdx.Component) []string {
	refs := make([]string, 0, len(modules))
	for ref := range modules {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	return refs
}
