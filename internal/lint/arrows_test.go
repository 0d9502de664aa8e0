//go:build !race

package lint

import (
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/benchd/benchd/"

// place is the position of a part in the table: depth counts the layers from the top.
type place struct {
	part
	layer string
	depth int
}

// atlas answers questions about the table of layers.
type atlas map[string]place

func newAtlas(layers []layer) atlas {
	a := atlas{}
	for depth, l := range layers {
		for _, r := range l.parts {
			a[r.name] = place{r, l.name, depth}
		}
	}
	return a
}

// beside reports whether from may import to, a part of its own layer, directly or by way of one that it may import.
func (a atlas) beside(from, to string) bool {
	return slices.ContainsFunc(a[from].beside, func(next string) bool {
		return next == to || a.beside(next, to)
	})
}

// objection describes why a package of part from must not import one of part to, or returns "". Tests may import
// their neighbours: a test of a node needs another node.
func (a atlas) objection(from, to place, test bool) string {
	switch {
	case test && slices.Contains(to.tests, from.name):
		return ""
	case to.only != nil && !slices.Contains(to.only, from.name):
		return only(to.only)
	case to.only != nil:
		return ""
	case from.layer == "aside" && !a.beside(from.name, to.name):
		return "a package of layer aside imports no other package of benchd"
	case from.depth > to.depth:
		return "an upward import, from " + from.layer + " to " + to.layer
	case from.depth == to.depth && !test && !a.beside(from.name, to.name):
		return "packages of one layer (" + from.layer + ") do not import one another, except as in the table"
	}
	return ""
}

// folderOf returns the folder within its part that a folder of the module is in, or "" for the part itself.
func (a atlas) folderOf(dir string) string {
	inside := strings.TrimPrefix(strings.TrimPrefix(dir, "internal/"), a.partOf(dir))
	folder, _, _ := strings.Cut(strings.TrimPrefix(inside, "/"), "/")
	return folder
}

// partOf returns the part that a folder of the module belongs to. A folder within a part can be a part itself.
func (a atlas) partOf(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] != "internal" || len(parts) < 2 {
		return parts[0]
	}
	for n := len(parts); n > 2; n-- {
		if inner := strings.Join(parts[1:n], "/"); a[inner].name != "" {
			return inner
		}
	}
	return parts[1]
}

// arrows compares every import with the table of layers and the list of strangers.
func arrows(t tree, layers []layer, strangers map[string][]string) []finding {
	var found []finding
	a := newAtlas(layers)
	for _, f := range t.files {
		from, ok := a[a.partOf(f.dir())]
		if !ok {
			found = append(found, t.at(f, f.syntax.Package, "%s has no place in the table of layers", f.dir()))
			continue
		}
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // it would not compile
			}
			if text := a.check(f, from, imported, strangers); text != "" {
				found = append(found, t.at(f, spec.Pos(), "%s imports %s: %s", f.dir(), imported, text))
			}
		}
	}
	return found
}

// check describes why file f of part from must not import a package, or returns "".
func (a atlas) check(f file, from place, imported string, strangers map[string][]string) string {
	dir, ours := strings.CutPrefix(imported, module)
	if !ours {
		for stranger, parts := range strangers {
			if within(imported, stranger) && !f.test() && !slices.Contains(parts, from.name) {
				return only(parts)
			}
		}
		return ""
	}
	to, ok := a[a.partOf(dir)]
	switch {
	case !ok:
		return "it has no place in the table of layers"
	case from.name == to.name:
		if to, own := a.folderOf(dir), a.folderOf(f.dir()); from.apart && to != own && to != "" && own != "" {
			return "the folders of " + from.name + " do not import one another"
		}
		return ""
	}
	return a.objection(from, to, f.test())
}

func only(parts []string) string {
	if len(parts) == 0 {
		return "nobody may"
	}
	return "only " + strings.Join(parts, ", ") + " may"
}

// within reports whether a path is root or below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
