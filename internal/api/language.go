package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/benchd/benchd/internal/phrase"
)

// sentences are the fields of documents that have texts of benchd for people. Other fields have names, or words that programs compare.
func sentences(field string) bool {
	switch field {
	case "because", "bottleneck", "consistency", "durability", "evidence", "method", "missing", "notes", "reason", "refused", "replicas", "scans", "sentence", "test", "text",
		"updates", "warnings", "what":
		return true
	}
	return false
}

// translated is the JSON of a document with its texts for people in another language. Texts without a translation stay English.
func translated(document []byte, to phrase.Translator) ([]byte, error) {
	if to.Lang() == phrase.Languages()[0] {
		return document, nil
	}
	read := json.NewDecoder(bytes.NewReader(document))
	read.UseNumber() // a number stays as it is written
	var of any
	if err := read.Decode(&of); err != nil {
		return nil, fmt.Errorf("read a document to translate: %w", err)
	}
	text, err := json.Marshal(inLanguage(of, false, to))
	if err != nil {
		return nil, fmt.Errorf("write a translated document: %w", err)
	}
	return append(text, '\n'), nil
}

// inLanguage translates the texts in a value. shown is set within fields for people.
func inLanguage(of any, shown bool, to phrase.Translator) any {
	switch of := of.(type) {
	case string:
		if shown {
			return to.Text(of)
		}
	case []any:
		for i := range of {
			of[i] = inLanguage(of[i], shown, to)
		}
	case map[string]any:
		for field, value := range of {
			of[field] = inLanguage(value, sentences(field), to)
		}
	}
	return of
}

// inLanguage answers with a document in the language that a request asks for.
func (s *Server) inLanguage(q *request, of any) error {
	translate, err := s.translator(q)
	if err != nil {
		return err
	}
	text, err := json.Marshal(of)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	if text, err = translated(text, translate); err != nil {
		return err
	}
	return q.document(json.RawMessage(text))
}
