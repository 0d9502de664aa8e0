package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// addSettings adds what a colleague needs to repeat the runs: their settings, the facts of their targets and what was submitted.
func (b *maker) addSettings(runs []result.Run) {
	if len(runs) == 0 {
		return
	}
	c := book.Chapter{Title: "Configuration", Detail: true}
	resolved := make([]map[string]string, len(runs))
	facts := make([]map[string]string, len(runs))
	for i, r := range runs {
		resolved[i], facts[i] = r.Resolved, r.Provenance.Target
	}
	for _, t := range []struct {
		title, key string
		of         []map[string]string
	}{{"Settings", "setting", resolved}, {"Facts of the target", "fact", facts}} {
		common, differ := settingTables(t.key, runs, t.of)
		if len(common.Rows) > 0 {
			if common.Title = t.title; len(runs) > 1 {
				common.Title += ", the same in all runs"
			}
			c.Tables = append(c.Tables, common)
		}
		if len(differ.Rows) > 0 {
			differ.Title = t.title + " that differ"
			c.Tables = append(c.Tables, differ)
		}
	}
	if len(c.Tables) > 0 {
		b.Chapters = append(b.Chapters, c)
	}
	if files := submittedFiles(runs[0].Spec); len(files) > 0 {
		b.Chapters = append(b.Chapters, book.Chapter{Title: "As submitted", Files: files, Detail: true})
	}
}

// settingTables split settings into those that all runs have in common and those that differ, with the cases of each value.
func settingTables(key string, runs []result.Run, of []map[string]string) (common, differ book.Table) {
	common.Columns, differ.Columns = names(key, "value"), slices.Concat(names(key, "value"), names("cases"))
	keys := make(map[string]bool)
	for _, settings := range of {
		for k := range settings {
			keys[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		var values []string
		cases := make(map[string][]string)
		for i, settings := range of {
			v, set := settings[k]
			if !set {
				v = none
			}
			if cases[v] == nil {
				values = append(values, v)
			}
			if name := caseOrRun(runs[i]); !slices.Contains(cases[v], name) {
				cases[v] = append(cases[v], name)
			}
		}
		if len(values) == 1 {
			common.Rows = append(common.Rows, texts(k, values[0]))
			continue
		}
		for _, v := range values {
			differ.Rows = append(differ.Rows, texts(k, v, listed(cases[v])))
		}
	}
	return common, differ
}

func caseOrRun(r result.Run) string {
	if r.Case != "" {
		return r.Case
	}
	return r.ID
}

// submittedFiles are the files and options of a submission, as the coordinator keeps them.
func submittedFiles(text json.RawMessage) []book.File {
	type file struct{ Name, Content string }
	type option struct{ Origin, Key, Value string }
	var s struct {
		Suite                        *file
		Files, Includes              []file
		Variables, Properties, Flags []option
		Trial                        bool
	}
	if json.Unmarshal(text, &s) != nil {
		return nil // of a build that kept something else
	}
	var out []book.File
	if s.Suite != nil {
		out = append(out, book.File{Name: s.Suite.Name, Text: s.Suite.Content})
	}
	for _, f := range slices.Concat(s.Includes, s.Files) {
		out = append(out, book.File{Name: f.Name, Text: f.Content})
	}
	var line []string
	if s.Trial {
		line = append(line, "--trial")
	}
	for _, o := range slices.Concat(s.Variables, s.Properties, s.Flags) {
		line = append(line, strings.TrimSpace(o.Origin+" "+o.Key+"="+o.Value))
	}
	if len(line) > 0 {
		out = append(out, book.File{Name: "options", Text: strings.Join(line, "\n") + "\n"})
	}
	return out
}
