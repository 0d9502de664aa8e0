package lint

import (
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/benchd/benchd/"

// place is where a room stands in the table: depth counts the layers from the top.
type place struct {
	room
	layer string
	depth int
}

// atlas answers questions about the table of layers.
type atlas map[string]place

func newAtlas(layers []layer) atlas {
	a := atlas{}
	for depth, l := range layers {
		for _, r := range l.rooms {
			a[r.name] = place{r, l.name, depth}
		}
	}
	return a
}

// beside tells whether from may import to, a room of its own layer, directly or by way of one that it may.
func (a atlas) beside(from, to string) bool {
	return slices.ContainsFunc(a[from].beside, func(next string) bool {
		return next == to || a.beside(next, to)
	})
}

// objection says what is wrong with a package of room from importing one of room to, or nothing. Tests may import
// their neighbours: a test of a node needs another node to talk to.
func (a atlas) objection(from, to place, test bool) string {
	switch {
	case test && slices.Contains(to.tests, from.name):
		return ""
	case to.only != nil && !slices.Contains(to.only, from.name):
		return only(to.only)
	case to.only != nil:
		return ""
	case from.layer == "aside" && !a.beside(from.name, to.name):
		return "a room aside imports nothing of ours"
	case from.depth > to.depth:
		return "an arrow upwards, from " + from.layer + " to " + to.layer
	case from.depth == to.depth && !test && !a.beside(from.name, to.name):
		return "rooms of one layer (" + from.layer + ") stay apart, but for the table's arrows"
	}
	return ""
}

// folderOf is the folder of its room that a folder of the module is in, or "" for the room itself.
func (a atlas) folderOf(dir string) string {
	inside := strings.TrimPrefix(strings.TrimPrefix(dir, "internal/"), a.roomOf(dir))
	folder, _, _ := strings.Cut(strings.TrimPrefix(inside, "/"), "/")
	return folder
}

// roomOf is the room that a folder of the module belongs to: of a folder within a room one may be made that has a place of
// its own.
func (a atlas) roomOf(dir string) string {
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

// arrows holds every import against the table of layers and the list of strangers.
func arrows(t tree, layers []layer, strangers map[string][]string) []finding {
	var found []finding
	a := newAtlas(layers)
	for _, f := range t.files {
		from, ok := a[a.roomOf(f.dir())]
		if !ok {
			found = append(found, t.at(f, f.syntax.Package, "%s has no place in the table of layers", f.dir()))
			continue
		}
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // it would not compile
			}
			if text := a.judge(f, from, imported, strangers); text != "" {
				found = append(found, t.at(f, spec.Pos(), "%s imports %s: %s", f.dir(), imported, text))
			}
		}
	}
	return found
}

// judge says what is wrong with file f of room from importing a package, or nothing.
func (a atlas) judge(f file, from place, imported string, strangers map[string][]string) string {
	dir, ours := strings.CutPrefix(imported, module)
	if !ours {
		for stranger, rooms := range strangers {
			if within(imported, stranger) && !f.test() && !slices.Contains(rooms, from.name) {
				return only(rooms)
			}
		}
		return ""
	}
	to, ok := a[a.roomOf(dir)]
	switch {
	case !ok:
		return "it has no place in the table of layers"
	case from.name == to.name:
		if to, own := a.folderOf(dir), a.folderOf(f.dir()); from.apart && to != own && to != "" && own != "" {
			return "the folders of " + from.name + " stay apart"
		}
		return ""
	}
	return a.objection(from, to, f.test())
}

func only(rooms []string) string {
	if len(rooms) == 0 {
		return "nobody may"
	}
	return "only " + strings.Join(rooms, ", ") + " may"
}

// within tells whether a path is root or lies below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}
