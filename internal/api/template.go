package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/benchd/benchd/configs"
	"github.com/benchd/benchd/internal/spec"
)

// Template is a suite file to start from.
type Template struct {
	Name        string            `json:"name"`  // such as smoke.yaml
	Title       string            `json:"title"` // from the comment at the head of the file
	Content     string            `json:"content"`
	Attachments map[string]string `json:"attachments,omitempty"` // the files that it names, for a submission
}

// templates answers with the suite files of configs/suites, the smallest first.
func (s *Server) templates(q *request) error {
	suites, err := configs.Suites()
	if err != nil {
		return err
	}
	reader, list := s.config.Targets.Reader(), make([]Template, 0, len(suites))
	for _, one := range suites {
		t := Template{Name: one.Name, Title: titleOf(one.Content), Content: one.Content, Attachments: make(map[string]string)}
		for _, name := range reader.Needs(spec.Submission{Suite: &spec.File{Name: one.Name, Content: []byte(one.Content)}}) {
			if t.Attachments[name], err = configs.Read(name); err != nil {
				return err
			}
		}
		list = append(list, t)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	q.sealed(digest(text), text)
	return nil
}

// titleOf returns the first clause of the comment at the head of a suite file.
func titleOf(content string) string {
	var head []string
	for lines := bufio.NewScanner(strings.NewReader(content)); lines.Scan(); {
		text, is := strings.CutPrefix(lines.Text(), "#")
		if text = strings.TrimSpace(text); !is || text == "" {
			break
		}
		head = append(head, text)
	}
	title := strings.Join(head, " ")
	for _, end := range []string{": ", ". "} {
		title, _, _ = strings.Cut(title, end)
	}
	return strings.TrimSuffix(title, ".")
}
