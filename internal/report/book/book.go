package book

import "time"

// Book is a report.
type Book struct {
	ID      string    // of the suite, run or comparison
	Name    string    // of the suite; part of the names of files
	Created time.Time // when the suite was submitted; part of the names of files

	Title    string
	Question string   // what the suite was to find out
	State    State    // whether the figures can be relied upon
	Status   string   // the state in a few words, such as "complete, no verdict raised"
	Answer   []string // the conclusions, a sentence each, the most important first
	Lead     []string // what a reader must know before any figure
	Chapters []Chapter
	// Data are the figures of every interval, for formats that calculate. Formats for readers leave them out.
	Data []Table
}

// State is whether the figures of a report can be relied upon.
type State string

// The states.
const (
	Good    State = "good"    // complete, and no verdict speaks against it
	Caution State = "caution" // complete, but a verdict speaks against a run
	Bad     State = "bad"     // partial, failed or cancelled
)

// Chapter is a part of a Book.
type Chapter struct {
	Title  string
	Sheet  string   // the scenario that the chapter is about, which gives a workbook's sheet its name; empty for other chapters
	Text   []string // paragraphs; one that begins with "- " is an item of a list
	Charts []Chart
	Tables []Table
	Files  []File // such as the submitted suite file
	Detail bool   // evidence that few readers need: behind the others, and closed at first where a format can do that
}

// File is a file, shown as it is.
type File struct {
	Name string
	Text string
}
