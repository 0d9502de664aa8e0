package spec

import (
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// take reads the settings of a submission of properties files, in ascending precedence.
func (r *resolver) take(s Submission) {
	r.takeFiles(s)
	r.takeOptions(s, len(s.Files))
}

func (r *resolver) takeFiles(s Submission) {
	total := 0
	for _, f := range s.Files {
		if total += len(f.Content); total > 4*maxFile {
			r.fail(entry{place: f.Name}, "exceeds, together with the files before it, the maximum of %d bytes", 4*maxFile)
			break
		}
	}
	for rank, f := range s.Files {
		properties, problems := readProperties(f.Name, f.Content)
		for _, p := range properties {
			r.set(entry{written: p.key, value: p.value, place: placeOf(f.Name, p.line), rank: rank, site: f.site()})
		}
		for _, p := range problems {
			r.fail(entry{order: r.order, place: p.Place, written: p.Key}, "%s", p.Text)
		}
	}
}

// takeOptions reads the settings of the command line. Their rank is above that of all files.
func (r *resolver) takeOptions(s Submission, rank int) {
	r.flags = rank + 1
	for i, group := range [][]Setting{s.Properties, s.Flags} {
		for _, setting := range group {
			place := setting.Origin
			if place == "" {
				place = "-p"
			}
			r.set(entry{written: setting.Key, value: setting.Value, place: place, rank: rank + i})
		}
	}
}

// set validates the name of a setting, and keeps the setting if it wins. A setting of a group of workers is kept with the group.
func (r *resolver) set(e entry) {
	if e.order == 0 {
		r.order++
		e.order = r.order
	}
	name := strings.TrimSpace(e.written)
	if group, own, ok := splitGroup(name); ok {
		r.setOfGroup(e, group, own)
		return
	}
	r.keep(e, name)
}

// keep keeps the setting of a property if it wins.
func (r *resolver) keep(e entry, name string) {
	key, ok := r.table.find(name)
	if !ok {
		r.unknown(e, name)
		return
	}
	means := key.Name
	if key.Status == property.Alias {
		means = key.Of
	}
	e.key = key
	if before, ok := r.given[means]; ok && before.rank == e.rank {
		r.setAgain(before, e)
	} else if ok {
		r.warnOfFlag(before, e)
	}
	r.given[means] = e
}

func (r *resolver) setAgain(before, e entry) {
	one, errOne := before.key.Canonical(before.value)
	other, errOther := e.key.Canonical(e.value)
	switch {
	case errOne == nil && errOther == nil && one == other:
	case before.key.Name != e.key.Name:
		r.fail(e, "means the same as %s (%s); set only one of them", before.written, before.place)
	case errOther != nil || e.key.Kind == property.Secret: // a value that is refused may contain a secret
		if before.value != e.value {
			r.warn(before, "is overridden by a later value (%s)", e.place)
		}
	case before.value != e.value:
		r.warn(before, "is overridden by the later value %s (%s)", property.Quote(e.value), e.place)
	}
}

func (r *resolver) unknown(e entry, name string) {
	if strings.HasPrefix(name, "htrace.") {
		r.warn(e, "has no effect: it configures tracing in YCSB's JVM")
		return
	}
	if prefix := r.table.foreign(name); prefix != "" {
		r.warn(e, "has no effect: properties with the prefix %s belong to a YCSB binding that is not used here", prefix)
		return
	}
	if len(r.problems) == mostProblems {
		r.omitted++
		return
	}
	if near := r.table.near(name); near != "" {
		r.fail(e, "unknown property; did you mean %s?", near)
		return
	}
	r.fail(e, "unknown property, and no property has a similar name; remove it")
}
