package api

import (
	"cmp"

	"github.com/benchd/benchd/internal/phrase"
	"github.com/benchd/benchd/internal/report"
	"github.com/benchd/benchd/internal/report/book"
	"github.com/benchd/benchd/internal/result"
)

// Answer is the conclusion of a suite or run, as its report begins.
type Answer struct {
	Schema   int        `json:"schema"`
	Kind     string     `json:"kind"` // "answer"
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Question string     `json:"question"` // what the suite was to find out
	State    book.State `json:"state"`    // whether the figures can be relied upon: good, caution or bad
	Status   string     `json:"status"`   // the state in a few words
	Answer   []string   `json:"answer"`   // the conclusions, a sentence each, the most important first
	Lead     []string   `json:"lead"`     // what a reader must know before any figure; an item of a list begins with "- "
}

// conclusion answers with the Answer of a suite or run.
func (s *Server) conclusion(q *request) error {
	text, err := s.client.Result(q.ctx, q.id())
	if err != nil {
		return err
	}
	tag := digest(text, []byte("answer"), []byte(q.text("lang")), []byte(s.config.Version))
	if ended(text) && q.fresh(tag) {
		return nil
	}
	run, suite, err := result.Read(text)
	if err != nil {
		return err
	}
	translate, err := s.translator(q)
	if err != nil {
		return err
	}
	head := report.Head(run, suite, s.config.Targets.Descriptors(), translate.Text)
	a := Answer{
		Schema: result.Schema, Kind: "answer", ID: q.id(), Title: head.Title, Question: head.Question, State: head.State, Status: head.Status,
		Answer: append([]string{}, head.Answer...), Lead: append([]string{}, head.Lead...),
	}
	if ended(text) {
		q.Header().Set("Cache-Control", revalidated)
		q.Header().Set("ETag", `"`+tag+`"`)
	}
	return q.document(a)
}

// translator is that of the language that a request asks for. Catalogues are read once.
func (s *Server) translator(q *request) (phrase.Translator, error) {
	lang := cmp.Or(q.text("lang"), phrase.Languages()[0])
	if known, ok := s.languages.Load(lang); ok {
		return known.(phrase.Translator), nil //nolint:errcheck,forcetypeassert // it has nothing else
	}
	t, err := phrase.For(lang)
	if err != nil {
		return t, err
	}
	s.languages.Store(lang, t)
	return t, nil
}
