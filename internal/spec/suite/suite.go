// Package suite reads suite files, which group, vary and order settings. What a setting means is none of its business:
// it hands on properties, each with its place, and package spec judges them as it judges those of a properties file.
//
//  1. Read the file as a tree of nodes that know their places, aliases written out, within bounds.
//  2. Lay it over the files that it includes: maps are merged, lists replaced.
//  3. Lay its trial block over it, where a trial is asked for.
//  4. Fill in variables.
//  5. Take it apart into targets, datasets and scenarios; what does not fit is a Mistake with its place.
//  6. Multiply scenarios by their axes into Cases, and put those that fill datasets before the first that needs them.
//
// All mistakes are found in one go.
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
	maxNodes    = 200_000
	maxMistakes = 200
)

// Input is what there is to read.
type Input struct {
	Name    string // of the file, as the user gave it
	Content []byte
	// Attachments are the contents of included files, by their names as Includes tells them.
	Attachments map[string][]byte
	// Variables are those of the command line; they win over the file's.
	Variables []Variable
	Trial     bool // the trial block is laid over the rest
	// Property tells which property a name means, where it is another name of one.
	Property func(name string) string
}

// Variable is one with its value, and where it was said.
type Variable struct {
	Name, Value, Origin string
}

// Suite is what a suite file says.
type Suite struct {
	Name, Note string
	Tags       map[string]string
	Order      plan.Order
	OnFailure  plan.OnFailure
	Tables     []Table
	// Published are the names in the published lines of each scenario, each name once.
	Published map[string][]Name
	// Cases are in the order of their execution. Among them are those that fill a dataset, each before the first case
	// that uses it.
	Cases []Case
	// Said is every setting of the file, used or not, once: so that each can be judged.
	Said []Setting
	// At is where the suite begins.
	At Place
}

// Table is one that a report shows, with the places of its columns.
type Table struct {
	plan.Table
	At []Place
}

// Name is a word with its place.
type Name struct {
	Text string
	At   Place
}

// Case is one case with all that is said of it.
type Case struct {
	plan.Case             // but for Properties and Settings
	Said      [][]Setting // from what wins least to what wins most; cases share them
	At        Place       // of its scenario, or dataset
}

// Setting is a property with its value and place.
type Setting struct {
	Key, Value string
	Named, At  Place // where its name stands, and its value
	Level      Level
}

// Level is how near to a case a setting was said. A higher one wins.
type Level int

// The levels.
const (
	OfSuite Level = iota
	OfTarget
	OfDataset
	OfScenario
	OfCase
	Levels // how many there are
)

// Place is where something stands.
type Place struct {
	file         string
	index        int // of the file, in the order of reading
	line, column int
}

// String is file:line:column, or the flag that said it.
func (p Place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column)
}

// File is the file's name.
func (p Place) File() string { return p.file }

// Order sorts places: files as they were read, and each from its beginning. It is above 0.
func (p Place) Order() int {
	return (p.index+1)<<44 | min(p.line, 1<<22)<<20 | min(p.column, 1<<20-1)
}

// Mistake is something wrong in a suite file.
type Mistake struct {
	At        Place
	Key, Text string
}

// Read reads a suite file with those that it includes. Where there are mistakes the suite holds what could be made out.
func Read(in Input) (*Suite, []Mistake) {
	r := newReader(in)
	root := r.load()
	if root == nil {
		return &Suite{}, r.sorted()
	}
	full := root // its sizes are those that were published
	trial := r.trialOf(root)
	if in.Trial {
		root = overlay(root, trial)
	}
	r.variables(root, full)
	d := r.document(root, full, trial)
	s := r.expand(d)
	return s, r.sorted()
}

// Includes names the files that a suite file includes, itself and through others: those that are attached, and those that
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
