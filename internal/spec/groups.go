package spec

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/suggest"
)

// groupKeys are the properties of groups of workers besides those of each group, which table.find derives.
func groupKeys() []property.Key {
	return []property.Key{
		{Name: plan.GroupsProperty, Kind: property.List, Check: checkGroups, Doc: "groups of workers that work beside each other in a run, separated by commas, such as reads,scans; group.NAME.PROPERTY is a setting of one of them, and a group has the case's value of every other property"},
	}
}

// maxGroups bounds the groups of a case: a window has the series of all of them.
const maxGroups = 8

// groupName is the form of a group's name, which is a part of names of operations and of columns.
const groupName = `^[a-z][a-z0-9-]{0,31}$`

// checkGroups accepts the names of groups.
func checkGroups(value string) (string, error) {
	names, err := groupNames(value)
	return strings.Join(names, ","), err
}

// groupNames returns the valid names of a list of groups, each once. The error joins all mistakes of the list.
func groupNames(list string) (names []string, err error) {
	if list == "" {
		return nil, nil
	}
	var mistakes, repeated []string
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); {
		case !isGroupName(name):
			mistakes = append(mistakes, fmt.Sprintf("invalid name of a group %s: want a lower-case letter, and then up to 31 letters, digits and dashes, such as reads", property.Quote(name)))
		case !slices.Contains(names, name):
			names = append(names, name)
		case !slices.Contains(repeated, name):
			repeated = append(repeated, name)
			mistakes = append(mistakes, fmt.Sprintf("has group %s more than once; name it once", name))
		}
	}
	if len(names) > maxGroups {
		mistakes = append(mistakes, fmt.Sprintf("has %d groups; the maximum is %d", len(names), maxGroups))
	}
	errs := make([]error, len(mistakes))
	for i, text := range mistakes {
		errs[i] = errors.New(text)
	}
	return names, errors.Join(errs...)
}

func isGroupName(name string) bool { return regexp.MustCompile(groupName).MatchString(name) }

// splitGroup splits the name of a setting of a group, group.NAME.PROPERTY.
func splitGroup(setting string) (group, name string, ok bool) {
	rest, ok := strings.CutPrefix(setting, plan.GroupPrefix)
	if !ok {
		return "", "", false
	}
	group, name, _ = strings.Cut(rest, ".")
	return group, name, true
}

// ofGroups reports whether a group of workers can have its own value of a property. The others are the same for all groups of
// a case: its phases and their end, the rows that it inserts, and the address of its system.
func (t table) ofGroups(k property.Key) bool {
	if k.Status == property.Alias {
		k, _ = t.find(k.Of)
	}
	if len(k.Targets) > 0 {
		return !slices.ContainsFunc(t.targets, func(d descriptor.Target) bool { return slices.Contains(d.Address, k.Name) })
	}
	return strings.HasSuffix(k.Name, "proportion") || slices.Contains([]string{
		"table", "threadcount", "threads.total", "target", "arrival", "rate", "limit.notfound", "limit.errors",
		"recordcount", "insertstart", "insertcount", "batchsize", "multiget.size", "multirow.size", "increment.by",
		"fieldcount", "fieldnameprefix", "fieldlength", "minfieldlength", "readallfields", "readallfieldsbyname", "writeallfields",
		"minscanlength", "maxscanlength", "insertorder", "zeropadding", "keyprefix", "dataintegrity",
		"requestdistribution", "scanlengthdistribution", "hotspotdatafraction", "hotspotopnfraction",
		"exponential.percentile", "exponential.frac",
	}, k.Name)
}

// misnamed returns what is wrong with the name of a setting of a group; empty if nothing is.
func (t table) misnamed(setting string) string {
	group, name, ok := splitGroup(setting)
	if !ok {
		return ""
	}
	if !isGroupName(group) || name == "" {
		return "invalid setting of a group of workers: want group.NAME.PROPERTY with a name of lower-case letters, digits and dashes, such as group.reads.readproportion"
	}
	k, known := t.find(name)
	switch near := t.near(name); {
	case known && !t.ofGroups(k):
		return fmt.Sprintf("%s is the same for all groups of a case; set it for the case", name)
	case known:
		return ""
	case near != "":
		return fmt.Sprintf("unknown property; did you mean %s?", plan.GroupPrefix+group+"."+near)
	}
	return "unknown property, and no property has a similar name; remove it"
}

// setOfGroup keeps a setting of a group of workers.
func (r *resolver) setOfGroup(e entry, group, name string) {
	if text := r.table.misnamed(strings.TrimSpace(e.written)); text != "" {
		r.fail(e, "%s", text)
		return
	}
	g := r.groups[group]
	if g == nil {
		g = r.table.newResolver()
		g.prefix = plan.GroupPrefix + group + "."
		if r.groups == nil {
			r.groups = make(map[string]*resolver)
		}
		r.groups[group] = g
	}
	g.flags = r.flags
	g.keep(e, name)
}

// resolveGroups resolves the groups of workers of a case with these settings. It returns the case's settings with those of its
// groups, and adds the settings of groups to the properties.
func (r *resolver) resolveGroups(properties map[string]string, s plan.Settings, submitted bool) plan.Settings {
	list := r.setting(plan.GroupsProperty)
	if r.bad[plan.GroupsProperty] {
		list = r.listed
	}
	names, _ := groupNames(list.value) // validateValues reports the mistakes
	if !s.Run || len(names) == 0 {
		delete(properties, plan.GroupsProperty)
		r.validateUnusedGroups(s.Run && list.value == "")
		return s
	}
	r.validateGrouped(s, list)
	for _, name := range names {
		g := r.groups[name]
		if g == nil {
			r.unknownGroup(list, name)
			continue
		}
		one := r.resolveGroup(g, name, submitted)
		s.Groups = append(s.Groups, one)
		for key, value := range one.Own {
			properties[g.prefix+key] = value
		}
	}
	r.validateInserters(s)
	s.Workload.Proportions = plan.Combined(s.Groups)
	r.inert = slices.DeleteFunc(r.inert, func(f finding) bool { return slices.Contains(r.used, f.order) })
	return s
}

// resolveGroup resolves one group: its own settings over those of the case.
func (r *resolver) resolveGroup(g *resolver, name string, submitted bool) plan.Group {
	own := make(map[int]bool) // orders of the group's own settings
	for _, e := range g.given {
		own[e.order] = true
	}
	g.validateValues()
	out := plan.Group{Name: name, Own: make(map[string]string)}
	for key, e := range g.given {
		e.rank += ownRank
		g.given[key] = e
		out.Own[key] = e.value
	}
	for key, e := range r.given {
		if _, set := g.given[key]; !set && key != plan.GroupsProperty {
			g.given[key] = e
		}
	}
	for key := range r.bad {
		g.bad[key] = true
	}
	inherited := len(r.problems) > 0
	out.Properties, out.Settings = g.settle()
	out.Settings.Workload.Seed = plan.GroupSeed(out.Settings.Workload.Seed, name)
	g.validateTarget()
	g.validateCombinations(out.Settings)
	if submitted {
		g.validateOperations(out.Settings)
	}
	maps.DeleteFunc(out.Own, func(key, _ string) bool { _, kept := g.given[key]; return !kept })
	for _, f := range g.problems {
		if own[f.order] || !inherited && !slices.Contains(r.problems, f) {
			r.problems = append(r.problems, f)
		}
	}
	for _, f := range g.warnings {
		if own[f.order] {
			r.warnings = append(r.warnings, f)
		}
	}
	for _, f := range g.inert {
		if own[f.order] {
			r.inert = append(r.inert, f)
		}
	}
	r.used = append(r.used, g.used...)
	return out
}

// ownRank puts a group's own settings above those of its case, whatever their sources.
const ownRank = 1 << 20

// unknownGroup reports a group without any setting.
func (r *resolver) unknownGroup(names entry, name string) {
	if near := suggest.Nearest(name, slices.Sorted(maps.Keys(r.groups))); near != "" {
		r.fail(names, "group %s has no settings; did you mean %s?", name, near)
		return
	}
	r.fail(names, "group %s has no settings; set its part, such as group.%s.readproportion=1", name, name)
}

// validateUnusedGroups validates the settings of groups that a case does not have. It warns of them if the case could have groups.
func (r *resolver) validateUnusedGroups(warns bool) {
	for _, name := range slices.Sorted(maps.Keys(r.groups)) {
		g := r.groups[name]
		g.validateValues()
		r.problems = append(r.problems, g.problems...)
		for _, key := range g.inOrder() {
			if e := g.given[key]; warns {
				r.inert = append(r.inert, e.finding("has no effect without groups=%s", name))
			}
		}
	}
}

// validateGrouped refuses what a case with groups of workers cannot have.
func (r *resolver) validateGrouped(s plan.Settings, names entry) {
	refuse := func(key, text string) {
		if r.sound(key) {
			r.fail(r.setting(key), "%s", text)
		}
	}
	if s.Load {
		refuse("phase", "groups work in a run, and this is a load, too: load the rows first, by a submission with phase=load, or as the dataset of a suite")
	}
	if s.Workload.OperationCount > 0 {
		refuse("operationcount", "groups work beside each other until a duration ends: remove operationcount, and set duration, such as duration=1m")
	} else if s.Duration == 0 && r.sound("duration") {
		r.fail(names, "groups work beside each other until a duration ends, and duration is not set; set it, such as duration=1m")
	}
	if s.WarmupOps > 0 {
		refuse("warmup.ops", "groups warm up for a time: remove warmup.ops, and set warmup, such as warmup=30s")
	}
	if s.WarmupUntil != "" {
		refuse("warmup.until", "groups warm up for a time: remove warmup.until, and set warmup, such as warmup=30s")
	}
	if s.Trace != nil {
		refuse(TraceFile, "a replay has the operations of its trace, and groups of workers draw their own; remove groups, or the trace")
	}
	if r.value(searchVary) != "" {
		refuse(searchVary, "a search varies the rate or the threads of one group of workers, and this case has several; remove groups, or the search")
	}
}

// validateInserters refuses two groups that would insert the same rows, and rows in a table whose rows nobody counts.
func (r *resolver) validateInserters(s plan.Settings) {
	first := ""
	for _, g := range s.Groups {
		if g.Settings.Workload.Proportions.Insert <= 0 {
			continue
		}
		at := r.groups[g.Name].blame("insertproportion")
		if table, own := g.Own["table"]; own && table != r.value("table") {
			r.fail(at, "group %s inserts into table %s, but the rows of a case are those of its own table, %s; let it insert there, or update rows instead", g.Name, table, r.value("table"))
		}
		if first != "" {
			r.fail(at, "groups %s and %s both insert, and would insert the same rows; let one of them insert, or update rows instead", first, g.Name)
		}
		first = g.Name
	}
}
