package spec

import "strings"

// Submission is the unprocessed input of a user. If a property is set more than once, later files win over earlier ones,
// Properties over files, and Flags over everything.
type Submission struct {
	Files      []File
	Suite      *File     // a suite file (YAML), instead of properties files; Properties win over its settings
	Trial      bool      // apply the suite's trial block
	Variables  []Setting // of the suite; their values win over its own
	Properties []Setting // of -p, in the order given
	Flags      []Setting // of flags, by the property that each flag sets
	Name       string    // of the suite; if empty, derived from the files' names
	Note       string
	Tags       map[string]string
	// Attachments are the contents of files that properties name, by the name as it is written there, and of files that a
	// suite includes. Needs lists them. The coordinator cannot read the user's files.
	Attachments map[string][]byte
	// Supplied are properties, by target, that apply if the submission sets none of them. They are not part of the user's
	// input: the caller knows them, such as the address of the sandbox that it has started.
	Supplied map[string]map[string]string
	// Hooks are the hooks that agents allow; others are refused. Nil means unknown. They are not part of the user's input
	// either.
	Hooks []string
}

// File is a properties or suite file with its content.
type File struct {
	Name    string // as the user gave it; messages show it
	Content []byte
}

// site reports whether the file was made from a target's own configuration, such as an hbase-site.xml.
func (f File) site() bool { return strings.HasSuffix(strings.ToLower(f.Name), ".xml") }

// Setting is a property with its value.
type Setting struct {
	Key, Value string
	Origin     string // such as "--threads"; empty for -p
}
