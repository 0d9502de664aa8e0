package report

import (
	"fmt"

	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// caseBottlenecks lists what limited each case of a suite.
func caseBottlenecks(suite result.Suite) []string {
	var out []string
	for _, c := range suite.Cases {
		if c.Bottleneck != "" {
			out = append(out, c.Name+": "+plainWords(c.Bottleneck))
		}
	}
	return out
}

// suiteBottlenecks is the chapter of what limited the cases of a suite; empty if nothing was measured.
func suiteBottlenecks(suite result.Suite) []book.Chapter {
	return bottleneckChapter(caseBottlenecks(suite))
}

// runBottlenecks is the chapter of what limited the phases of a run, with the evidence.
func runBottlenecks(run result.Run) []book.Chapter {
	var lines []string
	for _, p := range run.Phases {
		if b := p.Bottleneck; b != nil {
			lines = append(lines, fmt.Sprintf("%s: %s Tested: %s", p.Name, sentence(plainWords(b.Sentence)), sentence(plainWords(b.Test))))
		}
	}
	chapters := bottleneckChapter(lines)
	for _, p := range run.Phases {
		if p.Bottleneck == nil || len(chapters) == 0 {
			continue
		}
		for _, text := range p.Bottleneck.Observe {
			chapters[0].Text = append(chapters[0].Text, "- "+p.Name+", to observe: "+sentence(plainWords(text)))
		}
	}
	return chapters
}

func bottleneckChapter(lines []string) []book.Chapter {
	if len(lines) == 0 {
		return nil
	}
	c := book.Chapter{Title: "Bottlenecks"}
	for _, line := range lines {
		c.Text = append(c.Text, "- "+line)
	}
	return []book.Chapter{c}
}
