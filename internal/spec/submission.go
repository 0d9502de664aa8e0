package spec

import "strings"

// Submission is what a user hands in, word for word. Where a property is set more than once, later files win
// over earlier ones, Properties over files, and Flags over all.
type Submission struct {
	Files      []File
	Suite      *File     // a suite file (YAML), instead of properties files; its settings go below Properties
	Trial      bool      // the suite's trial block is laid over it
	Variables  []Setting // of the suite, with the values that win over its own
	Properties []Setting // of -p, in the order given
	Flags      []Setting // of flags, by the property that each means
	Name       string    // of the suite; chosen from the files' names where empty
	Note       string
	Tags       map[string]string
	// Attachments are the contents of files that properties name, by the name as it is written there, and of files that a
	// suite includes. Who submits asks Needs which ones they are: the coordinator has not the user's disk.
	Attachments map[string][]byte
	// Supplied are properties, by target, that hold where the submission sets none of them. They are not handed in:
	// whoever judges knows them, such as where the sandbox is that it has started.
	Supplied map[string]map[string]string
	// Hooks are those that agents allow, so that others can be refused; nil where that is not known. They are not handed in
	// either.
	Hooks []string
}

// File is a properties file with its content.
type File struct {
	Name    string // as the user gave it; messages show it
	Content []byte
}

// site reports whether the file was made of a target's own configuration, such as an hbase-site.xml.
func (f File) site() bool { return strings.HasSuffix(strings.ToLower(f.Name), ".xml") }

// Setting is a property with its value.
type Setting struct {
	Key, Value string
	Origin     string // where it was said, such as "--threads"; empty for -p
}
