// Package suite reads suite files, which group, vary and order settings. It does not interpret settings: it returns
// properties, each with its place, and package spec validates them like those of a properties file.
//
//  1. Read the file as a tree of nodes with their places, aliases expanded, within bounds.
//  2. Apply it over the files that it includes: maps are merged, lists replaced.
//  3. Apply its trial block over it, if a trial is requested.
//  4. Expand variables.
//  5. Parse it into targets, datasets and scenarios; each error is a Mistake with its place.
//  6. Expand scenarios over their axes into Cases, and insert a case that fills a dataset before the first that needs it.
//
// Read reports all mistakes at once.
package suite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/benchd/benchd/internal/plan"
)

// The bounds of a suite.
const (
	MaxFile     = 1 << 20 // bytes of a file
	MaxTotal    = 2 << 20 // bytes of all files
	MaxFiles    = 32      // included ones
	MaxCases    = 5000
	MaxRepeats  = 1000
	MaxRuns     = 20_000
	maxDepth    = 24
	maxAxes     = 16
	maxFields   = 500  // of a map
	maxName     = 1000 // bytes of a case's name
	maxTables   = 200
	maxColumns  = 100 // of a table
	maxCharts   = 200
	maxOfChart  = 50 // entries of each list of a chart
	maxNodes    = 200_000
	maxMistakes = 200
)

// Input is the input of Read.
type Input struct {
	Name    string // of the file, as the user gave it
	Content []byte
	// Attachments are the contents of included files, by their names as Includes returns them.
	Attachments map[string][]byte
	// Variables are those of the command line; they win over the file's.
	Variables []Variable
	Trial     bool // apply the trial block over the rest
	// Property returns the property that a name stands for; a name that is not an alias stands for itself.
	Property func(name string) string
	// Shown returns the value of a property as messages show it, without secrets. Nil shows all values as they are.
	Shown func(name, value string) string
}

// Variable is a variable with its value and its origin, such as "--var".
type Variable struct {
	Name, Value, Origin string
}

// Suite is the content of a suite file.
type Suite struct {
	Name, Note string
	Tags       map[string]string
	Order      plan.Order
	OnFailure  plan.OnFailure
	Schedule   Scheduled // zero for a suite that runs once
	Tables     []Table
	Charts     []Chart
	// Published are the names in the published lines of each scenario, each name once.
	Published map[string][]Name
	// Cases are in the order of execution. They include the cases that fill a dataset, each before the first case that
	// uses it.
	Cases []Case
	// Given is every setting of the file once, used or not, so that each can be validated.
	Given []Setting
	// At is the beginning of the suite.
	At Place
}

// Table is a table of a report, with the places of its columns.
type Table struct {
	plan.Table
	At []Place
}

// Chart is a chart of a report, with the places of its names.
type Chart struct {
	plan.Chart
	XAt, ByAt Place
	YAt       []Place
	OnlyAt    []Place
}

// Name is a name with its place.
type Name struct {
	Text string
	At   Place
}

// Case is one case with its settings.
type Case struct {
	plan.Case             // without Properties and Settings
	Given     [][]Setting // in ascending precedence; cases share them
	At        Place       // of its scenario, or dataset
}

// Setting is a property with its value and place.
type Setting struct {
	Key, Value string
	Named, At  Place // of its name, and of its value
	Level      Level
	// Start is the place of the first character of the value, or the zero Place if the file has it in another form.
	Start Place
}

// Level is the part of a suite that a setting belongs to. A higher one wins.
type Level int

// The levels.
const (
	OfSuite Level = iota
	OfTarget
	OfDataset
	OfScenario
	OfScenarioTarget // of a scenario, for one target
	OfCase
	Levels // the number of levels
)

// Place is a position in a file.
type Place struct {
	file         string
	index        int // of the file, in the order of reading
	line, column int
}

// String returns file:line:column, or the name of a flag.
func (p Place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column)
}

// Known reports whether it is a position, and not the zero Place.
func (p Place) Known() bool { return p.line > 0 }

// Right returns the place that is a number of characters further right.
func (p Place) Right(characters int) Place {
	p.column += characters
	return p
}

// File returns the name of the file.
func (p Place) File() string { return p.file }

// Order returns a number above 0 that sorts places: files in the order of reading, and positions within a file.
func (p Place) Order() int {
	return (p.index+1)<<44 | min(p.line, 1<<22)<<20 | min(p.column, 1<<20-1)
}

// Mistake is an error in a suite file.
type Mistake struct {
	At        Place
	Key, Text string
}

// Read reads a suite file and its includes. If there are mistakes, the suite may be incomplete.
func Read(in Input) (*Suite, []Mistake) {
	r := newReader(in)
	root := r.load()
	if root == nil {
		return &Suite{}, r.sorted()
	}
	full := root // published lines refer to its sizes
	trial := r.trialOf(root)
	if in.Trial {
		root = overlay(root, trial)
	}
	r.variables(root, full)
	d := r.document(root, full, trial)
	s := r.expand(d)
	return s, r.sorted()
}

// Includes lists the files that a suite file includes, directly and indirectly: those that are attached, and those that
// are missing.
func Includes(in Input) (attached, missing []string) {
	r := newReader(in)
	r.load()
	return r.included, r.missing
}

func (r *reader) sorted() []Mistake {
	slices.SortStableFunc(r.mistakes, func(a, b Mistake) int { return cmp.Compare(a.At.Order(), b.At.Order()) })
	return slices.Compact(r.mistakes)
}
