package spec

import (
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// take reads all that a submission of properties files sets, from what wins least to what wins most.
func (j *judge) take(s Submission) {
	j.takeFiles(s)
	j.takeOptions(s, len(s.Files))
}

func (j *judge) takeFiles(s Submission) {
	total := 0
	for _, f := range s.Files {
		if total += len(f.Content); total > 4*maxFile {
			j.fail(entry{place: f.Name}, "is too much with the files before it: all together may have %d bytes", 4*maxFile)
			break
		}
	}
	for rank, f := range s.Files {
		properties, problems := readProperties(f.Name, f.Content)
		for _, p := range properties {
			j.set(entry{written: p.key, value: p.value, place: placeOf(f.Name, p.line), rank: rank, site: f.site()})
		}
		for _, p := range problems {
			j.fail(entry{order: j.order, place: p.Place, written: p.Key}, "%s", p.Text)
		}
	}
}

// takeOptions reads what stands on the command line. Rank is above all that was read before.
func (j *judge) takeOptions(s Submission, rank int) {
	j.flags = rank + 1
	for i, group := range [][]Setting{s.Properties, s.Flags} {
		for _, setting := range group {
			place := setting.Origin
			if place == "" {
				place = "-p"
			}
			j.set(entry{written: setting.Key, value: setting.Value, place: place, rank: rank + i})
		}
	}
}

// set judges a setting's name and keeps the setting if it wins.
func (j *judge) set(e entry) {
	if e.order == 0 {
		j.order++
		e.order = j.order
	}
	name := strings.TrimSpace(e.written)
	key, ok := j.table.find(name)
	if !ok {
		j.unknown(e, name)
		return
	}
	means := key.Name
	if key.Status == property.Alias {
		means = key.Of
	}
	e.key = key
	if before, ok := j.given[means]; ok && before.rank == e.rank {
		j.setAgain(before, e)
	} else if ok {
		j.warnOfFlag(before, e)
	}
	j.given[means] = e
}

func (j *judge) setAgain(before, e entry) {
	one, errOne := before.key.Canonical(before.value)
	other, errOther := e.key.Canonical(e.value)
	switch {
	case errOne == nil && errOther == nil && one == other:
	case before.key.Name != e.key.Name:
		j.fail(e, "means the same as %s (%s); give one of them", before.written, before.place)
	case before.value != e.value:
		j.warn(before, "is set again, to %s (%s), which wins", property.Quote(e.value), e.place)
	}
}

func (j *judge) unknown(e entry, name string) {
	if strings.HasPrefix(name, "htrace.") {
		j.warn(e, "has no effect: it concerns tracing in YCSB's JVM")
		return
	}
	if prefix := foreign(name); prefix != "" {
		j.warn(e, "has no effect: properties that begin with %s belong to a binding of YCSB that is not used here", prefix)
		return
	}
	if len(j.problems) == mostProblems {
		j.unsaid++
		return
	}
	if near := j.table.near(name); near != "" {
		j.fail(e, "unknown property; did you mean %s?", near)
		return
	}
	j.fail(e, "unknown property, and none has a name like it; leave it out")
}
