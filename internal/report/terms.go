package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// termsTitle is the heading of what a workload does on each target.
const termsTitle = "Terms"

// howTerms describes where terms come from.
const howTerms = "What the workload does on the target, from the settings of the servers at the beginning of a run and the properties of the case."

// mostTermCases is how many cases a row of terms names.
const mostTermCases = 8

// termText is the text of a term.
func termText(t descriptor.Term) string { return cmp.Or(t.Text, "not known") }

// termsOfRun are the terms of a run, as a table has them.
func termsOfRun(r result.Run, targets descriptor.List) []result.TargetTerms {
	terms := r.Terms
	if terms == nil && r.Provenance.Foreign == nil {
		terms = targets.Terms(r.Resolved, r.Provenance.Target)
	}
	if terms == nil {
		return nil
	}
	return []result.TargetTerms{{DB: r.Resolved["db"], Terms: *terms}}
}

// termsTable has a row for each target, and more than one where cases of a target have different terms.
func termsTable(all []result.TargetTerms) book.Table {
	named, databases, cases := false, false, false
	for i, t := range all {
		named = named || t.Target != ""
		databases = databases || t.Target != t.DB
		cases = cases || i > 0 && all[i-1].Target == t.Target && all[i-1].DB == t.DB
	}
	t := book.Table{How: howTerms}
	column := func(shown bool, columns []book.Column) {
		if shown {
			t.Columns = append(t.Columns, columns...)
		}
	}
	column(named, names("target"))
	column(databases, names("database"))
	for _, term := range (descriptor.Terms{}).Each() {
		column(true, words(term.Name))
	}
	column(cases, names("cases"))
	for _, entry := range all {
		var row []book.Cell
		cell := func(shown bool, text string) {
			if shown {
				row = append(row, book.Text(text))
			}
		}
		cell(named, entry.Target)
		cell(databases, entry.DB)
		for _, term := range entry.Each() {
			cell(true, termText(term))
		}
		cell(cases, someCases(entry))
		t.Rows = append(t.Rows, row)
	}
	return t
}

// someCases names the cases of terms without their target, or counts them if there are many.
func someCases(of result.TargetTerms) string {
	if len(of.Cases) > mostTermCases {
		return several(len(of.Cases), "case")
	}
	short := make([]string, len(of.Cases))
	for i, name := range of.Cases {
		short[i] = strings.TrimSuffix(name, " on "+of.Target)
	}
	return strings.Join(short, "; ")
}

// addTerms adds the chapter of the terms of a suite, if there are several. Those of a single target are in the provenance.
func (b *maker) addTerms(s result.Suite) {
	if len(s.Terms) > 1 {
		b.Chapters = append(b.Chapters, book.Chapter{Title: termsTitle, Text: termSentences(s), Tables: []book.Table{termsTable(s.Terms)}})
	}
}

// differingTerms are the names of the terms in which targets differ in a case that several of them measured.
func differingTerms(s result.Suite) []string {
	of := make(map[string]result.TargetTerms)
	for _, entry := range s.Terms {
		for _, name := range entry.Cases {
			of[name] = entry
		}
	}
	differ := make(map[string]bool)
	for _, r := range rivalsOf(s) {
		var entries []result.TargetTerms
		for _, c := range r.of {
			if entry, known := of[c.Name]; known {
				entries = append(entries, entry)
			}
		}
		for _, a := range entries {
			for _, b := range entries {
				for i, t := range a.Each() {
					other := b.Each()[i]
					if t.Meaning() != other.Meaning() || a.DB == b.DB && t != other {
						differ[t.Name] = true
					}
				}
			}
		}
	}
	var out []string
	for _, t := range (descriptor.Terms{}).Each() {
		if differ[t.Name] {
			out = append(out, t.Name)
		}
	}
	return out
}

// termSentences state whether the targets of a suite do the same work; none if it has one target, or if their terms are not known.
func termSentences(s result.Suite) []string {
	known := distinct(s.Terms, func(t result.TargetTerms) string { return t.Target })
	differ := differingTerms(s)
	switch {
	case len(known) < 2:
		return nil
	case len(differ) == 0:
		return []string{"The terms of the targets are the same."}
	}
	return []string{"The targets do not do the same work. Terms that differ: " + strings.Join(differ, ", ") + "."}
}

// termDifferences list the terms in which the targets of a suite differ, each with the targets of a text.
func termDifferences(s result.Suite) []string {
	var out []string
	for _, name := range differingTerms(s) {
		var texts []string
		of := make(map[string][]string)
		for _, entry := range s.Terms {
			for _, t := range entry.Each() {
				if t.Name != name {
					continue
				}
				text := termText(t)
				if of[text] == nil {
					texts = append(texts, text)
				}
				if !slices.Contains(of[text], entry.Target) {
					of[text] = append(of[text], entry.Target)
				}
			}
		}
		for _, text := range texts {
			out = append(out, fmt.Sprintf("%s of %s: %s", name, listed(of[text]), text))
		}
	}
	return out
}

// terms writes the terms in which the targets of a suite differ.
func (p *page) terms(s result.Suite) {
	for _, text := range slices.Concat(termSentences(s), termDifferences(s)) {
		p.wrap("terms    ", text, plain)
	}
}

// comparedTerms is the chapter of the terms in which the sides of a comparison differ.
func comparedTerms(c compare.Comparison, of string) []book.Chapter {
	differ := termsOf(c)
	if len(differ) == 0 {
		return nil
	}
	return []book.Chapter{{Title: termsTitle + of, Text: []string{differingSides(c)}, Tables: []book.Table{differenceTable(differ)}}}
}

// termsOf are the terms in which the sides of a comparison differ.
func termsOf(c compare.Comparison) []compare.Difference {
	return slices.DeleteFunc(slices.Clone(c.Differences), func(d compare.Difference) bool { return !d.IsTerm() })
}

// differingSides states in which terms the sides of a comparison differ; empty if there are none.
func differingSides(c compare.Comparison) string {
	differ := distinct(termsOf(c), func(d compare.Difference) string { return d.What })
	if len(differ) == 0 {
		return ""
	}
	return "A and B do not do the same work. Terms that differ: " + strings.Join(differ, ", ") + "."
}
