package descriptor

import (
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/workload"
)

// Target describes one kind of system. It consists of plain data and pure functions: copies are cheap and safe for concurrent
// use.
type Target struct {
	// Name is the target's name, a value of property db.
	Name string
	// Aliases are the names and classes of YCSB's bindings for the system. Since 0.15 the classes are in package site.ycsb.
	Aliases []string
	// Operations are the kinds of operations that the target supports, in the order of messages.
	Operations []workload.Kind
	// Keys are the target's own properties. List fills in their Targets.
	Keys []property.Key
	// Address are the properties of the system's address. Where is a setting of one of them, for help texts.
	Address []string
	Where   string
	// Site is the system's own configuration, which contains the address too. Optional.
	Site Site
	// Embedded describes the system that a run can start itself; the zero value means none. The address that a suite sets for
	// another target does not apply to such a system.
	Embedded Embedded
	// AnyFields reports that rows and reads can have fields of any names.
	AnyFields bool
	// Stores reports that the rows of a run exist for the next run, in the table that property table names at Address.
	Stores bool
	// Filling are the properties of filling a table. A case that only uses a table does not inherit them from its suite.
	Filling []string
	// Empties reports whether a case with these properties drops the existing rows. Optional.
	Empties func(property.Values) bool
	// Splits describes the splits of the table that a case creates: the number of split points, or file. Optional.
	Splits func(property.Values) string
	// TextValues is the reason why values must be text, such as "its columns are text"; empty if they are any bytes.
	TextValues string
	// Watched reports that the target is watched during a run if property telemetry is not set.
	Watched bool
	// Exclusive are pairs of properties of which a case can have only one.
	Exclusive [][2]string
	// Attachments are the user's files that properties name.
	Attachments []Attachment
	// RequestLog is the system's own log of requests, which can be captured as a trace. Optional.
	RequestLog *RequestLog
	// Supplied are the properties of cases that set none of them. They belong together.
	Supplied map[string]string
	// Actions are the actions on the target, in the order of messages. Between are the names of those that can also run before
	// measuring or after a load, without arguments.
	Actions []Action
	Between []string
	// Columns are the figures from the target's facts and telemetry, beside those of every run.
	Columns []Column
	// Bottlenecks are the rules that recognize the system's limits. Of one limit, the order of messages.
	Bottlenecks []Bottleneck
	// Report is the content that the target adds to reports.
	Report Report
	// Terms returns what the workload of a case does on the system, from the case's resolved properties and the facts of the system
	// at the beginning of the run. Optional.
	Terms func(properties, facts map[string]string) Terms
	// Probe is the action with which an agent checks that it reaches the target; the answer has a line per server. Examine
	// interprets the facts of a target. Both are for doctor commands, and optional.
	Probe   string
	Examine func(facts map[string]string) Finding
	// Admin documents the verbs of Actions. Without it the target has no subcommands of `benchctl admin`.
	Admin Admin
	// Check validates combinations of properties in a case of this target. Each value has been validated by its key. Optional.
	Check func(Case)
}

// Site is the system's own configuration of clients, which flags name: one file, or a folder with several.
type Site struct {
	Flag, Usage         string // of the file
	Folder, FolderUsage string // of the folder; optional
	KeysUsage           string // of the folder, for agents
	// Files are the files in the folder, in the order in which later ones override earlier ones. Required is the one that must exist.
	Files    []string
	Required string
	// Read converts files to properties files, one for each, with the settings on the same lines.
	Read func([]SiteFile) ([]SiteFile, error)
	// Credential returns the keys that they name, for agents.
	Credential func([]SiteFile) (credential.Config, error)
}

// SiteFile is a file of a system's own configuration, or the properties file that is made of it.
type SiteFile struct {
	Name    string // for errors; empty if the caller names it
	Content []byte
}

// Embedded is a system that a run can start itself.
type Embedded struct {
	// Prefix is the prefix of the properties that configure it.
	Prefix string
	// Elsewhere is the name of the target for such a system that is already running.
	Elsewhere string
	// Help is a paragraph about it in the help of `benchctl run`.
	Help string
}

// Possible reports whether a run can start such a system.
func (e Embedded) Possible() bool { return e.Prefix != "" }

// Of returns the names of the properties that configure the system.
func (e Embedded) Of(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, e.Prefix) })
}

// EmbedsOther returns a property in which the systems of two cases differ, from their resolved properties, or "".
func (t Target) EmbedsOther(a, b map[string]string) string {
	for _, k := range t.Keys {
		if strings.HasPrefix(k.Name, t.Embedded.Prefix) && a[k.Name] != b[k.Name] {
			return k.Name
		}
	}
	return ""
}

// Finding is the result of Examine.
type Finding struct {
	Found string // a text that continues a sentence
	Cure  string // what to do about a problem
}

// Attachment is a user's file that a submission carries as the value of a property: coordinators and agents cannot read the
// user's files.
type Attachment struct {
	File  string                            // the property that names the file
	Into  string                            // the property with its content
	Parse func(text string) (string, error) // converts the content to the value
}

// Case gives the rules of a target access to a case of a submission.
type Case interface {
	// Value returns the value of a property, or its default.
	Value(name string) string
	// Changed reports whether a property is set to another value than its default.
	Changed(name string) bool
	// Sound reports whether each of the properties has a valid value.
	Sound(names ...string) bool
	// Fail reports a mistake at the place of a property's setting.
	Fail(name, format string, args ...any)
	// Warn reports a warning at the place of a property's setting.
	Warn(name, format string, args ...any)
}

// List is the list of targets of a program, in the order of messages. Their names are unique.
type List []Target

// Find returns the target with a name.
func (l List) Find(name string) (Target, bool) {
	i := slices.IndexFunc(l, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return Target{}, false
	}
	return l[i], true
}

// Example returns the target that help texts use as an example: the first with a Where. It is the zero Target if there is
// none.
func (l List) Example() Target {
	i := slices.IndexFunc(l, func(t Target) bool { return t.Where != "" })
	if i < 0 {
		return Target{}
	}
	return l[i]
}

// ByAlias returns the name of the target with an alias.
func (l List) ByAlias(alias string) (name string, ok bool) {
	i := slices.IndexFunc(l, func(t Target) bool { return slices.Contains(t.Aliases, alias) })
	if i < 0 {
		return "", false
	}
	return l[i].Name, true
}

// Names lists the names of the targets.
func (l List) Names() []string {
	names := make([]string, len(l))
	for i, t := range l {
		names[i] = t.Name
	}
	return names
}

// WithAnyFields lists the names of the targets whose rows can have fields of any names.
func (l List) WithAnyFields() []string {
	return slices.DeleteFunc(l.Names(), func(name string) bool {
		t, _ := l.Find(name)
		return !t.AnyFields
	})
}

// Watched lists the names of the targets that are watched by default.
func (l List) Watched() []string {
	return slices.DeleteFunc(l.Names(), func(name string) bool {
		t, _ := l.Find(name)
		return !t.Watched
	})
}

// Filling lists the properties of filling a table, each once.
func (l List) Filling() []string {
	return union(l, func(t Target) []string { return t.Filling }, itself[string])
}

// Exclusive lists the pairs of properties of which a case can have only one, each pair once.
func (l List) Exclusive() [][2]string {
	return union(l, func(t Target) [][2]string { return t.Exclusive }, itself[[2]string])
}

// union concatenates the items of all targets, without duplicates: the first item with a key wins.
func union[T any, K comparable](l List, of func(Target) []T, key func(T) K) []T {
	var all []T
	for _, t := range l {
		for _, one := range of(t) {
			if !slices.ContainsFunc(all, func(other T) bool { return key(other) == key(one) }) {
				all = append(all, one)
			}
		}
	}
	return all
}

func itself[T any](one T) T { return one }

// Keys lists the properties of all targets, each once, with the names of its targets.
func (l List) Keys() []property.Key {
	var keys []property.Key
	index := make(map[string]int)
	for _, t := range l {
		for _, k := range t.Keys {
			i, known := index[k.Name]
			if !known {
				i = len(keys)
				index[k.Name] = i
				k.Targets = nil
				keys = append(keys, k)
			}
			keys[i].Targets = append(keys[i].Targets, t.Name)
		}
	}
	return keys
}
