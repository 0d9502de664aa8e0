package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/benchd/benchd/internal/report/book"
)

// Options are how a book is written.
type Options struct {
	Lang string                   // of the book's texts, as HTML's attribute lang has it; empty is en
	Text func(text string) string // translates the texts that the page itself adds, which Texts lists; nil leaves them in English
}

//go:embed page.gohtml
var pageTemplate string

//go:embed bundle.css
var style string

//go:embed bundle.js
var script string

// Write writes a book as a page.
func Write(w io.Writer, b book.Book, o Options) error {
	if o.Lang == "" {
		o.Lang = "en"
	}
	if o.Text == nil {
		o.Text = func(text string) string { return text }
	}
	page, err := newPage(b, o)
	if err != nil {
		return fmt.Errorf("write report as HTML: %w", err)
	}
	t, err := template.New("page").Funcs(template.FuncMap{"cut": cut, "text": o.Text}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read template of report: %w", err)
	}
	if err := t.Execute(w, page); err != nil {
		return fmt.Errorf("write report as HTML: %w", err)
	}
	return nil
}

// Policy is the content security policy of all pages: nothing is fetched, and no script or style runs but the page's own.
func Policy() string {
	return fmt.Sprintf("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'", hash(script), hash(style))
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
